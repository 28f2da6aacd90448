#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# pipelines/paper-*.mk: small tables of each come out beside the published figures, all targets are known to make, a run that was
# killed goes on.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp qw(tempdir);
use Program;
use Test::More;

plan skip_all => 'bash is not installed' if system('bash -c : 2>/dev/null') != 0;
my $work = scratch('papers');
my $data = source_path('tests', 'data');

sub make {
    my ($paper, @words) = @_;
    return run(['make', '-f', source_path('pipelines', "paper-$paper.mk"), 'SMALL=1', "WORK=$work", "MATRICES=$data", 'MACHINE=this one', 'THREADS=2', @words]);
}

# Rows of a table, by case, figure and the column of the paper.
sub rows {
    my ($paper, $table) = @_;
    my ($header, @lines) = split /\n/, slurp("$work/$paper/$table.tsv");
    my @keys = split /\t/, $header;
    is("@keys", 'case what method ours beside published ratio machine published_on', "$paper $table: its columns");
    return map { my %row; @row{@keys} = split /\t/; ("$row{case} $row{what} $row{beside}" => \%row) } @lines;
}

# All targets.
for my $paper (qw(superman codegen flipgraph tca h2)) {
    for my $small ('SMALL=1', 'SMALL=') {
        my $run = make($paper, $small, '-n', 'all', 'slurm');
        is($run->{status}, 0, "$paper $small: make -n") or diag $run->{err};
    }
}

# SUperman, table 5: terms of the decomposition and permanents of real matrices.
my $run = make('superman', 'table5', 'few=bcspwr02 d_ss', 'fewer=will57');
is($run->{status}, 0, 'superman table5') or diag $run->{err};
my %row = rows('superman', 'table5');
is($row{'bcspwr02 value -'}{ours}, '17339123388', 'the permanent of bcspwr02');
is($row{'bcspwr02 wall both'}{published}, '0.4', 'its published time');
is($row{'bcspwr02 wall both'}{machine}, 'this one', 'the machine');
cmp_ok(abs($row{'bcspwr02 wall both'}{ratio} * $row{'bcspwr02 wall both'}{ours} / 0.4 - 1), '<', 0.01, 'the ratio is theirs by ours');
is($row{'d_ss wall none'}{ratio}, '-', 'no ratio to a timeout');
is($row{'terms-will57 terms both'}{ours}, '6834', 'as many terms as published');
is($row{'terms-will57 terms both'}{ratio}, '1', 'ratio 1');
SKIP: {
    skip 'gnuplot is not installed', 1 if system('gnuplot --version >/dev/null 2>&1') != 0;
    like(slurp("$work/superman/table5.svg"), qr{prefers-color-scheme.*</svg>}s, 'a picture for light and dark ground');
}
like($run->{out}, qr/^bcspwr02 +wall +\S+ +\S+ +both +0\.4 /m, 'the table is printed');

# Once more: nothing is run. With one case gone only that one; a case whose matrix is missing is named, and the rest is there.
my $file = "$work/superman/table5/bcspwr02.row";
my $before = slurp($file);
make('superman', 'table5', 'few=bcspwr02 d_ss', 'fewer=will57');
is(slurp($file), $before, 'a finished case is not run again');
$run = make('superman', 'table5', 'few=bcspwr02 nosuch', 'fewer=will57');
isnt($run->{status}, 0, 'a missing matrix is a failure');
like($run->{err}, qr/nosuch is left out: there is no nosuch\.mtx/, 'which is said');
like($run->{out}, qr/^Not there: nosuch\./m, 'and the table comes nevertheless');

# SUperman, table 3: the relative error of a known permanent. 24! 0.3^24 in doubles is good to 1e-9 at least, pairs to 1e-20.
$run = make('superman', 'table3', 'table3=24-double 22-dd');
is($run->{status}, 0, 'superman table3') or diag $run->{err};
%row = rows('superman', 'table3');
cmp_ok($row{'24-double error -'}{ours}, '<', 1e-9, 'error in doubles');
cmp_ok($row{'22-dd error -'}{ours}, '<', 1e-15, 'error in pairs of doubles, as printed with 17 digits');

# Its table 4: a variant of its kernels stands beside the figure of the same places, ours beside its fastest.
mkdir "$work/superman/table4";
for ([30, 0.415], ['30-registers-shared-ceg', 0.43]) {
    open my $row, '>', "$work/superman/table4/$_->[0].row" or die $!;
    print $row "{\"case\":\"$_->[0]\",\"what\":\"wall\",\"ours\":$_->[1],\"machine\":\"m\"}\n";
}
$run = make('superman', 'table4', 'table4=30 30-registers-shared-ceg');
is($run->{status}, 0, 'superman table4') or diag $run->{err};
%row = rows('superman', 'table4');
is($row{'30-registers-shared-ceg wall x register, A shared, CEG'}{ratio}, '2', 'a variant beside the same places');
is($row{'30 wall x register, A shared, rebuild, CEG'}{ratio}, '2', 'the kernel that is chosen beside its fastest');
like(make('superman', 'table4', 'gpus=1', '-n')->{out}, qr/30-shared-global-ceg\.row.*\n.*--kernel superman-shared-global-ceg-cuda/, 'with a GPU the variants are run');

