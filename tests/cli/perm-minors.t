#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# perm-gpu --minors: against permanents by hand and the program's own, closed forms, the expansion by rows and
# columns, bounds, refusals.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Math::BigFloat;
use Math::BigInt;
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'perm-gpu is not built' unless $built{'perm-gpu'};

my $seed = $ENV{MMPIPE_TEST_SEED} // 20261121;
srand $seed;
diag "seed $seed";

# Text of a matrix given by rows; undef is no entry.
sub matrix {
    my ($field, $rows, @comments) = @_;
    my @entries;
    for my $i (0 .. $#$rows) {
        for my $j (0 .. $#{$rows->[$i]}) {
            my $value = $rows->[$i][$j];
            next unless defined $value;
            push @entries, join ' ', $i + 1, $j + 1, $field eq 'pattern' ? () : $value;
        }
    }
    my $n = @$rows;
    return join '', "%%MatrixMarket matrix coordinate $field general\n", (map { "% $_\n" } @comments),
        "$n $n " . @entries . "\n", map { "$_\n" } @entries;
}

# Entries by "row column", error bound, field and the whole run.
sub minors {
    my ($input, @options) = @_;
    my $run = run(['perm-gpu', '--minors', @options], input => $input);
    my ($banner, @lines) = split /\n/, $run->{out};
    my ($error) = map { /^% perm\.error: (\S+)/ } @lines;
    my ($size, @entries) = grep { !/^%/ } @lines;
    my %entry = map { /^(\d+ \d+) (.*)/ } @entries;
    return {%$run, entry => \%entry, error => $error // 0, field => (split / /, $banner // '')[3] // ''};
}

# The permanent of rows, by the first of them.
sub permanent {
    my @rows = @_;
    my $first = shift @rows // return Math::BigInt->bone;
    my $sum = Math::BigInt->bzero;
    for my $j (grep { $first->[$_] } 0 .. $#$first) {
        $sum += permanent(map { my @row = @$_; splice @row, $j, 1; \@row } @rows) * $first->[$j];
    }
    return $sum;
}

sub brute_force {
    my @rows = @_;
    my %entry;
    for my $i (0 .. $#rows) {
        for my $j (0 .. $#rows) {
            my @rest = map { my @row = @$_; splice @row, $j, 1; \@row } @rows[grep { $_ != $i } 0 .. $#rows];
            my $value = permanent(@rest);
            $entry{join ' ', $i + 1, $j + 1} = "$value" if $value != 0;
        }
    }
    return \%entry;
}

# Minors in doubles are integers only where they are exact: 2 * 10^18 has more digits than a double.
{
    my @large = ([1000000007, 999999937, 1000000033], [998244353, 1000000021, 999999893], [1000000009, 999999929, 1000000087]);
    my $double = minors(matrix('integer', \@large), '--precision', 'double');
    is($double->{field}, 'real', '--precision double of large integers: real numbers');
    cmp_ok($double->{error}, '>', 0, '... with an error bound');
    is(minors(matrix('integer', \@large), '--exact')->{field}, 'integer', '... and integers with --exact');
    is(minors(matrix('integer', [[1, 2], [3, 4]]), '--precision', 'double')->{field}, 'integer', '... as small ones are in doubles');
}

# Random integers, by default, in all ways.
for my $n (1 .. 7) {
    my @rows = map { [map { rand() < 0.6 ? int(rand 19) - 9 || undef : undef } 1 .. $n] } 1 .. $n;
    my $want = brute_force(@rows);
    is_deeply(minors(matrix('integer', \@rows))->{entry}, $want, "n = $n: by hand");
    is_deeply(minors(matrix('integer', \@rows), '--kernel', 'frontier')->{entry}, $want, '... one by one');
}

# Every way gives the same; results do not depend on threads.
my @dense = map { [map { 1 + int rand 9 } 1 .. 12] } 1 .. 12;
my $integers = matrix('integer', \@dense);
my $once = minors($integers, '--kernel', 'minors');
is($once->{status}, 0, 'n = 12, at once') or diag $once->{err};
is_deeply(minors($integers, '--kernel', 'exact')->{entry}, $once->{entry}, '... and one by one');
is_deeply(minors($integers, '--kernel', $_)->{entry}, $once->{entry}, "... by $_")
    for qw(minors-portable minors-ref);
is(minors($integers, '-j1')->{out}, minors($integers, '-j4')->{out}, '-j1 = -j4');

# Numbers that are no integers: off by the bound at most.
my $real = minors(matrix('real', \@dense), '--kernel', 'minors');
is($real->{field}, 'real', 'real minors');
my $most = Math::BigFloat->new($real->{error});
my @wrong = grep { abs(Math::BigFloat->new($real->{entry}{$_}) - $once->{entry}{$_}) > $most }
    keys %{$once->{entry}};
is("@wrong", '', "... within $most");
ok($most > 0 && $most < 1e-12 * $once->{entry}{'1 1'}, '... which says something');
my $exact = minors(matrix('real', \@dense), '--exact');
is_deeply({map { $_ => Math::BigFloat->new($exact->{entry}{$_})->bstr } keys %{$exact->{entry}}},
    $once->{entry}, '--exact');
my $complex = minors("%%MatrixMarket matrix coordinate complex general\n2 2 4\n1 1 1 2\n1 2 3 4\n2 1 5 6\n2 2 7 8\n");
is_deeply($complex->{entry}, {'1 1' => '7 8', '1 2' => '5 6', '2 1' => '3 4', '2 2' => '1 2'}, 'complex minors');
my $gauss = "%%MatrixMarket matrix coordinate complex general\n3 3 9\n"
    . join '', map { my $i = $_; map { "$i $_ $i " . ($_ - 2) . "\n" } 1 .. 3 } 1 .. 3;
is_deeply(minors($gauss, '--exact')->{entry}, minors($gauss, '--exact', '--kernel', 'frontier')->{entry},
    'Gaussian integers, at once and one by one');

# Zeros: one empty row leaves the minors without it, two leave none.
my @rows = ([1, 2, 3], [undef, undef, undef], [4, 5, 6]);
is_deeply(minors(matrix('integer', \@rows))->{entry}, {'2 1' => 27, '2 2' => 18, '2 3' => 13}, 'an empty row');
is_deeply(minors(matrix('integer', [([(undef) x 3]) x 2, [1, 2, 3]]))->{entry}, {}, 'two of them');
is_deeply(minors(matrix('integer', [[5]]))->{entry}, {'1 1' => 1}, '1x1: the permanent of nothing');
is_deeply(minors(matrix('integer', []))->{entry}, {}, '0x0');

# Patterns, names, factors, symmetric matrices.
my $ones = minors(matrix('pattern', [map { [(1) x 20] } 1 .. 20], 'name: J'));
is_deeply([keys %{{reverse %{$ones->{entry}}}}], ['121645100408832000'], 'ones: 19!');
is($ones->{field}, 'integer', '... which are integers');
like($ones->{out}, qr/^% name: J$/m, '... under its name');
is_deeply(minors(matrix('integer', [[1, 2], [3, 4]], 'perm.factor: 10'))->{entry},
    {'1 1' => 40, '1 2' => 30, '2 1' => 20, '2 2' => 10}, 'a factor');
is_deeply(minors("%%MatrixMarket matrix coordinate integer symmetric\n2 2 3\n1 1 1\n2 1 2\n2 2 3\n")->{entry},
    {'1 1' => 3, '1 2' => 2, '2 1' => 2, '2 2' => 1}, 'a symmetric matrix');
my $big = '1' . '0' x 40;
is_deeply(minors(matrix('integer', [[$big, 1], [-1, "-$big"]], 'integers: big'))->{entry},
    {'1 1' => "-$big", '1 2' => -1, '2 1' => 1, '2 2' => $big}, 'integers of any size');

# The permanent by every row and every column of a real matrix.
my $data = "$FindBin::Bin/../data";
for my $file (qw(can_24 Trefethen_20b)) {
    my ($header, @entries) = grep { !/^%/ } split /\n/, slurp("$data/$file.mtx");
    my ($banner) = slurp("$data/$file.mtx") =~ /^(.*)/;
    my $minors = minors(slurp("$data/$file.mtx"))->{entry};
    my ($permanent) = run(['perm-gpu', "$data/$file.mtx"])->{out} =~ /\t(.*)/;
    my (%sum, $wrong);
    for (@entries) {
        my ($i, $j, $value) = split;
        for my $place ($i == $j || $banner !~ /symmetric/ ? [$i, $j] : ([$i, $j], [$j, $i])) {
            my $term = Math::BigInt->new($minors->{"@$place"} // 0) * ($value // 1);
            $sum{"row $place->[0]"} += $term;
            $sum{"column $place->[1]"} += $term;
        }
    }
    is_deeply([keys %{{map { $_ => 1 } values %sum}}], [$permanent], "$file: " . keys(%sum) . ' expansions');
}

# A stream.
my $two = run(['perm-gpu', '--minors'], input => matrix('integer', [[2]], 'name: A', 'record: 1')
        . matrix('integer', [[3]], 'name: B', 'record: 2') . "%%End 2\n");
like($two->{out}, qr/% name: A\n.*% name: B\n.*%%End 2\n\z/s, 'a stream of records');

# What cannot be.
sub refused {
    my ($input, $status, $message, @options) = @_;
    my $run = minors($input, @options);
    is($run->{status}, $status, "@options: status $status");
    like($run->{err}, $message, '... with the reason');
}
my $two_rows = matrix('integer', [[1, 2], [3, 4]]);
refused("%%MatrixMarket matrix array integer general\n1 2\n1\n2\n", 1, qr/not square/);
refused(matrix('integer', [[1]], 'piece: term 1/2'), 1, qr/piece of a matrix/);
refused($two_rows, 1, qr/multiplicities/, '--row-mult=1,2');
refused(matrix('real', [[1e300, 1e300, 1e300], [1e300, 1e300, 2e300], [1e300, 1e300, 3e300]]), 1, qr/range of doubles/);
refused($two_rows, 2, qr/do not go together/, $_)
    for '--json', '--part=1/2', '--verify', '--emit-kernel', "--checkpoint=$FindBin::Bin/none";
refused($two_rows, 2, qr/there is no kernel 'minors-none'/, '--kernel=minors-none');
refused(matrix('pattern', [map { [(1) x 45] } 1 .. 45]), 1, qr/--max-time/, '--max-time=1', '--kernel=minors');
like(run(['perm-gpu', '--minors', '--kernel', 'list'], input => $two_rows)->{out}, qr/^\s*minors-ref\s+\S+ s$/m,
    '--kernel list');

done_testing();
