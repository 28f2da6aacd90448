#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# flip-lift: schemes with known lifts are lifted and right over Z or Q; one that has none is told so.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

# format, rank, field, valid
sub verdicts {
    my ($stream) = @_;
    my (undef, @lines) = split /\n/, run(['flip-check'], input => $stream)->{out};
    return join ',', map { join ' ', (split /\t/)[1 .. 4] } @lines;
}

# The scheme modulo 2, as a record.
sub modulo_two {
    my (@file) = @_;
    return run([qw(flip-check --export mm), @file])->{out} =~ s/^% scheme.field: Z$/% scheme.field: F2/mr;
}

my $strassen = modulo_two(source_path('tests/data/strassen.exp'));
my $lifted = run(['flip-lift'], input => $strassen);
is("$lifted->{status} $lifted->{err}" . verdicts($lifted->{out}), '0 2x2x2 7 Z yes', 'Strassen');
my $walked = run(['sh', '-c', 'mm-gen scheme 2x2x2 | flipwalk --keep 5 | flip-lift'])->{out};
is(verdicts($walked), join(',', ('2x2x2 7 Z yes') x 5), 'what flipwalk finds for 2x2x2');
my $whole = run([qw(flip-check --export mm), source_path('tests/data/strassen.exp')])->{out};
is(run(['flip-lift'], input => $whole)->{out}, $whole, 'a scheme over Z passes unchanged');
is(run(['flip-lift'], input => $strassen =~ s/^1 1 1$/2 1 1/mr)->{status}, 1, 'a wrong scheme: status 1');

SKIP: {
    my $folder = ($ENV{MMPIPE_SHARED} // '') . '/data/schemes';
    skip 'the published schemes are not here (MMPIPE_SHARED)', 1 unless -d $folder;
    my %known = ('classic/Laderman-333-23-98.m' => '3x3x3 23', 'kauers-moosbauer/334-29-mod0.exp' => '3x3x4 29',
        'kauers-moosbauer/344-38-mod0.exp' => '3x4x4 38', 'kauers-moosbauer/345-47-mod0.exp' => '3x4x5 47',
        'perminov-ZT/4x4x4_m49_ZT.json' => '4x4x4 49');
    for my $file (sort keys %known) {
        my $run = run(['flip-lift'], input => modulo_two("$folder/$file"));
        like(verdicts($run->{out}), qr/^$known{$file} [ZQ] yes$/, "$file, lifted again");
    }
    my $none = run(['flip-lift', "$folder/kauers-moosbauer/444-47-mod2.exp"]);
    is("$none->{status} " . verdicts($none->{out}), '1 ', '4x4x4:47 is not lifted');
    like($none->{err}, qr/444-47.*: not lifted: it has no lift modulo 4/, '... and says why');
}
done_testing();
