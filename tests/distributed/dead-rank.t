#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# A rank of Open MPI that dies: mpirun ends, the states of the other ranks remain, and the next run goes on.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../cli";
use Program;
use Test::More;

my ($mpirun) = grep { -x } map { "$_/mpirun" } split /:/, $ENV{PATH};
plan skip_all => 'mpirun is not installed' unless $mpirun;
my %root = (OMPI_ALLOW_RUN_AS_ROOT => 1, OMPI_ALLOW_RUN_AS_ROOT_CONFIRM => 1);
my @mpirun = ($mpirun, qw(--oversubscribe -np 4));
my $try = run([@mpirun, 'true'], environment => \%root);
plan skip_all => "mpirun does not start: $try->{err}" if $try->{status} != 0;

my $folder = scratch('ranks');
mkdir $folder or die;
my $matrix = scratch('matrix.mtx');
spew($matrix, run([qw(mm-gen dense 27 --field integer --values int:-5:5 --seed 5)])->{out});
my @how = ('--raw', '--kernel', 'exact-portable', '--device', 'cpu', '-j1', $matrix);
my $whole = run(['perm-gpu', @how])->{out};
like($whole, qr/\t-?\d+$/, 'a permanent');

# Each rank has a state, an output and a file that tells its process.
my $script = <<"END";
rank=\$OMPI_COMM_WORLD_RANK
echo \$\$ >$folder/pid.\$rank
exec perm-gpu --part rank --checkpoint $folder/state.\$rank -o $folder/part.\$rank "\$@"
END
my @job = (@mpirun, 'sh', '-c', $script, 'sh', @how);
my $handle = start(\@job, environment => { %root, MMPIPE_CHECKPOINT_SECONDS => 0 });
wait_until(sub { 4 == grep { -f "$folder/state.$_" || -f "$folder/part.$_" } 0 .. 3 });
my $is_killed = !-f "$folder/part.2" && kill(KILL => slurp("$folder/pid.2") + 0);
my $ended = finish($handle);
# mpirun does not wait for those that it has told to end.
wait_until(sub { !grep { kill 0 => slurp("$folder/pid.$_") + 0 } 0, 1, 3 });
SKIP: {
    skip 'rank 2 was done before the others had begun', 4 if !$is_killed || -f "$folder/part.2";
    isnt($ended->{status}, 0, 'rank 2 is killed: mpirun ends, and not with status 0');
    for my $rank (0, 1, 3) {
        # One that is killed between two renames leaves the state before as FILE.old.
        ok((grep { -f "$folder/$_" } "state.$rank", "state.$rank.old", "part.$rank") > 0, "... the state of rank $rank remains, or its part is done");
    }
}
my $next = run(\@job, environment => \%root);
is($next->{status}, 0, 'the next run is done') or diag $next->{err};
is(run(['perm-fold', map { "$folder/part.$_" } 0 .. 3])->{out}, $whole, '... and its parts fold to the same bytes');
is(join(' ', grep { /state/ } bsd_glob("$folder/*")), '', '... and no state is left');
done_testing();
