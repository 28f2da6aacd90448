#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# mm-cat: transposes, sorts, names, picks and splits; and the manners of all filters at a terminal and with files
# that cannot be.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my %file = map { $_ => source_path("tests/data/$_.mtx") } qw(can_24 bcspwr01 d_ss cage5);
sub cat { return run(['mm-cat', @_]) }
sub cat_text { my ($text, @options) = @_; return run(['mm-cat', @options], input => $text) }
sub matrix { my ($text) = @_; return $text =~ s/^%(?!%MatrixMarket).*\n//mgr }
sub names { my ($text) = @_; return join ' ', $text =~ /^% name: (\S+)/mg }

# --transpose: by the definition, for each kind of storage
my %transposed = (
    "coordinate integer general\n2 3 2\n1 3 5\n2 1 7\n" => "coordinate integer general\n3 2 2\n3 1 5\n1 2 7\n",
    "coordinate real symmetric\n2 2 1\n2 1 7\n" => "coordinate real symmetric\n2 2 1\n2 1 7\n",
    "coordinate integer skew-symmetric\n2 2 1\n2 1 7\n" => "coordinate integer skew-symmetric\n2 2 1\n2 1 -7\n",
    "coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 1 7\n" => "coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 1 -7\n",
    "coordinate pattern general\n2 3 1\n1 3\n" => "coordinate pattern general\n3 2 1\n3 1\n",
    "array integer general\n2 3\n1\n2\n3\n4\n5\n6\n" => "array integer general\n3 2\n1\n3\n5\n2\n4\n6\n",
    "array complex general\n1 2\n1 2\n3 4\n" => "array complex general\n2 1\n1 2\n3 4\n",
    "array real skew-symmetric\n3 3\n1\n2\n3\n" => "array real skew-symmetric\n3 3\n-1\n-2\n-3\n",
    "array real symmetric\n2 2\n1\n2\n3\n" => "array real symmetric\n2 2\n1\n2\n3\n",
    "array real general\n0 3\n" => "array real general\n3 0\n",
);
for my $text (sort keys %transposed) {
    my $run = cat_text("%%MatrixMarket matrix $text", '--transpose');
    is(matrix($run->{out}), "%%MatrixMarket matrix $transposed{$text}", 'transposed: ' . $text =~ s/\n/\\n/gr);
}
is(matrix(cat('--transpose', $file{cage5}, '-o', '-')->{out}) =~ /(.*)/ && matrix(run(['sh', '-c', 'mm-cat --transpose "$1" | mm-cat --transpose', 'sh', $file{cage5}])->{out}),
    matrix(cat($file{cage5})->{out}), 'twice is once');
my $lists = "%%MatrixMarket matrix coordinate pattern general\n% origin.rows: 3 1\n% perm.col_mult: 1 0 2\n2 3 1\n1 3\n";
my $swapped = cat_text($lists, '--transpose')->{out};
like($swapped, qr/^% origin\.cols: 3 1$/m, 'lists of rows become lists of columns');
like($swapped, qr/^% perm\.row_mult: 1 0 2$/m, '... and of columns lists of rows');
unlike($swapped, qr/perm\.col_mult/, '... which are there no longer');

# --sort
my $mixed = "%%MatrixMarket matrix coordinate integer general\n4 3 5\n4 3 1\n1 1 2\n2 3 3\n4 1 4\n1 1 5\n";
is(matrix(cat_text($mixed, '--sort')->{out}), "%%MatrixMarket matrix coordinate integer general\n4 3 5\n1 1 2\n1 1 5\n4 1 4\n2 3 3\n4 3 1\n",
    '--sort: by columns, entries at one position in their order');
is(matrix(cat_text($mixed =~ s/4 3 5/900000000 900000000 5/r, '--sort')->{out}),
    "%%MatrixMarket matrix coordinate integer general\n900000000 900000000 5\n1 1 2\n1 1 5\n4 1 4\n2 3 3\n4 3 1\n", '... of a matrix that is nearly empty');
unlike(cat('--sort', $file{d_ss})->{out}, qr/^% by:/m, '... and nothing changes where all is in order');
is(matrix(cat_text($mixed, '--drop-values', '--sort')->{out}), "%%MatrixMarket matrix coordinate pattern general\n4 3 5\n1 1\n1 1\n4 1\n2 3\n4 3\n", '--drop-values');
is(cat_text("%%MatrixMarket matrix array real general\n1 1\n1\n", '--drop-values')->{status}, 1, '... is none of an array');

# --rename
is(names(cat('--rename', 'x/{number}-{name}', @file{qw(can_24 d_ss)})->{out}), 'x/1-HB/can_24 x/2-Grund/d_ss', '--rename');
is(cat('--rename', '{nam}', $file{can_24})->{status}, 2, '... with a word that is not known');

# --head
is(names(cat('--head', 2, @file{qw(can_24 bcspwr01 d_ss)})->{out}), 'HB/can_24 HB/bcspwr01', '--head');
is(names(cat('--head', 1, '-w', 'n > 30', @file{qw(can_24 bcspwr01 d_ss)})->{out}), 'HB/bcspwr01', '... counts what --where picks');
is(cat('--head', 0, $file{can_24})->{out}, "%%End 0\n", '... of nothing');
is(cat('--head', 1, $file{can_24}, scratch('not there'))->{status}, 0, '... reads no further');
is(names(cat('--limit', 1, @file{qw(can_24 bcspwr01)})->{out}), 'HB/can_24', '--limit is --head');

# --submatrix
my $dense = "%%MatrixMarket matrix array integer general\n2 3\n1\n2\n3\n4\n5\n6\n";
is(matrix(cat_text($dense, '--submatrix', '2,1;3 1')->{out}), "%%MatrixMarket matrix array integer general\n2 2\n6\n5\n2\n1\n", '--submatrix ROWS;COLS');
is(matrix(cat_text($dense, '--submatrix', ';2')->{out}), "%%MatrixMarket matrix array integer general\n2 1\n3\n4\n", '... all rows');
is(matrix(cat_text($dense, '--submatrix', '1;')->{out}), "%%MatrixMarket matrix array integer general\n1 3\n1\n3\n5\n", '... all columns');
spew(scratch('lists'), "1;1\n2;3\n");
is(scalar(() = cat_text($dense, '--submatrix', scratch('lists'))->{out} =~ /^1 1$/mg), 2, '... of a file');
is(cat_text($dense, '--submatrix', '1;1', '--cols', '1')->{status}, 2, '... and --cols contradict each other');
is(cat_text($dense, '--submatrix', '3;1')->{status}, 1, '... an index beyond the matrix');

# --no-marks, and GNU parallel, which takes streams apart at the banners
my $bare = cat('--no-marks', @file{qw(can_24 bcspwr01)})->{out};
is(scalar(() = $bare =~ /^%%MatrixMarket/mg), 2, '--no-marks: both matrices');
unlike($bare, qr/^% record|^%%End/m, '... without marks');
SKIP: {
    skip 'there is no GNU parallel', 1 unless run(['sh', '-c', 'command -v parallel'])->{status} == 0;
    my $run = run(['sh', '-c', 'mm-cat --no-marks "$@" | parallel --will-cite -k --pipe --recstart %%MatrixMarket -N1 mm-info --json', 'sh',
        @file{qw(can_24 bcspwr01 d_ss)}], environment => { HOME => scratch() });
    is(join(' ', $run->{out} =~ /"name": ?"([^"]*)"/g), 'HB/can_24 HB/bcspwr01 Grund/d_ss', '... and parallel gives each to a program of its own')
        or diag $run->{err};
}

# --split
my $folder = scratch('split');
mkdir $folder;
is(cat('--split', "$folder/{name}.mtx", values %file)->{out}, '', '--split writes nothing to standard output');
is(join(' ', map { s{.*/}{}r } sort(bsd_glob("$folder/*"))), 'Grund_d_ss.mtx HB_bcspwr01.mtx HB_can_24.mtx vanHeukelum_cage5.mtx', '... but a file for each matrix');
is(slurp("$folder/HB_can_24.mtx"), cat($file{can_24})->{out}, '... as it was, without marks');
my $evil = "%%MatrixMarket matrix coordinate pattern general\n% name: ../../e vil\$(x);\n1 1 0\n";
is(cat_text($evil, '--split', "$folder/evil/{name}.mtx")->{status}, 2, '... a folder that is not there');
mkdir "$folder/evil";
is(cat_text($evil, '--split', "$folder/evil/{name}.mtx")->{status}, 0, '... a name that is no name of a file');
is(join(' ', map { s{.*/}{}r } bsd_glob("$folder/evil/*")), '_._.._e_vil__x__.mtx', '... is made safe');
my $twice = cat('--split', "$folder/{name}.mtx", $file{can_24}, $file{can_24});
is($twice->{status}, 1, '... two matrices of one name');
like($twice->{err}, qr/HB_can_24\.mtx was written for a matrix before; \{number\}/, '... are not written over each other');
is(cat('--split', "$folder/{number}.zst", '--form', 'bin', $file{can_24}, $file{can_24})->{status}, 0, '... {number} makes them different');
is(run(['mm-diff', "$folder/2.zst", $file{can_24}])->{status}, 0, '... in binary form, too');
is(cat('--split', "$folder/x.mtx", $file{can_24})->{status}, 2, '... a template that gives one name to all');
is(cat('--split', "$folder/{name}", '-o', scratch('x'), $file{can_24})->{status}, 2, '... contradicts -o');
is(cat('--split', "$folder/{name}.npz", '--to', 'npz', @file{qw(can_24 d_ss)})->{status}, 0, '... with --to');
is(run(['mm-diff', "$folder/Grund_d_ss.npz", $file{d_ss}])->{status}, 0, '... writes that format');
mkdir "$folder/half";
my $broken = cat_text("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 0.5\n", '--split', "$folder/half/{name}.graph", '--to', 'metis');
is($broken->{status} . join(' ', bsd_glob("$folder/half/*")), 1, '... leaves nothing of a matrix that failed');

# An output that cannot be is wrong usage, under its own name.
for my $program (qw(mm-cat mm-info)) {
    my $run = run([$program, '-o', scratch('nodir/x'), $file{can_24}]);
    is($run->{status}, 2, "$program -o into a folder that is not there: status 2");
    like($run->{err}, qr/: cannot create \S*nodir\/x: No such file/, '... with the name that was given');
}

# At a terminal
SKIP: {
    skip 'there is no script(1)', 1 unless run(['sh', '-c', 'script -qec true /dev/null'])->{status} == 0;
    my $terminal = sub { return run(['script', '-qec', join(' ', @_), '/dev/null']) };
    for my $options ('--form bin', '--to npy', '--to npz') {
        my $run = $terminal->("mm-cat $options $file{can_24}");
        is($run->{status}, 2, "mm-cat $options does not write to a terminal");
        like($run->{out}, qr/^mm-cat: the output is no text and would go to a terminal: name a file with --output/, '... and says so');
    }
    is($terminal->("mm-spy --png $file{can_24}")->{status}, 2, 'nor does mm-spy --png');
    is($terminal->("mm-cat --to csv $file{can_24}")->{status}, 0, 'text does go there');
    my $waiting = $terminal->('mm-info </dev/tty');
    like($waiting->{out}, qr/^mm-info: reading from the terminal; Ctrl-D/, 'a filter that waits for a terminal says so');
    is(scalar(() = $waiting->{out} =~ /reading from/g), 1, '... once');
    for my $other ('perm-fold', "mm-diff $file{can_24} -", "mm-diff - $file{can_24}") {
        like($terminal->("$other </dev/tty")->{out}, qr/: reading from the terminal; Ctrl-D/, "... $other, too");
    }
    unlike($terminal->("mm-info -q </dev/tty")->{out}, qr/reading from/, '... not with -q');
    unlike($terminal->("mm-info $file{can_24}")->{out}, qr/reading from/, '... not with a file');
}

# A format that is asked for is written whatever the form of streams is.
my $plain = "%%MatrixMarket matrix array integer general\n2 1\n3\n4\n";
for my $form (qw(text bin resident)) {
    my $csv = run(['sh', '-c', "MMPIPE_FORM=$form mm-cat --to csv | cat"], input => $plain);
    is($csv->{out}, run([qw(mm-cat --to csv)], input => $plain)->{out}, "--to with MMPIPE_FORM=$form: the same bytes");
}
done_testing();
