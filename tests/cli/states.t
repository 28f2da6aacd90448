#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The names of states: no input or output of the run has one, nothing of another's is overwritten or removed, and
# one process has them at a time.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use POSIX qw(mkfifo);
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-gen perm-gpu flipwalk);

my $folders = 0;
sub folder { my $name = scratch('folder' . ++$folders); mkdir $name or die; return $name }
sub left_in { return join ' ', map { s{.*/}{}r } bsd_glob("$_[0]/*") }
my $matrix = run([qw(mm-gen dense 5 --field integer --values int:1:9 --seed 2)])->{out};
my $long = run([qw(mm-gen dense 34 --field pattern --seed 5)])->{out};
my $scheme = run([qw(mm-gen scheme 2x2x2)])->{out};

# Refused before anything is computed or changed.
sub refused {
    my ($what, $folder, $like, @command) = @_;
    my %before = map { $_ => -f && !-l ? slurp($_) : '' } bsd_glob("$folder/*");
    my $run = run(\@command);
    is("$run->{status}/$run->{signal} $run->{out}", '2/0 ', "$what: status 2");
    like($run->{err}, $like, '... with the reason');
    is(join(' ', sort keys %before), join(' ', sort(bsd_glob("$folder/*"))), '... the same files');
    is(join('|', map { -f && !-l ? slurp($_) : '' } sort keys %before), join('|', map { $before{$_} } sort keys %before), '... as they were');
}

# ---- names that coincide ----

for my $suffix ('', '.old', '.new', '.lock') {
    my $folder = folder();
    spew("$folder/in.mtx", $matrix);
    refused("the state's FILE$suffix as the output", $folder, qr/--checkpoint: \S*x\Q$suffix\E is the output/,
        'perm-gpu', '--checkpoint', "$folder/x", '-o', "$folder/./x$suffix", "$folder/in.mtx");
    rename "$folder/in.mtx", "$folder/x$suffix" or die;
    refused("... as an input", $folder, qr/--checkpoint: \S*x\Q$suffix\E is an input/,
        'perm-gpu', '--checkpoint', "$folder/x", "$folder/../" . ($folder =~ s{.*/}{}r) . "/x$suffix");
    link "$folder/x$suffix", "$folder/linked.mtx" or die;
    refused('... by another link', $folder, qr/is an input/, 'perm-gpu', '--checkpoint', "$folder/x", "$folder/linked.mtx");
}
{
    my $folder = folder();
    spew("$folder/x", $matrix);
    my $run = run(['perm-gpu', '--checkpoint', "$folder/x"], stdin => "$folder/x");
    is("$run->{status} " . slurp("$folder/x"), "2 $matrix", 'the standard input as the state: refused');
    my $into = run(['perm-gpu', '--checkpoint', "$folder/y"], input => $matrix, stdout => "$folder/y");
    is("$into->{status} " . -e "$folder/y", '2 1', 'the standard output as the state: refused');
    spew("$folder/in.mtx", $scheme);
    refused('a pool that is the output', $folder, qr/--pool: \S*p is the output/, 'flipwalk', '--pool', "$folder/p", '-o', "$folder/p", "$folder/in.mtx");
    refused('a pool that is the state', $folder, qr/--pool: \S*p is a file of this run/, 'flipwalk', '--pool', "$folder/p",
        '--checkpoint', "$folder/p", "$folder/in.mtx");
    spew("$folder/x", $matrix);
    link "$folder/x", "$folder/linked.mtx" or die;
    refused("$_->[0] as an input", $folder, qr/\Q$_->[1]\E: \S* is an input, too/, @{$_}[0, 1], "$folder/x", "$folder/linked.mtx")
        for ['perm-gpu', '-o'], ['mm-cat', '-o'], ['h2-mv', '--phases'], ['h2-orthog', '--phases'];
    refused("@$_ as the output", $folder, qr/-o: \S* is an input, too/, @$_, "$folder/x", '-o', "$folder/linked.mtx", "$folder/in.mtx")
        for ['spmm-tc', '-B'], ['spmm-tc', qw(--random-b 2 -C)], ['h2-mv', '--vectors'], ['h2-build', '--matrix'], ['mm-cat', '--submatrix'];
    refused('B as the state', $folder, qr/--checkpoint: \S* is an input/, 'spmm-tc', '-B', "$folder/x", '--checkpoint', "$folder/x", "$folder/in.mtx");
    refused('a pool that is no pool', $folder, qr/\bx: .*not a pool/, 'flipwalk', '--pool', "$folder/x", '--steps', 1000, "$folder/in.mtx");
    refused('a state without a name', $folder, qr/--checkpoint: no name/, 'perm-gpu', '--checkpoint', '', "$folder/in.mtx");
}

