#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# flipwalk on devices, which are made of the shim (tests/fake): the same for any number of them, states, pools.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use POSIX ':sys_wait_h';
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-gen flipwalk flip-check);
my $fake = "$ENV{MMPIPE_BUILD}/tests/fake/libcuda.so";
plan skip_all => 'tests/fake/libcuda.so is not built' unless -f $fake;
$ENV{MMPIPE_LIBCUDA} = $fake;
$ENV{MMPIPE_FAKE_BYTES} = 1 << 26;

my $input = scratch('input.mtx');
spew($input, run(['sh', '-c', 'mm-gen scheme 2x2x3; mm-gen scheme 3x3x4'])->{out});
my $square = scratch('square.mtx');
spew($square, run([qw(mm-gen scheme 4x4x4)])->{out});

my $probe = run([qw(flipwalk --device cuda --steps 1 --islands 1), $input]);
plan skip_all => 'built without CUDA kernels' if $probe->{err} =~ /built without CUDA kernels/;
is($probe->{status}, 0, 'it walks on devices');

sub valid {
    my (undef, @lines) = split /\n/, run(['flip-check'], input => $_[0])->{out};
    return @lines && !grep { (split /\t/)[4] ne 'yes' } @lines;
}

# Any number of devices gives the same bytes, killed or stopped at any moment. (With the shim kernels of a walker a
# warp take a minute for a launch: tests/unit/flip_gpu has them, and tests/gpu/flip.)
my %walk = (
    'plain' => [$input, qw(--steps 1500000 --islands 3)],
    '--cyclic' => [$square, qw(--cyclic --steps 600000 --islands 2)],
    '--reversed' => [$square, qw(--reversed --steps 600000 --islands 2)],
);
for my $name (sort keys %walk) {
    my @command = ('flipwalk', qw(--device cuda), @{ $walk{$name} }, qw(--keep 3 --seed 3));
    my $want = run(\@command)->{out};
    ok(valid($want), "$name: right schemes");
    is(run(\@command, environment => { MMPIPE_FAKE_DEVICES => 1 })->{out}, $want, '... the same on one device');
    my $state = scratch('state');
    my $got = scratch('killed');
    unlink $got;
    my $kills = 0;
    for my $wait (map { 0.15 + 0.1 * $_ } 0 .. 12) {
        my $pid = fork;
        if (!$pid) {
            $ENV{MMPIPE_CHECKPOINT_SECONDS} = 0;
            $ENV{MMPIPE_FAKE_DEVICES} = 1 + $kills % 2;
            exec @command, '--checkpoint', $state, '-o', $got;
        }
        select undef, undef, undef, $wait;
        last if waitpid $pid, WNOHANG;
        kill 'KILL', $pid;
        waitpid $pid, 0;
        $kills++;
        last if -e $got;
    }
    run([@command, '--checkpoint', $state, '-o', $got]) if !-e $got;
    is(slurp($got), $want, "... and killed $kills times");
    my ($stops, $run) = (0);
    while (1) {
        # However slow the machine is, it comes to an end.
        $run = run([@command, '--checkpoint', $state, '--time-limit', $stops < 50 ? '0.3s' : '1h']);
        last if $run->{status} != 5 || ++$stops > 100;
    }
    is($run->{out}, $want, "... and stopped $stops times");
    ok(!-e $state, '... no state is left');
}

# Islands stop at the target. Three start there, from Strassen's scheme: the search ends with it.
my $strassen = source_path('tests', 'data', 'strassen.exp');
my $stopped = run(['timeout', 60, qw(flipwalk --device cuda --islands 3 --target 7 --keep 2 --time-limit 1s), $strassen]);
is($stopped->{status}, 1, 'no second scheme of the target: status 1');
ok(valid($stopped->{out}), '... and the one that is there');

# States of other places and options.
my $state = scratch('other');
my @long = ('flipwalk', $square, qw(--steps 100000000 --islands 2 --time-limit 0.2s --checkpoint), $state);
is(run([@long, qw(--device cpu)])->{status}, 5, 'a state of a search on processors');
my $other = run([@long, qw(--device cuda)]);
is($other->{status}, 2, '... is none for devices: status 2');
like($other->{err}, qr/not made on devices/, '... which is said');
is(run([@long])->{status}, 5, '... without a choice it goes on there');
unlink $state, "$state.old";
is(run([@long, qw(--device cuda)])->{status}, 5, 'a state of a search on devices');
is(run([@long, qw(--device cpu)])->{status}, 2, '... is none for processors: status 2');
is(run([@long, qw(--device cuda --seed 2)])->{status}, 2, '... nor for another seed');
my $bytes = slurp($state);
unlink "$state.old";
spew($state, substr $bytes, 0, length($bytes) / 2);
is(run([@long, qw(--device cuda)])->{status}, 3, '... and half of one is damaged: status 3');
unlink $state;

# Pools: a search that was killed goes on from what it had found.
my $pool = scratch('pool.mtx');
my $pid = fork;
if (!$pid) {
    $ENV{MMPIPE_CHECKPOINT_SECONDS} = 0;
    open STDOUT, '>', '/dev/null';
    exec qw(flipwalk --device cuda --islands 2 --steps 1000000000 --pool), $pool, $square;
}
wait_until(sub { -e "$pool.old" });
kill 'KILL', $pid;
waitpid $pid, 0;
my $found = slurp(-e $pool ? $pool : "$pool.old");
ok(valid($found), '--pool: killed, right schemes are left');
my $again = run([qw(flipwalk --device cuda --islands 2 --steps 1 --pool), $pool, $square]);
my ($rank) = (split /\t/, (split /\n/, run(['flip-check'], input => $again->{out})->{out})[1])[2];
my ($start) = (split /\t/, (split /\n/, run(['flip-check'], input => $found)->{out})[1])[2];
cmp_ok($rank, '<=', $start, '... from which the next one goes on');
done_testing();
