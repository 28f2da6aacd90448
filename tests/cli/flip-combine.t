#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# flip-combine: schemes for other formats, with the formats and ranks that each operation should give, right over
# their fields; what does not fit is refused.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

# format, rank, field, valid of each scheme.
sub verdicts {
    my ($stream) = @_;
    my (undef, @lines) = split /\n/, run(['flip-check'], input => $stream)->{out};
    return join ',', map { join ' ', (split /\t/)[1 .. 4] } @lines;
}

sub combine {
    my ($input, @arguments) = @_;
    my $run = run(['flip-combine', @arguments], input => $input);
    return verdicts($run->{out}) . ($run->{status} ? "status $run->{status}" : '');
}

sub standard { return run(['mm-gen', 'scheme', @_])->{out} }
sub together { return run(['mm-cat', map { my $path = scratch("part$_"); spew($path, $_[$_]); $path } 0 .. $#_])->{out} }

my $strassen = run([qw(flip-check --export mm), source_path('tests/data/strassen.exp')])->{out};
my $odd = standard('2x3x4');

for my $case (['n', '3x3x4 36', '1x3x4 12'], ['m', '2x4x4 32', '2x2x4 16'], ['p', '2x3x5 30', '2x3x3 18']) {
    my ($axis, $more, $less) = @$case;
    is(combine($odd, 'extend', '--along', $axis), "$more Z yes", "extend along $axis");
    is(combine($odd, 'project', '--along', $axis), "$less Z yes", "project along $axis");
    is(combine(together($odd, $odd), 'merge', '--along', $axis),
        join('x', map { $_->[0] eq $axis ? 2 * $_->[1] : $_->[1] } ['n', 2], ['m', 3], ['p', 4]) . ' 48 Z yes', "merge along $axis");
}
is(combine($odd, 'rotate'), '3x4x2 24 Z yes', 'rotate');
is(combine($odd, 'transpose'), '4x3x2 24 Z yes', 'transpose');
is(combine($strassen, 'extend'), '3x2x2 11 Z yes', 'Strassen, extended: the best rank there is');
is(combine($strassen, 'project'), '1x2x2 4 Z yes', '... and projected, the best too');
is(combine(together($strassen, $strassen, $strassen), 'product'), '8x8x8 343 Z yes', '... to the third power');
is(combine(together($strassen, $odd), 'product'), '4x6x8 168 Z yes', 'a product of different formats');
is(combine(together($odd, $strassen), 'product'), '4x6x8 168 Z yes', '... the other way round');
is(combine(together(standard(qw(2x2x2 --f2)), $strassen), 'merge'), '4x2x2 15 F2 yes', 'F2 and Z give F2');
is(combine(together($strassen, standard('2x2x3')), 'merge', '-ap'), '2x2x5 19 Z yes', 'different sizes side by side');

# Three turns and two transpositions are none.
my $turned = $odd;
$turned = run([qw(flip-combine rotate)], input => $turned)->{out} for 1 .. 3;
sub entries { return join '', sort grep { !/^%/ } map { "$_\n" } split /\n/, $_[0] }
is(entries($turned), entries($odd), 'three rotations are none');
my $twice = run([qw(flip-combine transpose)], input => run([qw(flip-combine transpose)], input => $odd)->{out})->{out};
is(entries($twice), entries($odd), 'two transpositions are none');

# Three times the third factors, over three.
my $half = $strassen =~ s/field: Z/field: Q\n% scheme.denominator: 3/r;
$half =~ s/^((?:9|10|11|12) \d+ )(-?1)$/$1 . 3 * $2/gme;
is(verdicts($half), '2x2x2 7 Q yes', 'Strassen with the denominator 3');
is(combine(together($half, $strassen), 'merge'), '4x2x2 14 Q yes', '... merged');
is(combine(together($half, $half), 'product'), '4x4x4 49 Q yes', '... squared');
is(combine($half, 'extend', '--along=m'), '2x3x2 11 Q yes', '... extended');

is(combine(together($strassen, standard('2x3x2')), 'merge'), 'status 1', 'formats that do not fit: status 1');
is(combine(standard('1x2x2'), 'project'), 'status 1', 'nothing left: status 1');
is(combine($strassen =~ s/^1 1 1$/2 1 1/mr, 'extend'), 'status 1', 'a wrong scheme: status 1');
is(combine($strassen, 'fold'), 'status 2', 'no such operation: status 2');
is(combine(''), 'status 2', 'none: status 2');
done_testing();
