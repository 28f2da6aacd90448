#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# flip-path: its moves, made here by their definition, lead from one scheme to the other and keep the tensor;
# flip-path --replay says the same, and refuses damaged paths.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

# The terms of a record over F2: [a, b, c] as bit masks.
sub terms {
    my ($record) = @_;
    my @size = $record =~ /^% scheme: (\d+)x(\d+)x(\d+)$/m or die;
    my @length = ($size[0] * $size[1], $size[1] * $size[2], $size[0] * $size[2]);
    my @entries = map { [split] } grep { !/^%/ } split /\n/, $record;
    my @terms = map { [0, 0, 0] } 1 .. (shift @entries)->[1];
    for (@entries) {
        my ($row, $column, $value) = ($_->[0] - 1, $_->[1] - 1, $_->[2]);
        my $position = 0;
        $row -= $length[$position++] while $row >= $length[$position];
        $terms[$column][$position] ^= 1 << $row if $value % 2;
    }
    return (\@length, @terms);
}

# The sum of all terms: which products of entries it has.
sub tensor {
    my ($length, @terms) = @_;
    my %odd;
    for my $term (@terms) {
        for my $i (grep { $term->[0] >> $_ & 1 } 0 .. $length->[0] - 1) {
            for my $j (grep { $term->[1] >> $_ & 1 } 0 .. $length->[1] - 1) {
                $odd{"$i $j $_"} ^= 1 for grep { $term->[2] >> $_ & 1 } 0 .. $length->[2] - 1;
            }
        }
    }
    return join ',', sort grep { $odd{$_} } keys %odd;
}

sub text { return join ',', sort map { "@$_" } @_ }

# "" if the path leads from one to the other by moves that are allowed; `every`: the tensor after each move.
sub follow {
    my ($path, $from, $to, $every) = @_;
    my ($length, @terms) = terms($from);
    my (undef, @wanted) = terms($to);
    my $tensor = tensor($length, @terms);
    for my $line (split /\n/, $path) {
        my ($kind, $x, $i, $j) = $line =~ /^(flip|plus) ([abc]) (\d+) (\d+)$/ or return "no move: $line";
        my ($first, $second) = ($terms[$i - 1], $terms[$j - 1]);
        return "no terms: $line" if $i == $j || !$first || !$second;
        my ($p, $q, $r) = map { (ord($x) - ord('a') + $_) % 3 } 0 .. 2;
        if ($kind eq 'plus') {
            return "equal: $line" if $first->[$p] == $second->[$p];
            push @terms, [@$second];
            $terms[-1][$p] = $first->[$p];
            $second->[$p] ^= $first->[$p];
        } else {
            return "different: $line" if $first->[$p] != $second->[$p];
            $first->[$r] ^= $second->[$r];
            $second->[$q] ^= $first->[$q];
            for my $number ($i, $j) {
                $terms[$number - 1] = undef if grep { !$_ } @{ $terms[$number - 1] };
            }
        }
        return "another tensor: $line" if $every && tensor($length, grep { $_ } @terms) ne $tensor;
    }
    return text(grep { $_ } @terms) eq text(@wanted) ? '' : 'another scheme';
}

my ($from, $to, $path) = map { scratch($_) } qw(from to path);
sub check {
    my ($first, $second, $every, $name) = @_;
    spew($from, $first);
    spew($to, $second);
    my $run = run(['flip-path', $from, $to]);
    is("$run->{status} $run->{err}" . follow($run->{out}, $first, $second, $every), '0 ', $name);
    spew($path, $run->{out});
    my $replay = run(['flip-path', '--replay', $path, $from, $to]);
    my $flips = () = $run->{out} =~ /^flip/mg;
    my $pluses = () = $run->{out} =~ /^plus/mg;
    like("$replay->{status} $replay->{out}", qr/^0 flips\tpluses\tmost_terms\n$flips\t$pluses\t\d+\n/, '... --replay');
    return $run->{out};
}

sub standard { return run(['mm-gen', 'scheme', @_])->{out} }
sub walked {
    my ($format, $seed) = @_;
    return run(['flipwalk', qw(--steps 300 --islands 1 --walkers 1 --seed), $seed], input => standard($format))->{out};
}

my $strassen = run([qw(flip-check --export mm), source_path('tests/data/strassen.exp')])->{out};
check(standard('2x2x2'), $strassen, 1, 'from the standard algorithm to that of Strassen');
my $lines = check($strassen, standard('2x2x2'), 1, '... and back');
check($strassen, $strassen, 1, 'from Strassen to Strassen');
my $seed = time;
note "seed $seed";
for my $k (1 .. 5) {
    check(walked('2x2x2', $seed + $k), walked('2x2x2', $seed + 10 + $k), 1, 'random 2x2x2');
    check(walked('3x3x3', $seed + $k), walked('3x3x3', $seed + 10 + $k), 0, 'random 3x3x3');
}
check(walked('2x3x4', $seed), standard('2x3x4'), 0, '2x3x4');
check(standard('1x1x2'), standard('1x1x2'), 1, '1x1x2 has factors of one entry');

# Paths that are none.
spew($from, $strassen);
spew($to, standard('2x2x2'));
sub replay {
    spew($path, $_[0]);
    return run(['flip-path', '--replay', $path, $from, $to])->{status};
}
is(replay($lines), 0, 'the path');
is(replay($lines =~ s/^.*\n//r), 1, 'without its first move: status 1');
is(replay($lines =~ s/.*\n\z//r), 1, 'without its last move: status 1');
is(replay($lines =~ s/^plus ([abc]) (\d+) (\d+)/plus $1 $2 $2/r), 1, 'a term with itself: status 1');
is(replay("plus d 1 2\n"), 3, 'a fourth position: status 3');
is(replay("plus a 1\n"), 3, 'half a move: status 3');
is(replay("plus a 1 99\n"), 1, 'no such term: status 1');
is(run(['flip-path', '--replay', scratch('none'), $from, $to])->{status}, 2, 'no such file: status 2');
spew($to, standard('2x2x3'));
is(run(['flip-path', $from, $to])->{status}, 1, 'different formats: status 1');
is(run(['flip-path', $from])->{status}, 2, 'one scheme: status 2');
is(run(['flip-path', $from, $from, $from])->{status}, 2, 'three: status 2');
spew($from, $strassen =~ s/^1 1 1$/2 1 1/mr);
is(run(['flip-path', $from, $from])->{status}, 1, 'a wrong scheme: status 1');
spew($from, standard('1x1x1'));
is(run(['flip-path', $from, $from])->{status}, 1, '1x1x1: status 1');
done_testing();
