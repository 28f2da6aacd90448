#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# mm-dm: what it writes is the matrix again, permuted, cut or thinned; every field and symmetry.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Program;
use Test::More;

sub mm_dm {
    my ($input, @options) = @_;
    my $run = run(['mm-dm', @options], input => $input);
    is("$run->{status} $run->{err}", '0 ', "mm-dm @options: status 0, nothing on stderr");
    return $run->{out};
}

# A number list of the metadata, which may stand in several lines.
sub list_of {
    my ($record, $key) = @_;
    my @items;
    for ($record =~ /^% \Q$key\E:(.*)$/mg) {
        push @items, map { /^(\d+):(\d+)$/ ? $1 .. $2 : $_ } split;
    }
    return \@items;
}

# Records of a general coordinate stream: sizes, entries "row col" => value, text before them.
sub parse {
    my ($text) = @_;
    my @records;
    for my $part (split /^(?=%%MatrixMarket)/m, $text =~ s/^%%End \d+\n//mr) {
        my ($head, @lines) = ('');
        for (split /\n/, $part) {
            if (/^%/) { $head .= "$_\n" }
            else { push @lines, $_ }
        }
        my ($nrow, $ncol, $nnz) = split ' ', shift @lines;
        my %entry = map { /^(\d+ \d+) ?(.*)$/; ($1 => $2) } @lines;
        is(scalar keys %entry, $nnz, 'as many entries as announced') unless keys %entry == $nnz;
        push @records, { head => $head, nrow => $nrow, ncol => $ncol, entry => \%entry,
            rows => list_of($head, 'origin.rows'), cols => list_of($head, 'origin.cols') };
    }
    return @records;
}

# The entries of a record at their original places.
sub original {
    my ($record) = @_;
    my %entry;
    for (keys %{ $record->{entry} }) {
        my ($i, $j) = split;
        $entry{"$record->{rows}[$i - 1] $record->{cols}[$j - 1]"} = $record->{entry}{$_};
    }
    return \%entry;
}

my %matrix = (
    'real general' => "4 4 7\n1 2 0.1\n2 1 -2.5e-300\n2 2 3\n3 3 1e22\n3 4 -7\n4 3 0.5\n4 1 9\n",
    'integer symmetric' => "4 4 4\n2 1 -5\n3 3 9223372036854775807\n4 3 2\n4 4 1\n",
    'integer skew-symmetric' => "4 4 2\n2 1 -5\n4 3 2\n",
    'complex hermitian' => "3 3 4\n1 1 2 0\n2 1 0.5 -3\n2 2 1 0\n3 3 -1 0\n",
    'complex skew-symmetric' => "2 2 1\n2 1 0.5 -3\n",
    'pattern general' => "3 4 6\n1 1\n1 2\n2 2\n3 3\n3 4\n2 1\n",
    'pattern symmetric' => "5 5 5\n1 1\n2 1\n3 3\n5 4\n5 5\n",
);
$matrix{'integer general'} = "% integers: big\n2 2 3\n1 1 123456789012345678901234567890\n1 2 -3\n2 2 7\n";

