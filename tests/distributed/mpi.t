#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Open MPI with four ranks: one permanent, its parts folded.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../cli", $FindBin::Bin;
use Cluster;
use Program;
use Test::More;

plan skip_all => 'mpirun is not installed' unless find_tool('mpirun');
my %root = (OMPI_ALLOW_RUN_AS_ROOT => 1, OMPI_ALLOW_RUN_AS_ROOT_CONFIRM => 1);
my @mpirun = qw(mpirun --oversubscribe -np 4);
my $try = run([@mpirun, 'true'], environment => \%root);
plan skip_all => "mpirun does not start: $try->{err}" if $try->{status} != 0;

my @matrix = ([integer => [qw(er 20 -p 0.7 --diagonal --field integer --values int:-9:9 --seed 4)], 'exact-portable'],
    [real => [qw(dense 22 --values uniform:-1:1 --seed 5)], 'dense-portable'], [sparse => [qw(er 28 -p 0.3 --diagonal --seed 3)], 'sparse-portable']);
for my $case (@matrix) {
    my ($name, $generate, $kernel) = @$case;
    my $path = scratch("$name.mtx");
    run(['mm-gen', @$generate, '-o', $path]);
    my @how = ('--raw', '--kernel', $kernel, qw(--device cpu -j1), $path);
    my $whole = run(['perm-gpu', @how])->{out};
    like($whole, qr/\t\S/, "$name: a permanent");
    my $parts = run([@mpirun, 'perm-gpu', '--part', 'rank', @how], environment => \%root);
    is($parts->{status}, 0, "$name: four ranks") or diag $parts->{err};
    is(run(['perm-fold'], input => $parts->{out})->{out}, $whole, '... whose parts fold to the same bytes');
    my @lines = split /^/, $parts->{out};
    my $lacking = join '', @lines[0 .. $#lines - 1];
    isnt(run(['perm-fold'], input => $lacking)->{status}, 0, '... and not without one of them');
}

# Records of a stream by ranks.
my @data = map { source_path("tests/data/$_.mtx") } qw(bcspwr01 can_24 ash85 impcol_b d_ss);
my $rows = run([@mpirun, 'mm-info', '--part', 'rank', '--columns', 'name,nnz', @data], environment => \%root)->{out};
is(join('', sort split /^/, $rows), join('', sort split /^/, run(['mm-info', '--columns', 'name,nnz', @data])->{out}), 'records of a stream, each by one rank');

# As mmpipe-bulk(7) has it.
my $folder = scratch('page');
mkdir $folder;
run([qw(mm-gen dense 18 --values uniform:-1:1 -o), "$folder/a.mtx"]);
my ($line) = page_block(qr/mpirun/) =~ /^(mpirun .*)$/m;
my $page = run(['sh', '-c', "cd '$folder' && $line"], environment => \%root);
is($page->{out}, run(['perm-gpu', "$folder/a.mtx"])->{out}, "the page: $line") or diag $page->{err};

# Without mpirun the message says what is missing.
my $alone = run([qw(perm-gpu --part rank), scratch('real.mtx')]);
is($alone->{status}, 2, 'no rank: status 2');
like($alone->{err}, qr/--part rank: this process has no rank: neither OMPI_COMM_WORLD_RANK \(mpirun\), .*SLURM_PROCID \(srun\)/, '... with what is missing');
done_testing();
