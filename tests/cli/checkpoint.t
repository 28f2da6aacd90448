#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Checkpoints of perm-gpu: killed at any system call, at any fault, by a signal or by the time limit, it goes on
# to the same bytes; a state of something else is refused; wrong chunks are caught.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Resumed;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-cat mm-gen perm-gpu);
my @always = (environment => { MMPIPE_CHECKPOINT_SECONDS => 0 });

sub generate { return run(['mm-gen', @_])->{out} }
my $pattern = generate(qw(er 21 -p 0.7 --field pattern --diagonal --seed 3));
my $dense = generate(qw(dense 24 --field real --values uniform:0:1 --seed 5));
my $input = run(['mm-cat'], input => $pattern . generate(qw(er 20 -p 0.7 --field integer --values int:-2:2 --seed 6)) . generate(qw(er 12 -p 0.4 --diagonal --seed 4)))->{out};
my $path = scratch('input.mtx');
spew($path, $input);
my @kernel = qw(--kernel exact-portable);
my $want = run(['perm-gpu', @kernel, $path])->{out};
is(scalar(() = $want =~ /\n/g), 3, 'three permanents');

# What the cases below run: chunks, and tables of states.
my @chunks = ($path, $want, @kernel);
my $small_path = scratch('small.mtx');
spew($small_path, run(['mm-cat'], input => generate(qw(er 12 -p 0.3 --diagonal --field integer --values int:-9:9 --seed 2))
    . generate(qw(er 11 -p 0.4 --diagonal --field complex --seed 4)))->{out});
my @verified = qw(--raw --kernel frontier --verify);
my @tables = ($small_path, run(['perm-gpu', @verified, $small_path])->{out}, @verified);
is(scalar(() = $tables[1] =~ /\n/g), 2, 'two permanents by frontiers');

sub command {
    my ($folder, @more) = @_;
    return ['perm-gpu', '-j2', @kernel, '--checkpoint', "$folder/state", '-o', "$folder/out", @more, $path];
}
sub again { return goes_on(command($_[0]), $_[0], $want) }

my $folder = folder();
is(again($folder), '', 'a run with states saves them, removes them, and gives the same bytes');

my $nowhere = run(command(scratch('no folder')), @always);
is("$nowhere->{status} $nowhere->{out}", '4 ', 'a folder that is not there: refused before the work');
like($nowhere->{err}, qr/^perm-gpu: cannot save states in .*no folder: No such file/, '... with its name');