$run = make('codegen', 'table4');
is($run->{status}, 0, 'codegen table4') or diag $run->{err};
%row = rows('codegen', 'table4');
is($row{'bcspwr02 wall CodeGen-Hybrid'}{published}, '1317.42', 'its published time');
cmp_ok($row{'bcspwr02 wall CodeGen-Hybrid'}{ratio}, '>', 1, 'its ratio');

# The paper's kernels stand beside the paper's figures.
mkdir "$work/codegen/methods";
open my $hybrid, '>', "$work/codegen/methods/40-0.1-1-hybrid.row" or die $!;
print $hybrid "{\"case\":\"40-0.1-1-hybrid\",\"what\":\"wall\",\"ours\":1.59,\"machine\":\"m\"}\n";
close $hybrid;
$run = make('codegen', 'methods', 'shares=0.1', 'papers=hybrid-cuda');
is($run->{status}, 0, 'codegen methods') or diag $run->{err};
%row = rows('codegen', 'methods');
is($row{'40-0.1-1-hybrid wall CodeGen-Hybrid'}{ratio}, '2', 'a published method beside ours');

# Figure 5 of the same: with the ordering fewer row sums stand in registers, and more columns touch these alone.
$run = make('codegen', 'figure5', 'shares=0.2', 'kernels=');
is($run->{status}, 0, 'codegen figure5') or diag $run->{err};
%row = rows('codegen', 'figure5');
my ($with, $without) = map { my $way = $_; +{ map { $_ => $row{"40-0.2-1-$way $_ -"}{ours} } qw(sum_registers sums columns) } } qw(ordered unordered);
is($with->{sum_registers}, 2 * $with->{sums}, 'two registers a sum');
cmp_ok($with->{sums}, '<', $without->{sums}, 'the ordering saves registers');
cmp_ok($with->{columns}, '>', $without->{columns}, 'the ordering gives columns that touch registers alone');

# The path of flips and pluses is checked by flip-path itself; Strassen's rank is that of 2x2x2.
$run = make('flipgraph', 'formats', 'most=2');
is($run->{status}, 0, 'flipgraph formats') or diag $run->{err};
%row = rows('flipgraph', 'formats');
is($row{'2x2x2 rank -'}{ours}, 7, 'Strassen');
like($row{'2x2x2 seconds -'}{ours}, qr/^\d+(?:\.\d+)?$/, '... after some seconds');

# Two jobs of Slurm need the chain at once: one makes it, the other finds it.
my @jobs = map { start(['make', '-f', source_path('pipelines', 'paper-flipgraph.mk'), 'SMALL=1', "WORK=$work/jobs", 'MACHINE=m', 'THREADS=1',
    'most=3', 'TOTAL=2', "$work/jobs/flipgraph/formats/$_.row"], stdout => scratch("jobs-$_.out")) } qw(2x3x3 3x3x3);
is(join(' ', map { finish($_)->{status} } @jobs), '0 0', 'two jobs that need the chain');
is(scalar(() = bsd_glob("$work/jobs/flipgraph/formats/*.row")), 2, '... have their rows');

# The chain with few seconds in all: Strassen's scheme twice, side by side and in blocks, bounds the ranks.
my @largest = map { "$work/chain/$_.mtx" } qw(2x4x4 3x4x4 4x4x4);
$run = run(['make', '-s', '-f', source_path('pipelines', 'schemes.mk'), 'MOST=4', 'TOTAL=3', "folder=$work/chain", 'OPTIONS=--device cpu', @largest]);
is($run->{status}, 0, 'schemes.mk with TOTAL') or diag $run->{err};
my %rank = map { (split /\t/)[1, 2] } split /\n/, run(['bash', '-c', "for file in @largest; do mm-cat --part 1/1000 \$file; done | flip-check"])->{out};
cmp_ok($rank{'2x4x4'}, '<=', 28, '2x4x4: four times Strassen');
cmp_ok($rank{'4x4x4'}, '<=', 49, '4x4x4: Strassen in Strassen');
cmp_ok($rank{'3x4x4'}, '<', 48, '3x4x4: below the standard algorithm');
is(join(' ', bsd_glob("$work/chain/*.{start,log}")), '', 'no starts are left');

