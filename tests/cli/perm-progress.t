#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What perm-gpu tells of long work: SIGUSR1 asks each method for a line, which says how much is done and left.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-gen perm-gpu);

my $number = qr/[0-9.]+(?:e[+-]?[0-9]+)?/;
my $line = qr/^perm-gpu: \S+: +([0-9.]+) % of ($number) (transitions|subsets), ($number) a second, ([0-9]+) s gone, ([0-9]+) s left$/;

# Each takes long enough to be asked, and is killed then.
for my $case ([['frontier-double'], qw(er 27 -p 0.7 --diagonal --field real --seed 6)],
    [['frontier-exact'], qw(er 27 -p 0.7 --diagonal --field integer --values int:-9:9 --seed 6)],
    [['exact-portable'], qw(dense 34 --field pattern)], [['dense-portable'], qw(dense 36 --seed 2)],
    [['sparse-portable'], qw(er 38 -p 0.5 --diagonal --seed 3)],
    [['sparse-gray-portable'], qw(er 38 -p 0.5 --diagonal --seed 3)],
    [['dd-portable'], qw(dense 34 --seed 2)], [['mpfr'], qw(dense 32 --seed 2)]) {
    my ($kernel, @generate) = @$case;
    my $path = scratch('long.mtx');
    spew($path, run(['mm-gen', @generate])->{out});
    my $handle = start(['perm-gpu', '--raw', '-j2', '--memory', '3G', '--kernel', @$kernel, $path]);
    my @said;
    wait_for_handler($handle->{pid});
    wait_until(sub {
        select undef, undef, undef, 0.1;
        kill USR1 => $handle->{pid};
        @said = grep { $_->[3] >= 1 } map { [/$line/] } grep { /$line/ } split /\n/, slurp($handle->{err_path});
        return @said > 0;
    });
    kill KILL => $handle->{pid};
    my $err = finish($handle)->{err};
    ok(@said > 0, "@$kernel: a line with what is done and left") or diag $err;
    my ($share, $total, $unit, $rate, $gone, $left) = @{ $said[0] // [0, 1, '', 1, 0, 0] };
    cmp_ok($share, '<=', 100, '... no more than all is done');
    # All three say the same: total, rate and seconds left.
    my $expected = $total * (1 - $share / 100) / $rate;
    cmp_ok(abs($left - $expected), '<=', 1 + 0.02 * $expected + 0.001 * $total / $rate, '... and the time left is that for the rest');
}
done_testing();