for my $case (\@chunks, \@tables) {
    ($path, $want, @kernel) = @$case;
    my $name = $path =~ s{.*/}{}r;
    kills_leave(sub { command($_[0], '-j1') }, $want, "@kernel", qr/$name", O_RDONLY/, 20, qw(state state.old));
    faults_leave(\&command, $want, "@kernel");
}
($path, $want, @kernel) = @chunks;

# Each allocation of small sums in turn.
my $little = generate(qw(er 4 -p 0.9 --diagonal --field integer --values int:-9:9 --seed 2));
for my $kernel (qw(sparse-portable mpfr)) {
    my ($failed, $wrong, @command) = (0, '', qw(perm-gpu -j1 --raw --device cpu --kernel), $kernel);
    my $whole = run(\@command, input => $little)->{out};
    for (my ($number, $passed) = (1, 0); $number <= 2000 && $passed < 40; $number++) {
        my $run = run(\@command, input => $little, environment => { MMPIPE_FAULT => "alloc:$number" });
        if ("$run->{status}/$run->{signal}" eq '4/0') { $failed++ }
        elsif ("$run->{status} $run->{out}" eq "0 $whole") { $passed++ }
        else { $wrong .= "$number: status $run->{status}/$run->{signal}\n" }
    }
    is($wrong, '', "$kernel: status 4 without each of $failed allocations");
}

# A longer frontier is stopped inside of its steps, and killed, until it is done; each run comes a step nearer.
my $wide = scratch('wide.mtx');
spew($wide, generate(qw(er 42 -p 0.1 --diagonal --field integer --values int:-9:9 --seed 143)));
for my $way (['--kernel', 'frontier'], ['--kernel', 'frontier-double', '--verify']) {
    my @run = ('perm-gpu', '-j2', @$way, $wide);
    my $whole = run(\@run)->{out};
    my $folder = folder();
    my ($stops, $last) = (0, undef);
    for (1 .. 200) {
        $last = run([@run, '--checkpoint', "$folder/state", '--time-limit', '0.001', '-o', "$folder/out"]);
        last if $last->{status} != 5;
        $stops++;
    }
    is("$last->{status} $last->{err}", '0 ', "@$way: stopped $stops times, then done");
  SKIP: {
        skip "this machine is so fast that $stops stops were enough", 1 if $stops <= 20;
        ok($stops > 20, '... many times');
    }
    is(slurp("$folder/out"), $whole, '... the same bytes');
    is(left_in($folder), 'out', '... and no state is left');
    my $killed = 0;
    for my $try (1 .. 12) {
        my $handle = start([@run, '--checkpoint', "$folder/state", '-o', "$folder/again"], @always);
        select undef, undef, undef, 0.05 * $try;
        kill KILL => $handle->{pid};
        $killed++ if finish($handle)->{signal};
    }
    my $run = run([@run, '--checkpoint', "$folder/state", '-o', "$folder/again"]);
    is("$run->{status} $run->{err}" . slurp("$folder/again"), "0 $whole", "@$way: killed $killed times, then the same bytes");
}

# A frontier's state that is damaged, or of another matrix.
{
    my ($folder, $other) = (folder(), scratch('other.mtx'));
    my @run = ('perm-gpu', qw(--kernel frontier --checkpoint), "$folder/state");
    is(run([@run, '--time-limit', '0.001', $wide])->{status}, 5, 'a frontier stopped at the time limit');
    my $state = slurp("$folder/state");
    spew($other, generate(qw(er 42 -p 0.1 --diagonal --field integer --values int:-9:9 --seed 144)));
    my $run = run([@run, $other]);
    is($run->{status}, 2, '... another matrix: status 2');
    like($run->{err}, qr/state of another input: record 1/, '... with the reason');
    for my $at (100, length($state) / 2, length($state) - 100) {
        my $wrong = $state;
        substr($wrong, $at, 1) ^= "\x10";
        spew("$folder/state", $wrong);
        my $run = run([@run, $wide]);
        is("$run->{status} $run->{out}", '3 ', '... a wrong bit: status 3');
        like($run->{err}, qr/\S*state: /, '... with the file');
    }
    spew("$folder/state", substr $state, 0, length($state) - 1);
    is(run([@run, $wide])->{status}, 3, '... cut off: status 3');
    spew("$folder/state", $state);
    is(run([@run, $wide])->{out}, run(['perm-gpu', $wide])->{out}, '... whole: done');
}


# A signal and the time limit.
my $long = scratch('long.mtx');
spew($long, run(['mm-gen', qw(dense 34 --field pattern --seed 5)])->{out});
for my $signal (['INT'], ['TERM']) {
    my ($folder, $ended);
    # One that comes before a chunk is done leaves no state: it is tried again, later and later.
    for (my $seconds = 0.5; $seconds < 60; $seconds *= 2) {
        $folder = folder();
        my $handle = start(['perm-gpu', '--kernel', 'exact', '--checkpoint', "$folder/state", '-o', "$folder/out", $long]);
        wait_until(sub { left_in($folder) ne '' });
        select undef, undef, undef, $seconds;
        kill $signal->[0] => $handle->{pid};
        $ended = finish($handle);
        last if $ended->{err} =~ /go on from/;
    }
    is($ended->{status}, 5, "SIG$signal->[0]: status 5") or diag $ended->{err};
    is(left_in($folder), 'state', '... with the state saved and no output');
}
$folder = folder();
my $stopped = run(command($folder, '--time-limit', '0.001'));
is($stopped->{status}, 5, '--time-limit: status 5');
like($stopped->{err}, qr/stopped at the time limit; run it again to go on from \S*state/, '... with the file');
is(left_in($folder), 'state', '... which is there, and no output');
is(again($folder), '', '... and goes on to the same bytes');
is(run(['perm-gpu', '--time-limit', '3', $path])->{status}, 2, '--time-limit without --checkpoint: status 2');

# States that are refused, and one that is damaged.
sub state_folder {
    my $folder = folder();
    run(command($folder, '--time-limit', '0.001'), @always);
    my $state = slurp("$folder/state");
    return ($folder, $state);
}
my $state;
($folder, $state) = state_folder();
sub refused {
    my ($what, $message, $status, @command) = @_;
    my $before = -f "$folder/state" ? slurp("$folder/state") : '';
    my $run = run(['perm-gpu', '--checkpoint', "$folder/state", @command]);
    is("$run->{status} $run->{out}", "$status ", "$what: status $status");
    like($run->{err}, $message, '... with the reason');
    is(slurp("$folder/state"), $before, '... and left as it was');
}
refused('other options', qr/is the state of '.*', not of '.*--raw/, 2, @kernel, '--raw', $path);
refused('another part', qr/is the state of/, 2, @kernel, '--part', '1/2', $path);
my $changed = scratch('changed.mtx');
spew($changed, $input =~ s/^1 1$/1 2/mr =~ s/^1 2\n1 2$/1 1\n1 2/mr =~ s/% name: \S+/% name: other/r);
refused('another input', qr/state of another input: record 1/, 2, @kernel, $changed);

# Options are told apart to their last byte: lists of which more than a kilobyte is the same.
{
    my $wide = "%%MatrixMarket matrix coordinate integer general\n600 600 800\n";
    for my $i (561 .. 580) { $wide .= join '', map { "$i $_ 1\n" . ($i + 20) . ' ' . ($_ + 20) . " 2\n" } 561 .. 580 }
    my @list = map { my $first = $_; join ',', map { $_ > $first && $_ <= $first + 20 ? 1 : 0 } 1 .. 600 } 560, 580;
    my $file = scratch('lists.mtx');
    spew($file, $wide);
    my @with = map { ['--raw', '--kernel', 'exact-portable', '--row-mult', $_, '--col-mult', $_] } @list;
    my ($was, $text) = ($folder, $state);
    $folder = folder();
    my $stopped = run(['perm-gpu', '--checkpoint', "$folder/state", '--time-limit', '0.001', @{ $with[0] }, $file], @always);
    is($stopped->{status}, 5, 'stopped, with a list of 600 multiplicities') or diag $stopped->{err};
    refused('another list of them', qr/state of '.*\.\.\.[0,]*1.*', not of '\.\.\./, 2, @{ $with[1] }, $file);
    $folder = $was;
}

spew("$folder/state", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n");
refused('a matrix', qr/no state of a computation/, 2, @kernel, $path);
for my $length (0, 1, 40, length($state) - 1) {
    spew("$folder/state", substr $state, 0, $length);
    unlink "$folder/state.old";
    refused("a state cut at $length, and no other", qr/\S*state: /, 3, @kernel, $path);
}
spew("$folder/state", substr $state, 0, length($state) / 2);
spew("$folder/state.old", $state);
my $run = run(command($folder));
is($run->{status}, 0, 'a damaged state with an older one') or diag $run->{err};
like($run->{err}, qr/state: .*; going on from \S*state\.old/, '... says so');
is(slurp("$folder/out"), $want, '... and gives the same bytes');

# A wrong bit in the last state of a frontier: those before may be ones that lead nowhere.
for my $matrix (generate(qw(er 16 -p 0.2 --diagonal --field pattern --seed 3)), generate(qw(er 16 -p 0.2 --diagonal --seed 3)),
    generate(qw(er 16 -p 0.2 --diagonal --field complex --seed 3))) {
    for my $way ([qw(--kernel frontier)], [qw(--kernel frontier-double)], [qw(--kernel frontier-exact)], [qw(--precision dd --kernel frontier-quad)]) {
        my @run = ('perm-gpu', '--raw', '--verify', @$way);
        my $whole = run(\@run, input => $matrix);
        is("$whole->{status} $whole->{err}", '0 ', "@$way: verified");
        my $shaken = run(\@run, input => $matrix, environment => { MMPIPE_FAULT => 'kernel:16' });
        is("$shaken->{status} $shaken->{out}", "0 $whole->{out}", '... a wrong bit: the same bytes');
        like($shaken->{err}, qr/frontier gives another value in the reverse order: computed again/, '... and it is said');
    }
}

# Wrong chunks.
my $shaken = run(['mm-gen', qw(dense 6 --field complex --seed 8)])->{out}
    =~ s/^(%%MatrixMarket.*\n)/$1% perm.row_mult: 3 4 2 3 3 3\n% perm.col_mult: 4 4 3 2 3 2\n/r;
my $small = generate(qw(dense 16 --field real --seed 9));
my $counted = run(['mm-gen', qw(dense 7 --field integer --values int:-5:5 --seed 8)])->{out}
    =~ s/^(%%MatrixMarket.*\n)/$1% perm.row_mult: 3 4 2 3 1 2 3\n% perm.col_mult: 4 2 3 1 3 3 2\n/r;
for my $case (['chunk', 'exact-portable', $pattern], ['kernel', 'exact-portable', $pattern, '--verify'],
    ['chunk', 'dense-portable', $dense], ['kernel', 'dense-portable', $dense, '--verify'],
    ['chunk', 'sparse-portable', $dense], ['kernel', 'sparse-portable', $dense, '--verify'],
    ['chunk', 'sparse-exact-portable', $pattern], ['kernel', 'sparse-exact-portable', $pattern, '--verify'],
    ['chunk', 'sparse-gray-portable', $dense], ['kernel', 'sparse-gray-portable', $dense, '--verify'],
    ['chunk', 'multiplicities', $counted], ['kernel', 'multiplicities', $counted, '--verify'],
    ['chunk', 'multiplicities-double', $shaken], ['kernel', 'multiplicities-double', $shaken, '--verify'],
    ['chunk', 'dd-portable', $small], ['kernel', 'dd-portable', $small, '--verify'],
    ['chunk', 'mpfr', $small], ['kernel', 'mpfr', $small, '--verify']) {
    my ($kind, $kernel, $matrix, @options) = @$case;
    my @command = ('perm-gpu', '--kernel', $kernel, @options);
    my $whole = run(\@command, input => $matrix)->{out};
    for my $number (1, 2) {
        my $run = run(\@command, input => $matrix, environment => { MMPIPE_FAULT => "$kind:$number" });
        is("$run->{status} $run->{out}", "0 $whole", "$kernel: a wrong bit ($kind:$number @options): the same bytes");
        next if $number == 2 && $run->{err} eq ''; # there is one chunk only
        like($run->{err}, qr/chunk \d+ of \d+ .*: computed again/, '... and it is said');
    }
}

# A kernel that is wrong in one chunk of many: with all chunks verified it is seen wherever that is.
my $many = generate(qw(dense 26 --field real --values uniform:0:1 --seed 11));
my @every = qw(perm-gpu --raw -j2 --kernel dense --verify-share 1);
my $right = run(\@every, input => $many);
is("$right->{status} $right->{err}", '0 ', 'all chunks verified');
for my $number (1, 2, 7, 12, 16) {
    my $run = run(\@every, input => $many, environment => { MMPIPE_FAULT => "kernel:$number" });
    is("$run->{status} $run->{out}", "0 $right->{out}", "a kernel wrong in chunk $number: the same bytes");
    like($run->{err}, qr/chunk \d+ of 16 differs .*: computed again/, '... and it is said');
}
done_testing();
