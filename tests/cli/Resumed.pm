# SPDX-License-Identifier: BSD-3-Clause
# Runs that save states are broken off, at faults and at system calls, and go on from what they left.
package Resumed;
use strict;
use warnings;
use Exporter 'import';
use Program;
use Test::More;
our @EXPORT = qw(folder left_in goes_on faults_leave kills_leave);

my @always = (MMPIPE_CHECKPOINT_SECONDS => 0);
my $folders = 0;

sub folder { my $name = scratch('folder' . ++$folders); mkdir $name or die; return $name }
sub left_in { return join ' ', map { s{.*/}{}r } bsd_glob("$_[0]/*") }

# Runs a command that writes to FOLDER/out again: "" if it ends well, with these bytes, and leaves nothing else.
sub goes_on {
    my ($command, $folder, $want) = @_;
    my $run = run($command, environment => {@always});
    return "status $run->{status}/$run->{signal}: $run->{err}" if $run->{status} || $run->{signal};
    return 'other bytes' if slurp("$folder/out") ne $want;
    my $left = join ' ', grep { !/^out\./ } split / /, left_in($folder); # of a killed writer's own
    return $left eq 'out' ? '' : "left: $left";
}

# The N-th operation of each kind fails, for each N. `command` gets a folder and gives what to run in it.
sub faults_leave {
    my ($command, $want, $what) = @_;
    for my $kind (qw(read write sync rename alloc)) {
        my ($failed, $wrong) = (0, '');
        for (my ($number, $passed) = (1, 0); $number <= 400 && $passed < 3; $number += 1 + int($number / 12)) {
            my $folder = folder();
            my $run = run($command->($folder), environment => { @always, MMPIPE_FAULT => "$kind:$number" });
            if ($run->{status} == 0) { $passed++; next }
            $failed++;
            $wrong .= "$number: status $run->{status}/$run->{signal}\n" if $run->{status} != 4;
            my $result = goes_on($command->($folder), $folder, $want);
            $wrong .= "$number: then $result\n" if $result ne '';
        }
        is($wrong, '', "$what: $kind faults: status 4, then the same bytes ($failed points)");
        cmp_ok($failed, '>', 0, '... reached');
    }
}

# Killed at every system call on files and descriptors from the first line of strace that has `from`. More than
# `often` times one of the files is there to go on from.
sub kills_leave {
    my ($command, $want, $what, $from, $often, @files) = @_;
SKIP: {
    my ($strace) = grep { -x } map { "$_/strace" } split /:/, $ENV{PATH};
    skip 'strace is not installed', 2 unless $strace;
    # strace counts by thread and by name; the loader's calls are the same in every program.
    my @tracing = ($strace, '-f', '-e', 'trace=%file,%desc');
    my $probe = run([@tracing, '-o', scratch('trace'), @{ $command->(folder()) }], environment => {@always});
    skip 'strace may not trace here', 2 if $probe->{status};
    my ($loader, $rest) = slurp(scratch('trace')) =~ /\A(.*?)(^[^\n]*$from.*)/ms;
    my (%before, %here);
    $before{$1}++ while $loader =~ /^\d+ +(\w+)\(/mg;
    $here{$1}++ while $rest =~ /^\d+ +(\w+)\(/mg;
    my ($killed, $resumed, $wrong) = (0, 0, '');
    for my $point (map { my $name = $_; map { [$name, $_] } 1 .. $here{$name} } sort keys %here) {
        my ($name, $number) = ($point->[0], $point->[1] + ($before{ $point->[0] } // 0));
        my $folder = folder();
        my $run = run([@tracing, '-o', '/dev/null', '-e', "inject=$name:signal=KILL:when=$number", @{ $command->($folder) }],
            environment => {@always});
        next if $run->{status} == 0 && $run->{signal} == 0; # one call less than before
        $killed++;
        $resumed++ if grep { -f "$folder/$_" } @files;
        my $result = goes_on($command->($folder), $folder, $want);
        $wrong .= "$name $number: $result\n" if $result ne '';
    }
    is($wrong, '', "$what: killed at each of $killed system calls, $resumed times with a state: the same bytes");
    cmp_ok($resumed, '>', $often, '... often with a state');
}
}

1;
