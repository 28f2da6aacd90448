#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# H2 matrices on tmpfs, which all threads write to by way of a mapping: the same bytes as through a pipe, with what
# stands before and behind them, and where memory or a limit ends nothing is left behind.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use File::Temp qw(tempdir);
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-cat mm-gen h2-build h2-info);
plan skip_all => '/dev/shm is no tmpfs' if !-w '/dev/shm' || `stat -f -c %T /dev/shm` ne "tmpfs\n";
plan skip_all => '/dev/shm has less than 256 MB' if (split ' ', `df -Pk /dev/shm | tail -n 1`)[3] < 256_000;

my $folder = tempdir('mmpipe-test-XXXXXX', DIR => '/dev/shm', CLEANUP => 1);
sub file { return join '/', $folder, @_ }
sub left { return join ' ', map { s{.*/}{}r } bsd_glob("$folder/*") }
sub shell { my ($text, %option) = @_; return run(['sh', '-c', $text], %option) }

my $h2 = scratch('matrix.h2');
my $cat = 'mm-cat --form bin --level 0';
is(shell("mm-gen points --grid 16x16x8 --perturb 0.4 | h2-build --device cpu | cat > $h2")->{status}, 0, 'an H2 matrix through a pipe');
my $bytes = slurp($h2);
cmp_ok(length $bytes, '>', 12 << 20, '... of more than 12 MiB');

sub same { my ($path, $want, $what) = @_; ok(slurp($path) eq $want, $what); unlink $path }

# ---- the same bytes ----

for my $threads (1, 3) {
    my $j = "-j $threads";
    shell("$cat $j $h2 -o " . file('out'));
    same(file('out'), $bytes, "$j: a file");
    shell("$cat $j $h2 > " . file('out'));
    is(run(['mm-cat', '--check', file('out')])->{status}, 0, '... is read again');
    same(file('out'), $bytes, '... standard output');
    shell("{ printf before; $cat $j $h2; $cat $j $h2; printf behind; } > " . file('out'));
    same(file('out'), "before$bytes${bytes}behind", '... of several programs');
    spew(file('out'), 'before');
    shell("$cat $j $h2 >> " . file('out'));
    same(file('out'), "before$bytes", '... that is appended to');
    spew(file('out'), 'x' x (20 << 20));
    shell("{ printf before; $cat $j $h2; } 1<> " . file('out'));
    same(file('out'), "before$bytes" . 'x' x ((20 << 20) - 6 - length $bytes), '... in a file that is longer');
    my $two = shell("$cat $j $h2 $h2")->{out};
    shell("$cat $j $h2 $h2 -o " . file('out'));
    same(file('out'), $two, '... two records');
}
is(shell("mm-gen points --grid 16x16x8 --perturb 0.4 | h2-build --device cpu -o " . file('out'))->{status}, 0, 'h2-build');
same(file('out'), $bytes, '... makes the same there');
for my $number (1 .. 3) {
    shell("$cat -j 3 $h2 -o " . file('out'), environment => { MMPIPE_FAULT => "map:$number" });
    same(file('out'), $bytes, "map $number fails: it is written");
}

# More blocks than pinned memory has room for, of a device that is made of the shim (tests/fake).
SKIP: {
    my $fake = build_path('tests/fake/libcuda.so');
    skip 'tests/fake/libcuda.so is not built', 3 unless -f $fake;
    skip 'sanitizers remark on the stacks of the fake driver', 3 if is_sanitized();
    my %device = (environment => { MMPIPE_LIBCUDA => $fake, MMPIPE_FAKE_DEVICES => 1, MMPIPE_FAKE_BYTES => 1 << 32 });
    my $build = 'h2-build --device cuda ' . scratch('points');
    my $run = shell('mm-gen points --grid 32x32x8 --perturb 0.4 -o ' . scratch('points') . "; $build | cat > " . file('piped'), %device);
    cmp_ok(-s file('piped'), '>', 64 << 20, 'an H2 matrix that a device made') or diag $run->{err};
    for my $threads (1, 3) {
        shell("$build -j $threads -o " . file('out'), %device);
        is(system('cmp', file('piped'), file('out')), 0, "... -j $threads: the same bytes");
    }
    unlink file('piped'), file('out');
}

# ---- what cannot be written ----

sub refused {
    my ($what, $run, $reason) = @_;
    is("$run->{status} $run->{err}", "4 mm-cat: cannot write $reason\n", $what);
}

for my $number (1 .. 8) {
    my %fault = (environment => { MMPIPE_FAULT => "write:$number" });
    my $run = shell("$cat -j 1 $h2 -o " . file('out'), %fault);
    if ($run->{status} == 0) { same(file('out'), $bytes, 'no other write fails'); last }
    refused("write $number fails", $run, file('out') . ': No space left on device');
    is(left(), '', '... and nothing is left');
    $run = shell("exec $cat -j 3 $h2 > " . file('out'), %fault);
    refused('... of standard output', $run, 'standard output: No space left on device');
    # Only the record's frame is written before, or the mark behind all blocks is not.
    my $size = -s file('out');
    ok($size < 4096 || $size > length($bytes) - 100, '... which is not longer than what was written') or diag $size;
    unlink file('out');
}
SKIP: {
    skip 'sanitizers write to files', 4 if is_sanitized();
    refused('a limit of file sizes', shell("ulimit -f 9000; exec $cat -j 3 $h2 -o " . file('out')), file('out') . ': File too large');
    is(left(), '', '... and nothing is left');
    refused('... of standard output', shell("ulimit -f 9000; exec $cat -j 3 $h2 > " . file('out')), 'standard output: File too large');
    cmp_ok(-s file('out'), '<', 4096, '... which is not longer than what was written');
    unlink file('out');
}
SKIP: {
    # What is left is listed behind the message.
    my $small = sub {
        my ($command) = @_;
        return run([qw(unshare -rm sh -c), "mount -t tmpfs -o size=9m tmpfs $folder || exit 77
            $command; status=\$?; stat -c 'left %s' $folder/* >&2; exit \$status"]);
    };
    my $run = $small->("$cat -j 3 $h2 -o $folder/out");
    skip 'a file system cannot be mounted here', 3 unless $run->{err} =~ /^mm-cat:/;
    like($run->{err}, qr/^mm-cat: cannot write \Q$folder\E\/out: No space left on device\nstat: /, 'a file system that is too small');
    is($run->{status}, 4, '... has status 4, and nothing is left');
    $run = $small->("$cat -j 3 $h2 > $folder/out");
    like($run->{err}, qr/^mm-cat: cannot write standard output: No space left on device\nleft \d{1,3}\n\z/,
         '... for standard output, which is not longer than what was written');
}

# ---- a program that is killed ----

{
    my $run = start(['sh', '-c', "exec $cat " . join(' ', ($h2) x 200) . ' -o ' . file('out')]);
    wait_until(sub { left() ne '' && (-s (bsd_glob("$folder/*"))[0] // 0) > 20 << 20 });
    kill TERM => $run->{pid};
    is(finish($run)->{signal}, 15, 'a program that is killed');
    is(left(), '', '... removes its file');
}
done_testing();
