#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# mm-info: every key of a few small matrices, worked out by hand.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Program;
use Test::More;

my @keys = qw(name nrow ncol nnz_stored nnz explicit_zeros format field symmetry structural_rank dm_blocks
    dm_largest_block dm_horizontal_nrow dm_horizontal_ncol dm_square dm_vertical_nrow dm_vertical_ncol
    pattern_symmetry numerical_symmetry lower_bandwidth upper_bandwidth diagonal_nonzeros
    row_degree_min row_degree_max row_degree_mean empty_rows
    col_degree_min col_degree_max col_degree_mean empty_cols min max min_abs max_abs hash file);

sub info {
    my ($text, @options) = @_;
    my $run = run(['mm-info', '--json', @options], input => $text);
    is("$run->{status} $run->{err}", '0 ', 'status 0, nothing on stderr');
    return [map { decode_json($_) } split /\n/, $run->{out}];
}

sub check {
    my ($what, $text, $want, @options) = @_;
    subtest $what => sub {
        my $got = info($text, @options)->[0];
        for my $key (sort keys %$want) {
            is($got->{$key}, $want->{$key}, $key);
        }
    };
}

my $square = <<'END';
%%MatrixMarket matrix coordinate real general
% name: Test/square
4 4 7
1 1 2.5
2 1 -7
1 2 -7
2 2 1
4 2 0
3 3 -0.25
1 4 1e3
END
# Row 4 has nothing but an explicit zero: rank 3. Column 4 is in H with row 1 and so with columns 1, 2, rows 1, 2.
check('square, structurally singular', $square, {
    name => 'Test/square', nrow => 4, ncol => 4, nnz_stored => 7, nnz => 6, explicit_zeros => 1,
    format => 'coordinate', field => 'real', symmetry => 'general', structural_rank => 3, dm_blocks => 3,
    dm_largest_block => 1, dm_horizontal_nrow => 2, dm_horizontal_ncol => 3, dm_square => 1,
    dm_vertical_nrow => 1, dm_vertical_ncol => 0, lower_bandwidth => 1, upper_bandwidth => 3,
    diagonal_nonzeros => 3, row_degree_min => 0, row_degree_max => 3, row_degree_mean => 1.5, empty_rows => 1,
    col_degree_min => 1, col_degree_max => 2, col_degree_mean => 1.5, empty_cols => 0, min => -7, max => 1000,
    min_abs => 0.25, max_abs => 1000,
    pattern_symmetry => 2 / 3, numerical_symmetry => 2 / 3 });

check('skew-symmetric integers beyond 64 bits', <<'END', {
%%MatrixMarket matrix coordinate integer skew-symmetric
% integers: big
3 3 2
2 1 123456789012345678901234567890
3 2 -4
END
    nnz_stored => 2, nnz => 4, structural_rank => 2, min => '-123456789012345678901234567890',
    max => '123456789012345678901234567890', min_abs => '4', max_abs => '123456789012345678901234567890',
    pattern_symmetry => 1, numerical_symmetry => 0, diagonal_nonzeros => 0 });

check('hermitian', <<'END', {
%%MatrixMarket matrix coordinate complex hermitian
2 2 2
1 1 -3 0
2 1 3 4
END
    nnz => 3, min => undef, max => undef, min_abs => 3, max_abs => 5, numerical_symmetry => 1 });

check('an array', <<'END', {
%%MatrixMarket matrix array integer general
2 3
1
0
0
-9223372036854775808
5
0
END
    nnz_stored => 6, nnz => 3, explicit_zeros => 0, format => 'array', structural_rank => 2, dm_blocks => 2,
    dm_horizontal_nrow => 1, dm_horizontal_ncol => 2, dm_square => 1, min => '-9223372036854775808', max => 5,
    min_abs => 1, max_abs => '9223372036854775808', pattern_symmetry => undef });

check('nothing at all', "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n", {
    nnz => 0, structural_rank => 0, dm_blocks => 0, row_degree_mean => undef, min => undef });

my $object = info($square)->[0];
is(join(' ', sort keys %$object), join(' ', sort @keys), 'the keys');
my $table = run(['mm-info'], input => $square);
my ($header, $line) = split /\n/, $table->{out};
is($header, join("\t", @keys), 'the header line has them in order');
is(scalar(split /\t/, $line, -1), scalar @keys, 'a line has as many values');
like($line, qr/^Test\/square\t4\t4\t7\t6\t1\t/, 'a line of the table');
my $quick = run(['mm-info', '--quick'], input => $square);
unlike($quick->{out}, qr/structural_rank|dm_|_symmetry/, '--quick leaves the structure out');

# Of complex numbers the magnitudes count: 5, 13, 1 and 10, of 3+4i, 5-12i, -1 and 10i.
my $magnitudes = run(['mm-info', '--json'], input => "%%MatrixMarket matrix coordinate complex general\n2 2 4\n1 1 3 4\n2 1 5 -12\n1 2 -1 0\n2 2 0 10\n")->{out};
like($magnitudes, qr/"min_abs":1(?:\.0)?[,}]/, 'the least magnitude of complex numbers');
like($magnitudes, qr/"max_abs":13(?:\.0)?[,}]/, '... and the largest');

