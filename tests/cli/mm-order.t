#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# mm-order: permuted and back again; the order by degree; the metadata.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

sub pipe_through {
    my ($input, $command) = @_;
    my $run = run(['sh', '-c', $command], input => $input);
    is("$run->{status} $run->{err}", '0 ', "$command: status 0, nothing on stderr");
    return $run->{out};
}

sub canonical { return join '', sort { $a cmp $b } split /^/, $_[0] }

for my $name (qw(cage5 d_ss impcol_b curtis54)) {
    my $text = slurp(source_path("tests/data/$name.mtx"));
    my $same = pipe_through($text, 'mm-cat');
    for my $for (qw(frontier degree perm amd colamd metis rcm spmm partition levels)) {
        my $steps = $for eq 'frontier' ? '--steps 100000' : '';
        is(pipe_through($text, "mm-order --for $for $steps | mm-order --invert"), $same,
            "$name for $for and back: the bytes of mm-cat");
    }
    is(pipe_through($text, 'mm-order --for degree | mm-dm | mm-order --for degree | mm-order --invert')
        =~ s/^%.*\n//mgr, run(['mm-cat', '--drop-zeros'], input => $text)->{out} =~ s/^%.*\n//mgr,
        "$name through several permutations and back: the same matrix");
}

# A symmetric matrix comes back with its symmetry expanded.
my $symmetric = "%%MatrixMarket matrix coordinate complex hermitian\n% name: H\n3 3 3\n1 1 2 0\n2 1 1 -1\n3 2 0 5\n";
is(canonical(pipe_through($symmetric, 'mm-order --for degree | mm-order --invert')),
    canonical(run([qw(mm-cat --general)], input => $symmetric)->{out} =~ s/^% by:.*\n//mgr),
    'hermitian and back: general');

my $matrix = "%%MatrixMarket matrix coordinate integer general\n% name: D\n3 4 6\n"
    . "1 1 5\n2 1 6\n3 1 7\n1 2 0\n1 3 8\n2 3 9\n";
my $ordered = pipe_through($matrix, 'mm-order --for degree');
# Nonzeros in columns 1 to 4: 3 0 2 0; in rows 1 to 3: 2 2 1.
like($ordered, qr/^% order.for: degree\n% origin.rows: 3 1 2\n% origin.cols: 2 4 3 1\n/m, 'by degree: the order');
like($ordered, qr/^3 4 6\n2 1 0\n2 3 8\n3 3 9\n1 4 7\n2 4 5\n3 4 6\n\z/m, '... and the matrix, its explicit zero too');

my $bcspwr02 = source_path('tests/data/bcspwr02.mtx');
my $first = run(['mm-order', '--for', 'frontier', '--seed', '5', $bcspwr02]);
is($first->{out}, run(['mm-order', '--seed', '5', '-j4', $bcspwr02])->{out} =~ s/ --seed/ --for frontier --seed/r,
    'frontier is the default; the same seed, the same bytes');
like($first->{out}, qr/^% order.for: frontier\n% order.by: (?:rows|columns)\n% order.width: \d+\n/m, '... metadata');

# A path through 1 4 2 5 3: bandwidth 1 is possible; and columns 3, 1, 2 of a permanent order.
my $path = "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n4 1\n4 2\n5 2\n5 3\n";
my @entries = grep { /^\d+ \d+$/ } split /\n/, pipe_through($path, 'mm-order --for rcm');
is(scalar(grep { my ($i, $j) = split; abs($i - $j) != 1 } @entries), 0, 'rcm: a path has bandwidth 1');
my $steps = "%%MatrixMarket matrix coordinate pattern general\n3 3 5\n1 1\n2 1\n2 2\n3 2\n2 3\n";
like(pipe_through($steps, 'mm-order --for perm'),
    qr/^% order.for: perm\n% origin.rows: 2 1 3\n% origin.cols: 3 1 2\n% order.c: 3\n% order.k: 3\n/m, 'perm: rows, columns, c and k');

# A column with 100 of 120 rows before one with a single entry. In this order the first column needs more sums than a thread has
# registers for, 240 of 255 and 32 others; in the permanent order the single entry comes first: 1632 threads at a cost of
# (2 + 119 * 16) / 2 = 953 beside 256 at 202 * 3/4 + 19 * 16/4 = 227.5.
my $arrow = "%%MatrixMarket matrix coordinate pattern general\n120 2 101\n" . join '', map({ "$_ 1\n" } 21 .. 120), "1 2\n";
like(pipe_through($arrow, 'mm-order --for partition'), qr/^% order.for: partition\n% order.c: 0\n% order.k: 0\n/m, 'partition: as the columns are');
like(pipe_through($arrow, 'mm-order --for perm'), qr/^% order.c: 1\n% order.k: 1\n/m, '... beside that of their order');
unlike(pipe_through($arrow, 'mm-order --for partition'), qr/origin/, '... nothing moves');

is(pipe_through($path, 'mm-cat | mm-order --for partition | mm-order --invert'), pipe_through($path, 'mm-cat'), '... and undone: symmetric as before');
my $both = pipe_through($arrow, 'mm-order --for degree | mm-order --for partition | mm-order --invert');
unlike($both, qr/origin|order\./, 'an order with a partition after it: undone, too');
is(run(['mm-order', '--invert'], input => $both)->{status}, 1, '... once');

# Rows 1, 5, 9, ... have the same columns, and so have 2, 6, 10, ...; a product goes back to its order.
my $mixed = "%%MatrixMarket matrix coordinate pattern general\n128 32 1024\n"
    . join '', map { my $i = $_; map { "$i " . (4 * $_ - $i % 4) . "\n" } 1 .. 8 } 1 .. 128;
my $for_spmm = pipe_through($mixed, 'mm-order --for spmm');
like($for_spmm, qr/^% order.for: spmm\n% order.by: overlap\n% order.gain: 4\n/m, 'spmm: four kinds of rows');
spew(scratch('mixed.mtx'), $mixed);
my $products = run(['sh', '-c', 'spmm-tc -n 2 ' . scratch('mixed.mtx') . ' > ' . scratch('product.mtx')
    . '; mm-order --for spmm ' . scratch('mixed.mtx') . ' | spmm-tc -n 2 | mm-order --invert | mm-diff - '
    . scratch('product.mtx')]);
is("$products->{status} $products->{err}", '0 ', '... and a product put back in order');
# A band of five: tables over few columns, in either direction.
my $band = "%%MatrixMarket matrix coordinate pattern general\n% name: B\n20 20 94\n"
    . join '', map { my $i = $_; map { "$i $_\n" } grep { $_ > 0 && $_ < 21 } $i - 2 .. $i + 2 } 1 .. 20;
my $levels = pipe_through($band, 'mm-order --for levels');
like($levels, qr/^% order.for: levels\n% order.by: (?:rows|columns)\n% order.low: \d+\n% order.sliced: \d\n/m, 'levels: metadata');
cmp_ok($levels =~ /^% order.operations: (\S+)/m ? $1 : 40, '<', 4, '... a subset takes less than a tenth of 2 n');
cmp_ok($levels =~ /^% order.low: (\d+)/m ? $1 : 0, '>', 10, '... most columns are low');
is(pipe_through($band, 'mm-order --for levels | perm-gpu'), pipe_through($band, 'perm-gpu'), '... the permanent stays');
my $empty = run([qw(mm-order --for levels)], input => "%%MatrixMarket matrix coordinate pattern general\n9 9 1\n1 1\n");
is($empty->{status}, 1, 'levels with an empty row: status 1');
like($empty->{err}, qr/a row or column is empty/, '... with a message');
for my $case ([63, 0], [64, 1], ['9x12', 1], ['12x9', 1]) {
    my ($shape, $status) = @$case;
    my $run = run([qw(mm-order --for levels)], input => run(['mm-gen', 'er', $shape, $shape =~ /x/ ? qw(-p 0.6) : qw(-p 0.03 --diagonal), qw(--seed 1)])->{out});
    is($run->{status}, $status, "levels of order $shape: status $status") or diag $run->{err};
    like($run->{err}, qr/needs a square matrix of order 63 or less/, '... with the reason') if $status;
}
my $wide = "%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 1\n";
my $refused = run(['mm-order'], input => $wide);
is($refused->{status}, 1, 'a frontier for a matrix that is not square: status 1');
like($refused->{err}, qr/square/, '... with a message');
is(run(['mm-order', '--invert'], input => $wide)->{status}, 1, '--invert without a permutation: status 1');
my $block = run(['sh', '-c', "mm-dm --blocks '$bcspwr02' | mm-order --for degree | mm-order --invert"]);
is($block->{status}, 0, 'a block that is the whole matrix can be put back');
my $part = run(['sh', '-c', "mm-dm --blocks '" . source_path('tests/data/impcol_b.mtx') . "' | mm-order --invert"]);
is($part->{status}, 1, '... a part of one cannot');
my $sparse = "%%MatrixMarket matrix coordinate pattern general\n1000000000 1000000000 1\n5 7\n";
for my $method (qw(frontier degree perm amd colamd metis rcm spmm)) {
    my $large = run(['mm-order', '--for', $method, '--memory', '8G'], input => $sparse);
    is("$large->{status}|$large->{out}", '4|', "$method: more lines than memory: status 4");
    like($large->{err}, qr/1000000000 rows and 1000000000 columns: about \S+ bytes are needed/, '... with a message');
}
is(run(['mm-order', '--restarts', '0'], input => $wide)->{status}, 2, '--restarts 0: status 2');

# METIS catches SIGTERM and goes on without an order. A stop in the middle of it is one as everywhere else.
my $grid = scratch('grid.bin');
is(run([qw(mm-gen stencil 60x60x60 --form bin -o), $grid])->{status}, 0, 'a matrix that keeps METIS busy');
for my $case (['dies of it', 0, 15], ['status 5', 5, 0, '--checkpoint', scratch('state')]) {
    my ($what, $status, $signal, @more) = @$case;
    my $to = scratch('ordered.bin');
    my $handle = start([qw(mm-order --for metis -j1 --form bin -o), $to, @more, $grid]);
    wait_for_handler($handle->{pid});
    my $is_in_metis = 0;
    wait_until(sub {
        kill USR1 => $handle->{pid};
        $is_in_metis = slurp($handle->{err_path}) =~ /: METIS: /;
        return $is_in_metis || slurp("/proc/$handle->{pid}/stat") =~ /\) Z/;
    });
    select undef, undef, undef, 0.3; # its handler is not there from the first moment on
    kill TERM => $handle->{pid} if $is_in_metis;
    my $ended = finish($handle);
    SKIP: {
        skip 'METIS was over before a signal came', 2 if !$is_in_metis || "$ended->{status}/$ended->{signal}" eq '0/0' && -s $to && order_is_whole($to);
        is("$ended->{status}/$ended->{signal}", "$status/$signal", "SIGTERM inside METIS: $what") or diag $ended->{err};
        is(join(' ', map { s{.*/}{}r } bsd_glob("$to*")), '', '... and no output is left');
    }
    unlink $to;
}
# Whether the matrix goes back to what it was: METIS had come to its end.
sub order_is_whole {
    my ($path) = @_;
    return run(['sh', '-c', "mm-order --invert $path | mm-diff - $grid"])->{status} == 0;
}
done_testing();
