#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# pipelines/collection.mk, killed at random moments: it goes on to the table of an undisturbed run. A whole collection, more
# kills: COLLECTION_MATRICES=DIR COLLECTION_KILLS=20 [COLLECTION_LIMIT=2s] make check TESTS=tests/cli/collection-kills.t
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Path qw(make_path);
use Program;
use Test::More;
use Time::HiRes qw(sleep time);

my $wanted = $ENV{COLLECTION_KILLS} // 8;
my $limit = $ENV{COLLECTION_LIMIT} // '20s';
my $input = $ENV{COLLECTION_MATRICES} // scratch('input');
if (!defined $ENV{COLLECTION_MATRICES}) {
    make_path($input);
    system('cp', (map { source_path("tests/data/$_.mtx") } qw(bcspwr01 bcspwr02 can_24 d_ss impcol_b steam3)), $input) == 0 or die;
    spew("$input/cut.mtx", substr slurp("$input/can_24.mtx"), 0, -6);
}
$input =~ m{^/} or $input = source_path($input);

sub command { my ($work) = @_; return ['setsid', 'make', '-f', source_path('pipelines/collection.mk'), "INPUT=$input", "WORK=$work", "LIMIT=$limit", 'QUIET=1', '-j2'] }
sub collect { my ($work) = @_; return run(command($work), environment => { MMPIPE_TEST_SECONDS => 3600 }) }

# Lines without seconds and memory, which are never the same; nor is the reason why a permanent does not come within LIMIT.
sub table {
    my ($work) = @_;
    my ($header, @lines) = map { [split /\t/, $_, -1] } split /\n/, slurp("$work/table.tsv");
    my @kept = grep { $header->[$_] !~ /^(?:seconds|memory_bytes)$/ } 0 .. $#$header;
    my $late = qr/perm: (?:stopped: |the matrix is |a block of order )[^\t;]*(?:; with --keep-going [^\t;]*)?|perm: not done after [^\t;]*/;
    return [map { join("\t", @$_[@kept]) =~ s/\t[15]\t$late/\tnot within LIMIT/r } $header, @lines];
}

# Takes the permanents out of both tables where one of them has none for want of time: a run that goes on from a state has
# more of it. Returns their number.
sub spare {
    my ($one, $other) = @_;
    my $count = 0;
    for my $k (0 .. $#$one) {
        my @row = map { [split /\t/, $_->[$k] // '', -1] } $one, $other;
        next if (grep { $_->[-1] eq 'not within LIMIT' } @row) != 1;
        $count++;
        $_->[$k] = join "\t", @{ shift @row }[0 .. 9] for $one, $other;
    }
    return $count;
}

# What runs in a session, by process: its group.
sub session {
    my ($leader) = @_;
    my %group;
    for my $path (bsd_glob('/proc/[0-9]*/stat')) {
        open my $file, '<', $path or next;
        my ($pid, $state, $group, $session) = (<$file> // '') =~ /^(\d+) \(.*\) (\S) \d+ (\d+) (\d+) /s or next;
        $group{$pid} = $group if $session == $leader && $state ne 'Z';
    }
    return \%group;
}

# Kills make with all that it has started; or, every other time, only make and the scripts beside it, with which their programs
# end.
sub kill_session {
    my ($leader, $spares) = @_;
    my $group = session($leader);
    return kill KILL => grep { !$spares || $group->{$_} == $leader } keys %$group;
}

local $ENV{MMPIPE_TEST_SECONDS} = 3600;
my ($whole, $work) = map { scratch($_) } qw(whole killed);
my $start = time;
my $undisturbed = collect($whole);
my $seconds = time - $start;
is($undisturbed->{status}, 0, 'a collection') or BAIL_OUT($undisturbed->{err});
my $rows = table($whole);
note sprintf '%d matrices, %.1f s', $#$rows, $seconds;
cmp_ok($#$rows, '>=', 7, '... with a row for each matrix');

my $seed = $ENV{COLLECTION_SEED} // 5;
note "seed $seed";
srand $seed;
my ($kills, $processes, $orphans) = (0, 0, 0);
for my $try (1 .. $wanted) {
    my $handle = start(command($work), stdin => '/dev/null');
    # So long that all of them together come about to the end.
    sleep 0.1 + rand 1.3 * $seconds / $wanted;
    my $count = kill_session($handle->{pid}, $try % 2);
    finish($handle);
    wait_until(sub { !%{ session($handle->{pid}) } });
    $orphans += keys %{ session($handle->{pid}) };
    $kills += $handle->{signal} == 9;
    $processes += $count;
}
my $done = () = bsd_glob("$work/results/*.json");
my $all = () = bsd_glob("$whole/results/*.json");
note "$kills of $wanted found it running; $processes processes killed; $done of $all results were there then";
SKIP: {
    skip 'each was done before it was killed', 1 if !$kills;
    ok($kills > 0, 'killed while it ran');
}
is($orphans, 0, '... no program outlived that');
my $end = collect($work);
is($end->{status}, 0, '... it goes on to the end') or diag $end->{err};
my $killed = table($work);
my $spared = spare($killed, $rows);
note "$spared of the permanents came in one of the two within $limit, and in the other not";
is_deeply($killed, $rows, '... and to the same table');
cmp_ok($spared, '<=', 1 + @$rows / 50, '... but for few permanents that take about as long as they may');
is(join(' ', bsd_glob("$work/states/*")), '', '... no state is left');
done_testing();