for my $kind (sort keys %matrix) {
    my $text = "%%MatrixMarket matrix coordinate $kind\n% name: Test/one\n% note: kept\n$matrix{$kind}";
    my ($whole) = parse(run(['mm-cat', '--general'], input => $text)->{out});

    my ($permuted) = parse(mm_dm($text));
    is_deeply(original($permuted), $whole->{entry}, "$kind: the permuted matrix");
    like($permuted->{head}, qr/general\n(?:.*\n)*% note: kept\n/, '... general, with its comments');
    my ($rows, $cols) = map { list_of($permuted->{head}, "dm.block_$_") } qw(rows cols);
    my ($count) = $permuted->{head} =~ /^% dm.blocks: (\d+)$/m;
    is(@$rows . ' ' . @$cols, "$count $count", '... the first rows and columns of the blocks');
    my @below = grep {
        my ($i, $j) = split;
        my $block_row = grep { $_ <= $i } @$rows;
        my $block_col = grep { $_ <= $j } @$cols;
        $block_row > $block_col;
    } keys %{ $permuted->{entry} };
    is("@below", '', '... block upper triangular');

    my ($kept) = parse(mm_dm($text, '--drop'));
    my %union;
    for my $options ([], ['--singletons']) {
        my @blocks = parse(mm_dm($text, '--blocks', @$options));
        %union = map { %{ original($_) } } @blocks;
        is_deeply(\%union, $kept->{entry}, "$kind: the blocks @$options together are what --drop keeps");
        my $number = 0;
        for (@blocks) {
            $number++;
            like($_->{head}, qr/^% name: Test\/one\n(?:%.*\n)*% piece: block $number\/${\ scalar @blocks}\n/m, '... numbered');
        }
        is(scalar(grep { $_->{head} =~ /^% note: kept$/m } @blocks), 1, '... one has the comments');
        is(@blocks, $count, '... as many as there are') if @$options;
    }
    my @wrong = grep { ($whole->{entry}{$_} // 'none') ne $kept->{entry}{$_} } keys %{ $kept->{entry} };
    is("@wrong", '', '... entries of the matrix');
}

# [2 5 0; 0 3 0; 7 1 4]: a triangle of three 1×1 blocks.
my $triangle = "%%MatrixMarket matrix coordinate integer general\n% name: T\n3 3 6\n"
    . "1 1 2\n1 2 5\n2 2 3\n3 1 7\n3 2 1\n3 3 4\n";
my @blocks = parse(mm_dm($triangle, '--blocks'));
is(@blocks, 1, '1x1 blocks come together');
is(join(' ', sort values %{ $blocks[0]{entry} }), '2 3 4', '... as a diagonal matrix');
is(join(' ', sort keys %{ $blocks[0]{entry} }), '1 1 2 2 3 3', '... ');
like($blocks[0]{head}, qr/^% dm.singletons: 3$/m, '... that says so');
is(scalar(parse(mm_dm($triangle, qw(--blocks --singletons)))), 3, '--singletons: three records');

my $singular = "%%MatrixMarket matrix coordinate real general\n% name: S\n3 3 3\n1 1 1\n2 1 1\n3 3 2\n";
like(mm_dm($singular, '--blocks'), qr/% name: S\n% piece: block 1\/1\n(?:%.*\n)*% dm.singular: 1\n(?:%.*\n)*1 1 0\n\z/,
    'structurally singular: one empty 1x1 block');
like(mm_dm($singular, '--drop'), qr/% dm.singular: 1\n(?:%.*\n)*3 3 0\n\z/, '... --drop leaves nothing');
my @parts = parse(mm_dm($singular, '--coarse'));
is(join(' ', map { "$_->{nrow}x$_->{ncol}" } @parts), '0x1 1x1 2x1', '... --coarse: its three parts');
is(join(' ', map { $_->{head} =~ /^% dm.part: (\w+)$/m } @parts), 'horizontal square vertical', '... named');

my $zero = "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 1\n2 2 0\n2 1 4\n";
is((parse(mm_dm($zero)))[0]{head} =~ /structural_rank: (\d)/ ? $1 : '', 1, 'explicit zeros are no entries');
my ($with) = parse(mm_dm($zero, '--keep-zeros'));
is(join(' ', sort values %{ $with->{entry} }), '0 1 4', '--keep-zeros keeps them');
like($with->{head}, qr/structural_rank: 2\n/, '... and counts them');

my $nothing = "%%MatrixMarket matrix coordinate real general\n0 0 0\n";
is(join(' ', map { "$_->{nrow}x$_->{ncol}" } parse(mm_dm($nothing, '--blocks'))), '0x0', '0x0 is its own block');

# Lists longer than a line, and permutations after one another.
my $random = run([qw(mm-gen er 700 -p 0.003 --field integer --values int:1:9 --seed 7)])->{out};
my ($whole) = parse($random);
my $once = mm_dm($random);
cmp_ok(length((sort { length $b <=> length $a } split /\n/, $once)[0]), '<=', 1000, 'no line beyond 1000 bytes');
is_deeply(original((parse($once))[0]), $whole->{entry}, 'a long permutation');
is_deeply(original((parse(mm_dm($once)))[0]), $whole->{entry}, '... and again');
my @pieces = parse(run(['sh', '-c', 'mm-dm | mm-dm --coarse'], input => $random)->{out});
my %all = map { map { $_ => 1 } @{ $_->{rows} } } @pieces;
is(scalar keys %all, 700, '... the parts of a permuted matrix refer to the first one');

my $summary = run(['mm-dm', '--summary', '--json', source_path('tests/data/impcol_b.mtx')]);
my $object = decode_json($summary->{out});
is("$object->{name} $object->{structural_rank} $object->{dm_blocks}", 'HB/impcol_b 59 19',
    '--summary: rank and blocks as in the index of the Collection');
for my $bad ([qw(--blocks --drop)], ['--singletons'], ['--json']) {
    is(run(['mm-dm', @$bad], input => $triangle)->{status}, 2, "@$bad: status 2");
}
my $long = "%%MatrixMarket matrix coordinate pattern general\n% origin.rows: 1x\n1 1 1\n1 1\n";
is(run(['mm-dm'], input => $long)->{status}, 3, 'a damaged list of origins: status 3');
done_testing();
