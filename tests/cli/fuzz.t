#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Replays the fuzz corpora and a few thousand random changes of them through every fuzz target.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my @inputs = grep { -f } bsd_glob(source_path('tests/fuzz/corpus/*'));
push @inputs, bsd_glob("$ENV{MMPIPE_SHARED}/data/mm-corpus/*") if $ENV{MMPIPE_SHARED};
push @inputs, grep { -s $_ < 5000 } bsd_glob(source_path('tests/data/*.mtx'));
for my $name (slurp(source_path('tests/fuzz/local.mk')) =~ m{^fuzz_targets \+= %D%/(\S+)}mg) {
    my $target = "tests/fuzz/$name";
    my @own = bsd_glob(source_path("tests/fuzz/corpus/$name/*"));
    my $run = run([build_path($target), @own ? @own : @inputs]);
    is("$run->{status}/$run->{signal}", '0/0', $target) or diag $run->{out}, $run->{err};
    like($run->{out}, qr/^1\.\.2$/m, '... to the end');
    note $run->{out};
}
done_testing();
