#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# flip-check: published schemes are right over what their authors say, broken ones are not; formats in and out.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Compress::Zlib;
use JSON::PP;
use Program;
use Test::More;

my $strassen = slurp(source_path('tests/data/strassen.exp'));

sub rows {
    my ($text) = @_;
    my ($head, @lines) = split /\n/, $text;
    my @keys = split /\t/, $head;
    return map { my %row; @row{@keys} = split /\t/; \%row } @lines;
}

sub check {
    my ($input, @options) = @_;
    return run(['flip-check', @options], input => $input);
}

my ($row) = rows(check($strassen)->{out});
is("@$row{qw(format rank field valid over additions than_known)}", '2x2x2 7 Z yes Z,F2 18 equal', 'Strassen');
is($row->{types}, '1-1-1:6,2-2-2:1', '... the ranks of its factors');
is("@$row{qw(cyclic transposed shared_additions)}", 'yes no 18', '... its symmetry, and no sum to share');
is((rows(check($strassen, '--modulus', 12)->{out}))[0]{over}, 'Z,F2,Z/12', '--modulus');
is(decode_json(check($strassen, '--json')->{out})->{rank}, 7, '--json');
is((rows(check(Compress::Zlib::memGzip($strassen))->{out}))[0]{rank}, 7, 'compressed');

# Broken ones.
my $record = check($strassen, qw(--export mm))->{out};
like($record, qr/^% scheme: 2x2x2\n% scheme.field: Z\n/m, 'a record');
my $broken = check($record =~ s/^(\d+ 3) -?1$/$1 2/mr);
is($broken->{status}, 1, 'a wrong coefficient: status 1');
is((rows($broken->{out}))[0]{valid}, 'no', '... valid: no');
like($broken->{err}, qr/record 1: wrong: a_\d_\d b_\d_\d c_\d_\d has the coefficient/, '... and which it is');
is(check($record =~ s/^(\d+ 3) -?1$/$1 2/mr, qw(--export m))->{out}, '', 'a wrong scheme is not written');
is(check($record =~ s/2x2x2/2x2x3/r)->{status}, 3, 'a format that does not fit: status 3');
is(check($record =~ s/field: Z/field: R/r)->{status}, 3, 'an unknown field: status 3');
is(check($record =~ s/^(12 7) 36/$1 37/mr =~ s/\z/12 7 1\n/r)->{status}, 1, 'two entries at one place: status 1');
is(check($strassen =~ s/c11\)\n\z/c1)\n/r)->{status}, 3, 'a damaged product: status 3');
is(check("(a11)*(b11)\n")->{status}, 3, 'a product of two: status 3');

# Out and in again; linear forms come in the order of their entries.
my $sorted = $strassen =~ s/\(b21-b11\)/(-b11+b21)/r =~ s/\(c21-c11\)/(-c11+c21)/r =~ s/\(a21-a11\)/(-a11+a21)/r;
for my $format (qw(exp m json npz mpl mm)) {
    my $out = check($record, '--export', $format);
    is("$out->{status} $out->{err}", '0 ', "--export $format");
    is(check($out->{out}, qw(--export exp))->{out}, $sorted, '... and in again');
}
for my $format (qw(exp m json npz mpl)) {
    my $scheme = run([qw(mm-gen scheme 2x3x4)])->{out};
    my $back = check(check($scheme, '--export', $format)->{out}, qw(--export mm));
    is($back->{out} =~ s/^% (name|by|gen\.\w+):.*\n//mgr, check($scheme, qw(--export mm))->{out} =~ s/^% (name|by|gen\.\w+):.*\n//mgr,
        "--export $format: not square, and in again");
}
is(() = check($record, qw(--export npz))->{out} =~ /\x93NUMPY\x01\x00v\x00\{[^}]*\} +\n/g, 1, '--export npz: the header ends in spaces and a newline, as NumPy has it');
is(run([qw(flip-check --export exp), source_path('tests/data/strassen.npz')])->{out}, $sorted,
    'u, v and w of other types and orders, turned, not in order');
is(check($record . $record, qw(--export exp))->{status}, 1, 'two schemes in one file: status 1');
is(() = check($record . $record, qw(--export json))->{out} =~ /\n/g, 2, '... as JSON they are two lines');
is(check($record, qw(--export json --json))->{status}, 2, 'no verdicts with --export: status 2');

# A stream of a scheme among matrices; the standard algorithm.
my $mixed = run(['sh', '-c', 'cat; mm-gen er 5 | grep -v ^%%End'], input => $record)->{out};
is(scalar(rows(check($mixed)->{out})), 1, 'matrices are passed over');
($row) = rows(run(['sh', '-c', 'mm-gen scheme 3x4x5 | flip-check'])->{out});
is("@$row{qw(format rank valid over additions cyclic known than_known)}", '3x4x5 60 yes Z,F2 45 no 47 worse',
    'the standard algorithm');

($row) = rows(run(['sh', '-c', 'mm-gen scheme 2x3x2 | flip-check'])->{out});
is("@$row{qw(cyclic transposed types)}", 'no yes 1-1-1:12', '... stays the same when transposed');

# What flipwalk found.
for my $file (bsd_glob(source_path('tests/data/schemes') . '/*.mtx')) {
    my ($name, $format, $rank) = $file =~ m{(([x\d]+)-(\d+))\.mtx$} or die;
    ($row) = rows(run(['flip-check', $file])->{out});
    is("@$row{qw(format rank field valid than_known)}", "$format $rank F2 yes equal", $name);
}

# What others published, against a check made without this program.
SKIP: {
    my $folder = ($ENV{MMPIPE_SHARED} // '') . '/data/schemes';
    skip 'the published schemes are not here (MMPIPE_SHARED)', 1 unless -f "$folder/VERIFY.csv";
    my (%files, %known);
    for (split /\n/, slurp("$folder/VERIFY.csv")) {
        my ($file, $member, $n, $m, $p, $rank, $whole, $f2) =
            /^([^,:]+)(:\d+,\d+,\d+\.npy)?,(\d+),(\d+),(\d+),(\d+),(\w+),(\w+),/ or next;
        next unless -f "$folder/$file";
        $files{$file} = 1;
        push @{ $known{$file} }, join ' ', "${n}x${m}x$p", $rank, map { $_ eq 'ok' ? 'yes' : 'no' } $whole, $f2;
    }
    my ($count, @differ) = (0);
    for my $file (sort keys %files) {
        my $out = run(['flip-check', "$folder/$file"]);
        my @got = map {
            my %over = map { $_ => 1 } split /,/, $_->{over};
            join ' ', @$_{qw(format rank)}, $over{Z} || $over{Q} ? 'yes' : 'no', $over{F2} ? 'yes' : 'no';
        } rows($out->{out});
        $count += @got;
        push @differ, "$file: @got" if $out->{status} != 0 || join(',', sort @got) ne join(',', sort @{ $known{$file} });
    }
    is(join("\n", @differ), '', "$count published schemes are right over what they are said to be");
}
done_testing();
