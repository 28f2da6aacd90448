# SPDX-License-Identifier: BSD-3-Clause
# Plots by gnuplot, as SVG that takes the colour of the text around it.
package Plot;
use strict;
use warnings;
use File::Temp qw(tempfile);

sub has_gnuplot { return !!grep { -x "$_/gnuplot" } split /:/, $ENV{PATH} }

# Colours that differ for the colour-blind and hold on light and dark ground (Okabe and Ito 2008), with marks of different shapes.
our @colour = map { "#$_" } qw(0072b2 e69f00 009e73 cc79a7 d55e00 56b4e9 8c8c8c);
my @mark = (5, 7, 9, 11, 13, 2, 1);

# The SVG that gnuplot makes of these commands; undef where it fails. Its ids begin with `name`, so that several stand in a page.
sub svg {
    my ($size, $name, $commands) = @_;
    my ($handle, $out) = tempfile('mmpipe-plot-XXXXXX', TMPDIR => 1, UNLINK => 1);
    open my $gnuplot, '|-', 'gnuplot 2>/dev/null' or return undef;
    print $gnuplot "set terminal svg size $size dynamic font 'sans-serif,13' name '$name'\nset output '$out'\nset grid lc rgb '#8c8c8c' lw 0.3\n"
        . "set border 3 lc rgb 'black'\nset tics nomirror\n", (map { 'set linetype ' . ($_ + 1) . " lc rgb '$colour[$_]' pt $mark[$_]\n" } 0 .. $#colour), $commands;
    close $gnuplot or return undef;
    my $text = do { local $/; <$handle> };
    $text =~ s/^.*?(?=<svg)//s;
    $text =~ s/\bblack\b|#000000|rgb\( *0, *0, *0\)/currentColor/g;
    $text =~ s/<(?:title|desc)>.*?<\/(?:title|desc)>//sg;
    $text =~ s/\bid=(["'])(gp\w+|h\w+)\1/id="$name$2"/g;
    $text =~ s/href=(["'])#(gp\w+)/href=$1#$name$2/g;
    return $text;
}

1;
