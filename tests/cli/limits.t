#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Every program within limits of addresses, threads, open files, file sizes and --memory: it does its work, with a
# remark where it has fewer threads, or ends with status 4 and a message, and leaves nothing behind.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-cat mm-gen perm-gpu h2-build);
plan skip_all => 'sanitizers need addresses without a limit' if is_sanitized();

sub file { my ($name, $text) = @_; spew(scratch($name), $text); return scratch($name) }
my $matrices = file('stream.mtx', run(['mm-cat', map { source_path("tests/data/$_.mtx") } qw(bcspwr01 can_24 will57 cage5 curtis54)])->{out});
my $real = source_path('tests/data/bfwb62.mtx');
my $scheme = file('scheme.mtx', run([qw(mm-gen scheme 2x2x2)])->{out});
my $points = file('points.mtx', run([qw(mm-gen points 144x2)])->{out});
my $h2 = file('matrix.h2', run(['h2-build', $points])->{out});
my $part = file('part.json', run(['perm-gpu', '--part', '1/1', $matrices])->{out});
my %command = (
    'flip-check' => [$scheme], 'flip-combine' => ['rotate', $scheme], 'flip-emit' => [$scheme], 'flip-lift' => [$scheme],
    'flip-path' => [$scheme, $scheme], 'flipwalk' => [qw(--steps 1 --islands 2 --walkers 1), $scheme],
    'h2-build' => [$points], 'h2-compress' => [$h2], 'h2-info' => [$h2], 'h2-mv' => [$h2], 'h2-orthog' => [$h2],
    'mm-cat' => [$matrices], 'mm-diff' => [$matrices, $matrices], 'mm-dm' => ['--blocks', $matrices],
    'mm-fmdecompose' => [source_path('tests/data/cage5.mtx')], 'mm-gen' => [qw(er 40 -p 0.2 --count 3)], 'mm-info' => [$matrices],
    'mm-order' => ['--for', 'degree', $matrices], 'mm-spy' => [$real], 'perm-fold' => [$part],
    'perm-gpu' => ['-k', $matrices], 'spmm-tc' => ['--random-b', '4', $real],
);
my $folders = 0;
sub folder { my $name = scratch('folder' . ++$folders); mkdir $name or die; return $name }
sub left_in { return join ' ', map { s{.*/}{}r } bsd_glob("$_[0]/*") }

# Under each limit. `statuses`: which are right.
sub check {
    my ($what, $program, $want, $before, %option) = @_;
    my $folder = folder();
    my @command = ($program, ($option{threads} // '-j8'), @{ $command{$program} }, '-o', "$folder/out", @{ $option{options} // [] });
    my $run = run(['sh', '-c', "$before exec \"\$@\"", 'sh', @command], environment => $option{environment} // {});
    my $ok = $run->{signal} == 0 && ($run->{status} == $want->{status} || $run->{status} == 4);
    if ($run->{status} == 4) { $ok &&= left_in($folder) eq '' && ($option{mute} || $run->{err} =~ /^\Q$program\E: /m) }
    else { $ok &&= (-f "$folder/out" ? slurp("$folder/out") : '') eq $want->{out} }
    return '' if $ok || $run->{status} == 127; # the loader has not got as far as the program
    return "$what: status $run->{status}/$run->{signal}, left '" . left_in($folder) . "': $run->{err}";
}

for my $program (sort grep { $built{$_} } keys %command) {
    my $folder = folder();
    my $whole = run([$program, @{ $command{$program} }, '-o', "$folder/out"]);
    my $want = { status => $whole->{status}, out => -f "$folder/out" ? slurp("$folder/out") : '' };
    cmp_ok($want->{status}, '<=', 1, "$program runs") or diag $whole->{err};
    my $wrong = '';
    $wrong .= check("$_ kB of addresses", $program, $want, "ulimit -v $_;") for 60_000, 90_000, 120_000, 200_000, 400_000;
    $wrong .= check("$_ open files", $program, $want, "ulimit -n $_;") for 3, 4, 5, 6, 8, 12;
    $wrong .= check("$_ KiB of a file", $program, $want, "ulimit -f $_;", mute => 1) for 0, 1; # messages go to a file, too
    $wrong .= check("thread $_ does not start", $program, $want, '', environment => { MMPIPE_FAULT => "thread:$_" }) for 1 .. 9;
    $wrong .= check("from thread $_ on none starts", $program, $want, '', environment => { MMPIPE_FAULT => "thread:$_+" }) for 1, 2, 3, 8, 9, 12;
    $wrong .= check("map $_ fails", $program, $want, '', environment => { MMPIPE_FAULT => "map:$_" }) for 1, 2, 3;
    $wrong .= check("--memory $_", $program, $want, '', options => ['--memory', $_]) for '64M';
    is($wrong, '', '... the same, or status 4 with a message and nothing left');
}

# libgomp's own way out is status 1, which mm-diff has another meaning for.
my $few = run(['sh', '-c', 'ulimit -v 120000; exec mm-diff -j16 "$@"', 'sh', $matrices, $matrices]);
is("$few->{status} $few->{out}", '0 ', 'mm-diff -j16 within 120 MB of addresses: equal');
like($few->{err}, qr/^mm-diff: only \d+ of 16 threads can start here$/m, '... with fewer threads, and it says so');

# What --memory allows is a limit of what is there at once.
my $large = file('large.mtx', "%%MatrixMarket matrix coordinate real general\n40000 40000 1200000\n"
    . join('', map { my $j = $_; map { (1 + ($j * 13 + $_ * 1319) % 40000) . " $j 0.5\n" } 1 .. 30 } 1 .. 40000));
is(run(['mm-info', '-j1', '--memory', '40M', $large])->{status}, 0, 'mm-info of 1.2 million entries, of 24 bytes each, in 40 MiB');
is(run(['mm-info', '-j1', '--memory', '40M', '--where', 'density < 1', $large])->{status}, 0, '... under a condition, too');
my $lower = file('lower.mtx', "%%MatrixMarket matrix coordinate real symmetric\n40000 40000 1220000\n"
    . join('', map { my $j = $_; map { ($j + 300 * $_) . " $j 0.5\n" } 0 .. ($j > 20000 ? 0 : 59) } 1 .. 40000));
my $whole = run(['mm-info', '-j1', '--memory', '42M', '--columns', 'nnz_stored,nnz,upper_bandwidth,row_degree_max', '--no-header', $lower]);
is("$whole->{status} $whole->{out}", "0 1220000\t2400000\t17700\t119\n", 'a symmetric one, of 38 MB with its mirrored entries, in 42 MiB')
    or diag $whole->{err};
my $small = run(['mm-info', '-j1', '--memory', '20M', $large]);
is("$small->{status} $small->{out}", '4 ', '... not in 20 MiB');
like($small->{err}, qr/no memory .* within --memory/, '... with the reason');
done_testing();
