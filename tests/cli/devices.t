#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Devices (of the fake driver) that are lost, hang, or give a wrong bit in the middle of a sum: the others finish its
# work, or the state is saved and the status is 4; never another number.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-gen perm-gpu);
my $fake = build_path('tests/fake/libcuda.so');
plan skip_all => 'tests/fake/libcuda.so is not built' unless -f $fake;
plan skip_all => 'sanitizers remark on the stacks of the fake driver' if is_sanitized();
plan skip_all => 'no compiler' if system 'cc --version >/dev/null 2>&1';
$ENV{MMPIPE_LIBCUDA} = $ENV{MMPIPE_LIBNVRTC} = $fake;
$ENV{MMPIPE_FAKE_BYTES} = 1 << 28;
# Where nothing hangs: far more than the fake driver takes on a loaded machine, where it compiles. Where something does,
# ten seconds of `@hangs`.
$ENV{MMPIPE_DEVICE_SECONDS} = 300;
my @hangs = (MMPIPE_DEVICE_SECONDS => 10);

my $folders = 0;
sub folder { my $name = scratch('folder' . ++$folders); mkdir $name or die; return $name }
my $matrix = scratch('matrix.mtx');
spew($matrix, run([qw(mm-gen er 28 -p 0.2 --diagonal --field real --values uniform:0:1 --seed 6)])->{out});
our @command = (qw(perm-gpu --raw --device cuda --kernel sparse-cuda), $matrix);
our $whole = run(\@command);
is("$whole->{status} $whole->{err}", '0 ', 'on two devices') or BAIL_OUT('the fake driver does not work');
my ($value) = $whole->{out} =~ /\t(.*)/;
my ($other) = run([qw(perm-gpu --device cpu), $matrix])->{out} =~ /\t(.*)/;
cmp_ok(abs($value - $other), '<=', 1e-9 * abs $other, '... the same as on the processor');

# Without a device left: what was done is in the state, and the next run goes on. `says`: what it is told of.
sub check {
    my ($what, $says, $all, %environment) = @_;
    my $folder = folder();
    my $run = run([@command, '--checkpoint', "$folder/state", '-o', "$folder/out"], environment => \%environment);
    if ($run->{status} == 4 && $all) {
        like($run->{err}, $says, "$what: status 4, and why");
        ok(-f "$folder/state" && !-f "$folder/out", '... with the state saved and no output');
        $run = run([@command, '--checkpoint', "$folder/state", '-o', "$folder/out"]);
    }
    is("$run->{status} " . (-f "$folder/out" ? slurp("$folder/out") : ''), "0 $whole->{out}", "$what: the same bytes") or diag $run->{err};
    return $run->{err} =~ /the other devices do its work/ ? 1 : 0;
}

my $taken_over = 0;
for my $device (0, 1) {
    for my $call (2, 4, 6, 8, 10, 11, 12, 13, 14, 16, 20, 30, 40) {
        $taken_over += check("device $device lost at its call $call", qr/cuda:$device/, 0, MMPIPE_FAKE_LOST => "$device:$call");
    }
}
SKIP: {
    # Which device gets how much of the work depends on when its thread runs.
    skip 'each was lost when there was nothing left to do', 1 if !$taken_over;
    ok($taken_over > 0, '... and the other one did its work');
}
check('a device that hangs', qr/cuda:\d/, 0, MMPIPE_FAKE_HANG => "$_:30", @hangs) for 0, 1;
{
    local @command = (qw(perm-gpu --raw --device cuda:0 --kernel sparse-cuda), $matrix);
    check('the only device lost', qr/cuda:0/, 1, MMPIPE_FAKE_LOST => '0:36');
    check('the only device hangs', qr/cuda:0 .*waiting for a stream/, 1, MMPIPE_FAKE_HANG => '0:30', @hangs);
}
# A call of the driver that never comes back: nobody can do that work, nor end the call. What is finished is in the
# state; that needs no other thread.
{
    my $many = scratch('many.mtx');
    spew($many, join '', map { run([qw(mm-gen er 20 -p 0.3 --diagonal --field real --values uniform:0:1 --seed), $_])->{out} } 1 .. 3);
    local @command = (qw(perm-gpu --raw --device cuda --kernel sparse-cuda), $many);
    local $whole = run(\@command);
    is("$whole->{status} " . ($whole->{out} =~ tr/\n//), '0 3', 'three matrices on two devices');
    my $stalled = 0;
    for my $call ('0:3', '1:20', '0:60') {
        my $folder = folder();
        my @saved = (@command, '--checkpoint', "$folder/state", '-o', "$folder/out");
        my $run = run(\@saved, environment => { MMPIPE_FAKE_STALL => $call, @hangs });
        if ($run->{status} == 4) {
            $stalled++;
            like($run->{err}, qr/\Aperm-gpu: the NVIDIA driver has not come back from cu\w+ for 10 seconds: a GPU hangs$/m, "call $call never comes back: status 4, and why");
            like($run->{err}, qr/^perm-gpu: run it again to go on from \S+, which has \d+ finished/m, '... and what the state has');
            is(join(' ', sort map { s{.*/}{}r } bsd_glob("$folder/*")), 'state', '... which is all that is left');
            $run = run(\@saved);
        }
        is("$run->{status} " . slurp("$folder/out"), "0 $whole->{out}", "call $call: the same bytes") or diag $run->{err};
    }
    cmp_ok($stalled, '>=', 1, 'the first device never came back from its third call');
}
for my $copy (1 .. 4) {
    my $run = run([@command, '--verify-share', 1], environment => { MMPIPE_FAKE_BIT => $copy });
    is("$run->{status} $run->{out}", "0 $whole->{out}", "a wrong bit in copy $copy, with --verify-share 1: the same bytes");
    like($run->{err}, qr/computed again/, '... and it is said') if $copy == 1;
}
done_testing();
