#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# mm-cat --rows, --cols, --submatrices: entries, metadata, mistakes; and boson sampling, from the unitary matrix over
# submatrices to permanents, against sums over permutations in Perl and the probabilities' sum 1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

sub cat { my ($text, @options) = @_; return run(['mm-cat', @options], input => $text) }
sub records { return split /(?=^%%MatrixMarket)/m, $_[0] =~ s/^%%End.*\n//mr }
sub lines { return grep { !/^%/ } split /\n/, $_[0] }
sub list { my ($text) = @_; my $path = scratch('list.txt'); spew($path, $text); return $path }

# Entry (i, j) of a 3x4 array is 10 i + j.
my $array = "%%MatrixMarket matrix array integer general\n% name: A\n% title: all of it\n3 4\n"
    . join '', map { my $j = $_; map { "$_$j\n" } 1 .. 3 } 1 .. 4;
my $part = cat($array, '--rows', '3,1 3', '--cols', '4,1:2');
is($part->{out}, "%%MatrixMarket matrix array integer general\n% name: A[1]\n% origin.rows: 3 1 3\n% origin.cols: 4 1 2\n"
        . ($part->{out} =~ /^(% by: mm-cat \S+ --rows .*\n)/m)[0] . "3 3\n34\n14\n34\n31\n11\n31\n32\n12\n32\n",
    'a submatrix of an array, a row twice');
is(join(' ', lines(cat($array, '--rows=2')->{out})), '1 4 21 22 23 24', '--rows alone');
is(join(' ', lines(cat($array, '--cols=3,3')->{out})), '3 2 13 23 33 13 23 33', '--cols alone');
like(cat($part->{out}, '--rows=2,3', '--cols=1')->{out}, qr/^% name: A\[1\]\[1\]\n% origin.rows: 1 3\n% origin.cols: 4\n/m,
    'of a submatrix: the origin is in the first matrix');

# Fields, symmetries, formats
is(join(',', lines(cat("%%MatrixMarket matrix coordinate pattern general\n3 3 4\n3 1\n1 2\n3 2\n2 3\n", '--rows=3,1,3', '--cols=2,1')->{out})),
    '3 2 5,1 1,2 1,3 1,1 2,3 2', 'a pattern: sorted by columns');
my $skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 5\n3 2 -7\n";
is(join(',', lines(cat($skew, '--rows=1:2', '--cols=2:3')->{out})), '2 2 2,1 1 -5,2 2 7', 'a skew-symmetric one is expanded');
my $hermitian = "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n";
is(join(',', lines(cat($hermitian, '--rows=1', '--cols=2,1')->{out})), '1 2,2 -3,1 0', 'a hermitian array, too');
my $big = '1' x 40;
is(join(',', lines(cat("%%MatrixMarket matrix coordinate integer general\n% integers: big\n2 2 2\n1 1 $big\n2 2 -${big}0\n", '--rows=2,2')->{out})),
    "2 2 2,1 2 -${big}0,2 2 -${big}0", 'integers of any length');
is(join(',', lines(cat($skew, '--array', '--rows=2')->{out})), '1 3,5,0,7', '--array goes before');
is(cat("%%MatrixMarket matrix array integer general\n% perm.row_mult: 1 2 1\n3 1\n1\n2\n3\n", '--rows=2')->{status}, 1,
    'counts of rows are refused');
my $scheme = run(['mm-gen', 'scheme', '1x1x1'])->{out};
is(cat($scheme, '--rows=1')->{out}, $scheme, 'a scheme passes');

# Random submatrices of a sparse matrix, against slices in Perl
my $seed = $ENV{MMPIPE_TEST_SEED} // 1;
note "seed $seed";
srand $seed;
my $sparse = run(['mm-gen', 'er', '9x12', '--p', '0.3', '--field', 'real', '--seed', $seed])->{out};
my %value = map { my ($i, $j, $v) = split; ("$i $j" => $v) } (lines($sparse))[1 .. lines($sparse) - 1];
my (@wanted, @text);
for (1 .. 40) {
    my @rows = map { 1 + int rand 9 } 1 .. 1 + rand 12;
    my @cols = map { 1 + int rand 12 } 1 .. 1 + rand 15;
    push @text, "@rows;" . join ',', @cols;
    my @entries;
    for my $j (1 .. @cols) {
        for my $i (1 .. @rows) {
            my $v = $value{"$rows[$i - 1] $cols[$j - 1]"};
            push @entries, "$i $j $v" if defined $v;
        }
    }
    push @wanted, [scalar(@rows) . ' ' . @cols . ' ' . @entries, @entries];
}
my $listed = scratch('forty.txt');
spew($listed, join("\n", '% forty', '', @text));
my $stream = cat($sparse, '--submatrices', $listed);
is_deeply([map { [lines($_)] } records($stream->{out})], \@wanted, 'forty submatrices of a sparse matrix');
is(join(' ', $stream->{out} =~ /^% name: \S+\[(\d+)\]$/mg), join(' ', 1 .. 40), '... are numbered');
my $binary = cat($sparse, '--submatrices', $listed, '--form', 'bin')->{out};
is(cat($binary)->{out} =~ s/ --form bin$//mgr, $stream->{out}, '... in the binary form, too');
my $arrays = cat($sparse, '--array', '--submatrices', $listed)->{out};
is_deeply([map { [lines($_)] } records(cat($arrays, '--coordinate')->{out})], \@wanted, '... and of the same matrix as an array');

# --rows counts the rows of the transpose, and so does origin.rows.
my $tall = cat("%%MatrixMarket matrix coordinate integer general\n% name: R\n2 3 3\n1 1 11\n1 3 13\n2 2 22\n", '--transpose', '--rows', '3')->{out};
like($tall, qr/^% origin.rows: 3\n% origin.cols: 1 2\n.*^1 2 1\n1 1 13\n/ms, '--rows behind --transpose');

# Lists
is(join('|', map { join ' ', lines($_) } records(cat($array, '--cols=4,1', '--submatrices', list("2\n3;2\r\n;\n\n1:2"))->{out})),
    '1 2 24 21|1 1 32|0 0|2 2 14 24 11 21', 'a line without semicolon has the columns of --cols');
for my $case (['1;1\n\n2 4;1\n', 1, 'line 3: --submatrix, rows: index 4 exceeds 3'], ['1;5\n', 1, 'line 1: --submatrix, columns: index 5 exceeds 4'],
    ['1;1\n1 0;1\n', 3, 'line 2: --submatrix, rows: not a list of indices from 1 on'], ['1;a\n', 3, 'line 1: --submatrix, columns: not a list'],
    ['1;1;1\n', 3, 'line 1: --submatrix, columns: not a list'], ['3:1;1\n', 3, 'line 1: --submatrix, rows: not a list'], ['1:9999999999999999;1\n', 1, 'exceeds 3'],
    ['1;99999999999999999999\n', 3, 'line 1: --submatrix, columns: not a list'], ['% none\n', 1, '--submatrix: the file lists no submatrix; a pipe can be read for one matrix only'])
{
    my ($text, $status, $message) = @$case;
    my $run = cat($array, '--submatrices', list($text =~ s/\\n/\n/gr));
    ok($run->{status} == $status && $run->{err} =~ /^mm-cat: \S*list\.txt: .*\Q$message\E/ && $run->{out} !~ /%%End/, "$text: $message")
        or diag $run->{status}, $run->{err};
}
is(cat($array, '--rows', '1 x')->{status}, 2, 'a malformed --rows is wrong usage');
is(cat($array, '--rows', '4')->{status}, 1, 'an index beyond the matrix fails the record');
is(cat($array, '--rows', '1', '--submatrices', $listed)->{status}, 2, '--rows contradicts --submatrices');
my $nothing = cat($array, '--submatrices', '1:3');
is($nothing->{status}, 2, 'a list that cannot be opened');
like($nothing->{err}, qr/^mm-cat: 1:3: .*--submatrix: cannot open: No such file or directory; two lists have a semicolon, as 1:3;2,5$/m, '... or was meant to be lists');
is(cat($array, '--rows', join(',', ('1:3') x 1000), '--memory=1k')->{status}, 4, 'a submatrix beyond the memory is refused');
my $two = cat($array . $sparse, '--rows=5', '--keep-going');
is("$two->{status} " . join(' ', $two->{out} =~ /^% name: (\S+)/mg), "1 er-9x12-$seed\[1]", '--keep-going goes on with the next matrix');
is(scalar(records(cat($sparse . $sparse, '--submatrices', $listed)->{out})), 80, 'the list is read again for each matrix');

# Boson sampling
sub multiply { my ($a, $b) = @_; return [$a->[0] * $b->[0] - $a->[1] * $b->[1], $a->[0] * $b->[1] + $a->[1] * $b->[0]] }

# The sum over all ways to choose a column for each row.
sub permanent {
    my ($u, $rows, $cols, $taken, $product) = (@_, {}, [1, 0]);
    my ($row, @rest) = @$rows;
    return $product if !defined $row;
    my @sum = (0, 0);
    for my $k (grep { !$taken->{$_} } 0 .. $#$cols) {
        my $term = permanent($u, \@rest, $cols, { %$taken, $k => 1 }, multiply($product, $u->{"$row $cols->[$k]"}));
        $sum[$_] += $term->[$_] for 0, 1;
    }
    return \@sum;
}

# Entries of an array of m rows by row and column.
sub modes {
    my ($unitary, $m) = @_;
    my @z = (lines($unitary))[1 .. $m * $m];
    return { map { (1 + $_ % $m) . ' ' . (1 + int $_ / $m) => [split ' ', $z[$_]] } 0 .. $#z };
}

# All output patterns of n photons in m modes, as ascending lists of modes.
sub patterns {
    my ($n, $m, $least) = (@_, 1);
    return [] if $n == 0;
    return map { my $mode = $_; map { [$mode, @$_] } patterns($n - 1, $m, $mode) } $least .. $m;
}

sub pipeline {
    my ($m, $cols, @rows) = @_;
    my $unitary = scratch('unitary.mtx');
    run(['mm-gen', 'unitary', $m, '--seed', $seed, '-o', $unitary]);
    my $lines = list(join '', map { "@$_\n" } @rows);
    my $run = run(['sh', '-c', 'mm-cat --cols="$1" --submatrices="$2" "$3" | perm-gpu', 'sh', $cols, $lines, $unitary]);
    return (modes(slurp($unitary), $m), map { [(split)[1, 2]] } split /\n/, $run->{out});
}

for my $n (1 .. 6) {
    my @rows = map { [map { 1 + int rand 8 } 1 .. $n] } 1 .. 5;
    my ($u, @got) = pipeline(8, "1:$n", @rows);
    my $worst = 0;
    for my $k (0 .. $#rows) {
        my $want = permanent($u, $rows[$k], [1 .. $n]);
        for (0, 1) { my $off = abs($got[$k][$_] - $want->[$_]); $worst = $off if $off > $worst }
    }
    ok(@got == 5 && $worst < 1e-14, "$n photons in 8 modes: five amplitudes, off by $worst");
}
my @all = patterns(3, 5);
my (undef, @amplitudes) = pipeline(5, '1,2,4', @all);
my $sum = 0;
for my $k (0 .. $#all) {
    my (%photons, $orders);
    $orders = 1;
    $orders *= ++$photons{$_} for @{ $all[$k] };
    $sum += ($amplitudes[$k][0]**2 + $amplitudes[$k][1]**2) / $orders;
}
ok(@amplitudes == 35 && abs($sum - 1) < 1e-13, "the probabilities of all 35 patterns of 3 photons in 5 modes add up to $sum");
done_testing();
