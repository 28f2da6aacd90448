#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Slurm on this machine: arrays of parts, a collection by arrays, a job that is stopped and goes on, a node that fails.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../cli", $FindBin::Bin;
use Cluster;
use Program;
use Test::More;
use Time::HiRes qw(sleep);

my $missing = missing_for_cluster();
plan skip_all => $missing if defined $missing;
start_cluster() or plan skip_all => 'Slurm does not start on this machine';

sub submit { my $run = run(['sbatch', '--parsable', @_]); return $run->{out} =~ /^(\d+)/ ? $1 : BAIL_OUT("sbatch: $run->{err}") }
sub all_done { my ($seconds) = @_; return wait_for($seconds, sub { !jobs() }) }
# A job that was queued again waits two minutes, unless somebody hurries it. The node that ran it refuses credentials
# made in the second in which it ended the job, or before ("already killed, do not launch batch job"; slurmctld then
# takes the job for done). A job is shown as pending after that second began, so two seconds later it may start.
sub hurry {
    my @pending = grep { $_->[1] eq 'PD' } jobs();
    sleep 2;
    system("scontrol update jobid=$_->[0] StartTime=now >/dev/null 2>&1") for @pending;
}

# One permanent by an array of jobs, and by ranks of srun.
my $matrix = scratch('er.mtx');
run([qw(mm-gen er 22 -p 0.6 --diagonal --field integer --values int:-9:9 --seed 4 -o), $matrix]);
my @how = qw(--raw --kernel exact-portable --device cpu -j1);
my $whole = run(['perm-gpu', @how, $matrix])->{out};
like($whole, qr/\t-?[1-9]\d+$/, 'a permanent');
submit('--array=1-4', '-o', scratch('part.%a'), '--wrap', "perm-gpu @how --part array '$matrix'");
ok(all_done(300), 'an array of four jobs');
my @parts = map { scratch("part.$_") } 1 .. 4;
is(run(['perm-fold', @parts])->{out}, $whole, '... whose parts fold to the permanent');
isnt(slurp($parts[0]), slurp($parts[1]), '... and are different');
my $ranks = run(['srun', '-n2', '-o', scratch('rank.%t'), 'perm-gpu', @how, qw(--part rank), $matrix]);
is(run(['perm-fold', map { scratch("rank.$_") } 0, 1])->{out}, $whole, 'two ranks of srun, too') or diag $ranks->{err};

# As mmpipe-bulk(7) has them, but for the number of jobs.
my $folder = scratch('page');
mkdir $folder;
run([qw(mm-gen dense 18 --values uniform:-1:1 -o), "$folder/a.mtx"]);
my $value = run(['perm-gpu', "$folder/a.mtx"])->{out};
my ($srun, $sbatch, $fold) = page_block(qr/srun/) =~ /^(srun .*)\n(sbatch .*)\n(perm-fold .*)$/m;
is(run(['sh', '-c', "cd '$folder' && $srun"])->{out}, $value, "the page: $srun");
unlink bsd_glob("$folder/part.*");
is(run(['sh', '-c', "cd '$folder' && " . $sbatch =~ s/1-64/1-3/r])->{status}, 0, "the page: $sbatch");
ok(all_done(300), '... three of them');
is(run(['sh', '-c', "cd '$folder' && $fold"])->{out}, $value, "... $fold");

# The cases of a paper's table by an array; make then prints it.
my $paper = scratch('paper');
my @paper = ('make', '-s', '-f', source_path('pipelines/paper-superman.mk'), 'SMALL=1', "WORK=$paper", 'MACHINE=m', 'THREADS=1', 'tables=table4', 'table4=18 20');
is(run([@paper, 'slurm'])->{out}, "sbatch $paper/superman/slurm.sh\n", 'a script for the cases of a table');
submit("$paper/superman/slurm.sh");
ok(all_done(300), '... whose jobs end');
my $rows = join ' ', map { -s "$paper/superman/table4/$_.row" ? $_ : "no $_" } 18, 20;
is($rows, '18 20', '... with a row each') or diag map { slurp($_) } glob "'$paper'/superman/slurm.*.log";

