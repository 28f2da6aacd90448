#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# pipelines/fit_spmm_prices.py: from times that were made of known rates it finds these, and that they choose right.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

plan skip_all => 'python3 is not installed' if system('python3 -c 0 2>/dev/null') != 0;
my %rates = (    # start, chain, meet, far, near, entry, step, flop, warm, cold
    rows => [5, 0.02, 0, 0.09, 0.05, 7, 0, 0, 0.2, 0.4],
    runs => [4.5, 0.04, 6, 0.1, 0.06, 0, 40, 0, 0.05, 0.3]);
my $seed = 17;
my $random = sub { $seed = ($seed * 1103515245 + 12345) % 2147483648; return $seed / 2147483648 };
my $text = "matrix N us\n";
for my $case (1 .. 40) {
    my @count = (1, 300 * $random->(), $random->() < 0.5 ? 0 : 1, map { int(1e9 * $random->()) } 1 .. 7);
    $count[5] /= 100;
    $count[6] /= 1000;
    $count[7] = 0;
    for my $kernel (sort keys %rates) {
        my @own = @count;
        $own[2] = 0 if $kernel eq 'rows';
        $own[$kernel eq 'rows' ? 6 : 5] = 0;
        my $time = 0;
        $time += $own[$_] * $rates{$kernel}[$_] * ($_ < 3 ? 1 : 1e-6) for 0 .. 9;
        $text .= sprintf "  m%d 32 fp32 counts %d 0 %s\n  m%d 32 fp32 %s (1.0) %.6f us error 1e-7 prepare 1.0 us\n",
            $case, $kernel eq 'runs', join(' ', @own), $case, $kernel, $time;
    }
}
spew(scratch('families.txt'), $text);
my $script = source_path('pipelines', 'fit_spmm_prices.py');
my $table = `python3 '$script' '@{[scratch('families.txt')]}'`;
my %now = (rows => 'rows', runs => 'merge'); # files of before have numbers and other names
for my $kernel (sort keys %rates) {
    my ($found) = $table =~ /^$now{$kernel}:\n    \{SPMM_OF_SINGLE, SPMM_ROWS_EVEN, \{([^}]*)\}/m;
    my @found = split /, /, $found // '';
    my @wrong = grep { abs(($found[$_] // 0) - $rates{$kernel}[$_]) > 0.01 * $rates{$kernel}[$_] + 1e-3 } 0 .. 9;
    is("@wrong", '', "$kernel: the rates ($found)");
}
like($table, qr{^fp32: cheapest / fastest 1\.0000 \(40 cases\)$}m, 'the cheapest is the fastest');

# Matrices beside these, one of which cuSPARSE multiplies faster than any kernel and one slower.
spew(scratch('other.txt'), "  x 32 fp32 counts rows 0 1 0 0 0 0 0 0 0 0 0\n  x 32 fp32 rows (5.0) 5.0 us error 1e-7 prepare 1.0 us\n"
    . "  x 32 fp32 alg1 9.0 us error 1e-7 prepare 0.0 us\n  x 32 fp32 alg3 4.0 us error 1e-7 prepare 0.0 us\n"
    . "  y 32 fp32 counts rows 0 1 0 0 0 0 0 0 0 0 0\n  y 32 fp32 rows (5.0) 5.0 us error 1e-7 prepare 1.0 us\n"
    . "  y 32 fp32 alg1 6.0 us error 1e-7 prepare 0.0 us\n");
my $both = `python3 '$script' --other '@{[scratch('other.txt')]}' '@{[scratch('families.txt')]}'`;
like($both, qr{^fp32: cheapest / fastest 1\.0000 \(42 cases\)$}m, '--other: two cases more');
like($both, qr{^slower than cuSPARSE: 1$}m, '... one of them slower than the fastest of cuSPARSE');
isnt(system("python3 '$script' /dev/null 2>/dev/null"), 0, 'nothing to fit: refused');
done_testing();
