#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# No program is linked to CUDA: the driver and NVRTC are loaded when they are asked for, so that one build runs
# with and without them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my $build = build_path();
my @programs = grep { -f && -x } map { bsd_glob("$build/$_") } qw(bin/* tests/unit/device tests/gpu/*);
plan skip_all => 'no ldd' if system('ldd --version >/dev/null 2>&1') != 0;
ok(@programs > 0, 'there are programs');
for my $program (@programs) {
    my $libraries = `ldd '$program' 2>&1`;
    my ($name) = $program =~ m{([^/]+/[^/]+)$};
    unlike($libraries, qr/libcuda|libcudart|libnvrtc|libcublas|libnvidia/, "$name needs no CUDA");
}
done_testing();
