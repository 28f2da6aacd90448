#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# --checkpoint of programs that take one record after the other: stopped or killed at any moment they go on to the
# same bytes, what is finished is not computed again, and a state of something else is refused.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use POSIX qw(mkfifo);
use Program;
use Resumed;
use Test::More;
use Time::HiRes qw(time);

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(flip-lift h2-build h2-compress h2-mv h2-orthog mm-cat mm-dm mm-fmdecompose mm-gen mm-order spmm-tc);


# Real matrices; three are no squares, which mm-fmdecompose refuses.
my @names = qw(bcspwr01 bcspwr02 can_24 will57 curtis54 d_ss steam3 ash85 bcspwr03 cage5 impcol_b);
my $stream = scratch('stream.mtx');
spew($stream, run(['mm-cat', map { source_path("tests/data/$_.mtx") } (@names) x 2])->{out}
    =~ s/%%End.*\n//r =~ s/^% record: .*\n//mgr . run([qw(mm-gen er 9x12 -p 0.4 --seed 3)])->{out});
my $numbered = scratch('numbered.mtx');
spew($numbered, run(['mm-cat', $stream])->{out});
my $large = scratch('large.mtx');
my @many = real_matrices(200);
run(['mm-cat', '-o', $large, @many]) if @many == 200;
# What other programs read: points, H2 matrices of these, and schemes of rank 7 to 23 over F2.
my @points = map { run([qw(mm-gen points), 200 * $_ . 'x2', '--seed', $_])->{out} } 1 .. 6;
my @h2 = map { run([qw(h2-build -q)], input => $_)->{out} } @points;
my @schemes = map { run([qw(flipwalk --islands 1 --walkers 1 --steps 100 -q --seed), $_ % 3], input => run([qw(mm-gen scheme), $_ < 3 ? '2x2x3' : '3x3x3'])->{out})->{out} } 0 .. 5;
my %input = map { $_->[0] => scratch("$_->[0].in") } (my @inputs = (['h2-build', @points], (map { [$_, @h2] } qw(h2-orthog h2-mv)),
    ['h2-compress', map { run([qw(h2-orthog -q)], input => $_)->{out} } @h2], ['flip-lift', @schemes]));
spew($input{$_->[0]}, join '', @$_[1 .. $#$_]) for @inputs;
my $seed = $ENV{MMPIPE_TEST_SEED} // 1;
srand $seed;
note "MMPIPE_TEST_SEED=$seed";

my @order = qw(mm-order --for perm --restarts 200 -k -j2);
my @decompose = qw(mm-fmdecompose --stop-n 24 --max-terms 3000 -k -j2);

# ---- stopped and killed at random times ----

for my $case ([21, @order], [7, @order, qw(--form bin)], [7, qw(mm-order --for rcm -k --part 1/2)], [21, @decompose],
    [14, @decompose, '--summary'], [7, @decompose, qw(--summary --json)], [7, qw(mm-dm -k --blocks)], [7, qw(mm-dm -k --summary)],
    [7, qw(spmm-tc -k -j2 --random-b 200)], [7, qw(h2-build -j2 -q)], [7, qw(h2-orthog -j2)], [7, qw(h2-compress -j2)], [7, qw(h2-mv -j2 --random 16)],
    [7, qw(flip-lift -k)], [6, '200 mm-order', qw(--for rcm -k -j2)]) {
    my ($tries, @command) = @$case;
    my $is_large = $command[0] =~ s/^200 //;
SKIP: {
    skip 'no 200 real matrices in MMPIPE_SHARED/data/matrices', 4 if $is_large && !-e $large;
    push @command, $is_large ? $large : $input{$command[0]} // $numbered;
    my $begun = time;
    my $whole = run(\@command);
    my $length = time - $begun; # signals come while such a run goes on
    like("$whole->{status}/$whole->{signal}", qr{^[01]/0$}, "@command[0 .. $#command - 1]") or diag $whole->{err};
    my ($seconds, $folder, $wrong, $stops, $kills, $finished) = (0.8 * $length, folder(), '', 0, 0, 0);
    for my $try (1 .. 60) {
        last if $try > $tries && $stops + $kills > 2;
        my $signal = (qw(INT TERM KILL HUP XCPU KILL QUIT))[$try % 7];
        my $handle = start([@command, '--checkpoint', "$folder/state", '-o', "$folder/out"]);
        wait_until(sub { -e "$folder/state.lock" || -e "$folder/out" });
        select undef, undef, undef, rand $seconds;
        kill $signal => $handle->{pid};
        my $ended = finish($handle);
        if ($ended->{signal} == 9) {
            $kills++;
            if (!-e "$folder/state" && $finished > 0) { # killed behind its end, where the state goes last
                $wrong .= "$try: other bytes\n" if !-e "$folder/out" || slurp("$folder/out") ne $whole->{out};
                $finished = 0;
            }
            unlink "$folder/out", bsd_glob("$folder/out.*"), "$folder/state.lock"; # as if it had come to nothing
        } elsif ($ended->{status} == 5) {
            $stops++;
            if ($ended->{err} =~ /stopped; nothing new was finished/) { $seconds *= 1.2; next }
            my ($said) = $ended->{err} =~ /stopped; run it again to go on from \S*state, which has (\d+) finished record/;
            $wrong .= "$try: SIG$signal: $ended->{err}" if !defined $said || $said < $finished;
            $finished = $said // 0;
            $wrong .= "$try: left " . left_in($folder) . "\n" if left_in($folder) ne 'state';
        } else {
            $wrong .= "$try: SIG$signal: status $ended->{status}/$ended->{signal}: $ended->{err}\n" if "$ended->{status}/$ended->{signal}" ne "$whole->{status}/0";
            $wrong .= "$try: other bytes\n" if (-e "$folder/out" ? slurp("$folder/out") : '') ne $whole->{out};
            $wrong .= "$try: left " . left_in($folder) . "\n" if left_in($folder) ne 'out';
            unlink "$folder/out";
            $finished = 0;
            $seconds *= 0.6; # it came too late
        }
    }
    is($wrong, '', "... stopped $stops times by five signals and killed $kills times: no record lost, and the same bytes");
    my $last = run([@command, '--checkpoint', "$folder/state"]);
    is("$last->{status} $last->{out}", "$whole->{status} $whole->{out}", '... to standard output too');
    is(left_in($folder), '', '... and nothing is left');
}
}

# ---- phases: while the input waits, and at the time limit ----

# Such matrices are named after the file that they are in.
sub nameless { return run(['mm-gen', @_])->{out} =~ s/^% name: .*\n//mr }
my @records = map { nameless('er', 12 + $_, '-p', '0.3', '--diagonal', '--seed', $_) } 1 .. 3;
# A state after the first two of three records, and how the run ended. A signal, or without one the time limit, that
# comes before these are finished tells nothing: it is tried again, later and later.
sub stop_after_two {
    my ($folder, $signal, @command) = @_;
    my $ended;
    for (my $seconds = 0.2; $seconds < 60; $seconds *= 2) {
        unlink "$folder/fifo", "$folder/state";
        mkfifo("$folder/fifo", 0600) or die;
        my $handle = start([@command, $signal ? () : ('--time-limit', 5 * $seconds), '--checkpoint', "$folder/state", '-o', "$folder/out", "$folder/fifo"]);
        open my $writer, '>', "$folder/fifo" or die;
        $writer->autoflush(1);
        # That a record has no more entries is known once the next one begins.
        print $writer @records[0, 1], $records[2] =~ /\A(%%MatrixMarket.*\n)/ ? "$1%" : substr $records[2], 0, 40;
        my $size = -1;
        if ($signal) {
            wait_until(sub { my $before = $size; $size = -s "$folder/state" // 0; select undef, undef, undef, $seconds; $before == $size && $size > 600 });
            kill $signal => $handle->{pid};
        }
        $ended = finish($handle);
        close $writer;
        last if $ended->{err} =~ /which has 2 finished records/;
    }
    unlink "$folder/fifo";
    spew("$folder/fifo", join '', @records);
    return $ended;
}
for my $signal (qw(INT TERM HUP XCPU QUIT), undef) {
    my $folder = folder();
    my $ended = stop_after_two($folder, $signal, 'mm-order');
    my $how = defined $signal ? "SIG$signal while reading" : 'the time limit';
    is("$ended->{status}/$ended->{signal}", '5/0', "$how: status 5") or diag $ended->{err};
    like($ended->{err}, qr/go on from \S*state, which has 2 finished records$/m, '... and what is saved');
    like($ended->{err}, qr/stopped at the time limit;/, '... and why') unless defined $signal;
    is(left_in($folder), 'fifo state', '... the state, and nothing else');
    my $again = run(['mm-order', '--checkpoint', "$folder/state", "$folder/fifo"]);
    is($again->{out}, run(['mm-order', "$folder/fifo"])->{out}, '... from which it goes on');
}

# ---- programs with factors in other files, which a state is of, too ----

{
    my ($vectors, $more, $small, $large) = map { scratch($_) } qw(vectors.mtx more.mtx given.mtx other.mtx);
    my @given = map { run([qw(mm-gen dense 200 --symmetry symmetric --seed), $_])->{out} } 1, 2;
    spew($vectors, run([qw(mm-gen dense 200x3 --seed 1)])->{out});
    spew($more, run([qw(mm-gen dense 200x3 --seed 2)])->{out});
    spew($small, $given[0]);
    spew($large, $given[1]);
    my @of_200 = map { nameless('er', '200x200', '-p', '0.05', '--seed', $_) } 1 .. 3;
    my @points_200 = map { run([qw(mm-gen points 200x2 --seed), $_])->{out} =~ s/^% name: .*\n//mr } 1 .. 3;
    my @h2_200 = map { run([qw(h2-build -q)], input => $_)->{out} } @points_200;
    for my $case (['spmm-tc', '-B', $vectors, $more, \@of_200], ['h2-mv', '-x', $vectors, $more, \@h2_200], ['h2-build', '--matrix', $small, $large, \@points_200],
        ['h2-orthog', undef, undef, undef, \@h2_200], ['flip-lift', undef, undef, undef, [@schemes[0 .. 2]]]) {
        my ($program, $option, $file, $other, $input) = @$case;
        @records = @$input;
        my $folder = folder();
        my @with = defined $option ? ($option, scratch('factor')) : ();
        spew(scratch('factor'), slurp($file)) if defined $file;
        my $ended = stop_after_two($folder, 'TERM', $program, @with);
        is("$ended->{status}/$ended->{signal}", '5/0', "$program: stopped while reading") or diag $ended->{err};
        like($ended->{err}, qr/go on from \S*state, which has 2 finished records$/m, '... and what is saved');
        if (defined $option) {
            my $state = slurp("$folder/state");
            spew(scratch('factor'), slurp($other));
            my $refused = run([$program, @with, '--checkpoint', "$folder/state", "$folder/fifo"]);
            is("$refused->{status} $refused->{out}", '2 ', '... other numbers in the file of the other factor: status 2');
            like($refused->{err}, qr/is the state of '.*', not of/, '... with the reason');
            ok(slurp("$folder/state") eq $state, '... and the state remains');
            spew(scratch('factor'), slurp($file));
        }
        my $again = run([$program, @with, '--checkpoint', "$folder/state", "$folder/fifo"]);
        ok("$again->{status} $again->{out}" eq '0 ' . run([$program, @with, "$folder/fifo"])->{out}, '... from which it goes on to the same bytes') or diag $again->{err};
        is(left_in($folder), 'fifo', '... and nothing is left');
    }
    my $state = folder() . '/state';
    for my $case (['spmm-tc', '--bench', '--random-b', 4, $numbered], [qw(spmm-tc --kernel list --random-b 4), $numbered], ['h2-orthog', '--phases', scratch('phases'), $input{'h2-orthog'}]) {
        my $refused = run([@$case, '--checkpoint', $state]);
        is("$refused->{status} $refused->{out}", '2 ', "$case->[0] $case->[1] with --checkpoint: status 2");
        like($refused->{err}, qr/--checkpoint/, '... with the reason');
        ok(!-e $state && !-e scratch('phases'), '... and no file is made');
    }
}

# ---- what is finished is not computed again, what failed is ----

{
    my $folder = folder();
    @records = map { nameless('er', $_, '-p', '0.02', '--diagonal', '--seed', 1) } 600, 600, 3;
    my $ended = stop_after_two($folder, 'TERM', qw(mm-order --for rcm));
    is($ended->{status}, 5, 'stopped behind two large matrices') or diag $ended->{err};
    my $small = run([qw(mm-order --for rcm), '--memory', '10K', "$folder/fifo"]);
    is($small->{status}, 4, 'which cannot be ordered in 10 KiB');
    my $again = run([qw(mm-order --for rcm), '--memory', '10K', '--checkpoint', "$folder/state", "$folder/fifo"]);
    is("$again->{status} $again->{out}", '0 ' . run([qw(mm-order --for rcm), "$folder/fifo"])->{out}, '... but are finished already') or diag $again->{err};

    my $whole = run([@decompose, '--max-terms', 1, $numbered]);
    is($whole->{status}, 1, 'records that fail');
    my $state = folder() . '/state';
    my $run = run([@decompose, '--max-terms', 1, $numbered, '--checkpoint', $state]);
    is("$run->{status} $run->{out}", "1 $whole->{out}", '... fail with a state too, and leave nothing in the output');
}

# ---- states of something else, damage ----

{
    my $folder = folder();
    @records = map { nameless('er', 12 + $_, '-p', '0.3', '--diagonal', '--seed', $_) } 1 .. 3;
    is(stop_after_two($folder, 'TERM', 'mm-order')->{status}, 5, 'a state of two records');
    my $state = slurp("$folder/state");
    my $whole = run(['mm-order', "$folder/fifo"]);
    my $other = "$folder/other";
    mkdir $other or die;
    spew("$other/fifo", join '', @records[1, 0, 2]);
    spew("$folder/alone", $records[0]);
    for my $case (['other options', qr/is the state of 'mm-order 0\S*', not of 'mm-order 0\S* --for rcm'/, qw(mm-order --for rcm), "$folder/fifo"],
        ['another part', qr/is the state of .*, not of '.* --part 1\/2'/, qw(mm-order --part 1/2), "$folder/fifo"],
        ['another program', qr/is the state of 'mm-order.*, not of 'mm-dm/, 'mm-dm', "$folder/fifo"],
        ['another input', qr/is the state of another input: record 1 is not the same/, 'mm-order', "$other/fifo"],
        ['another name', qr/is the state of another input: record 1 is not the same/, 'mm-order', "$folder/alone"]) {
        my ($what, $like, @command) = @$case;
        my $run = run([@command, '--checkpoint', "$folder/state"]);
        is("$run->{status} $run->{out}", '2 ', "$what: status 2");
        like($run->{err}, $like, '... with the reason');
        is(slurp("$folder/state"), $state, '... and the state remains');
    }
    my $short = folder();
    spew("$short/fifo", $records[0]);
    spew("$short/state", $state);
    my $run = run(['mm-order', '--checkpoint', "$short/state", '-o', "$short/out", "$short/fifo"]);
    is($run->{status}, 2, 'an input with fewer records: status 2');
    like($run->{err}, qr/another input, which has more records/, '... with the reason');

    spew("$folder/state", 'letters');
    $run = run(['mm-order', '--checkpoint', "$folder/state", "$folder/fifo"]);
    is("$run->{status} " . slurp("$folder/state"), '2 letters', 'a file that is no state: refused, and it stays');

    my ($wrong, %how) = ('');
    for (my $at = 0; $at < length $state; $at += 1 + int rand 8) {
        for my $damaged (substr($state, 0, $at), substr($state, 0, $at) . chr(ord(substr $state, $at, 1) ^ 1 << $at % 8) . substr($state, $at + 1)) {
            spew("$folder/state", $damaged);
            my $run = run(['mm-order', '--checkpoint', "$folder/state", "$folder/fifo"]);
            $how{$run->{status}}++;
            next if $run->{status} == 0 && $run->{out} eq $whole->{out};
            next if $run->{status} =~ /^[23]$/ && $run->{out} eq '' && slurp("$folder/state") eq $damaged;
            $wrong .= "$at: status $run->{status}/$run->{signal}: $run->{err}\n";
        }
    }
    is($wrong, '', 'a state cut and flipped at every few bytes: the same bytes, or refused (' . join(', ', map { "status $_: $how{$_}" } sort keys %how) . ')');
    cmp_ok($how{0}, '>', 100, '... often the same bytes');

    spew("$folder/state", $state . 'x');
    $run = run(['mm-order', '--checkpoint', "$folder/state", "$folder/fifo"]);
    is("$run->{status} $run->{out}", "0 $whole->{out}", 'more behind the finished records: the same bytes');
    like($run->{err}, qr/state: what stands behind its 2 finished records is not whole/, '... with a remark');
}

# ---- faults, and killed at every system call ----

my $small = scratch('small.mtx');
spew($small, run(['mm-cat'], input => join '', @records)->{out});
for my $command ([qw(mm-order -j1)], [qw(mm-fmdecompose -j1 --stop-n 9)], [qw(mm-fmdecompose -j1 --summary)]) {
    my $want = run([@$command, $small])->{out};
    my $saved = sub { [@$command, '--checkpoint', "$_[0]/state", '-o', "$_[0]/out", $small] };
    faults_leave($saved, $want, "@$command");
    kills_leave($saved, $want, "@$command", qr/state\.lock"/, 10, 'state');
}
done_testing();
