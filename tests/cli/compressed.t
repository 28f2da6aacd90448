#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Large matrices in compressed columns or rows are taken from a file as they are (Binsparse, .npz): whatever is done
# with them gives what the same matrix gives that came entry by entry, and what is wrong in the file is refused.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

sub cat { return run(['mm-cat', @_]) }

my $probe = scratch('probe.mtx');
spew($probe, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
plan skip_all => 'there is no library HDF5' if cat('--to', 'binsparse', $probe)->{err} =~ /needs the library/;

# Indices of at least 4 MiB, in 32 bits.
my %made = (
    columns   => 'er 70000 -p 0.00024 --values uniform',
    rows      => 'er 80000 -p 0.0002 --field pattern',
    symmetric => 'er 1700 -p 0.8 --symmetry symmetric --field integer --values int:-300:300',
    diagonal  => 'identity 1100000',
);
my %order = (rows => '--transpose');
my (%binary, %file);
for my $kind (sort keys %made) {
    ($binary{$kind}, $file{$kind}) = (scratch("$kind.bin"), scratch("$kind.bsp.h5"));
    my $order = $order{$kind} // '';
    my $run = run(['sh', '-c', "mm-gen $made{$kind} --form bin --level 0 | mm-cat -q $order --form bin --level 0"
            . " | mm-cat --strip --form bin --level 0 -o $binary{$kind}"]);
    is($run->{status}, 0, "$kind: made") or diag $run->{err};
    is(cat('-q', '--to', 'binsparse', '-o', $file{$kind}, $binary{$kind})->{status}, 0, "$kind: written");
}
my $marks = join ' ', map { slurp($file{$_}) =~ /"format":\s*"(\w+)"/ ? "$_ $1" : $_ } sort keys %file;
is($marks, 'columns CSC diagonal CSC rows CSR symmetric CSC', 'files of compressed columns and rows');

# What comes of the file, and of the entries.
sub compare {
    my ($kind, $file, @options) = @_;
    my ($got, $want) = map { cat('-q', @options, $_) } $file, $binary{$kind};
    ok($got->{status} == 0 && $got->{out} eq $want->{out} && length $want->{out}, "$kind: mm-cat @options") or diag $got->{err};
}
my @options = (
    '', '--form bin --level 0', '--form bin -j4', '--to binsparse', '--to npz', '--to binsparse --where nnz>9',
    '--to binsparse --rename x', '--form bin --transpose', '--to binsparse --transpose',
    '--form bin --general', '--rows 5,9,1 --cols 2:30',
);
for my $kind (sort keys %made) {
    compare($kind, $file{$kind}, split ' ') for $kind eq 'columns' ? @options : @options[0 .. 5];
    is(run(['sh', '-c', "mm-cat --form resident $file{$kind} | mm-cat --form bin | cmp - $binary{$kind}.1"])->{status}, 0,
        "$kind: by way of memory") if cat('--form', 'bin', '-o', "$binary{$kind}.1", $binary{$kind})->{status} == 0;
    is(run(['mm-info', '--columns', 'n,nnz,pattern_symmetry', $file{$kind}])->{out},
        run(['mm-info', '--columns', 'n,nnz,pattern_symmetry', $binary{$kind}])->{out}, "$kind: mm-info");
    is(cat('--check', $file{$kind})->{status}, 0, "$kind: --check");
}
# Neither takes memory for rows and columns, 19 MB here.
is(cat('--memory', '4M', '--check', $file{columns})->{status}, 0, 'it is checked in place');
ok(cat('--memory', '4M', '--to', 'binsparse', $file{columns})->{out} eq slurp($file{columns}), '... and written from there');
ok(cat('-j1', '--memory', '20M', '--form', 'bin', '--level', '0', $file{columns})->{out} eq slurp($binary{columns}), '... in the binary form, too');
# An .npz file has no comments, and no symmetry.
my %packed = map { $_ => scratch("$_.npz") } qw(columns symmetric);
cat('-q', '--to', 'npz', '-o', $packed{$_}, $binary{$_}) for keys %packed;
for my $kind (sort keys %packed) {
    my @general = $kind eq 'symmetric' ? '--general' : ();
    for my $option ('--form text', '--form bin --level 0', '--to binsparse', '--to npz', '--form bin --transpose') {
        my ($got, $want) = map { run(['sh', '-c', "mm-cat -q $_ | mm-cat -q | sed /^%/d"])->{out} } "$option $packed{$kind}", "@general $option $binary{$kind}";
        ok($got eq $want && length $want, "$kind, .npz: mm-cat $option");
    }
}
is(cat('--memory', '16M', '--check', $packed{columns})->{status}, 0, 'an archive is not copied, 14 MB of arrays are made');
ok(cat('--memory', '16M', '--to', 'npz', $packed{columns})->{out} eq slurp($packed{columns}), '... and written');
my ($several, $again) = map { cat('--to', 'binsparse', $file{rows}, $probe, $_)->{out} } $file{columns}, $binary{columns};
ok($several eq $again && length $several, 'several in one file');
my $split = scratch('split');
mkdir $split;
is(cat('--split', "$split/{number}.h5", '--to', 'binsparse', $file{columns}, $file{rows})->{status}, 0, '--split');
ok(slurp("$split/1.h5") eq slurp($file{columns}) && slurp("$split/2.h5") eq slurp($file{rows}), '... the same files');

# Files of others: rows that are in the order of columns too, and entries that are in no order.
my $bytes = slurp($file{diagonal});
spew(scratch('rows.h5'), $bytes =~ s/"CSC"/"CSR"/r);
compare('diagonal', scratch('rows.h5'), '--to', 'binsparse');
compare('diagonal', scratch('rows.h5'), '--form', 'bin');
is(run(['sh', '-c', "mm-gen ones 1100 --field pattern --form bin | mm-cat -q --strip --to binsparse -o " . scratch('full.h5')])->{status}, 0, 'all entries');
my $full = slurp(scratch('full.h5'));
my $place = index $full, pack 'V5', 0 .. 4;
ok($place > 0, '... whose indices are in the file');
sub full { my ($at, @indices) = @_; my $changed = $full; substr $changed, $place + 4 * $at, 4 * @indices, pack 'V*', @indices; spew(scratch('changed.h5'), $changed) }
full(1 + 1100 * 1000, 2, 1);
ok(cat('-q', '--to', 'binsparse', scratch('changed.h5'))->{out} eq $full, 'entries out of order are sorted');
like(cat(scratch('changed.h5'))->{out}, qr/^1 1001\n3 1001\n2 1001\n4 1001\n/m, '... only for a file that needs it');
full(1, 0);
my $twice = cat('-q', '--to', 'binsparse', scratch('changed.h5'));
is($twice->{status}, 1, 'two entries at one position');
like($twice->{err}, qr/two entries at one position/, '... are named');
for my $wrong (1100, 2**31 - 1, 2**31, 2**32 - 1) {
    full(1099999, $wrong);
    my $run = cat('--check', scratch('changed.h5'));
    is($run->{status}, 3, "index $wrong");
    like($run->{err}, qr/row $wrong \(from 0\) exceeds 1099/, '... is refused');
}

# A triangle that has entries of the other one.
my $triangle = slurp($file{symmetric});
$place = rindex $triangle, pack 'V3', 1690 .. 1692;
ok($place > 0, 'a symmetric matrix');
substr $triangle, $place, 4, pack 'V', 0;
spew(scratch('triangle.h5'), $triangle);
my $run = cat('--check', scratch('triangle.h5'));
is($run->{status}, 3, 'an entry above the diagonal');
like($run->{err}, qr/entry \(1, \d+\) \(from 1\) is not for a symmetric matrix/, '... is refused');
spew(scratch('upper.h5'), slurp($file{symmetric}) =~ s/symmetric_lower/symmetric_upper/r =~ s/"CSC"/"CSR"/r);
compare('symmetric', scratch('upper.h5'), '--to', 'binsparse');
compare('symmetric', scratch('upper.h5'), '--form', 'bin');

done_testing;