my $twice = "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n1 1\n";
my $run = run(['mm-info', '--keep-going', '-', source_path('tests/data/bcspwr02.mtx')], input => $twice);
is($run->{status}, 1, 'two entries in one place: status 1');
like($run->{err}, qr/^mm-info: .*two entries|duplicate/, '... with a message');
like($run->{out}, qr/^HB\/bcspwr02\t49\t/m, '... and --keep-going goes on');

# Files, columns, conditions. The same matrix has one hash in every form and file.
my $path = scratch('square.mtx');
spew($path, $square);
system("zstd -q -f '$path'") == 0 or die;
my @hashes = map { run(['mm-info', '--no-header', '--columns', 'hash', $_])->{out} }
    $path, "$path.zst", source_path('tests/data/bcspwr01.mtx');
is($hashes[0], $hashes[1], 'one hash of a matrix in two files');
isnt($hashes[0], $hashes[2], '... and another one of another matrix');
like($hashes[0], qr/^[0-9a-f]{32}\n\z/, '... of 128 bits');
is(run(['mm-info', '--columns', 'file,nnz,name', "$path.zst"])->{out}, "file\tnnz\tname\n$path.zst\t6\tTest/square\n", '--columns');
is(run(['mm-info', '--json', '--columns', 'nnz,name', $path])->{out}, qq({"name":"Test/square","nnz":6}\n), '... of JSON');
my @data = map { source_path("tests/data/$_.mtx") } qw(bcspwr01 bcspwr02 ash85 impcol_b);
sub names { return join ' ', map { s/.*\///r } split /\n/, run(['mm-info', '--no-header', '--columns', 'name', @_, @data])->{out} }
is(names('--where', 'dm_blocks > 1'), 'impcol_b', '--where with a column');  # as in the Collection's index
is(names('--where', 'structural_rank == nrow && density < 0.07'), 'bcspwr02', '... and a density');  # 167 / 49^2 = 0.0696
is(names('--quick', '--where', "file ~ '*ash*' or nnz > 300"), 'ash85', '... and the file');
my $unknown = run(['mm-info', '--where', 'structral_rank < 3', $path]);
is($unknown->{status}, 2, 'an unknown name: status 2');
like($unknown->{err}, qr/column 1: unknown name 'structral_rank'. Known names: .*\bstructural_rank\b/, '... with those that are known');
is(run(['mm-info', '--quick', '--where', 'structural_rank < 3', $path])->{status}, 2, '--quick has no structural rank');
like(run(['mm-info', '--columns', 'name,rank', $path])->{err}, qr/--columns: unknown name 'rank'. Known names: name, nrow/, '... and of --columns');

# The names of conditions are columns, too, where they are asked for.
is(run(['mm-info', '--no-header', '--columns', 'n,density,square,kind'], input => "%%MatrixMarket matrix coordinate real symmetric\n4 4 2\n2 1 5\n3 3 0\n")->{out},
    "4\t0.125\tyes\tmatrix\n", 'n, density, square and kind are columns');  # 2 / 16
is(run(['mm-info', '--json', '--columns', 'n,density,square,kind'], input => "%%MatrixMarket matrix array integer general\n1 2\n0\n7\n")->{out},
    qq({"n":null,"density":0.5,"square":"no","kind":"matrix"}\n), '... of a matrix that is not square');
is(run(['mm-info', '--no-header', '--columns', 'density'], input => "%%MatrixMarket matrix array integer general\n0 2\n")->{out}, "-\n", '... and one without places');
unlike(run(['mm-info', $path])->{out}, qr/density/, '... and not shown otherwise');

for my $case (['nrow = 3', qr/column 6: = is not an operator; == compares$/m], ['square & nnz > 3', qr/column 8: & is not an operator; && or 'and'/],
    ['hash == 3', qr/texts with texts in quotes$/m], ['square + 1 == 2', qr/column 8: arithmetic takes numbers/],
    ['nnz + square == 2', qr/column 14: arithmetic takes numbers/])
{
    my $run = run(['mm-info', '--where', $case->[0], $path]);
    is($run->{status}, 2, "--where '$case->[0]': status 2");
    like($run->{err}, $case->[1], '... with what would be right');
}

# One meaning of nnz: without explicit zeros, with the symmetry expanded.
my $stored = "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 0\n2 1 5\n3 1 0\n3 3 2\n";
is(run(['mm-info', '--no-header', '--columns', 'nnz_stored,nnz,explicit_zeros'], input => $stored)->{out}, "4\t3\t3\n", 'nnz of mm-info');
for my $condition ('nnz == 3', 'nnz_stored == 4', 'explicit_zeros == 3', 'density == 3 / 9.0') {
    isnt(run(['mm-cat', '--where', $condition], input => $stored)->{out}, '', "mm-cat --where '$condition'");
    isnt(run(['mm-info', '--no-header', '--where', $condition], input => $stored)->{out}, '', '... and of mm-info');
}
done_testing();
