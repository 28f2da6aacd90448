#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# h2-build, h2-orthog and h2-compress on a device, which is made of the shim (tests/fake), with ranks above 64: what
# processors make of the same matrix, also where the device has hardly the memory or not enough. And when --device auto
# starts it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built'
  if grep { !$built{$_} } qw(mm-gen mm-diff h2-build h2-orthog h2-compress h2-info h2-mv);
my $fake = build_path('tests/fake/libcuda.so');
plan skip_all => 'tests/fake/libcuda.so is not built' unless -f $fake;
plan skip_all => 'sanitizers remark on the stacks of the fake driver' if is_sanitized();
$ENV{MMPIPE_LIBCUDA} = $fake;
$ENV{MMPIPE_FAKE_DEVICES} = 1;
$ENV{MMPIPE_CACHE} = scratch('cache');

# To a file; the remarks.
sub make {
    my ($name, $memory, @command) = @_;
    my $result = run(\@command, environment => { MMPIPE_FAKE_BYTES => $memory });
    spew(scratch($name), $result->{out});
    return "$result->{status} $result->{err}";
}
sub info { my ($name, $columns) = @_; return run(['h2-info', '--no-header', '--columns', $columns, scratch($name)])->{out} }
# Whether both give the same products with random vectors.
sub agree {
    my ($one, $other, $tolerance) = @_;
    spew(scratch("$_.y"), run([qw(h2-mv --device cpu --random 2), scratch($_)])->{out}) for $one, $other;
    return run(['mm-diff', '--rtol', $tolerance, '--atol', $tolerance, scratch("$one.y"), scratch("$other.y")])->{status};
}

# Sixteen leaves of 32 points in a row; basis functions 9 x 9, so that ranks are 32, 64 and 81 when they are orthonormal.
my $plenty = 1 << 30;
spew(scratch('p.mtx'), run([qw(mm-gen points --grid 128x4 --perturb 0.4 --seed 3)])->{out});
make('a', $plenty, qw(h2-build --device cpu --order 9 --leaf 32), scratch('p.mtx'));
$ENV{MMPIPE_FAKE_LAUNCHES} = scratch('launches');
my $first = make('gpu', $plenty, qw(h2-orthog --device cuda), scratch('a'));
delete $ENV{MMPIPE_FAKE_LAUNCHES};
plan skip_all => 'built without CUDA kernels' if $first =~ /built without CUDA kernels/;
make('cpu', $plenty, qw(h2-orthog --device cpu), scratch('a'));

# Built on the device, whole and in two and in many parts; what the CPU builds has the last digits of its own exp().
sub build { my ($name, $memory) = @_; return make($name, $memory, qw(h2-build --device cuda --order 9 --leaf 32), scratch('p.mtx')) }
is(build('whole', $plenty), '0 ', 'the device builds the matrix');
is(agree('whole', 'a', '1e-13'), 0, '... which the CPU builds');
for my $memory (2 << 20, 200_000) {
    like(build('parts', $memory), qr/^0 .*the matrix takes [\d.]+ GiB.*it goes there in parts$/, "with $memory bytes it does so in parts");
    ok(slurp(scratch('parts')) eq slurp(scratch('whole')), '... the same bytes');
}
like(build('none', 50_000), qr/^0 .*the CPU does it$/, 'without the room for points the CPU builds it');
ok(slurp(scratch('none')) eq slurp(scratch('a')), '... the same bytes as without a device');

is($first, '0 ', 'the device makes bases of rank 81 orthonormal');
is(info('gpu', 'orthogonal,rank_min,rank_max,rank_mean'), info('cpu', 'orthogonal,rank_min,rank_max,rank_mean'), '... of the same ranks');
is(agree('gpu', 'a', '1e-12'), 0, '... and the matrix stays the same');
# With room for all, one launch factorizes the nodes of a level, a block for each.
my @levels = map { [split /\t/] } split /\n/, run([qw(h2-info --levels --no-header --columns nodes,rank_max), scratch('a')])->{out};
my $nodes = join ' ', map { $_->[0] } grep { $_->[1] > 0 } reverse @levels;
is(join(' ', slurp(scratch('launches')) =~ /^h2_gpu_factor (\d+)$/mg), $nodes, '... level by level from the leaves');

is(make('gram', $plenty, qw(h2-compress --device cuda --tol 1e-3), scratch('gpu')), '0 ', 'the device compresses them');
make('gram_cpu', $plenty, qw(h2-compress --device cpu --tol 1e-3), scratch('gpu'));
is(info('gram', 'rank_min,rank_max,rank_mean'), info('gram_cpu', 'rank_min,rank_max,rank_mean'), '... to the same ranks');
cmp_ok(abs(info('gram', 'compression_error') / info('gram_cpu', 'compression_error') - 1), '<', 1e-3, '... with the same error');
is(agree('gram', 'gram_cpu', '1e-6'), 0, '... and the same products');

# Products, and a matrix of several blocks that is written piece by piece from the device; with --checkpoint it comes to
# the memory of the host first.
for my $vectors (1, 3, 16) {
    my %y = map { my $device = $_; ($device => make("$device.y", $plenty, qw(h2-mv --random), $vectors, '--device', $device, scratch('gpu'))) } qw(cpu cuda);
    is("$y{cpu}$y{cuda}", '0 0 ', "$vectors vectors on both");
    is(run([qw(mm-diff --rtol 1e-12), scratch('cpu.y'), scratch('cuda.y')])->{status}, 0, '... have the same products');
}
spew(scratch('many.mtx'), run([qw(mm-gen points --grid 48x48 --perturb 0.4 --seed 3)])->{out});
my @many = (qw(h2-build --device cuda -j2), scratch('many.mtx')); # two blocks a piece
is(make('pieces', $plenty, @many), '0 ', 'the device builds a larger matrix');
cmp_ok(-s scratch('pieces'), '>', 16 << 20, '... that is large enough to be written by pieces');
make('whole', $plenty, @many, '--checkpoint', scratch('state'));
ok(slurp(scratch('pieces')) eq slurp(scratch('whole')), '... whose pieces are those of the whole');

