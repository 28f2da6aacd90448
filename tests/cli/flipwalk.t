#!/usr/bin/perl
# flipwalk: reaches known ranks, gives the same for any number of threads and any kernel, and writes only what is
# right.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

sub walk {
    my ($format, @options) = @_;
    my $start = run([qw(mm-gen scheme), $format])->{out};
    return run(['flipwalk', @options], input => $start);
}

sub verdicts {
    my ($stream) = @_;
    my (undef, @lines) = split /\n/, run(['flip-check'], input => $stream)->{out};
    return map { join ' ', (split /\t/)[1 .. 4] } @lines;
}

my %rank = ('1x1x1' => 1, '2x2x2' => 7, '2x2x3' => 11, '2x3x3' => 15, '3x3x3' => 23);
for my $format (sort keys %rank) {
    my $run = walk($format, '--target', $rank{$format}, '--time-limit', '50s');
    is("$run->{status} " . join('', verdicts($run->{out})), "0 $format $rank{$format} F2 yes",
        "$format: rank $rank{$format}");
}

my @steps = qw(--steps 3000000 --islands 3 --walkers 5 --seed 7);
my $one = walk('4x4x4', @steps, '-j1');
is(walk('4x4x4', @steps, '-j3')->{out}, $one->{out}, '-j3: the same as -j1');
isnt(walk('4x4x4', @steps[0 .. 5], '--seed', 8)->{out}, $one->{out}, 'another seed: another walk');
my @few = qw(--steps 10 --islands 1 --walkers 2);
my $best = walk('2x3x4', @few);
for my $kernel (map { (split /\t/)[0] } split /\n/, walk('2x2x2', qw(--kernel list))->{out}) {
    my $run = walk('2x3x4', @few, '--kernel', $kernel);
    SKIP: {
        skip $run->{err}, 1 if $run->{status} == 2;
        is($run->{out} =~ s/^% by.*\n//mgr, $best->{out} =~ s/^% by.*\n//mgr, "$kernel: the same");
    }
}

my $several = walk('2x2x2', qw(--keep 12 --target 7 --time-limit 50s));
my %seen = map { $_ => 1 } split /^(?=%%MatrixMarket)/m, $several->{out} =~ s/^(% record:.*|%%End.*)\n//mgr;
is(scalar(keys %seen), 12, '--keep: distinct schemes');
is(scalar(grep { $_ eq '2x2x2 7 F2 yes' } verdicts($several->{out})), 12, '... all right');

my $missed = walk('2x2x2', qw(--target 6 --steps 1000));
is($missed->{status}, 1, 'a target out of reach: status 1');
is(join('', verdicts($missed->{out})), '2x2x2 7 F2 yes', '... the best is written');
is(walk('9x1x1')->{status}, 2, 'no known rank and no limit: status 2');
is(walk('9x9x1', qw(--steps 1))->{status}, 1, 'factors beyond 64 entries: status 1');
is(walk('2x2x2', qw(--kernel none))->{status}, 2, 'no such kernel: status 2');

my $strassen = slurp(source_path('tests/data/strassen.exp'));
is(run([qw(flipwalk --steps 1)], input => $strassen =~ s/a11/a12/r)->{status}, 1, 'a wrong scheme: status 1');
is(join('', verdicts(run([qw(flipwalk --steps 1)], input => $strassen)->{out})), '2x2x2 7 F2 yes',
    'it starts from published schemes');
done_testing();
