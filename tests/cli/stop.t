#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Streams that are stopped at any moment: with --checkpoint what is finished is never computed again, without it
# each result has been written when it is known; whatever signal ends a program, no unfinished file remains.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use POSIX qw(mkfifo);
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-cat mm-gen perm-gpu flipwalk);

my $folders = 0;
sub folder { my $name = scratch('folder' . ++$folders); mkdir $name or die; return $name }
sub left_in { return join ' ', map { s{.*/}{}r } bsd_glob("$_[0]/*") }

# What a signal ended that came too early tells nothing: it is tried again, later and later.
sub finished { return ($_[0]{err} =~ /go on from \S*state, which has (\d+) finished record/)[0] // 0 }

# ---- a stream with --checkpoint, stopped again and again at random times ----

my @names = qw(bcspwr01 bcspwr02 can_24 will57 curtis54 d_ss steam3 ash85);
my $stream = scratch('stream.mtx');
spew($stream, run(['mm-cat', map { source_path("tests/data/$_.mtx") } (@names) x 4])->{out});
my @run = (qw(perm-gpu -k -j2), $stream);
my $whole = run(\@run);
my $lines = () = $whole->{out} =~ /\n/g;
cmp_ok($lines, '>=', 24, 'permanents of a stream of real matrices');
my $seed = $ENV{MMPIPE_TEST_SEED} // 1;
srand $seed;
note "MMPIPE_TEST_SEED=$seed";
{
    my $folder = folder();
    my ($wrong, $stops, $finished, $most, $seconds) = ('', 0, 0, 0, 0.02);
    for my $try (1 .. 60) {
        my $signal = (qw(INT TERM HUP XCPU QUIT))[$try % 5];
        my $handle = start([@run, '--checkpoint', "$folder/state", '-o', "$folder/out"]);
        wait_until(sub { -e "$folder/state.lock" || -e "$folder/out" });
        select undef, undef, undef, rand $seconds;
        kill $signal => $handle->{pid};
        my $ended = finish($handle);
        if ($ended->{status} == 5 && !$ended->{signal}) {
            $stops++;
            if ($ended->{err} =~ /stopped; nothing new was finished/) { $seconds *= 1.2; next }
            my ($said) = $ended->{err} =~ /stopped.*; run it again to go on from \S*state, which has (\d+) finished record/;
            $wrong .= "$try: SIG$signal: $ended->{err}" if !defined $said || $said < $finished;
            $finished = $said // 0;
            $most = $finished if $finished > $most;
            $wrong .= "$try: left " . left_in($folder) . "\n" if left_in($folder) !~ /\Astate(?: state\.old)?\z/;
        } else {
            $wrong .= "$try: SIG$signal: status $ended->{status}/$ended->{signal}\n" if $ended->{status} || $ended->{signal};
            $wrong .= "$try: other bytes\n" if slurp("$folder/out") ne $whole->{out};
            $wrong .= "$try: left " . left_in($folder) . "\n" if left_in($folder) ne 'out';
            unlink "$folder/out";
            $finished = 0;
            $seconds *= 0.7;
        }
    }
    is($wrong, '', "stopped $stops times by five signals, with up to $most finished records: status 5, no record lost, and the same bytes");
}

# ---- phases in which nothing looks for a signal ----

for my $signal (qw(INT TERM HUP XCPU QUIT)) {
    my ($folder, $ended);
    for (my $seconds = 0.2; $seconds < 60; $seconds *= 2) {
        $folder = folder();
        mkfifo("$folder/fifo", 0600) or die;
        my $handle = start(['perm-gpu', '-j2', '--checkpoint', "$folder/state", '-o', "$folder/out", "$folder/fifo"]);
        open my $writer, '>', "$folder/fifo" or die;
        $writer->autoflush(1);
        print $writer "%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4\n%%MatrixMarket matrix array integer general\n2 2\n1\n2";
        # The first record is finished once the second one is begun.
        wait_until(sub { left_in($folder) =~ /out\./ });
        select undef, undef, undef, $seconds;
        kill $signal => $handle->{pid};
        $ended = finish($handle);
        close $writer;
        last if finished($ended);
    }
    is("$ended->{status}/$ended->{signal}", '5/0', "SIG$signal while reading: status 5") or diag $ended->{err};
    like($ended->{err}, qr/go on from \S*state, which has 1 finished record$/m, '... and what is saved');
    is(left_in($folder), 'fifo state', '... the state, and nothing else');
}

# ---- a signal that has waited since before the start: it comes while files are made ----

{
    my $waiting = 'sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGINT)); kill INT => $$; exec @ARGV';
    my %input = (map({ $_ => run([qw(mm-gen er 9 -p 0.4 --diagonal)])->{out} } qw(mm-order perm-gpu)), flipwalk => run([qw(mm-gen scheme 2x2x2)])->{out});
    for my $program (grep { $built{$_} } sort keys %input) {
        my $wrong = '';
        for my $try (1 .. 40) {
            my $folder = folder();
            my $ended = run([$^X, '-MPOSIX', '-e', $waiting, $program, '--checkpoint', "$folder/state", '-o', "$folder/out"], input => $input{$program});
            my $left = "$ended->{status}/$ended->{signal} " . left_in($folder);
            $wrong .= "$try: $left\n" if $left !~ m{\A(?:5/0 (?:state)?|0/0 out)\z};
        }
        is($wrong, '', "$program: no unfinished file remains of a stop at the start");
    }
}

# ---- without --checkpoint: what is known is out, while the input goes on ----

{
    my ($folder, $out) = (folder());
    mkfifo("$folder/fifo", 0600) or die;
    my $handle = start(['perm-gpu', '-j2', "$folder/fifo"], stdout => "$folder/out");
    open my $writer, '>', "$folder/fifo" or die;
    $writer->autoflush(1);
    print $writer map { "%%MatrixMarket matrix array integer general\n1 1\n$_\n" } 1 .. 5;
    ok(wait_until(sub { $out = -e "$folder/out" ? slurp("$folder/out") : ''; $out =~ /4\n/ }),
        'lines of a batch are out while the input waits') or diag $out;
    kill KILL => $handle->{pid};
    finish($handle);
    is(slurp("$folder/out"), join('', map { "$folder/fifo\t$_\n" =~ s{.*/}{}r } 1 .. 4), '... and outlive SIGKILL');
}

# Lines are out, too, while the record behind them takes its time.
{
    my $folder = folder();
    my ($small, $large) = map { run([qw(mm-gen dense), $_])->{out} } 3, 40;
    spew("$folder/in", $small x 6 . $large . $small x 6);
    my $lines = sub { -e "$folder/out" ? scalar(() = slurp("$folder/out") =~ /\n/g) : 0 };
    my $handle = start([qw(perm-gpu -j1 --device cpu), "$folder/in", '--checkpoint', "$folder/state"], stdout => "$folder/out");
    ok(wait_until(sub { $lines->() == 6 }), 'six lines are out while the seventh matrix is computed') or diag $lines->();
    kill KILL => $handle->{pid};
    finish($handle);
}

# Small records come faster than each is worth a write; none of them is held back when no more come. That a record has no
# more entries is known once the next one begins.
{
    my $records = run(['mm-gen', qw(er 8 -p 0.3 --values int:1:9 --count 300)])->{out};
    my ($most) = $records =~ /\A(.*^%%MatrixMarket[^\n]*\n)/ms;
    my %counted = ('mm-cat' => qr/^%%MatrixMarket/m, 'mm-dm --drop' => qr/^%%MatrixMarket/m, 'mm-info --no-header' => qr/\n/, 'perm-gpu -j1' => qr/\n/);
    for my $command (sort keys %counted) {
        my ($folder, $out) = (folder(), '');
        mkfifo("$folder/fifo", 0600) or die;
        my $handle = start([split(' ', $command), "$folder/fifo"], stdout => "$folder/out");
        open my $writer, '>', "$folder/fifo" or die;
        $writer->autoflush(1);
        print $writer $most;
        my $count = sub { $out = -e "$folder/out" ? slurp("$folder/out") : ''; scalar(() = $out =~ /$counted{$command}/g) };
        ok(wait_until(sub { $count->() == 299 }), "$command: 299 of 300 records are out while the input waits") or diag $count->();
        kill KILL => $handle->{pid};
        finish($handle);
        close $writer;
    }
}

# ---- signals that end a program leave no file ----

for my $signal (qw(ALRM VTALRM PROF USR2 ABRT SEGV FPE ILL TRAP SYS IO PWR QUIT XCPU)) {
    SKIP: {
        skip "sanitizers report SIG$signal themselves", 2 if is_sanitized() && $signal =~ /SEGV|FPE/;
        my $folder = folder();
        mkfifo("$folder/fifo", 0600) or die;
        my $handle = start(['mm-cat', '-o', "$folder/out", "$folder/fifo"]);
        open my $writer, '>', "$folder/fifo" or die;
        $writer->autoflush(1);
        print $writer "%%MatrixMarket matrix array";
        wait_until(sub { left_in($folder) =~ /out\./ });
        kill $signal => $handle->{pid};
        my $ended = finish($handle);
        cmp_ok($ended->{signal}, '>', 0, "SIG$signal: dies of it");
        is(left_in($folder), 'fifo', '... and leaves nothing');
        close $writer;
    }
}

# ---- a search ----

{
    my $folder = folder();
    my $input = scratch('schemes.mtx');
    spew($input, run(['mm-cat'], input => run([qw(mm-gen scheme 2x2x2)])->{out} . run([qw(mm-gen scheme 4x4x4)])->{out})->{out});
    my $ended;
    for (my $seconds = 0.5; $seconds < 60; $seconds *= 2) {
        my $handle = start(['flipwalk', qw(-j2 --target 2), '--checkpoint', "$folder/state", '-o', "$folder/out", $input]);
        wait_until(sub { -e "$folder/state.lock" });
        select undef, undef, undef, $seconds;
        kill INT => $handle->{pid};
        $ended = finish($handle);
        last if $ended->{err} =~ /go on from/;
    }
    is("$ended->{status}/$ended->{signal}", '5/0', 'a search that is stopped: status 5') or diag $ended->{err};
    like($ended->{err}, qr/stopped.*run it again to go on from \S*state/, '... and what to do');
    is(left_in($folder), 'state', '... with the state');
}
done_testing();