# The least that a device must have free; what the steps need beside the matrix is made in pieces then.
my @tight = qw(h2-compress --device cuda --tol 1e-3 --weights householder --basis qr);
like(make('none', 1 << 20, @tight, scratch('gpu')), qr/^0 .*the matrix takes [\d.]+ GiB.*the CPU does it/, 'a device that is too small is not taken');
my ($gibibytes) = make('none', 1 << 20, @tight, scratch('gpu')) =~ /takes ([\d.]+) GiB/;
is(make('tight', int($gibibytes * 1.01 * (1 << 30)), @tight, scratch('gpu')), '0 ', 'a device that is hardly large enough is');
make('tight_cpu', $plenty, qw(h2-compress --device cpu --tol 1e-3 --weights householder --basis qr), scratch('gpu'));
is(info('tight', 'rank_min,rank_max,rank_mean'), info('tight_cpu', 'rank_min,rank_max,rank_mean'), '... with the same ranks');
is(agree('tight', 'tight_cpu', '1e-6'), 0, '... and the same products');

# Without the room for coupling blocks they come in parts, here in two to four: symmetric, and with columns whose bases
# are truncated by themselves.
my %small = (symmetric => [qw(exponential 180000 gram)], unsymmetric => [qw(convection 200000 householder)]);
spew(scratch('q.mtx'), run([qw(mm-gen points --perturb 0.4 --seed 5 --grid 12x12)])->{out});
for my $name (sort keys %small) {
    my ($function, $memory, $weights) = @{$small{$name}};
    make('b', $plenty, qw(h2-build --device cpu --order 2 --leaf 5 --eta 0.4 --function), $function, scratch('q.mtx'));
    my $in_parts = qr/^0 .*the matrix takes [\d.]+ GiB.*it goes there in parts$/;
    like(make('parts', $memory, qw(h2-orthog --device cuda), scratch('b')), $in_parts, "$name: orthonormal bases in parts");
    make('cpu', $plenty, qw(h2-orthog --device cpu), scratch('b'));
    is(info('parts', 'orthogonal,rank_min,rank_max,rank_mean'), info('cpu', 'orthogonal,rank_min,rank_max,rank_mean'), '... of the same ranks');
    is(agree('parts', 'b', '1e-12'), 0, '... and the matrix stays the same');
    my @compress = ('h2-compress', '--tol', '1e-2', '--weights', $weights);
    like(make('small', $memory, @compress, '--device', 'cuda', scratch('cpu')), $in_parts, "... compressed in parts, $weights");
    # Room for bases and blocks is not enough for the stacks of the kernels that take them whole.
    like(make('stacks', 600_000, @compress, '--device', 'cuda', scratch('cpu')), $in_parts, '... and with more memory, but not for all');
    make('small_cpu', $plenty, @compress, '--device', 'cpu', scratch('cpu'));
    is(info('small', 'rank_min,rank_max,rank_mean'), info('small_cpu', 'rank_min,rank_max,rank_mean'), '... to the same ranks');
    cmp_ok(abs(info('small', 'compression_error') / info('small_cpu', 'compression_error') - 1), '<', 1e-6, '... with the same error');
    is(agree('small', 'small_cpu', '1e-8'), 0, '... and the same products');
}

# --device auto, where copies take no time: what the CPU loses on a matrix is the longest start that one matrix is worth.
# Phases have levels on the CPU alone.
spew(scratch('p.mtx'), run([qw(mm-gen points --grid 16x16 --perturb 0.4 --seed 3)])->{out});
make('large', $plenty, qw(h2-build --device cpu --order 8 --leaf 16), scratch('p.mtx'));
make('small', $plenty, qw(h2-build --device cpu --order 2 --leaf 16), scratch('p.mtx'));
sub places {
    my ($start, @names) = @_;
    unlink scratch('copies');
    my $run = run([qw(h2-orthog -j1 --phases), scratch('phases'), map { scratch($_) } @names],
        environment => { MMPIPE_DEVICE_COSTS => "$start:1e15:1e15", MMPIPE_FAKE_BYTES => $plenty, MMPIPE_FAKE_COPIES => scratch('copies') });
    my @records = slurp(scratch('phases')) =~ /(.*?\tall\t.*?\n)/sg;
    return "$run->{status} " . join ' ', map { /\tbases\t\d/ ? 'cpu' : 'cuda' } @records;
}
my ($worth, $longer) = (1e-6, 1);
is(places($worth, 'large'), '0 cuda', 'a device that starts at once is used');
is(places($longer, 'large'), '0 cpu', '... one that starts slowly is not');
while ($longer > 1.1 * $worth) {
    my $start = sqrt($worth * $longer);
    (places($start, 'large') eq '0 cuda' ? $worth : $longer) = $start;
}
is(places(3.5 * $worth, ('large') x 5), '0 cpu cpu cpu cuda cuda', 'one that takes three and a half matrices to start is used from the fourth on');
ok(-e scratch('copies'), '... which is started');
is(places(7 * $worth, ('large') x 5), '0 cpu cpu cpu cpu cpu', '... one that takes seven is not used for five');
ok(!-e scratch('copies'), '... nor started');
is(places(1e-6, qw(large small large)), '0 cuda cpu cuda', 'a device that is started leaves small matrices to the CPU');

done_testing();
