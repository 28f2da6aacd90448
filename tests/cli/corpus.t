#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Every file of the reader corpus, strictly and leniently. Which files are good and which are not, its manifest
# says; where readers disagree, tests/data/corpus-rules.tsv has our rule (mm-stream(5)): accept, reject, or
# lenient, refused unless --lenient repairs it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my $corpus = ($ENV{MMPIPE_SHARED} // '') . '/data/mm-corpus';
plan skip_all => 'MMPIPE_SHARED names no folder with the corpus' unless -f "$corpus/MANIFEST.tsv";

# Rows of a table as hashes.
sub table {
    my ($path) = @_;
    my ($head, @lines) = grep { !/^#/ } split /\n/, slurp($path);
    my @names = split /\t/, $head;
    return map { my %row; @row{@names} = split /\t/, $_, -1; \%row } @lines;
}

my %rule = map { $_->{file} => $_ } table(source_path('tests/data/corpus-rules.tsv'));
my $scratch = scratch('lenient.mtx');

for my $case (table("$corpus/MANIFEST.tsv")) {
    my ($file, $expect) = @$case{qw(file expect)};
    my $rule = delete $rule{$file};
    my $strict = run(['mm-cat', '--check', "$corpus/$file"]);
    my $lenient = run(['mm-cat', '--lenient', '-o', $scratch, "$corpus/$file"]);
    my $verdict = $expect =~ /^(accept|reject)$/ ? $expect : $rule && $rule->{rule};
    if (!defined $verdict) { fail("$file has a rule"); next }
    if ($verdict eq 'accept') {
        is("$strict->{status}$strict->{err}$strict->{out}", '0', "$file: accepted");
        # A matrix with duplicates is good, and lenient reading adds them up.
        $lenient->{err} = '' if $case->{'own_strict_parser'} =~ /duplicate/;
        is("$lenient->{status}$lenient->{err}", '0', '... and needs no repair');
    } else {
        is($strict->{status}, 3, "$file: refused");
        like($strict->{err}, qr/\Q$file\E.*: \S/, '... with a message');
    }
    if ($verdict eq 'lenient') {
        is($lenient->{status}, 0, '... but not leniently');
        like($lenient->{err}, qr/repaired: \S/, '... which says what it did');
    } elsif ($rule) {
        is($lenient->{status}, $verdict eq 'accept' ? 0 : 3, "... leniently, too: $rule->{reason}");
    }
    # What was repaired is a good matrix for the strict reader.
    is(run(['mm-cat', '--check', $scratch])->{status}, 0, '... and what came out is good') if $lenient->{status} == 0;
}
is(join(' ', sort keys %rule), '', 'every rule is about a file of the corpus');
done_testing();
