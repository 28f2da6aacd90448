# SPDX-License-Identifier: BSD-3-Clause
# A Slurm of two nodes on this machine, with a munge of its own, on free ports of 127.0.0.1.
package Cluster;
use strict;
use warnings;
use Exporter 'import';
use IO::Socket::INET;
use Program;
use Time::HiRes qw(sleep time);
our @EXPORT = qw(find_tool missing_for_cluster start_cluster stop_cluster start_node kill_node wait_for jobs);

my (%daemon, $folder);

sub find_tool { my ($name) = @_; return (grep { -x } map { "$_/$name" } split(/:/, $ENV{PATH}), '/usr/sbin', '/sbin')[0] }

# Why there can be no cluster; undef: there can.
sub missing_for_cluster {
    my @missing = grep { !find_tool($_) } qw(slurmctld slurmd sbatch srun munged setpriv);
    return "not installed: @missing" if @missing;
    return 'only root may start it' if $> != 0;
    return 'there is no user munge' unless defined getpwnam 'munge';
    return undef;
}

sub free_port {
    my $socket = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1) or die "no port: $!";
    return $socket->sockport;
}

sub launch {
    my ($name, @command) = @_;
    my $pid = fork // die;
    if ($pid == 0) {
        setpgrp;
        open STDIN, '<', '/dev/null';
        open STDOUT, '>>', "$folder/$name.out";
        open STDERR, '>&', \*STDOUT;
        $command[0] = find_tool($command[0]);
        exec @command;
    }
    $daemon{$name} = $pid;
}

sub wait_for {
    my ($seconds, $test) = @_;
    my $end = time + $seconds;
    while (time < $end) { return 1 if $test->(); sleep 0.2 }
    return $test->();
}

sub start_node { my ($name) = @_; launch($name, 'slurmd', '-D', '-N', $name) }

# What runs on a node of this cluster: managers of job steps, which have its log open, then the jobs' own processes.
sub on_node {
    my ($name) = @_;
    my (@managers, @jobs);
    for my $process (bsd_glob('/proc/[0-9]*')) {
        my ($id) = $process =~ /(\d+)$/;
        my $variables = "\0" . (eval { slurp("$process/environ") } // '');  # it may be over by now
        next if index($variables, "\0SLURM_CONF=$folder/slurm.conf\0") < 0 || $id == ($daemon{$name} // 0);
        if (grep { (readlink // '') eq "$folder/$name.log" } bsd_glob("$process/fd/*")) { push @managers, $id }
        elsif (index($variables, "\0SLURMD_NODENAME=$name\0") >= 0) { push @jobs, $id }
    }
    return (@managers, @jobs);
}

# Kills a node as a failure of its machine would: its daemon and all that runs there. Returns how much that was.
sub kill_node {
    my ($name) = @_;
    my @tasks = on_node($name);
    kill KILL => $daemon{$name};
    waitpid $daemon{$name}, 0;
    delete $daemon{$name};
    kill KILL => @tasks;
    return scalar @tasks;
}

# False, with what the daemons said on stderr, where it does not start.
sub start_cluster {
    $folder = scratch('slurm');
    mkdir $folder;
    mkdir "$folder/$_" for qw(munge state n1 n2);
    chmod 0711, scratch('.'), $folder;
    open my $random, '<:raw', '/dev/urandom' or die;
    read $random, my $key, 1024;
    spew("$folder/munge/key", $key);
    my ($user, $group) = (getpwnam 'munge')[2, 3];
    chown $user, $group, "$folder/munge", "$folder/munge/key";
    chmod 0400, "$folder/munge/key";
    chmod 0755, "$folder/munge";
    my $host = `hostname -s`;
    chomp $host;
    my ($control, $one, $two) = map { free_port() } 1 .. 3;
    spew("$folder/slurm.conf", <<"END");
ClusterName=mmpipe
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$control
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/%n
SlurmctldPidFile=$folder/ctld.pid
SlurmdPidFile=$folder/%n.pid
SlurmctldLogFile=$folder/ctld.log
SlurmdLogFile=$folder/%n.log
ReturnToService=2
SlurmdTimeout=10
KillWait=5
MinJobAge=600
SchedulerParameters=sched_interval=2,batch_sched_delay=0
NodeName=n1 NodeAddr=127.0.0.1 NodeHostname=$host Port=$one CPUs=1
NodeName=n2 NodeAddr=127.0.0.1 NodeHostname=$host Port=$two CPUs=1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    $ENV{SLURM_CONF} = "$folder/slurm.conf";
    launch('munged', 'setpriv', "--reuid=$user", "--regid=$group", '--clear-groups', find_tool('munged'), '-F', '--force', "--key-file=$folder/munge/key",
        "--socket=$folder/munge/socket", "--pid-file=$folder/munge/pid", "--log-file=$folder/munge/log", "--seed-file=$folder/munge/seed");
    my $good = wait_for(120, sub { -S "$folder/munge/socket" });
    launch('slurmctld', 'slurmctld', '-D', '-c') if $good;
    $good &&= wait_for(120, sub { `scontrol ping 2>/dev/null` =~ / is UP/ });
    if ($good) { start_node($_) for qw(n1 n2) }
    $good &&= wait_for(120, sub { my $idle = () = `sinfo -h -N -o '%t' 2>/dev/null` =~ /^idle$/mg; $idle == 2 });
    print STDERR map { "# $_: " . (slurp($_) =~ s/\n/\n# /gr) . "\n" } bsd_glob("$folder/*.out") unless $good;
    return $good;
}

sub stop_cluster {
    for my $name (qw(n1 n2 slurmctld munged)) {
        my $pid = $daemon{$name} // next;
        kill TERM => $pid;
        wait_for(5, sub { waitpid($pid, 1) != 0 }) or kill(KILL => $pid), waitpid($pid, 0);
    }
    %daemon = ();
}

# State, node and reason of the jobs that are not over.
sub jobs { return map { [split /\|/] } split /\n/, `squeue -h -r -o '%i|%t|%N|%r|%j' 2>/dev/null` }

# The test's exit status stays what it is.
END { local $?; stop_cluster() }

1;
