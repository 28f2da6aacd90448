#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# h2-info: the columns that are asked for, in their order, with the values that the whole line has.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-gen h2-build h2-orthog h2-info);

my $h2 = scratch('A.h2');
my $made = run(['sh', '-c', "mm-gen points --grid 12x12 | h2-build --leaf 16 --order 3 | h2-orthog -o '$h2'"]);
is($made->{status}, 0, 'a matrix') or diag $made->{err};

sub table {
    my $run = run(['h2-info', @_, $h2]);
    is("$run->{status} $run->{err}", '0 ', "h2-info @_");
    return map { [split /\t/, $_, -1] } split /\n/, $run->{out};
}

# {column}[line], by name
sub columns {
    my ($head, @lines) = @_;
    return { map { my $k = $_; $head->[$k] => [map { $_->[$k] } @lines] } 0 .. $#$head };
}

for my $case ([['--norm', '--error'], [qw(sampled_error n norm bytes name n)]], [['--levels'], [qw(dense_blocks level rank_mean)]]) {
    my ($options, $names) = @$case;
    my @all = table(@$options);
    my $value = columns(@all);
    my @levels = grep { $_ eq '--levels' } @$options;
    my @some = table(@levels, '--columns', join(',', @$names));
    is_deeply(shift @some, $names, 'the columns in the order that was asked for');
    for my $k (0 .. $#$names) {
        is_deeply([map { $_->[$k] } @some], $value->{ $names->[$k] }, "... $names->[$k]");
    }
    is_deeply([table(@levels, '--no-header', '--columns', join(',', @$names))], \@some, '--no-header');
    my $unknown = run(['h2-info', @levels, '--columns', 'colour', $h2]);
    is("$unknown->{status} $unknown->{out}", '2 ', 'a column that is not there: status 2');
    my ($known) = $unknown->{err} =~ /^h2-info: --columns: unknown name 'colour'\. Known names: (.*)$/m;
    is_deeply([split /, /, $known // ''], $all[0], '... and the names that are known: those of the whole line');
}
is(run(['h2-info', '--png', '--columns', 'n', $h2])->{status}, 2, 'no columns of a picture');
done_testing();
