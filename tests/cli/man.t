#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Every program has a page; mandoc has nothing to say against it; its examples print what they show.
#
# An example is a line that begins with "$ " in a `.Bd -literal` display, continued on lines that begin with
# "> "; the lines up to the next command are its output. A line "..." stands for any lines. The README's console
# blocks are examples too. They run in a copy of tests/data, with the source's pipelines beside.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my @pages = bsd_glob(source_path('man/*.[1-9]'));
plan skip_all => 'there are no pages' unless @pages || programs();
my %built = map { $_ => 1 } programs();
for my $program (sort keys %built) {
    ok(-f source_path("man/$program.1"), "$program has a page");
}

my $mandoc = grep { -x "$_/mandoc" } split /:/, $ENV{PATH};
for my $page (@pages) {
    my $name = $page =~ s{.*/}{}r;
    SKIP: {
        skip 'mandoc is not installed', 1 unless $mandoc;
        # Pages of the project that are not installed yet are no fault.
        my $lint = join "\n", grep { !/referenced manual not found|operating system explicitly/ }
            split /\n/, `mandoc -T lint -W warning '$page' 2>&1`;
        is($lint, '', "$name: mandoc has no warning");
    }
    SKIP: {
        skip 'mandoc or expand is not installed', 1 unless $mandoc && grep { -x "$_/expand" } split /:/, $ENV{PATH};
        my $shown = `mandoc -T ascii -O width=80 '$page' | sed 's/.\x08//g' | expand`;
        is_deeply([grep { length > 80 } split /\n/, $shown], [], "$name: 80 columns hold every line");
    }
}

# mm-stream(5) names every key of the metadata that the sources write; states, which only programs read, aside.
my %key;
for my $source (map { bsd_glob(source_path($_)) } 'bin/*.c', 'lib/*/*.c', 'lib/*/*/*.c') {
    $key{$_} = 1 for slurp($source) =~ /\bmm_metadata_(?:set|add)\(\s*[^,"]+,\s*[^,"]+,\s*"([a-z0-9_]+\.[a-z0-9_.]+)"/g;
}
my $stream_page = slurp(source_path('man/mm-stream.5'));
cmp_ok(scalar keys %key, '>', 30, 'the sources write metadata');
is_deeply([grep { !/^(?:state|journal)\./ && $stream_page !~ /\b\Q$_\E\b/ } sort keys %key], [], 'mm-stream(5) has every key');

# The literal displays of a page as they are shown.
sub displays {
    my ($text) = @_;
    my @found = $text =~ /^```console\n(.*?)^```/msg;
    while ($text =~ /^\.Bd -literal[^\n]*\n(.*?)^\.Ed/msg) {
        my $display = $1;
        $display =~ s/^\\&//mg;
        $display =~ s/\\&//g;
        $display =~ s/\\-/-/g;
        $display =~ s/\\\(aq/'/g;
        $display =~ s/\\\(ti/~/g;
        $display =~ s/\\\(ha/^/g;
        $display =~ s/\\e/\\/g;
        push @found, $display;
    }
    return @found;
}

sub matches {
    my ($got, $want) = @_;
    my $pattern = join '', map { $_ eq "...\n" ? '(?:.*\n)*' : quotemeta } $want =~ /^.*\n/mg;
    return $got =~ /\A$pattern\z/;
}

my @wide = grep { length > 80 } map { split /\n/ } slurp(source_path('README.md')) =~ /^```console\n(.*?)^```/msg;
is_deeply(\@wide, [], '80 columns hold the examples of README.md');

for my $page (@pages, source_path('README.md')) {
    my $name = $page =~ s{.*/}{}r;
    my $folder = scratch("examples-$name");
    system('cp', '-R', source_path('tests/data'), $folder) == 0 or die;
    system('chmod', '-R', 'u+w', $folder);
    symlink source_path('pipelines'), "$folder/pipelines" or die;
    my $count = 0;
    for my $display (displays(slurp($page))) {
        while ($display =~ /^\$ (.*\n(?:> .*\n)*)((?:(?!\$ ).*\n)*)/mg) {
            my ($command, $want) = ($1, $2);
            $command =~ s/\\\n> / /g;
            $command =~ s/\n> /\n/g;
            $count++;
            my ($absent) = grep { !$built{$_} } $command =~ /\b((?:mm|perm|flip)-[a-z]+|flipwalk)\b/g;
            SKIP: {
                skip "there is no $absent", 1 if $absent;
                my $run = run(['sh', '-c', $command], directory => $folder);
                my $got = $run->{out} . $run->{err};
                ok(matches($got, $want), "$name: " . $command =~ s/\n.*//sr)
                    or diag("printed:\n$got", "the page shows:\n$want");
            }
        }
    }
    ok($count > 0, "$name has examples") if $name =~ /\.1$/;
}
done_testing();