# ---- what is there already ----

for my $suffix ('.old', '.new', '.lock') {
    my $folder = folder();
    spew("$folder/in.mtx", $matrix);
    spew("$folder/x$suffix", "somebody's letters\n");
    refused("an unrelated FILE$suffix", $folder, qr/x\Q$suffix\E is in the way/, 'perm-gpu', '--checkpoint', "$folder/x", "$folder/in.mtx");
}
for my $suffix ('', '.old', '.new', '.lock') {
    my $folder = folder();
    spew("$folder/in.mtx", $matrix);
    mkfifo("$folder/x$suffix", 0600) or die;
    refused("a FIFO as FILE$suffix", $folder, qr/x\Q$suffix\E is no regular file/, 'perm-gpu', '--checkpoint', "$folder/x", "$folder/in.mtx");
    unlink "$folder/x$suffix";
    spew("$folder/target", 'precious');
    symlink 'target', "$folder/x$suffix" or die;
    refused("a symbolic link as FILE$suffix", $folder, qr/x\Q$suffix\E is no regular file/, 'perm-gpu', '--checkpoint', "$folder/x", "$folder/in.mtx");
}
# What a killed process leaves does not stop the next one.
{
    my $folder = folder();
    spew("$folder/in.mtx", $matrix);
    spew("$folder/x.new", "\x5d\x2a\x4d\x18");
    spew("$folder/x.lock", "lock of an");
    my $run = run(['perm-gpu', '--checkpoint', "$folder/x", "$folder/in.mtx"]);
    is("$run->{status} $run->{err}", '0 ', 'what a killed process has left is replaced');
    is(left_in($folder), 'in.mtx', '... and removed');
}

# A file that appears in between is nobody's to remove.
{
    my $folder = folder();
    spew("$folder/in.mtx", $long);
    my $handle = start(['perm-gpu', '--kernel', 'exact', '--checkpoint', "$folder/x", "$folder/in.mtx"]);
    wait_until(sub { -s "$folder/x.lock" });
    spew("$folder/x.new", 'mine');
    kill TERM => $handle->{pid};
    my $ended = finish($handle);
    is($ended->{status}, 4, 'FILE.new that appears in between: status 4');
    like($ended->{err}, qr/cannot create \S*x\.new: File exists/, '... with the reason');
    is(slurp("$folder/x.new"), 'mine', '... and it stays');
}

# ---- one process at a time ----

{
    my $folder = folder();
    spew("$folder/in.mtx", $long);
    my $first = start(['perm-gpu', '--kernel', 'exact', '--checkpoint', "$folder/x", "$folder/in.mtx"]);
    wait_until(sub { -s "$folder/x.lock" });
    my @paths = map { scratch($_) } qw(first.out first.err);
    rename $first->{"$_->[0]_path"}, $_->[1] for ['out', $paths[0]], ['err', $paths[1]];
    my $second = run(['perm-gpu', '--kernel', 'exact', '--checkpoint', "$folder/x", "$folder/in.mtx"]);
    is($second->{status}, 2, 'a second process: status 2');
    like($second->{err}, qr/\S*x is in use by perm-gpu, process $first->{pid}$/m, '... it says who has the state');
    kill TERM => $first->{pid};
    waitpid $first->{pid}, 0;
    is($? >> 8, 5, '... the first one goes on');
    is(left_in($folder), 'in.mtx x', '... and saves its state');
}
done_testing();
