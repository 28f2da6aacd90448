#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Known answers from outside, where the folder with the larger test data is at hand: every file of the
# reader corpus, the Collection's own structural ranks and block counts, exact permanents.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;

$| = 1;
my $script = ($ENV{MMPIPE_SHARED} // '') . '/tools/known_answers.py';
if (!-f $script) {
    print "1..0 # SKIP MMPIPE_SHARED names no folder with known answers\n";
    exit 0;
}
if (system('python3 -c 0 2>/dev/null') != 0) {
    print "1..0 # SKIP python3 is not installed\n";
    exit 0;
}
my ($count, $failed) = (0, 0);
for my $part (['corpus', 'mm-cat'], ['dm', 'mm-info'], ['permanents', 'perm-gpu']) {
    my ($topic, $program) = @$part;
    if (!grep { $_ eq $program } programs()) {
        printf "ok %d - %s # SKIP there is no %s\n", ++$count, $topic, $program;
        next;
    }
    open my $lines, '-|', 'python3', $script, $topic or die "python3: $!";
    my ($planned, $before) = (-1, $count);
    while (<$lines>) {
        if (/^1\.\.(\d+)$/) { $planned = $1; next }
        s/^((?:not )?ok) \d+ - /"$1 " . ++$count . " - $topic: "/e;
        $failed++ if /^not ok/ && !/# (SKIP|TODO)/i;
        print;
    }
    my $complete = close($lines) && $planned == $count - $before;
    $failed++ unless $complete;
    printf "%s %d - %s: complete\n", $complete ? 'ok' : 'not ok', ++$count, $topic;
}
print "1..$count\n";
exit($failed ? 1 : 0);
