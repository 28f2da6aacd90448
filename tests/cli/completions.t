#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Completions: each shell accepts them, bash offers the options and the words of a choice.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my @programs = programs();
plan skip_all => 'there are no programs' unless @programs;
my %has = map { my $shell = $_; $shell => scalar grep { -x "$_/$shell" } split /:/, $ENV{PATH} } qw(bash zsh fish);

for my $program (@programs) {
    my $help = run([$program, '--help'])->{out};
    my @options = $help =~ /^ +(?:-\S, )?(--[a-z0-9-]+)/mg;
    for my $shell (qw(bash zsh fish)) {
        my $script = run([source_path('completions/generate'), build_path("bin/$program"), $shell]);
        is("$script->{status} $script->{err}", '0 ', "$program: $shell");
        my $path = scratch("$program.$shell");
        spew($path, $script->{out});
        my @missing = grep { my $name = s/^--//r; $script->{out} !~ /(?:--|-l )\Q$name\E\b/ } @options;
        is("@missing", '', "$program: $shell has every option");
        SKIP: {
            skip "$shell is not installed", 1 unless $has{$shell};
            is(run([$shell, '-n', $path])->{status}, 0, "$program: $shell accepts it");
        }
        next unless $shell eq 'bash' && $has{bash};
        my $function = '_' . $program =~ tr/-/_/r;
        my $ask = sub {
            my $words = join ' ', map { "'$_'" } $program, @_;
            my $last = scalar @_;
            return run(['bash', '-c', ". $path; COMP_WORDS=($words) COMP_CWORD=$last; $function; "
                . 'echo "${COMPREPLY[*]}"'])->{out};
        };
        is($ask->('--hel'), "--help\n", "$program: bash completes --hel");
        if ($help =~ /--form=text\|bin/) {
            is($ask->('--form', 'b'), "bin\n", "$program: bash completes --form b");
            is($ask->('--form', '=', 't'), "text\n", "$program: bash completes --form=t");
        }
    }
}
done_testing();
