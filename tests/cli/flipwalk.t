#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# flipwalk: reaches known ranks, gives the same for any number of threads and any kernel, and writes only what is
# right.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use POSIX ':sys_wait_h';
use Test::More;

sub walk {
    my ($format, @options) = @_;
    my $start = run([qw(mm-gen scheme), $format])->{out};
    return run(['flipwalk', @options], input => $start);
}

sub verdicts {
    my ($stream) = @_;
    my (undef, @lines) = split /\n/, run(['flip-check'], input => $stream)->{out};
    return map { join ' ', (split /\t/)[1 .. 4] } @lines;
}

my %rank = ('1x1x1' => 1, '2x2x2' => 7, '2x2x3' => 11, '2x3x3' => 15, '3x3x3' => 23);
for my $format (sort keys %rank) {
    my $run = walk($format, '--target', $rank{$format}, '--time-limit', '500s');
    is("$run->{status} " . join('', verdicts($run->{out})), "0 $format $rank{$format} F2 yes",
        "$format: rank $rank{$format}");
}

my @steps = qw(--steps 3000000 --islands 3 --walkers 5 --seed 7);
my $one = walk('4x4x4', @steps, '-j1');
is(walk('4x4x4', @steps, '-j3')->{out}, $one->{out}, '-j3: the same as -j1');
isnt(walk('4x4x4', @steps[0 .. 5], '--seed', 8)->{out}, $one->{out}, 'another seed: another walk');
my @few = qw(--steps 10 --islands 1 --walkers 2);
my $best = walk('2x3x4', @few);
my @kernels = map { [split /\t/] } split /\n/, walk('2x2x2', qw(--kernel list))->{out};
for my $kernel (map { $_->[0] } grep { $_->[1] eq 'cpu' } @kernels) {
    my $run = walk('2x3x4', @few, '--kernel', $kernel);
    SKIP: {
        skip $run->{err}, 1 if $run->{status} == 2;
        is($run->{out} =~ s/^% by.*\n//mgr, $best->{out} =~ s/^% by.*\n//mgr, "$kernel: the same");
    }
}

for my $input ('', 'no scheme') {
    my $listed = run([qw(flipwalk --kernel list)], input => $input);
    is("$listed->{status} $listed->{err}", '0 ', '--kernel list reads no input');
    is_deeply([map { [split /\t/] } split /\n/, $listed->{out}], \@kernels, '... and lists them');
}

my $several = walk('2x2x2', qw(--keep 12 --target 7 --time-limit 500s));
my %seen = map { $_ => 1 } split /^(?=%%MatrixMarket)/m, $several->{out} =~ s/^(% record:.*|%%End.*)\n//mgr;
is(scalar(keys %seen), 12, '--keep: distinct schemes');
is(scalar(grep { $_ eq '2x2x2 7 F2 yes' } verdicts($several->{out})), 12, '... all right');

my $missed = walk('2x2x2', qw(--target 6 --steps 1000));
is($missed->{status}, 1, 'a target out of reach: status 1');
is(join('', verdicts($missed->{out})), '2x2x2 7 F2 yes', '... the best is written');
is(walk('9x1x1')->{status}, 2, 'no known rank and no limit: status 2');
is(walk('9x9x1', qw(--steps 1))->{status}, 1, 'factors beyond 64 entries: status 1');
my $none = walk('2x2x2', qw(--kernel none));
is($none->{status}, 2, 'no such kernel: status 2');
like($none->{err}, qr/there is no kernel 'none'; --kernel list prints their names$/m, '... and where the names are');

# Devices: tests/gpu/flip walks on them.
is(join(' ', map { $_->[0] } grep { $_->[1] eq 'cuda' } @kernels), 'flip-lanes flip-match flip-list', 'device kernels');
is(walk('2x2x2', qw(--device cpu --kernel flip-lanes))->{status}, 2, '... not on processors: status 2');
is(walk('2x2x2', qw(--device cuda --kernel flip-ref))->{status}, 2, '... nor others on devices: status 2');
SKIP: {
    skip 'there is a device', 1 if walk('2x2x2', qw(--device cuda --steps 1000))->{status} == 0;
    is(walk('2x2x2', qw(--device cuda --steps 1000))->{status}, 4, 'no device: status 4');
}

# Cyclic schemes on processors.
my @cyclic = qw(--device cpu --cyclic);
for my $target (['2x2x2', 7], ['3x3x3', 23], ['5x5x5', 120]) {
    my $run = walk($target->[0], @cyclic, '--target', $target->[1], '--time-limit', '500s');
    like(join('', verdicts($run->{out})), qr/^$target->[0] \d+ F2 yes$/, "--cyclic: $target->[0]");
    is($run->{status}, 0, "... reaches $target->[1]");
    my ($names, $values) = map { [split /\t/] } split /\n/, run(['flip-check'], input => $run->{out})->{out};
    my %column = map { $names->[$_] => $values->[$_] } 0 .. $#$names;
    is($column{cyclic}, 'yes', '... and stays cyclic');
}
my @turns = (@cyclic, qw(--steps 1000000 --islands 3));
is(walk('4x4x4', @turns, '-j3')->{out}, walk('4x4x4', @turns, '-j1')->{out}, '... the same for any -j');
is(walk('2x2x3', @cyclic, qw(--steps 1))->{status}, 1, '... not for 2x2x3: status 1');

# Reversed ones: the terms with their rows and columns in reverse are the same terms.
sub is_reversed {
    my ($text, $n) = @_;
    my (@term, @image);
    my @lines = grep { !/^%/ } split /\n/, $text;
    shift @lines;
    for (@lines) {
        my ($row, $term) = split;
        my ($position, $entry) = (int(($row - 1) / $n**2), ($row - 1) % $n**2);
        $term[$term][$position] .= "$entry,";
        push @{$image[$term][$position]}, $n**2 - 1 - $entry;
    }
    my @terms = sort map { join ' ', @$_ } @term[1 .. $#term];
    my @images = sort map { join ' ', map { join '', map { "$_," } sort { $a <=> $b } @$_ } @$_ } @image[1 .. $#image];
    return @terms && "@terms" eq "@images";
}
for my $target (['2x2x2', 7], ['4x4x4', 52], ['5x5x5', 123], ['6x6x6', 220]) {
    my $run = walk($target->[0], qw(--device cpu --reversed --target), $target->[1], '--time-limit', '500s');
    like("$run->{status} " . join('', verdicts($run->{out})), qr/^0 $target->[0] \d+ F2 yes$/, "--reversed: $target->[0]");
    ok(is_reversed($run->{out}, substr $target->[0], 0, 1), '... and stays reversed');
}
# Flips keep the fixed terms, and all others come in threes: the rank leaves the rest of the number of groups by 3. The sum of k
# rows is a fixed term of rank k.
for my $case (['4x4x4', '--cyclic', '1+4,2+3', 2], ['4x4x4', '--cyclic', '2+1', 0], ['4x4x4', '--cyclic', '4,1+3+2', 2],
    ['4x4x4', '--reversed', '1+2,3+4', 2], ['4x4x4', '--cyclic', '1', 1], ['5x5x5', '--reversed', '1+2,4+5', 0]) {
    my ($format, $symmetry, $groups, $rest) = @$case;
    my $run = walk($format, qw(--device cpu --steps 200000 --islands 2 -t 1 -k), $symmetry, '--groups', $groups);
    my ($rank) = join('', verdicts($run->{out})) =~ /^\S+ (\d+) F2 yes/;
    is(($rank // -1) % 3, $rest, "$format $symmetry --groups $groups: rank " . ($rank // '-'));
}
# The groups that the page gives as the usual ones. Comments say the options.
sub numbers { return walk(@_, qw(--device cpu --reversed --steps 20000 --islands 2 -t 1 -k))->{out} =~ s/^%.*\n//mgr }
for my $case (['4x4x4', '1+2,3+4'], ['5x5x5', '1+5,2+4']) {
    my ($format, $groups) = @$case;
    ok(numbers($format) eq numbers($format, '--groups', $groups), "$format --reversed: --groups $groups is the default");
}
ok(numbers('4x4x4') ne numbers('4x4x4', '--groups', '1+4,2+3'), '... and another one for 4x4x4 is not');
my $threes = walk('6x6x6', qw(--device cpu --steps 1000 --islands 1 -t 1 -k --reversed --groups), '1+2+3,6+5+4');
like(run(['flip-check', '--json'], input => $threes->{out})->{out}, qr/[",]3-3-3:2[",]/, 'two fixed terms of rank 3');
for my $wrong (['--reversed', '1+2'], ['--cyclic', '1+5'], ['--cyclic', '1+1'], ['--cyclic', '0'], ['--cyclic', '1+'], ['--cyclic', '1;2'],
    ['--cyclic', ''], ['--islands', 1, '1+2']) {
    my ($groups, @options) = (pop @$wrong, @$wrong);
    is(walk('4x4x4', @options, '--groups', $groups, '--steps', 1)->{status}, 2, "@options --groups '$groups': status 2");
}
my @reversed = (qw(--device cpu --reversed --steps 1000000 --islands 3));
is(walk('4x4x4', @reversed, '-j3')->{out}, walk('4x4x4', @reversed, '-j1')->{out}, '... the same for any -j');
my $lone = run(['flipwalk', qw(--device cpu --reversed --steps 1)],
    input => walk('2x2x2', qw(--device cpu --target 7))->{out});
is($lone->{status}, 1, '... not from a scheme that is not: status 1');

# Walks that go back to their island's scheme.
my @walk = (qw(--device cpu --steps 3000000 --islands 3 --tune walk=20000));
is(walk('4x4x4', @walk, '-j3')->{out}, walk('4x4x4', @walk, '-j1')->{out}, '--tune walk: the same for any -j');
isnt(walk('4x4x4', @walk)->{out}, walk('4x4x4', @walk[0 .. 5])->{out}, '... another walk');

# Pools: an ordinary stream of schemes by rank, that a later search starts from.
my $pool = scratch('pool.mtx');
my $first = walk('3x3x3', qw(--target 24 --pool), $pool);
is($first->{status}, 0, '--pool');
my ($found, @others) = verdicts(slurp($pool));
is($found, (verdicts($first->{out}))[0], '... has what was found');
is(scalar(grep { !/^3x3x3 2[4-7] F2 yes$/ } @others), 0, '... and other schemes on the way, all right');
cmp_ok(scalar(@others), '>', 3, '... several');
my $again = walk('3x3x3', qw(--target 24 --pool), $pool);
is(join('', verdicts($again->{out})), $found, '... the next search has it already');
my $before = verdicts(slurp($pool));
walk('3x3x3', @cyclic, qw(--target 24 --pool), $pool);
cmp_ok(scalar(verdicts(slurp($pool))), '>=', $before, '... a cyclic one loses none that are not');
is(walk('2x2x2', '--pool', $pool)->{status}, 2, '... but not one for another format: status 2');
is(walk('9x1x1', qw(--time-limit 0.01s --pool), scratch('new'))->{status}, 5, 'a time limit with --pool: status 5');
is(walk('3x3x3', qw(--time-limit 0.01s --target 20))->{status}, 1, '... without: status 1');
is(walk('3x3x3', qw(--time-limit 0.01s))->{status}, 0, '... and without a target: status 0');

# Schemes that start one search together.
my $two = scratch('starts.mtx');
spew($two, run(['sh', '-c', 'mm-gen scheme 2x3x3; mm-gen scheme 2x2x3 | flipwalk --keep 5 | flip-combine extend --along m'])->{out});
my $all = run([qw(flipwalk --together --target 15), $two]);
is("$all->{status} " . join(' ', verdicts($all->{out})), '0 2x3x3 15 F2 yes', '--together: one search');
is(join(' ', verdicts(run([qw(flipwalk --together --target 17 --keep 5), $two])->{out})), join(' ', ('2x3x3 17 F2 yes') x 5),
    '... from the schemes of the least rank');
spew(scratch('other.mtx'), run([qw(mm-gen scheme 2x2x2)])->{out});
is(run([qw(flipwalk --together), $two, scratch('other.mtx')])->{status}, 2,
    '... not for two formats: status 2');
is(run([qw(flipwalk --together)], input => run([qw(mm-gen scheme 2x2x2)])->{out} =~ s/^1 1 1/1 2 1/mr)->{status}, 1,
    '... nor from a wrong one: status 1');

# Searches by way of smaller formats.
my @grow = qw(--grow --grow-steps 300000 --grow-keep 8 --islands 3);
for my $target (['2x3x4', 20], ['4x3x2', 20], ['1x2x2', 4], ['3x3x4', 30]) {
    my $run = walk($target->[0], @grow, '--target', $target->[1], '--time-limit', '500s');
    is("$run->{status} " . join('', verdicts($run->{out})), "0 $target->[0] $target->[1] F2 yes", "--grow: $target->[0]");
}
is(walk('2x2x2', qw(--grow --cyclic --steps 1))->{status}, 2, '... no cyclic ones: status 2');
my @grown = (@grow, qw(--steps 1000000 --keep 4));
is(walk('3x3x4', @grown, '-j3')->{out}, walk('3x3x4', @grown, '-j1')->{out}, '... the same for any -j');

# Checkpoints: stopped or killed, it goes on to the same bytes.
my $state = scratch('state');
my $input = scratch('two.mtx');
spew($input, run(['sh', '-c', 'mm-gen scheme 2x2x3; mm-gen scheme 3x3x4'])->{out});
my @command = ('flipwalk', qw(--grow --grow-steps 3000000 --steps 30000000 --keep 3 --seed 3 --islands 4), $input);
my $want = run(\@command)->{out};
for my $limit ('0.1s', '1s') {
    my ($stops, $run) = (0);
    while (1) {
        # However slow the machine is, it comes to an end.
        my $most = $stops < 50 ? $limit : '1h';
        $run = run([@command, '--checkpoint', $state, '--time-limit', $most, '-j', 1 + $stops % 2]);
        last if $run->{status} != 5 || ++$stops > 100;
    }
    is($run->{out}, $want, "stopped $stops times after $limit: the same bytes");
    ok(!-e $state, '... and no state left');
}
my ($kills, $last) = (0, {});
for my $wait (map { 0.1 + 0.13 * $_ } 0 .. 30) {
    my $pid = fork;
    if (!$pid) {
        $ENV{MMPIPE_CHECKPOINT_SECONDS} = 0;
        open STDOUT, '>', '/dev/null';
        exec @command, '--checkpoint', $state, '-o', scratch('killed');
    }
    select undef, undef, undef, $wait;
    my $done = waitpid $pid, WNOHANG;
    last if $done;
    kill 'KILL', $pid;
    waitpid $pid, 0;
    $kills++;
}
$last = run([@command, '--checkpoint', $state]) if !-e scratch('killed');
is(-e scratch('killed') ? slurp(scratch('killed')) : $last->{out}, $want, "killed $kills times: the same bytes");
# A run that was killed behind its end may have left FILE.old, from which a run goes on where FILE is damaged.
unlink map { "$state$_" } '', '.old', '.new', '.lock';
spew($state, 'x' x 1000);
is(run([@command, '--checkpoint', $state])->{status}, 3, 'a damaged state: status 3');
unlink $state;

my $strassen = slurp(source_path('tests/data/strassen.exp'));
is(run([qw(flipwalk --steps 1)], input => $strassen =~ s/a11/a12/r)->{status}, 1, 'a wrong scheme: status 1');
is(join('', verdicts(run([qw(flipwalk --steps 1)], input => $strassen)->{out})), '2x2x2 7 F2 yes',
    'it starts from published schemes');
# The numbers of --tune, and the options that each of them was.
my %tuned = ('low-rank' => 8, 'plus-after' => 500, 'plus-after-low' => 200, 'plus-limit' => 1, budget => 3000,
    'budget-low' => 2000, 'sink-rank' => 8, 'sink-budget' => 1000, 'sink-back' => 2, walk => 2000, 'step-back' => 1,
    'reduce-after' => 64);
my @short = qw(--device cpu --steps 200000 --islands 2 --target 6 -q);
my $help = run(['flipwalk', '--help'])->{out};
for my $key (sort keys %tuned) {
    my $new = walk('2x2x3', @short, '--tune', "$key=$tuned{$key}");
    my $old = walk('2x2x3', @short, "--$key", $tuned{$key});
    (my $same = $old->{out}) =~ s/--\Q$key\E \d+/--tune $key=$tuned{$key}/;
    is("$new->{status} $new->{out}", "$old->{status} $same", "--tune $key is --$key");
    unlike($help, qr/--\Q$key\E\b/, '... which help does not show');
}
my ($tuned, $plain) = map { join "\n", grep { !/^% by:/ } split /\n/ }
    walk('4x4x4', @short[0 .. 5], '--tune', 'plus-after=50')->{out}, walk('4x4x4', @short[0 .. 5])->{out};
isnt($tuned, $plain, 'another number, another walk');
# Generalised flips: another walk, the same for any -j, to schemes that flip-check accepts.
my @general = ('--tune', 'general-after=64');
isnt(join("\n", grep { !/^% by:/ } split /\n/, walk('4x4x4', @short[0 .. 5], @general)->{out}), $plain, 'general-after: another walk');
is(walk('4x4x4', @short[0 .. 5], @general, '-j2')->{out} =~ s/ -j2//r, walk('4x4x4', @short[0 .. 5], @general, '-j1')->{out} =~ s/ -j1//r, '... the same for any -j');
like(join('', verdicts(walk('3x3x3', qw(--device cpu --target 23 --time-limit 500s -q), @general)->{out})), qr/^3x3x3 23 F2 yes$/, '... to a right scheme');

my $both = walk('2x2x3', @short, '--tune', 'plus-after=500,step-back=1');
(my $apart = walk('2x2x3', @short, qw(--plus-after 500 --step-back 1))->{out})
    =~ s/--plus-after 500 --step-back 1/--tune plus-after=500,step-back=1/;
is($both->{out}, $apart, 'several numbers');
for my $wrong ('size=3', 'budget', 'budget=', 'budget=x', 'budget=3x', 'budget=3,', 'budget=-1', '') {
    my $run = walk('2x2x2', '--tune', $wrong);
    is($run->{status}, 2, "--tune '$wrong': status 2");
}
like(walk('2x2x2', '--tune', 'size=3')->{err}, qr/^flipwalk: --numbers: unknown key 'size'. Known keys: @{[join ', ', qw(low-rank plus-after plus-after-low
    plus-limit budget budget-low sink-rank sink-budget sink-back walk step-back reduce-after general-after match-rounds)]}$/m, '... with the keys there are');
like(walk('2x2x2', '--numbers', 'budget=3x')->{err}, qr/^flipwalk: --numbers: 'budget=3x' is not budget=N$/m, '... and what is no number');

# Nothing is below Strassen's rank: the one remark about such a search is that at its end.
my $end = run([qw(flipwalk -v --target 1 --time-limit 1.5s)], input => $strassen);
like($end->{err}, qr{^flipwalk: 2x2x2: rank 7 .* flips/s, \S+ s$}m, '-v: flips a second at the end of a search');

done_testing();
