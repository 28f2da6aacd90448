#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Progress of programs that take long: a bar that fits the terminal, and a line on SIGUSR1 whatever they are at.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use POSIX qw(WNOHANG);
use Program;
use Test::More;
use Time::HiRes qw(sleep time);

# Inputs of which each program has work for seconds.
my $large = scratch('large.mtx');
my $made = run([qw(mm-gen er 150000 -p 0.00005 --seed 3 -o), $large]);
is($made->{status}, 0, 'a large matrix') or BAIL_OUT($made->{err});
my $dense = scratch('dense.mtx');
run([qw(mm-gen er 44 -p 0.5 --diagonal --field real --seed 3 -o), $dense]);

my ($middle, $small) = map { scratch($_) } qw(middle.mtx small.mtx);
run([qw(mm-gen er 300 -p 0.05 --diagonal --seed 3 -o), $middle]);
run([qw(mm-gen er 60 -p 0.12 --diagonal --seed 3 -o), $small]);

my $points = scratch('h2');
run(['sh', '-c', "mm-gen points 8000x3 --seed 2 | h2-build --device cpu -o '$points'"]);
my $scheme = scratch('scheme');
run([qw(mm-gen scheme 4x4x4 -o), $scheme]);

# Sent again and again from the start, SIGUSR1 kills no one and is answered while a program reads, works or waits.
for my $case (['mm-info', [$large, $large], 0], ['mm-cat', ['-o', '/dev/null', $large, $large], 0], ['mm-dm', ['--summary', $large], 0],
              ['mm-diff', [$large, $large], 0], ['mm-order', [qw(--for degree -o /dev/null), $large], 0],
              ['mm-order', [qw(--budget 1000000000000 --restarts 1000000 -o /dev/null), $middle], 1, qr/order: +\S+ % of 1e\+12 entries, .* left/],
              ['mm-fmdecompose', [qw(--summary --stop-n 20), $small, $small, $small], 0, qr/decompose: +\S+ % of 1e\+06 millionths, .* left/],
              ['mm-fmdecompose', [qw(--max-terms 100000000 --stop-n 20 -o /dev/null), $small, $small, $small], 0, qr/count: +\S+ % of 1e\+06 millionths, .* left/],
              ['mm-dm', [qw(-o /dev/null), $large, $large], 0, qr/match: +\S+ % of 1.5e\+05 columns, /],
              ['mm-order', [qw(--for amd -o /dev/null), $large], 1, qr/^mm-order: AMD: +\d+ (?:s|min) gone, time left unknown$/],
              ['mm-order', [qw(--for colamd -o /dev/null), $large], 1, qr/^mm-order: COLAMD: +\d+ (?:s|min) gone, time left unknown$/],
              ['mm-order', [qw(--for metis -o /dev/null), $large], 0, qr/^mm-order: METIS: +\d+ (?:s|min) gone, time left unknown$/],
              ['mm-order', [qw(--for rcm -o /dev/null), $large, $large], 0, qr/^mm-order: RCM: +\S+ vertices reached, \S+ a second, /],
              ['mm-gen', [qw(er 2000 -p 0.3 --count 8 -o /dev/null)], 0, qr/ % of 8 matrices/],
              ['mm-gen', [qw(er 6000 -p 0.2 -o /dev/null)], 0, qr/ % of 7\.2e\+06 entries, .* left/],
              ['h2-orthog', [qw(--device cpu -j1 -o /dev/null), $points], 0, qr/(?:orthogonalize|blocks): +\S+ % of \S+ clusters, .* left/],
              ['flipwalk', [qw(--target 20 --device cpu --time-limit 3s --checkpoint), scratch('walk'), '-o', '/dev/null', $scheme], 0, qr/ gone, at most [0-3] s left/],
              ['flipwalk', [qw(--target 20 --device cpu --steps 1000000000000 -o /dev/null), $scheme], 1, qr/ % of 1e\+12 steps, .* left/],
              ['perm-gpu', [qw(--raw --max-time 1000d --kernel sparse-portable), $dense], 1]) {
    my ($program, $arguments, $endless, $step) = @$case;
    # A step may be over before a signal comes: then they come faster.
    my ($asked, $said, @lines);
    my $wanted = $step // qr/./;
    for my $pause (0.05, 0.01, 0.002) {
        my $handle = start([$program, @$arguments], stdin => '/dev/null');
        my $begun = time;
        wait_for_handler($handle->{pid});
        ($asked, $said) = (0, '');
        while (waitpid($handle->{pid}, WNOHANG) == 0) {
            kill USR1 => $handle->{pid};
            sleep $pause;
            $asked++;
            $said = slurp($handle->{err_path}) if $asked % 20 == 0;
            kill KILL => $handle->{pid} if $asked > 20 && $endless && $said =~ ($step // qr/\n/) || time - $begun > 300;
        }
        $said = slurp($handle->{err_path});
        @lines = grep { !/^perm-gpu: .* is |stopped at the time limit/ } split /\n/, $said;
        last if grep { $_ =~ $wanted } @lines;
    }
  SKIP: {
    skip "$program was done before it was asked a second time", 1 if !@lines && $asked < 8;
    ok(@lines > 0, "$program: answers") or diag "asked $asked times";
  }
    ok(!(grep { !/^$program: (?:(?:rank )?\S+: +[0-9.e+]+ (?:%|bytes|matrices|subsets|flips|entries|columns|vertices|(?:s|min) gone)|(?:record \d+, )?[0-9.e+]+ bytes read)/ } @lines),
       '... with what is done') or diag $said;
  SKIP: {
    next unless $step;
    my $told = grep { /$step/ } @lines;
    skip "$program was through its step between two signals", 1 if !$told && !$endless && $asked < 60;
    ok($told, '... and what is left of its step') or diag $said;
  }
}

# A pipe that nothing comes from.
SKIP: {
    pipe(my $read, my $write) or skip 'no pipe', 1;
    my $pid = fork // die;
    if ($pid == 0) {
        open STDIN, '<&', $read;
        open STDERR, '>', scratch('waits');
        exec 'mm-info';
    }
    wait_for_handler($pid);
    wait_until(sub { kill USR1 => $pid; sleep 0.05; -s scratch('waits') });
    like(slurp(scratch('waits')), qr/^mm-info: 0 bytes read/, 'a program that waits for its input answers');
    close $write;
    close $read;
    kill KILL => $pid;
    waitpid $pid, 0;
}

# A matrix that somebody takes slowly.
SKIP: {
    pipe(my $read, my $write) or skip 'no pipe', 1;
    my $pid = fork // die;
    if ($pid == 0) {
        open STDOUT, '>&', $write;
        open STDERR, '>', scratch('writes');
        exec 'mm-cat', $large;
    }
    wait_for_handler($pid);
    my $told = '';
    for (1 .. 200) {
        sysread $read, my $taken, 65536;
        kill USR1 => $pid;
        sleep 0.05;
        $told = slurp(scratch('writes'));
        last if $told =~ /write: .* left/;
    }
    like($told, qr/^mm-cat: write: +[0-9.]+ % of 1\.\d+e\+06 entries, .* left$/m, 'what is left to write');
    close $write;
    close $read;
    kill KILL => $pid;
    waitpid $pid, 0;
}

# The bar, on a terminal of so many columns.
SKIP: {
    my $script = grep { -x "$_/script" } split /:/, $ENV{PATH};
    skip 'script(1) is not installed', 6 unless $script;
    for my $width (40, 80, 132) {
        my ($run, @drawn);
        for my $seconds (2.5, 10, 40) { # until it has begun and drawn twice
            $run = run(['script', '-qec', "stty cols $width; perm-gpu --raw --max-time 1000d --kernel sparse-portable $dense & sleep $seconds; kill \$!; wait", '/dev/null'], stdin => '/dev/null');
            @drawn = map { s/\e\[K//r } grep { / left| gone/ } split /[\r\n]+/, $run->{out};
            last if @drawn >= 2;
        }
        ok(@drawn >= 2, "$width columns: a bar") or diag $run->{out};
        ok(!(grep { length >= $width } @drawn), '... that fits') or diag join "\n", @drawn;
    }
}
done_testing();
