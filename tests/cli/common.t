#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# One contract for all programs: a program is covered by being built, and listed here where it is no plain filter.
#
#   common.t [PROGRAM...]      only these
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Contract;
use Test::More;

# A file with another scheme for the format of the lone sample.
sub other_scheme {
    my $path = scratch('other.mtx');
    spew($path, run([qw(mm-gen scheme 1x1x2)])->{out});
    return $path;
}

# A program's row; one without a row reads matrices, and what it writes of a sample tells its kind:
#   options   what it is run with; empty if not given
#   kind      filter (records to records), report (records to lines), generator (nothing to records),
#             compare (two inputs: the sample and what standard input brings)
#   inputs    samples that it works on, from Contract.pm; all of them if not given
#   feed      the command whose output for each sample is its input, where it reads no matrices
#   parts     how --part splits its work: records (every M-th record), work (inside a record, folded by
#             another program)
#   passes    the samples are not of its kind: it passes them on with status 1
#   schemes   the samples are matrix multiplication schemes
my %contract = (
    'flip-check' => { kind => 'report', schemes => 1 },
    'flip-combine' => { kind => 'filter', schemes => 1, options => ['rotate'] },
    'flip-emit' => { kind => 'report', schemes => 1 },
    'flip-lift' => { kind => 'filter', schemes => 1 },
    'flip-path' => { kind => 'report', schemes => 1, inputs => ['lone'], options => [other_scheme(), '-'] },
    'flipwalk' => { kind => 'filter', schemes => 1, options => [qw(--steps 1 --islands 2 --walkers 1)] },
    'h2-build' => { kind => 'report' },
    'h2-compress' => { kind => 'filter', passes => 1 },
    'h2-info' => { kind => 'report', passes => 1 },
    'h2-mv' => { kind => 'filter', passes => 1 },
    'h2-orthog' => { kind => 'filter', passes => 1 },
    'mm-cat' => { kind => 'filter', inputs => [qw(lone stream binary gzip zstd)] },
    'mm-diff' => { kind => 'compare', options => ['--json'] },
    'mm-dm' => { kind => 'filter', options => ['--blocks'] },
    'mm-gen' => { kind => 'generator', options => [qw(er 9 --p 0.4 --count 3)] },
    'mm-order' => { kind => 'filter', options => [qw(--for degree)] },
    'perm-fold' => { kind => 'report', feed => [qw(perm-gpu --part 1/1)] },
    'perm-gpu' => { kind => 'report', parts => 'work' },
    'spmm-tc' => { kind => 'filter', options => [qw(--random-b 3)] },
);

my @programs = programs();
for my $program (@programs) {
    next if $contract{$program};
    my $run = run([$program], input => $Contract::lone);
    is($run->{status}, 0, "$program without a row reads matrices");
    $contract{$program} = { kind => $run->{out} =~ /^%%MatrixMarket/ ? 'filter' : 'report' };
}
plan skip_all => 'there are no programs' unless @programs;
@programs = @ARGV if @ARGV;
for my $program (grep { $contract{$_} } @programs) {
    subtest $program => sub { check_contract($program, $contract{$program}) };
}
done_testing();