# Sets of products over a walk: in the standard algorithm, from which it starts, each of 27 entries is in a set of three.
$run = make('flipgraph', 'figure2', 'walked=3x3x3');
is($run->{status}, 0, 'flipgraph figure2') or diag $run->{err};
%row = rows('flipgraph', 'figure2');
cmp_ok($row{'3x3x3 3 sets -'}{ours}, '>=', 27, 'sets of three');
cmp_ok($row{'3x3x3 all schemes -'}{ours}, '>', 1, 'schemes on the way');
is(join(' ', bsd_glob("$work/flipgraph/figure2/*.pool*")), '', 'no pool is left');

# Flips a second at a rank: a search that starts there. No scheme for 2x2x2 has fewer products than Strassen's.
$run = make('flipgraph', 'rates', 'rates=2x2x2-7');
is($run->{status}, 0, 'flipgraph rates') or diag $run->{err};
%row = rows('flipgraph', 'rates');
is($row{'2x2x2-7 rank -'}{ours}, 7, 'it stays at the rank');
cmp_ok($row{'2x2x2-7 flips_rate -'}{ours}, '>', 0, 'and flips');

# Compression makes the low-rank part smaller; a product is timed with both.
$run = make('h2', 'figure17', 'SIZES=10');
is($run->{status}, 0, 'h2 figure17') or diag $run->{err};
%row = rows('h2', 'figure17');
cmp_ok($row{'2-10-64 after -'}{ours}, '<', $row{'2-10-64 before -'}{ours}, 'memory before and after');
cmp_ok($row{"2-10-64 seconds_$_ -"}{ours}, '>', 0, "a product $_") for qw(before after);

# With a GPU the chosen kernel stands beside the paper's.
like(make('tca', 'chosen', 'gpus=1', '-n')->{out}, qr/--peer 'tca=.*--kernel tca .*--peer 'tca_row=.*--kernel tca_row /, 'the paper\'s kernels beside');
unlike(make('tca', 'chosen', 'gpus=1', 'precisions=fp32', '-n')->{out}, qr/--peer/, '... in the precisions that they have');

$run = make('tca', 'chosen', 'matrices=64x64-0.3');
is($run->{status}, 0, 'tca chosen') or diag $run->{err};
%row = rows('tca', 'chosen');
ok(scalar(grep { /warm_seconds/ && $row{$_}{ours} > 0 } keys %row), 'a time');

# Known peers: what each of them takes stands beside ours, or why there is no such figure. Here a script speaks for them.
my $python = scratch('python');
open my $script, '>', $python or die $!;
print $script "#!/bin/sh\ncase \$3 in thewalrus) test -s \"\$4\" && echo 1000;; piquasso) echo not installed;; esac\n";
close $script;
chmod 0755, $python;
$run = make('superman', 'peers', 'orders_peers=10', 'THREADS=1', "PYTHON=$python");
is($run->{status}, 0, 'superman peers') or diag $run->{err};
%row = rows('superman', 'peers');
cmp_ok($row{'10-1 seconds thewalrus'}{ratio}, '>', 1000, 'ours beside a peer that takes 1000 s');
is($row{'10-1 seconds thewalrus'}{published_on}, 'this one', 'on the same machine');
is("@{$row{'10-1 seconds piquasso'}}{qw(published ratio)}", 'not installed -', 'one that is not there');
is(join(' ', bsd_glob("$work/superman/peers/*.mtx")), '', 'nothing is left behind');

# One that knows more figures than the first, with tabs between. CXSparse, where it is, finds our blocks, without explicit zeros.
spew($python, "#!/bin/sh\nprintf '1000\\t38\\n'\n");
$run = make('superman', 'blocks', 'few=impcol_b', 'generated_blocks=', "PYTHON=$python");
is($run->{status}, 0, 'superman blocks') or diag $run->{err};
%row = rows('superman', 'blocks');
is($row{'impcol_b blocks table 5, Dulmage-Mendelsohn'}{ratio}, 1, 'as many blocks as published');
is($row{'impcol_b blocks cxsparse'}{ratio}, 2, 'ours beside a peer that finds twice as many');
ok($row{'impcol_b sprank -'}, 'a figure that it does not know');
SKIP: {
    skip 'python3 is not installed', 5 if system('python3 -c "" 2>/dev/null') != 0;
    unlink "$work/superman/blocks/impcol_b.row";
    make('superman', 'blocks', 'few=impcol_b', 'generated_blocks=er-2000');
    %row = rows('superman', 'blocks');
    SKIP: {
        skip 'CXSparse is not installed', 4 if grep { /seconds cxsparse/ && $row{$_}{published} eq 'not installed' } keys %row;
        is($row{$_}{published}, $row{$_}{ours}, "$_") for map { ("$_ blocks cxsparse", "$_ sprank cxsparse") } qw(impcol_b er-2000);
    }
    # CHOLMOD; its products are compared with sums before they are timed.
    $run = make('tca', 'peers', 'matrices=64x48-0.3', 'THREADS=1');
    is($run->{status}, 0, 'tca peers') or diag $run->{err};
    %row = rows('tca', 'peers');
    like($row{'64x48-0.3-read seconds cholmod'}{published}, qr/^[\d.e-]+$|^not installed$/, 'reading');
    like($row{'64x48-0.3-fp64-1 warm_seconds cholmod'}{published}, qr/^[\d.e-]+$|^not installed$/, 'products');
}

