#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# mm-gen: matrices that are known entry by entry, the same bytes for the same seed, parts and refusals.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

sub gen { return run(['mm-gen', @_]) }

# The part of a text form behind the comments.
sub body { my ($text) = @_; return $text =~ s/^%[^%].*\n//mgr }

# Entries as [row, col, value].
sub entries { my @lines = grep { !/^%/ } split /\n/, $_[0]; shift @lines; return map { [split] } @lines }

is(body(gen('identity', '3')->{out}), "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 1\n2 2\n3 3\n", 'identity');
is(body(gen('identity', '2x3', '--field', 'real')->{out}),
    "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1\n2 2 1\n", 'rectangular, real');
is(body(gen('ones', '2')->{out}), "%%MatrixMarket matrix array integer general\n2 2\n1\n1\n1\n1\n", 'ones');
is(body(gen('constant', '--n', '1x2', '--values', '2.5')->{out}), "%%MatrixMarket matrix array real general\n1 2\n2.5\n2.5\n", 'constant');
is(body(gen('tridiagonal', '3')->{out}),
    "%%MatrixMarket matrix coordinate pattern general\n3 3 7\n1 1\n2 1\n1 2\n2 2\n3 2\n2 3\n3 3\n", 'tridiagonal');
is(body(gen('stencil', '3', '--symmetry', 'symmetric')->{out}),
    "%%MatrixMarket matrix coordinate integer symmetric\n3 3 5\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n", 'stencil');
is(body(gen('derangement', '2')->{out}), "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n2 1\n1 2\n", 'derangement');
is(body(gen('menage', '3')->{out}), "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n2 1\n3 2\n1 3\n", 'menage');
is(body(gen('circulant', '3', '--offsets', '0,1')->{out}),
    "%%MatrixMarket matrix coordinate pattern general\n3 3 6\n1 1\n3 1\n1 2\n2 2\n2 3\n3 3\n", 'circulant');
is(body(gen('scheme', '1x1x1')->{out}), "%%MatrixMarket matrix coordinate integer general\n3 1 3\n1 1 1\n2 1 1\n3 1 1\n", 'scheme');
is(body(gen('points', '--grid', '2x1')->{out}), "%%MatrixMarket matrix array real general\n2 2\n0.25\n0.75\n0.5\n0.5\n", 'points');

# Seeds
my @er = ('er', '--n', '43', '--p', '0.3', '--diagonal');
my $er = gen(@er, '--seed', '343')->{out};
is(gen(@er, '--seed', '343')->{out}, $er, 'the same seed, the same bytes');
isnt(gen(@er, '--seed', '344')->{out}, $er, 'another seed, another matrix');
is(gen(@er, '--seed', '343', '-j', '4')->{out}, $er, 'for any -j');
is(scalar(grep { $_->[0] == $_->[1] } entries($er)), 43, 'a full diagonal');
is(scalar(grep { !($_->[2] > 0 && $_->[2] <= 1) } entries($er)), 0, 'values in (0, 1]');
like($er, qr/^% name: er-43-343$/m, 'a name');
like($er, qr/^% gen\.seed: 343$/m, 'metadata');
like($er, qr/^% by: mm-gen \S+ --n 43 --p 0\.3 --diagonal --seed 343 er$/m, 'the command to make it again');

my $unitary = gen('unitary', '30', '--seed', '5')->{out};
is(gen('unitary', '30', '--seed', '5', '-j', '4')->{out}, $unitary, 'unitary: for any -j');
is(body(gen('unitary', '30x30', '--seed', '5', '-j', '4')->{out}), body($unitary), '... and size');
like($unitary, qr/^%%MatrixMarket matrix array complex general\n% name: unitary-30-5\n/, '... a complex array with a name');

# Symmetries are valid: a strict reader takes them, and expanding gives the transpose back.
for my $symmetry (qw(symmetric skew-symmetric hermitian)) {
    for my $family (['er', '9', '--p', '0.4'], ['dense', '5'], ['band', '9', '--bandwidth', '2'], ['rmat', '16'],
        ['block', '9', '--blocks', '3'])
    {
        my @options = (@$family, '--symmetry', $symmetry, '--field', 'complex');
        my $text = gen(@options)->{out};
        my $run = run(['mm-cat', '--general', '--coordinate'], input => $text);
        my %at = map { ("$_->[0] $_->[1]" => [@$_[2, 3]]) } entries($run->{out});
        my $wrong = 0;
        for my $place (keys %at) {
            my ($row, $col) = split ' ', $place;
            my ($re, $im) = @{ $at{"$col $row"} // ['x', 'x'] };
            ($re, $im) = (-$re, -$im) if $symmetry eq 'skew-symmetric';
            $im = -$im if $symmetry eq 'hermitian';
            $wrong++ if $re != $at{$place}[0] || $im != $at{$place}[1];
        }
        ok($run->{status} == 0 && %at && $wrong == 0, "$family->[0] $symmetry") or diag $text;
    }
}

# --count and --part
my $stream = gen('permutation', '6', '--count', '5', '--seed', '9');
is(run(['mm-cat', '--check'], input => $stream->{out})->{status}, 0, '--count makes a stream');
is(join(' ', $stream->{out} =~ /^% name: (\S+)/mg), join(' ', map { "permutation-6-9-$_" } 1 .. 5), 'with names');
my @bodies = map { body($_) } split /(?=^%%MatrixMarket)/m, $stream->{out} =~ s/%%End.*//sr;
my @part = map { body($_) }
    split /(?=^%%MatrixMarket)/m, gen('permutation', '6', '--count', '5', '--seed', '9', '--part', '2/2')->{out} =~ s/%%End.*//sr;
is_deeply(\@part, [@bodies[1, 3]], '--part 2/2 makes the second and the fourth');
is(body(gen('permutation', '6', '--seed', '9')->{out}), $bodies[0], 'the first is the one without --count');
my $binary = gen('er', '30', '--p', '0.1', '--form', 'bin')->{out};
is(body(run(['mm-cat'], input => $binary)->{out}), body(gen('er', '30', '--p', '0.1')->{out}), 'both forms');

# Mistakes
for my $case ([], ['foo', '3'], ['ones'], ['ones', '3', '4'], ['ones', '--n', '3', '3'], ['er', '3'], ['er', '3', '--p', '1.5'],
    ['dense', '3', '--p', '0.5'], ['identity', '3', '--field', 'pattern', '--values', '2'], ['dense', '2x3', '--symmetry', 'symmetric'],
    ['unitary', '3', '--field', 'real'], ['unitary', '3', '--values', '2'], ['unitary', '2x3'], ['unitary', '3', '--p', '0.5'],
    ['dense', '3', '--symmetry', 'hermitian'], ['menage', '4', '--symmetry', 'symmetric'], ['dense', '3', '--values', 'foo'])
{
    my $run = gen(@$case);
    ok($run->{status} == 2 && $run->{out} eq '' && $run->{err} ne '', "refused: @$case");
}
# --values that would change nothing, and what the messages say to do instead.
my %told = (
    'unitary 3 --values 2' => qr/--values has no meaning for the family unitary; leave it out$/m,
    'scheme 2x2x2 --values 2' => qr/--values has no meaning for the family scheme; leave it out$/m,
    'points --grid 3x3 --values uniform:2:3' => qr/--values has no meaning with --grid, whose points are the centres of its cells; leave it out$/m,
    'points 5x2 --perturb 0.5' => qr/--perturb moves the points of a grid: give --grid too$/m,
    'points 5x2 --values int:1:9' => qr/points: the coordinates are real numbers: use --values uniform:LO:HI, or leave it out$/m,
    'points 5x2 --field integer' => qr/--field: matrices of the family points are real; leave it out$/m,
    'unitary 3 --field real' => qr/--field: matrices of the family unitary are complex; leave it out$/m,
    'scheme 2x2x2 --field pattern' => qr/--field: matrices of the family scheme are integer; leave it out$/m,
);
for my $command (sort keys %told) {
    my $run = gen(split ' ', $command);
    is("$run->{status} $run->{out}", '2 ', "refused: $command");
    like($run->{err}, $told{$command}, '... with what to do');
}
is(gen(split ' ', $_)->{status}, 0, "taken: $_") for 'unitary 2 --field complex', 'points 3x2 --field real', 'scheme 1x1x1 --field integer';

# uniform means (0, 1] in every family.
for my $family ('constant 20', 'ones 20', 'derangement 20', 'stencil 20', 'permutation 20', 'rmat 32', 'dense 20') {
    my @lines = grep { !/^%/ } split /\n/, gen(split(' ', $family), '--values', 'uniform')->{out};
    my @values = map { (split)[-1] } @lines[1 .. $#lines];
    my %different = map { $_ => 1 } @values;
    ok(keys %different > 15 && !(grep { !($_ > 0 && $_ <= 1) } @values), "$family --values uniform: different numbers in (0, 1]");
}

my $big = gen('ones', '100000000');
ok($big->{status} == 4 && $big->{err} =~ /memory/, 'refused: what does not fit');
done_testing();
