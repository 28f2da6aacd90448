#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# mm-spy: plots of small matrices worked out by hand, the rectangles of SVG, the pixels of PNG.
use strict;
use warnings;
use FindBin qw($Bin);
use lib $Bin;
use Compress::Zlib qw(uncompress);
use Program;
use Test::More;

my $banner = "%%MatrixMarket matrix coordinate pattern general\n";
my $corner = $banner . "% name: corner\n4 4 4\n1 1\n2 1\n3 4\n4 3\n";

sub spy {
    my ($input, @options) = @_;
    my $run = run(['mm-spy', @options], input => $input);
    is($run->{status}, 0, join ' ', 'mm-spy', @options);
    return $run->{out};
}

# Two rows share a line: one entry of two is the shade below the darkest.
is(spy($corner), "corner: 4 x 4, 4 entries\n@   \n  ##\n", 'a plot in characters');
is(spy("${banner}0 0 0\n"), "-: 0 x 0, 0 entries\n \n", 'an empty matrix');

# The rectangles of an SVG picture as [x, y, width, height, colour], the background left out.
sub rectangles {
    my ($svg) = @_;
    return [sort { $a->[1] <=> $b->[1] || $a->[0] <=> $b->[0] }
            map { [/="([^"]*)"/g] } grep { !/100%/ } $svg =~ /<rect [^>]*>/g];
}

my $squares = rectangles(spy($corner, qw(--svg --bare --size 40)));
is_deeply([map { [@$_[0 .. 3]] } @$squares],
          [[0, 0, 10, 10], [0, 10, 10, 10], [30, 20, 10, 10], [20, 30, 10, 10]], 'a square an entry');

# A PNG picture as rows of pixels in RGB; libpng filters the rows, which is undone here.
sub pixels {
    my ($png) = @_;
    is(substr($png, 0, 8), "\x89PNG\r\n\x1a\n", 'a PNG file');
    my ($width, $height) = unpack 'x16NN', $png;
    my ($place, $data) = (8, '');
    while ($place < length $png) {
        my ($length, $type) = unpack "x${place}Na4", $png;
        $data .= substr $png, $place + 8, $length if $type eq 'IDAT';
        $place += 12 + $length;
    }
    my $raw = uncompress($data);
    is(length $raw, $height * (3 * $width + 1), "$height x $width pixels");
    my @before = (0) x (3 * $width);
    my @rows;
    for my $y (0 .. $height - 1) {
        my ($filter, @line) = unpack 'C*', substr $raw, $y * (3 * $width + 1), 3 * $width + 1;
        for my $i (0 .. $#line) {
            my ($a, $b, $c) = ($i < 3 ? 0 : $line[$i - 3], $before[$i], $i < 3 ? 0 : $before[$i - 3]);
            my $p = $a + $b - $c;
            my ($da, $db, $dc) = (abs $p - $a, abs $p - $b, abs $p - $c);
            my $paeth = $da <= $db && $da <= $dc ? $a : $db <= $dc ? $b : $c;
            $line[$i] = ($line[$i] + (0, $a, $b, ($a + $b) >> 1, $paeth)[$filter]) & 255;
        }
        @before = @line;
        push @rows, [map { join ',', @line[3 * $_ .. 3 * $_ + 2] } 0 .. $width - 1];
    }
    return \@rows;
}

my $rows = pixels(spy($corner, qw(--png --bare --size 4)));
is(join("\n", map { join '', map { $_ eq '255,255,255' ? '.' : '#' } @$_ } @$rows), "#...\n#...\n...#\n..#.",
   'a pixel an entry');

# Two matrices on one sheet, eight pixels apart.
my $sheet = pixels(spy($corner . $corner, qw(--png --bare --size 4)));
is(scalar @{$sheet->[0]}, 4 + 8 + 4, 'a sheet is as wide as both');
is_deeply([map { [@$_[12 .. 15]] } @$sheet], $rows, 'the second one beside the first');

# impcol_b has 19 diagonal blocks (the Collection's index); 18 are too small for an outline at this size.
my $blocks = spy(slurp(source_path('tests/data/impcol_b.mtx')), qw(--blocks --svg --bare --size 1180));
my @orange = grep { $_->[4] eq '#d55e00' } @{rectangles($blocks)};
is(@orange / 4, 19, 'a rectangle of four lines around each diagonal block');

# An H2 matrix: its blocks cover the square exactly once.
my $points = run([qw(mm-gen points --grid 16x16)])->{out};
my $h2 = run([qw(h2-build --leaf 16 --order 3)], input => $points)->{out};
my $area = 0;
$area += $_->[2] * $_->[3] for grep { $_->[4] ne '#ffffff' } @{rectangles(spy($h2, qw(--svg --bare --size 256)))};
is($area, 256 * 256, 'the blocks of an H2 matrix cover it once');
is(run([qw(h2-info --svg)], input => $h2)->{out}, spy($h2, '--svg', '--size', 1024), 'h2-info draws the same');
my $alone = run(['mm-spy'], input => $h2);
is("$alone->{status} $alone->{out}", '1 ', 'an H2 matrix alone in characters: nothing, and status 1');
like($alone->{err}, qr/^mm-spy: \S+: record 1: an H2 matrix is shown by --png or --svg only/m, '... and the remark says which');
like($alone->{err}, qr/shown by --png or --svg only.*\nmm-spy: no matrices among the 1 records /s, '... which is said');
spew(scratch('one.h2'), $h2);
spew(scratch('one.mtx'), $corner);
like(run(['mm-spy', scratch('one.h2'), scratch('one.mtx')])->{out}, qr/^corner: /, '... beside a matrix: the matrix');
is(run(['mm-spy', scratch('one.h2'), scratch('one.mtx')])->{status}, 0, '... and status 0');

# What stands beside a picture: name, sizes, entries, scale, and what the colours mean.
sub texts { my ($svg) = @_; return join "\n", $svg =~ /<text [^>]*>([^<]*)<\/text>/g }
is(texts(spy($corner, qw(--svg --size 40))), "corner\n4 x 4, 4 entries\n10 pixels an entry\nan entry", 'title and legend');
is(texts(spy($banner . "% name: a&lt;b<c\n100 100 1\n7 9\n", qw(--svg --size 40))) =~ s/&lt;/</gr =~ s/&amp;/&/gr,
   "a&lt;b<c\n100 x 100, 1 entries\na pixel is 2.5 rows and columns\nall places under the pixel are entries\nat most one in 32; a shade for each factor of 2",
   '... of one with a shade for many') or diag spy($banner . "100 100 1\n7 9\n", qw(--svg --size 40));
like(texts(spy("${banner}3 4 4\n1 1\n2 2\n3 3\n3 4\n", qw(--svg --blocks --size 40))),
     qr/an entry\nhorizontal part: more columns than rows\ndiagonal blocks of the square part\z/, '... of blocks, those that there are');
like(texts(spy($h2, qw(--svg --size 256))), qr/256 x 256\n1 pixel an entry\n(?:coupling block of rank \d+\n)+dense block\z/, '... of an H2 matrix');
my $titled = pixels(spy($corner, qw(--png --size 4)));
my $place = 3 * 18 + 5 + 1;  # below three lines and the frame
is_deeply([map { [@$_[1 .. 4]] } @$titled[$place .. $place + 3]], $rows, 'the picture is the same below its title');
my $ink = sub { my ($x, $y) = @_; join "\n", map { my $line = $_; join '', map { $titled->[$y + $line][$x + $_] eq '255,255,255' ? '.' : '#' } 0 .. 4 } 4 .. 12 };
is($ink->(0, 18), "...#.\n..##.\n.#.#.\n#..#.\n#####\n...#.\n...#.\n.....\n.....", 'the letters of a PNG picture: 4');
is($ink->(28, 18), $ink->(0, 18), '... the same again');
is($ink->(0, 36) =~ tr/#//, 10, '... and another: 1, of ten pixels');
for my $wrong ([qw(--png --svg)], [qw(--size 100000)]) {
    is(run(['mm-spy', @$wrong], input => $corner)->{status}, 2, "@$wrong: status 2");
}
my $twice = run([qw(mm-spy --keep-going)], input => "${banner}1 1 2\n1 1\n1 1\n$corner");
is($twice->{status}, 1, 'a record with two entries in one place fails');
like($twice->{out}, qr/^corner: 4 x 4/m, '... and the next one is shown');
done_testing();
