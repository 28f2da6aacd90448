#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# GNU parallel: a collection in one line, parts of a permanent, --resume-failed, records of a stream.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../cli", $FindBin::Bin;
use Cluster;
use Program;
use Test::More;

plan skip_all => 'GNU parallel is not installed' unless find_tool('parallel') && `parallel --version 2>/dev/null` =~ /^GNU parallel/;
my $home = scratch('home');
mkdir $home;
my %environment = (HOME => $home, SHELL => '/bin/sh');
my @parallel = qw(parallel --will-cite -j2);

# The tasks of a collection.
my $input = scratch('input');
mkdir $input;
system('cp', (map { source_path("tests/data/$_.mtx") } qw(bcspwr01 can_24 d_ss)), $input) == 0 or die;
my $work = scratch('work');
my $tool = source_path('pipelines/collection');
my %settings = (%environment, INPUT => $input, STAGES => 'info dm perm', LIMIT => '20s', QUIET => 1);
my $run = run(['sh', '-c', "'$tool' plan '$work' | @parallel --joblog '$work.log' '$tool' run '$work' {} && '$tool' table '$work'"], environment => \%settings);
is($run->{status}, 0, 'a collection') or diag $run->{err};
is(scalar(() = slurp("$work.log") =~ /^\d+\t/mg), 9, '... of nine tasks');
is(scalar(grep { (split /\t/)[15] eq '0' } split /\n/, slurp("$work/table.tsv")), 3, '... and three good rows');
is(run([$tool, 'plan', $work], environment => \%settings)->{out}, '', '... after which nothing is left');

# As mmpipe-bulk(7) has it.
my $page = scratch('page');
mkdir $page;
symlink source_path('pipelines'), "$page/pipelines" or die;
symlink $input, "$page/DIR" or die;
my $lines = page_block(qr/parallel/);
$run = run(['sh', '-c', "cd '$page' && $lines"], environment => \%environment);
is($run->{status}, 0, 'the lines of the page') or diag $run->{err};
is(scalar(grep { (split /\t/)[15] eq '0' } split /\n/, slurp("$page/WORK/table.tsv")), 3, '... have the three rows');

# Four parts, the third of which fails: only it is done again.
my $matrix = scratch('er.mtx');
run([qw(mm-gen er 20 -p 0.7 --diagonal --field integer --values int:-9:9 --seed 4 -o), $matrix]);
my $whole = run([qw(perm-gpu --raw --kernel exact-portable --device cpu), $matrix])->{out};
my $parts = scratch('parts');
mkdir $parts;
my $command = "echo {} >>'$parts/done'; test {} != 3 -o -f '$parts/mended' && perm-gpu --raw --kernel exact-portable --device cpu -j1 --part {}/4 -o '$parts/{}' '$matrix'";
my @job = (@parallel, '--joblog', "$parts/log");
$run = run([@job, $command, ':::', 1 .. 4], environment => \%environment);
is($run->{status}, 1, 'one of four parts fails');
ok(!-e "$parts/3" && -s "$parts/4", '... and the others are there');
isnt(run(['perm-fold', map { "$parts/$_" } 1, 2, 4])->{status}, 0, '... but no whole');
spew("$parts/mended", '');
spew("$parts/done", '');
$run = run([@job, '--resume-failed', $command, ':::', 1 .. 4], environment => \%environment);
is("$run->{status} " . slurp("$parts/done"), "0 3\n", '--resume-failed does that part alone');
is(run(['perm-fold', map { "$parts/$_" } 1 .. 4])->{out}, $whole, '... and the whole is there');
done_testing();