# Sets of products with a common factor: two of the standard algorithm for 2x2x2 share each entry of each factor.
$run = run(['bash', '-c', "mm-gen scheme 2x2x2 | '@{[source_path('pipelines', 'paper')]}' sets"]);
like($run->{out}, qr/"sets":12,"size":2\D/, 'twelve sets of two');

# A run that is killed in the middle of a case: no row is there, none is broken, and the next run makes it.
# The program that it runs ends with it.
my $long = start(['make', '-f', source_path('pipelines', 'paper-superman.mk'), 'SMALL=1', "WORK=$work/killed", 'table4', 'table4=39', 'MACHINE=m',
    'THREADS=1', 'perm=cat >@out@.mtx; echo $$$$ >@out@.pid; exec perm-gpu -j1 @out@.mtx'], stdout => scratch('killed.out'));
my $pid_file = "$work/killed/superman/table4/39.row.pid";
wait_until(sub { -s $pid_file });
kill TERM => $long->{pid};
finish($long);
my ($program) = slurp($pid_file) =~ /(\d+)/;
wait_until(sub { !kill 0 => $program });
ok(!(kill 0 => $program), 'what it ran has ended');
ok(!-e "$work/killed/superman/table4/39.row", 'no row of it');
$run = run(['make', '-f', source_path('pipelines', 'paper-superman.mk'), 'SMALL=1', "WORK=$work/killed", 'MACHINE=m', 'table4', 'table4=22 23', 'THREADS=2']);
is($run->{status}, 0, 'it goes on') or diag $run->{err};
is(scalar(bsd_glob("$work/killed/superman/table4/23.row")), "$work/killed/superman/table4/23.row", 'to the end');

# A permanent that is stopped goes on from its state, and the seconds before count.
{
    local $ENV{MMPIPE_CHECKPOINT_SECONDS} = 1;
    my @words = ('make', '-f', source_path('pipelines', 'paper-superman.mk'), 'SMALL=1', "WORK=$work/stopped", 'MACHINE=m', 'table4', 'table4=30', 'THREADS=1', 'double=dense-portable');
    my $case = "$work/stopped/superman/table4/30.row";
    my $stopped = start(\@words, stdout => scratch('stopped.out'));
    wait_until(sub { -s "$case.state" || -s $case });
    SKIP: {
        skip 'it was done before it could be stopped', 4 if -s $case;
        kill TERM => $stopped->{pid};
        finish($stopped);
        wait_until(sub { -s "$case.spent" && !-e "$case.state.lock" });
        my $spent = slurp("$case.spent");
        cmp_ok($spent, '>', 0, 'the seconds until it was stopped');
        my $run = run(\@words);
        is($run->{status}, 0, 'it goes on from its state') or diag $run->{err};
        my ($wall) = slurp($case) =~ /"ours":"?([\d.]+)"?,"what":"wall"/;
        cmp_ok($wall, '>', $spent, 'the time of both is its time');
        is(join(' ', bsd_glob("$case.*")), '', 'no state is left');
    }
}

# Jobs of Slurm: each makes its case.
$run = make('superman', 'slurm');
is($run->{status}, 0, 'slurm');
like(slurp("$work/superman/slurm.sh"), qr/^#SBATCH --array=1-\d+$/m, 'an array');
like(slurp("$work/superman/slurm.sh"), qr/--signal=B:TERM\@60/, '... that is told before its time is over');
# The script as a job would run it: of three cases the second.
$run = make('superman', 'slurm', 'tables=table4', 'table4=16 17 18');
my @job = ('env', 'SLURM_ARRAY_TASK_ID=2', 'sh', "$work/superman/slurm.sh");
$run = run(\@job, environment => { SLURM_ARRAY_TASK_ID => 2 });
is($run->{status}, 0, 'a job') or diag $run->{err};
ok(-s "$work/superman/table4/17.row" && !-e "$work/superman/table4/18.row", '... makes its case');
done_testing();
