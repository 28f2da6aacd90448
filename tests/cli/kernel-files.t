#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Device code that is not inside the programs: without it --device auto computes on processors, also where there is a
# device; a package brings it as files. The device is that of tests/fake, for which any fatbin has all kernels.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Basename 'dirname';
use File::Find;
use File::Path 'make_path';
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-gen spmm-tc perm-gpu flipwalk flip-check);
my $fake = build_path('tests/fake/libcuda.so');
plan skip_all => 'tests/fake/libcuda.so is not built' unless -f $fake;
plan skip_all => 'sanitizers remark on the stacks of the fake driver' if is_sanitized();
my %made = slurp(build_path('Makefile')) =~ /^(NVCC|enable_kernel_files) = *(.*)$/mg;
plan skip_all => 'the code is inside the programs' if $made{NVCC} ne '' && $made{enable_kernel_files} ne 'yes';
$ENV{MMPIPE_LIBCUDA} = $fake;
$ENV{MMPIPE_FAKE_BYTES} = 1 << 30;
$ENV{MMPIPE_FAKE_DEVICES} = 1;
my $folder = $ENV{MMPIPE_KERNEL_FILES} = scratch('kernels-of-a-package');

sub generate {
    my ($name, @options) = @_;
    spew(scratch($name), run(['mm-gen', @options])->{out});
    return scratch($name);
}
my $scheme = generate('scheme.mtx', qw(scheme 2x2x3));
my $a = generate('a.mtx', qw(er 60 --p 0.2 --field integer --values int:-2:2 --seed 3));
my $b = generate('b.mtx', qw(dense 60x8 --field integer --values int:-3:3 --seed 4));
my $ones = generate('ones.mtx', qw(ones 12));
my @flip = (qw(flipwalk --steps 1000 --islands 1), $scheme);
my @spmm = ('spmm-tc', '-B', $b, $a);
my @perm = ('perm-gpu', $ones);
my $product = run([@spmm, qw(--device cpu)])->{out};
ok(length $product, 'the product on processors');

# ---- no files ----

sub is_found { return run(['flip-check'], input => $_[0])->{out} =~ /\tyes\t/ }
my $got = run(\@flip);
is($got->{status}, 0, 'flipwalk takes processors where the device has no code') or diag $got->{err};
ok(is_found($got->{out}), '... and writes a scheme that is right');
my @rows = grep { /\tcuda\t/ } split /\n/, run([@spmm, qw(--kernel list)])->{out};
ok(@rows > 3 && !(grep { !/built without CUDA kernels$/ } @rows), 'no kernel of spmm-tc runs on the device');
is(run(\@spmm)->{out}, $product, '... and processors have the product');
for my $command (\@flip, [@spmm, qw(--kernel rows)]) {
    $got = run([@$command, qw(--device cuda)]);
    is($got->{status}, 4, "$command->[0] --device cuda fails");
    like($got->{err}, qr{built without CUDA kernels, and no package has brought them: \Q$folder\E/kernels/\S+: No such file},
        '... and says what is not there');
}
like(run([@perm, qw(--kernel list --device cuda)])->{out}, qr/dense-cuda +built without CUDA kernels/, 'so does the list of perm-gpu');

# ---- files ----

# A header of 16 bytes and nothing behind it.
my $image = pack 'LSSQ', 0xba55ed50, 1, 16, 0;
find({ no_chdir => 1, wanted => sub {
    return unless /\.cu$/;
    my $file = $folder . '/' . substr($_, length(source_path('')) ) =~ s/\.cu$/.fatbin/r;
    make_path(dirname($file));
    spew($file, $image);
} }, source_path('kernels'));
$got = run([@spmm, qw(--kernel rows --device cuda)]);
is($got->{status}, 0, 'spmm-tc loads its code from files') or diag $got->{err};
is($got->{out} =~ s/^% by:.*\n//mgr, $product =~ s/^% by:.*\n//mgr, '... and has the same product');
$got = run([@flip, qw(--device cuda)]);
is($got->{status}, 0, 'so does flipwalk') or diag $got->{err};
ok(is_found($got->{out}), '... and its scheme is right');
is((split /\s+/, run([@perm, qw(--kernel dense-cuda --device cuda)])->{out})[1], 479001600, 'so does perm-gpu: 12!');
my ($rows) = glob "$folder/kernels/spmm/pack/gpu.fatbin";
for my $damage ([cut => substr($image, 0, 9)], [longer => $image . 'x'], ['something else' => 'text ' x 9]) {
    my ($what, $bytes) = @$damage;
    spew($rows, $bytes);
    $got = run([@spmm, qw(--kernel rows --device cuda)]);
    is($got->{status}, 4, "a file that is $what is refused");
    like($got->{err}, qr{\Q$rows\E: no device code of nvcc, or damaged}, '... with its name');
}
done_testing();
