#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# h2-info --norm: the Frobenius norm of a function's matrix, beside the sum over all pairs of points.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

for my $options ('', '--full') {
    my $run = run(['bash', '-c', "mm-gen points --grid 24x24 --perturb 0.4 --seed 3 | tee p.mtx | h2-build $options --leaf 16 -p 8 | "
        . 'tee a.h2 | h2-orthog | tee o.h2 | h2-compress -t 1e-9 >c.h2; for f in a o c; do h2-info --json --norm $f.h2; done'], directory => scratch());
    my @norms = map { /"norm":([^,}]+)/ } split /\n/, $run->{out};
    my ($size, @numbers) = grep { !/^%/ } split /\n/, slurp(scratch('p.mtx'));
    my $n = (split ' ', $size)[0];
    my $sum = 0;
    for my $i (0 .. $n - 1) {
        $sum += exp(-2 * sqrt(($numbers[$i] - $numbers[$_])**2 + ($numbers[$n + $i] - $numbers[$n + $_])**2) / 0.1) for 0 .. $n - 1;
    }
    is($norms[0], 'null', "h2-build $options: not known before h2-orthog");
    ok(abs($norms[$_] / sqrt($sum) - 1) < 1e-6, ('', 'after h2-orthog', 'after h2-compress')[$_] . ": $norms[$_]") for 1, 2;
}
done_testing();
