#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The permanents of the real matrices in tests/data, one file at a time and through the whole pipeline.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Math::BigFloat;
use Math::BigInt;
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the pipeline is not built' if grep { !$built{$_} } qw(mm-cat mm-dm mm-order perm-gpu);

# Integers to the last digit, other values to 1e-12.
sub agrees {
    my ($got, $want) = @_;
    return $got eq $want if $want !~ /[.e]/;
    return 0 unless $got =~ /^-?[0-9.]+(e[-+]?\d+)?$/;
    my $error = Math::BigFloat->new($got)->bsub($want)->babs;
    return $error <= Math::BigFloat->new($want)->babs->bmul('1e-12');
}

my $known = slurp(source_path('tests/data/permanents.tsv'));
my @rows = map { [split /\t/] } grep { !/^(#|file)/ } split /\n/, $known;
cmp_ok(scalar @rows, '>', 10, 'there are known permanents');
my @files = map { source_path('tests/data', $_->[0]) } @rows;
for my $row (@rows) {
    my ($file, undef, undef, $want) = @$row;
    my ($name, $got) = split /\s/, run(['perm-gpu', '--device', 'cpu', source_path('tests/data', $file)])->{out};
    ok(agrees($got // '', $want), $file) or diag 'got ', $got // 'nothing', ", want $want";
}

my $pipe = run(['bash', '-o', 'pipefail', '-c',
    'mm-cat "$@" | mm-dm --blocks | mm-order --for frontier | perm-gpu', 'bash', @files]);
is($pipe->{status}, 0, 'the pipeline succeeds') or diag $pipe->{err};
my @lines = split /\n/, $pipe->{out};
is(scalar @lines, scalar @rows, '... with a line per matrix');
for my $row (@rows) {
    my ($file, undef, undef, $want) = @$row;
    my ($name, $got) = split /\s/, shift(@lines) // '';
    ok(agrees($got // '', $want), "pipeline: $file") or diag 'got ', $got // 'nothing', ", want $want";
}
done_testing();
