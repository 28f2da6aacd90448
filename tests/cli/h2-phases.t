#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# --phases of h2-mv, h2-orthog and h2-compress: each level is there once, bytes and flop are those that the structure has, and
# what is written does not change.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

sub shell { my $run = run(['bash', '-c', join ' ', @_], directory => scratch()); is($run->{status}, 0, "@_") or diag $run->{err}; return $run }

sub table {
    my ($path) = @_;
    my ($header, @lines) = split /\n/, slurp(scratch($path));
    my @keys = split /\t/, $header;
    return map { my %row; @row{@keys} = split /\t/; \%row } @lines;
}

shell('mm-gen points --grid 32x32 --seed 2 | h2-build --leaf 16 -p 3 --device cpu -o a.h2');
shell('h2-info --levels a.h2 >levels; h2-orthog a.h2 -o plain.h2; h2-orthog --phases=orthog a.h2 -o noted.h2; cmp plain.h2 noted.h2');
shell('h2-compress -t 1e-4 plain.h2 -o small.h2; h2-compress -t 1e-4 --phases=compress plain.h2 -o noted.h2; cmp small.h2 noted.h2');
shell('h2-mv -n 3 -j 2 a.h2 >plain.mtx; h2-mv -n 3 -j 2 --phases=mv a.h2 >noted.mtx; cmp plain.mtx noted.mtx');
my @levels = table('levels');
my %mv = map { ("$_->{phase} $_->{level}" => $_) } table('mv');
my ($rank, $points, $bytes) = (9, 1024, 8);
for my $level (@levels) {
    my $at = $level->{level};
    next unless $level->{coupling_blocks};
    is($mv{"coupling $at"}{bytes}, $level->{coupling_bytes}, "level $at: coupling bytes as h2-info has them");
}
# A leaf's basis has points x rank numbers, and each number is multiplied and added once a vector.
my ($last) = $levels[-1]{level};
is($mv{"up $last"}{bytes}, $points * $rank * $bytes, 'the leaves upwards: bytes');
is($mv{"up $last"}{flop}, 2 * 3 * $points * $rank, 'the leaves upwards: flop of three vectors');
is($mv{"dense $last"}{bytes}, $levels[-1]{dense_bytes}, 'dense bytes');
# 64 leaves of 16 points: a dense block that is not on the diagonal is there once and used twice.
my $all = 2 * $levels[-1]{dense_blocks} - 64;
is($mv{"dense $last"}{flop}, 2 * 3 * $all * 256, 'dense flop: half is stored');
my %sum;
$sum{bytes} += $_->{bytes}, $sum{flop} += $_->{flop} for grep { $_->{phase} ne 'all' } values %mv;
ok(abs($mv{'all -'}{$_} - $sum{$_}) <= 1e-9 * $sum{$_}, "the last line sums up the $_") for qw(bytes flop);

# 16 x 9 leaves: 4 m k^2 - 4/3 k^3 each, for factor and vectors.
my %orthog = map { ("$_->{phase} $_->{level}" => $_) } table('orthog');
is(sprintf('%.0f', $orthog{"bases $last"}{flop}), sprintf('%.0f', 64 * (4 * 16 * 81 - 4 * 729 / 3)), 'orthogonalization of the leaves: flop');
my ($blocks) = map { my $count = 0; $count += $_->{coupling_blocks} for @levels; $count } 1;
is($orthog{'blocks -'}{flop}, $blocks * 4 * 729, 'blocks: two products of 9 x 9 matrices each');
my @compress = table('compress');
is($compress[-1]{phase}, 'all', 'compress sums up last');
my @downwards = map { $_->{level} } grep { $_->{phase} eq 'weights' } @compress;
my @upwards = map { $_->{level} } grep { $_->{phase} eq 'bases' } @compress;
is("@downwards", join(' ', reverse @upwards), 'weights go down, bases up, over the same levels');

# Two records, and a file that cannot be written.
shell('cat a.h2 a.h2 | h2-mv --phases=two >/dev/null');
is(scalar(grep { $_->{phase} eq 'all' } table('two')), 2, 'a table for each record');
is(run(['h2-mv', '--phases', scratch('none', 'file'), scratch('a.h2')])->{status}, 4, 'no such folder: status 4');
SKIP: {
    skip '/dev/full is not there', 2 unless -c '/dev/full';
    my $run = run(['h2-mv', '--phases', '/dev/full', scratch('a.h2')]);
    is($run->{status}, 4, 'a full disk: status 4');
    like($run->{err}, qr{/dev/full}, 'the message names the file');
}
done_testing();
