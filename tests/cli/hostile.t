#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Inputs that are small and ask for much, and names that a terminal would obey.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-cat mm-info perm-gpu);

# ---- runs of blank lines, anywhere, of any kind: the same matrix, and lines counted right ----

my $plain = "%%MatrixMarket matrix coordinate integer general\n3 3 3\n1 1 4\n2 2 5\n3 3 6\n";
my @lines = split /^/, $plain;
for my $blank ("\n", "\r\n", " \t\n", "\n \n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n") {
    for my $behind (1 .. $#lines) {
        for my $times (1, 33, 20_000) {
            my $input = join '', @lines[0 .. $behind - 1], $blank x $times, @lines[$behind .. $#lines];
            my $run = run(['mm-cat', '-j1'], input => $input);
            is("$run->{status} $run->{out}", "0 $plain", "$times blank lines behind line $behind") or last;
            my $wrong = run(['mm-cat', '-j1'], input => $input =~ s/3 3 6/3 4 6/r);
            my $line = 5 + ($behind <= 4 ? $times * ($blank =~ tr/\n//) : 0);
            like($wrong->{err}, qr/line $line: /, '... a mistake behind them has its line');
        }
    }
}
# Without looking at each of them again for each: this takes hours otherwise, or a second.
my $many = $lines[0] . $lines[1] . $lines[2] . ("\n" x 30_000_000) . $lines[3] . (" \r\n" x 1_000_000) . $lines[4] . ("\n" x 1_000_000);
is(run(['mm-cat'], input => $many)->{out}, $plain, 'tens of millions of blank lines');

# ---- comments ----

my $comments = "%%MatrixMarket matrix coordinate pattern general\n" . ('% ' . 'x' x 1000 . "\n") x 70_000 . "1 1 1\n1 1\n";
my $run = run(['mm-cat'], input => $comments);
is("$run->{status} $run->{out}", '3 ', 'more than 64 MiB of comments: refused');
like($run->{err}, qr/record 1, line \d+: more than 64 MiB of comments/, '... with the reason');

# ---- control characters ----

my %names = ("a\x1b[31mb" => 'a\x1b[31mb', "a\nb" => 'a\nb', "a\tb" => 'a\tb', "a\x7fb" => 'a\x7fb',
    "a\xc2\x9b31mb" => 'a\u009b31mb', "a\xc2\x80\xc2\x9fb" => 'a\u0080\u009fb', "a\x9bb" => 'a\x9bb',
    "a\xe2\x80\xaeb" => 'a\u202eb', "a\xe2\x81\xa6b" => 'a\u2066b', "a\xe2\x80\xa8b" => 'a\u2028b',
    "a\xc3\x9cb" => "a\xc3\x9cb", "a\xe4\xb8\xadb" => "a\xe4\xb8\xadb", "a\xf0\x9f\x98\x80b" => "a\xf0\x9f\x98\x80b", "a\xe9b" => "a\xe9b");
mkdir scratch('names') or die;
for my $name (sort keys %names) {
    my $path = scratch("names/$name");
    spew($path, "%%MatrixMarket matrix array integer general\n1 1\nx\n");
    my $run = run(['mm-cat', "names/$name"], directory => scratch());
    is($run->{err} =~ s/: record.*//sr, "mm-cat: names/$names{$name}", "a message escapes a name as $names{$name}");
    spew($path, "%%MatrixMarket matrix array integer general\n1 1\n1\n");
    my $shown = $names{$name} eq $name ? $name : 'a' . join('', map { /\A\\/ ? '?' : $_ } $names{$name} =~ /\A a (.*) \z/x ? $1 =~ /(\\x..|\\u....|\\[nt]|.)/gs : ());
    my $line = run(['perm-gpu', "names/$name"], directory => scratch());
    is($line->{out}, "$shown\t1\n", '... and a line has ? for each');
}
done_testing();
