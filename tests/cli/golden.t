#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Golden tests: tests/golden/NAME/cmd is a shell script, beside it are its expected stdout, stderr and exit
# status (a missing file stands for nothing, nothing, 0). It runs in an empty folder; $data is tests/data.
# `tests/cli/golden.t --update [NAME...]` writes what came out into the source tree: read the diff.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my $update = @ARGV && $ARGV[0] eq '--update' && shift @ARGV;
my @names = map { m{/([^/]+)/cmd$} } bsd_glob(source_path('tests/golden/*/cmd'));
@names = @ARGV if @ARGV;
plan skip_all => 'there are no golden tests' unless @names;
$ENV{data} = source_path('tests/data');

for my $name (@names) {
    my $folder = source_path('tests/golden', $name);
    my $here = scratch("golden-$name");
    mkdir $here;
    my $run = run(['sh', "$folder/cmd"], directory => $here);
    my %got = (stdout => $run->{out}, stderr => $run->{err}, status => "$run->{status}\n");
    # Absolute names of the data folder differ from machine to machine.
    s/\Q$ENV{data}\E/\$data/g for @got{qw(stdout stderr)};
    # So does the version from release to release.
    s/^(% by: \S+) \d\S*/$1 VERSION/mg for $got{stdout};
    my %nothing = (stdout => '', stderr => '', status => "0\n");
    for my $part (qw(status stderr stdout)) {
        my $path = "$folder/$part";
        if ($update) {
            if ($got{$part} eq $nothing{$part}) { unlink $path }
            else { spew($path, $got{$part}) }
        }
        is($got{$part}, -f $path ? slurp($path) : $nothing{$part}, "$name: $part");
    }
}
done_testing();
