#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Sources are as clang-format leaves them, and no unroll macro or name made by a macro is torn from its line.
# Another major version of clang-format breaks lines elsewhere, so only the one that the tree was formatted with
# is asked.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Find;
use Program;
use Test::More;

my $wanted = 14;

my @files;
find({
    no_chdir => 1,
    wanted => sub { push @files, $_ if /\.(?:c|h|cu)$/ && !/_fatbin\.c$/ },
}, map { source_path($_) } qw(bin lib kernels tests pipelines));
@files = sort @files;
cmp_ok(scalar @files, '>', 100, 'sources are found');

# A call whose name a macro makes: clang-format takes the macro for a statement when a line ends behind it.
my @torn;
for my $path (@files) {
    my $text = slurp($path);
    while ($text =~ /^[ \t]+[A-Z][A-Z_0-9]*\([^;{}]*?\)\n[ \t]*\(/mg) {
        my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
        push @torn, "$path:$line";
    }
}
is("@torn", '', 'no call has its name on one line and its arguments on the next');

# Every macro that stands alone before a loop is known to .clang-format, or the loop would lose its indentation.
my %known = map { $_ => 1 } slurp(source_path('.clang-format')) =~ /^  - (\w+)$/mg;
my %unknown;
for my $path (@files) {
    $unknown{$_} = 1 for grep { !$known{$_} } slurp($path) =~ /^[ \t]+([A-Z][A-Z_0-9]+)\n[ \t]*(?:for|while)\b/mg;
}
is(join(' ', sort keys %unknown), '', '.clang-format knows every macro before a loop');

SKIP: {
    my $version = `clang-format --version 2>/dev/null` // '';
    my ($major) = $version =~ /version (\d+)/;
    skip 'no clang-format', 1 if !defined $major;
    skip "clang-format $major, and the tree was formatted with $wanted", 1 if $major != $wanted;
    my $remarks = '';
    while (my @some = splice @files, 0, 100) {
        my $result = run(['clang-format', '--dry-run', @some]);
        $remarks .= $result->{err} . ($result->{status} != 0 ? "status $result->{status}\n" : '');
    }
    my @places = map { s{^\Q@{[source_path('')]}\E}{}r } $remarks =~ /^([^\s:]+:\d+):\d+: warning/mg;
    is(join("\n", @places) . ($remarks ne '' && !@places ? $remarks : ''), '', 'clang-format changes nothing');
}
done_testing();