# A collection by arrays of jobs of even length.
my $input = scratch('input');
mkdir $input;
system('cp', (map { source_path("tests/data/$_.mtx") } qw(bcspwr01 can_24 impcol_b d_ss bcspwr02)), $input) == 0 or die;
my $work = scratch('work');
my @make = ('make', '-s', '-f', source_path('pipelines/collection.mk'), "INPUT=$input", 'LIMIT=20s');
my $script = run([@make, "WORK=$work", 'JOB_COUNT=3', 'slurm']);
is($script->{out}, "$work/slurm.sh\n", 'a script from the plan') or diag $script->{err};
like(slurp("$work/slurm.sh"), qr/sbatch --parsable --array=1-3 /, '... with three jobs');
my $tasks = join '', sort map { split /^/, slurp("$work/jobs/cpu.$_") } 1 .. 3;
my $count = () = $tasks =~ /^[0-9a-f]{24}$/mg;
is($count, 20, '... that have all tasks');
my $sent = run(['sh', "$work/slurm.sh"]);
is($sent->{status}, 0, '... is submitted') or diag $sent->{err};
ok(all_done(300), '... and done') or diag explain [jobs()];
my $other = scratch('alone');
run([@make, "WORK=$other", '-j2'], environment => { MMPIPE_TEST_SECONDS => 120 });
sub table { my ($work) = @_; my @rows = map { [split /\t/] } split /\n/, slurp("$work/table.tsv"); return [map { join "\t", @$_[0 .. 11], @$_[15, 16] } @rows] }
ok(-f "$work/table.tsv", '... with a table');
is_deeply(table($work), table($other), '... that make on one machine has, too');

# A long permanent. SIGTERM, as before preemption: it saves its state, is queued again and goes on from there.
my $long = scratch('long');
mkdir $long;
run([qw(mm-gen er 29 -p 0.6 --diagonal --field integer --values int:1:9 --seed 4 -o), "$long/er.mtx"]);
my $slow = scratch('slow');
my @one = ('make', '-s', '-f', source_path('pipelines/collection.mk'), "INPUT=$long", "WORK=$slow", 'STAGES=perm', 'LIMIT=1000s',
    'OPTIONS_perm=--raw --kernel exact-portable --device cpu', 'slurm');
run(\@one);
my ($key) = slurp("$slow/jobs/cpu.1") =~ /^(\S+)$/;
$ENV{MMPIPE_CHECKPOINT_SECONDS} = '0.2';
run(['sh', "$slow/slurm.sh"]);
ok(wait_for(300, sub { -s "$slow/states/$key" }), 'a long job saves states');
my ($running) = grep { $_->[1] eq 'R' } jobs();
system("scancel --batch --signal=TERM $running->[0]");
ok(wait_for(300, sub { grep { $_->[1] eq 'PD' && $_->[4] eq 'mmpipe-cpu' } jobs() }), 'stopped by SIGTERM it is queued again') or diag explain [jobs()], slurp("$slow/jobs/cpu.1.log");
ok(-s "$slow/states/$key" && !-e "$slow/results/$key.json", '... with its state');
ok(wait_for(300, sub { hurry(); grep { $_->[1] eq 'R' && $_->[4] eq 'mmpipe-cpu' } jobs() }), '... and goes on') or diag explain [jobs()], slurp("$slow/jobs/cpu.1.log");

# The other node does the task.
my ($now) = grep { $_->[1] eq 'R' && $_->[4] eq 'mmpipe-cpu' } jobs();
my $node = $now->[2];
sleep 1;
cmp_ok(kill_node($node), '>=', 3, 'its node fails with the job: a step, a script, a task');
system("scontrol update nodename=$node state=down reason=test");
ok(wait_for(300, sub { grep { $_->[1] eq 'PD' && $_->[4] eq 'mmpipe-cpu' } jobs() }), '... the task is queued again') or diag explain [jobs()];
my $took = wait_for(300, sub { hurry(); grep { $_->[1] eq 'R' && $_->[2] ne $node && $_->[4] eq 'mmpipe-cpu' } jobs() });
ok($took || -e "$slow/results/$key.json", '... and another node takes it') or diag explain [jobs()];
ok(wait_for(300, sub { hurry(); -e "$slow/results/$key.json" }), '... and ends it') or diag slurp("$slow/jobs/cpu.1.log");
my ($permanent) = slurp("$slow/results/$key.json") =~ /"permanent":"(\d+)"/;
is($permanent, (split /\s+/, run(['perm-gpu', "$long/er.mtx"])->{out})[1], '... with the permanent that another method computes');
ok(all_done(300), 'what comes after the jobs is done');
like(slurp("$slow/table.tsv"), qr/\t\Q$permanent\E\t/, '... and the table has it');
done_testing();
