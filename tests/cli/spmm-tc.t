#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# spmm-tc: products beside sums in Perl for every kind of input; shapes and ranges refused; lines.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

$ENV{MMPIPE_CACHE} = scratch('cache');
my $seed = $ENV{MMPIPE_TEST_SEED} // 20261121;
srand($seed);
note "seed $seed";

# A matrix of small integers as [nrow, ncol, {"i j" => value}].
sub draw {
    my ($nrow, $ncol, $p) = @_;
    my %entry;
    for my $i (1 .. $nrow) {
        for my $j (1 .. $ncol) { $entry{"$i $j"} = int(rand 19) - 9 || 1 if rand() < $p }
    }
    return [$nrow, $ncol, \%entry];
}

sub coordinate {
    my ($a, $banner, $comments) = @_;
    my @keys = keys %{ $a->[2] };
    return "%%MatrixMarket matrix coordinate $banner\n" . ($comments // '') . "$a->[0] $a->[1] " . @keys . "\n"
        . join('', map { $banner =~ /^pattern/ ? "$_\n" : "$_ $a->[2]{$_}\n" } @keys);
}

sub array {
    my ($a) = @_;
    my $text = "%%MatrixMarket matrix array integer general\n$a->[0] $a->[1]\n";
    for my $j (1 .. $a->[1]) { $text .= join '', map { ($a->[2]{"$_ $j"} // 0) . "\n" } 1 .. $a->[0] }
    return $text;
}

# alpha A B + beta C, column by column, as the array's lines.
sub product {
    my ($a, $b, $alpha, $beta, $c) = @_;
    my %row;
    for (keys %{ $a->[2] }) { my ($i, $k) = split; $row{$i}{$k} = $a->[2]{$_} }
    my $text = "$a->[0] $b->[1]\n";
    for my $j (1 .. $b->[1]) {
        for my $i (1 .. $a->[0]) {
            my $sum = 0;
            $sum += $row{$i}{$_} * ($b->[2]{"$_ $j"} // 0) for keys %{ $row{$i} };
            $sum = ($alpha // 1) * $sum + ($beta // 0) * ($c ? $c->[2]{"$i $j"} // 0 : 0);
            $text .= ($sum + 0) . "\n";
        }
    }
    return $text;
}

sub transposed {
    my ($a) = @_;
    return [$a->[1], $a->[0], { map { my ($i, $j) = split; ("$j $i" => $a->[2]{$_}) } keys %{ $a->[2] } }];
}

# The lines of a product without banner, comments, marks and signs of zeros.
sub numbers { return join '', map { s/^-0$/0/r } grep { !/^%/ } map { "$_\n" } split /\n/, $_[0] }

my ($b_file, $c_file, $a_file) = map { scratch($_) } qw(B.mtx C.mtx A.mtx);
sub multiply {
    my ($a_text, @options) = @_;
    my $run = run(['spmm-tc', '-B', $b_file, @options], input => $a_text);
    is("$run->{status} $run->{err}", '0 ', "@options: status 0, nothing on stderr");
    return numbers($run->{out});
}

# Shapes; integers, so that every precision is exact.
for my $shape ([1, 1, 1], [7, 5, 3], [20, 33, 17], [40, 9, 65], [3, 70, 1], [0, 4, 3], [4, 0, 3], [4, 3, 0]) {
    my ($m, $k, $n) = @$shape;
    my ($a, $b, $c) = (draw($m, $k, 0.3), draw($k, $n, 0.8), draw($m, $n, 0.9));
    my $title = "${m}x$k times ${k}x$n";
    spew($b_file, array($b));
    spew($c_file, array($c));
    my $text = coordinate($a, 'integer general');
    is(multiply($text), product($a, $b), "$title: fp64");
    for my $precision (qw(fp16 bf16 tf32 3xtf32 fp32)) {
        is(multiply($text, '-p', $precision), product($a, $b), "$title: $precision");
    }
    for my $kernel (qw(ref portable)) {
        is(multiply($text, '--kernel', $kernel), product($a, $b), "$title: $kernel");
    }
    is(multiply(coordinate(transposed($a), 'integer general'), '-t'), product($a, $b), "$title: transposed");
    is(multiply($text, '--alpha', '-2', '--beta', '0.5', '-C', $c_file), product($a, $b, -2, 0.5, $c),
        "$title: alpha and beta");
    spew($b_file, coordinate($b, 'real general'));
    is(multiply($text), product($a, $b), "$title: a sparse B");
    is(multiply(array($a)), product($a, $b), "$title: A as an array");
}

# Powers: of integers, and the same numbers as from programs one after the other, whatever the rounding.
{
    my ($a, $b, $c) = (draw(15, 15, 0.2), draw(15, 4, 0.9), draw(15, 4, 0.9));
    my $text = coordinate($a, 'integer general');
    spew($b_file, array($b));
    spew($c_file, array($c));
    my $powered = $b;
    for my $k (1 .. 4) {
        my @column = split /\n/, product($a, $powered);
        shift @column;
        my $before = $powered;
        $powered = [15, 4, { map { my ($i, $j) = ($_ % 15 + 1, int($_ / 15) + 1); ("$i $j" => $column[$_]) } 0 .. 59 }];
        is(multiply($text, '--power', $k), product($a, $before), "A^$k B");
        is(multiply($text, '--power', $k, '--alpha', -2, '--beta', 0.5, '-C', $c_file),
            product($a, $before, -2, 0.5, $c), "... alpha and beta belong to the last product");
    }
    my $real = run([qw(mm-gen er 60 --p 0.1 --seed 4)])->{out};
    spew($a_file, $real);
    for my $precision (qw(fp16 bf16 tf32 3xtf32 fp32 fp64)) {
        my $chain = run(['bash', '-c', "spmm-tc -n 5 -p $precision $a_file | spmm-tc -B - -p $precision $a_file | spmm-tc -B - -p $precision $a_file"]);
        my $power = run(['spmm-tc', '-n', 5, '-p', $precision, '--power', 3, $a_file]);
        is(numbers($power->{out}), numbers($chain->{out}), "$precision: the third power as three programs make it");
        isnt(numbers($chain->{out}), '', '... which make one');
    }
    my $wide = run(['spmm-tc', '-n', 2, '--power', 2], input => "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n");
    is($wide->{status}, 1, '--power of a matrix that is not square: status 1');
    like($wide->{err}, qr/not square but 2 by 3/, '... with the reason');
    is(run([qw(spmm-tc -n 2 --power 0)], input => $real)->{status}, 2, '--power 0: status 2');
    is(run([qw(spmm-tc -n 2 --power 2 --bench)], input => $real)->{status}, 2, '--power with --bench: status 2');
    my $huge = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 60000\n";
    my $over = run([qw(spmm-tc -n 1 -p fp16 --power 3)], input => $huge);
    is($over->{status}, 1, 'a product on the way beyond the range: status 1');
}

# Symmetries and patterns.
my $lower = draw(12, 12, 0.4);
my %all = %{ $lower->[2] };
for my $key (keys %all) { my ($i, $j) = split ' ', $key; delete $all{$key} if $i < $j }
my $b = draw(12, 5, 1);
spew($b_file, array($b));
for my $kind (['symmetric', 1], ['skew-symmetric', -1]) {
    my ($word, $sign) = @$kind;
    my %stored = map { my ($i, $j) = split; $sign < 0 && $i == $j ? () : ($_ => $all{$_}) } keys %all;
    my %full = %stored;
    for (keys %stored) { my ($i, $j) = split; $full{"$j $i"} = $sign * $stored{$_} if $i != $j }
    is(multiply(coordinate([12, 12, \%stored], "integer $word")), product([12, 12, \%full], $b), $word);
}
my %ones = map { $_ => 1 } keys %all;
is(multiply(coordinate([12, 12, \%ones], 'pattern general')), product([12, 12, \%ones], $b), 'a pattern has ones');
my $hermitian = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 1 1\n";
my $refused = run(['spmm-tc', '-n', 2], input => $hermitian);
is($refused->{status}, 1, 'complex: status 1');
like($refused->{err}, qr/record 1: complex numbers are not supported here/, '... with a message');

# Streams: several A, several B, one C or as many.
my @a = map { draw($_, 6, 0.5) } 3, 8;
my @b = map { draw(6, $_, 1) } 2, 2, 5;
spew(scratch("A$_.mtx"), coordinate($a[$_], 'integer general', "% name: A$_\n")) for 0, 1;
spew(scratch("B$_.mtx"), array($b[$_])) for 0 .. 2;
my $made = run(['sh', '-c', 'mm-cat ' . join(' ', map { scratch("B$_.mtx") } 0 .. 2) . " > $b_file; mm-cat "
    . join(' ', map { scratch("A$_.mtx") } 0, 1) . " > $a_file"]);
is("$made->{status} $made->{err}", '0 ', 'streams');
my $run = run(['spmm-tc', '-B', $b_file, $a_file]);
is(numbers($run->{out}), join('', map { my $a = $_; map { product($a, $_) } @b } @a), 'each A with each B in turn');
is(join(' ', $run->{out} =~ /^% (?:name|spmm.side): (\S+)/mg), 'A0 1 A0 2 A0 3 A1 1 A1 2 A1 3', '... name and side');
is(run(['spmm-tc', '-j4', '-B', $b_file, $a_file])->{out}, run(['spmm-tc', '-j1', '-B', $b_file, $a_file])->{out},
    '... the same bytes on one and four threads');
my @c = map { draw(3, $_, 1) } 2, 2, 5;
spew(scratch("C$_.mtx"), array($c[$_])) for 0 .. 2;
run(['sh', '-c', 'mm-cat ' . join(' ', map { scratch("C$_.mtx") } 0 .. 2) . " > $c_file"]);
is(multiply(slurp(scratch('A0.mtx')), '--beta', 3, '-C', $c_file),
    join('', map { product($a[0], $b[$_], 1, 3, $c[$_]) } 0 .. 2), 'a C for each B');
is(run(['spmm-tc', '-B', $b_file, '-C', scratch('C0.mtx'), '--beta', 1, scratch('A0.mtx')])->{status}, 1,
    'one C that does not fit the third B: status 1');

# Shapes that do not fit, with the places of both.
my $wrong = run(['spmm-tc', '-B', $c_file, $a_file]);
is($wrong->{status}, 1, 'B with too few rows: status 1');
is($wrong->{err}, "spmm-tc: $a_file: matrix A0, record 1: -B: $c_file: record 1 has 3 rows, not 6\n", '... with the places');
$wrong = run(['spmm-tc', '-B', scratch('B0.mtx'), '-C', scratch('B0.mtx'), '--beta', 1, $a_file]);
is($wrong->{err}, "spmm-tc: $a_file: matrix A0, record 1: -C: " . scratch('B0.mtx') . ": record 1 has 6 rows, not 3\n", 'and of C');
spew($c_file, "%%MatrixMarket matrix array real general\n6 1\n1\n1\n1\n70000\n1\n1\n");
$wrong = run(['spmm-tc', '-p', 'fp16', '-B', $c_file, $a_file]);
is("$wrong->{status} $wrong->{err}", "1 spmm-tc: $c_file: record 1: row 4 has a number beyond the range of fp16\n",
    'a number of B beyond fp16');
$wrong = run(['spmm-tc', '-p', 'fp16', '-n', 1], input => "%%MatrixMarket matrix array real general\n1 1\n1e5\n");
like($wrong->{err}, qr/record 1: 100000 exceeds the range of fp16/, '... and one of A');
is(run(['spmm-tc', '-p', 'bf16', '-B', $c_file, $a_file])->{status}, 0, '... which bf16 has');

# Finite numbers whose products or sums are beyond the range of the sums.
sub refused {
    my ($what, $options, $text, $numbers, $range, $place) = @_;
    my $run = run(['spmm-tc', '-B', $b_file, @$options], input => $text);
    is("$run->{status} $run->{out}", '1 ', "$what: status 1, nothing on stdout");
    like($run->{err}, qr/record 1: $numbers of the product exceed the range of $range, the first at row $place(?!\d)/,
        '... with the count and the place');
    return $run;
}
my %largest = (fp16 => [60000, 'fp32'], bf16 => ['1e30', 'fp32'], tf32 => ['1e30', 'fp32'], '3xtf32' => ['1e30', 'fp32'],
    fp32 => ['1e30', 'fp32'], fp64 => ['1e200', 'fp64']);
my $three = "%%%%MatrixMarket matrix coordinate real general\n%% name: three\n3 2 3\n1 1 1\n2 2 %s\n3 1 -%s\n";
for my $precision (sort keys %largest) {
    my ($x, $range) = @{ $largest{$precision} };
    my $text = sprintf $three, $x, $x;
    # 60000 squared is 3.6e9, far from the end of single precision; a factor brings it there.
    my @options = ('-p', $precision, $precision eq 'fp16' ? ('--alpha', '1e33') : ());
    spew($b_file, "%%MatrixMarket matrix array real general\n2 2\n1\n1\n1\n$x\n");
    refused($precision, \@options, $text, '1 of the 6 numbers', $range, '2, column 2');
    for my $kernel (qw(ref portable)) {
        refused("$precision, $kernel", [@options, '--kernel', $kernel], $text, '1 of the 6 numbers', $range, '2, column 2');
    }
    my $allowed = run(['spmm-tc', '--allow-overflow', '-B', $b_file, @options], input => $text);
    is($allowed->{status}, 0, '... --allow-overflow: status 0');
    like($allowed->{err}, qr/^spmm-tc: three: 1 of the 6 numbers of the product exceed the range of $range/, '... a remark');
    my @written = grep { !/^%/ } split /\n/, $allowed->{out};
    is("$written[0] $written[5]", '3 2 inf', '... and the infinity at its place');
    is(scalar(grep { /inf|nan/i } @written), 1, '... alone');
    is(run(['spmm-tc', '--allow-overflow', '-q', '-B', $b_file, @options], input => $text)->{err}, '', '... -q: silence');
}
spew($b_file, "%%MatrixMarket matrix array real general\n2 1\n60000\n60000\n");
is(multiply(sprintf($three, 60000, 60000), '-p', 'fp16'), "3 1\n60000\n3600000000\n-3600000000\n",
    'fp16: a product beyond 65504 is one of single precision');
my $row = "%%%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 1e308\n1 2 %s1e308\n";
spew($b_file, "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
refused('a sum', [], sprintf($row, ''), '1 of the 1 numbers', 'fp64', '1, column 1');
spew($b_file, "%%MatrixMarket matrix array real general\n2 1\n1e10\n1e10\n");
$run = refused('infinity minus infinity', ['--allow-overflow', '--kernel', 'ref'], sprintf($row, '-'), '1 of the 1 numbers', 'fp64', '1, column 1');
like($run->{err}, qr/1 of them are not defined/, '... is refused even with --allow-overflow');
spew($b_file, "%%MatrixMarket matrix array real general\n2 2\n1\n1\n1e300\n1\n");
my $good = "%%MatrixMarket matrix coordinate pattern general\n% name: good\n1 2 1\n1 2\n";
my $over_file = scratch('overflow.mtx');
spew($over_file, sprintf $three, '1e300', '1e300');
$run = run(['sh', '-c', "cat > @{[scratch('good.mtx')]}; spmm-tc -k -B $b_file $over_file @{[scratch('good.mtx')]}"], input => $good);
is($run->{status}, 1, '-k: status 1');
unlike($run->{out}, qr/three|inf/, '... nothing of the record that overflows');
is(numbers($run->{out}), "1 2\n1\n1\n", '... and all of the next one');
{
    # A product is written while the next one is made: what comes out, what is told and in which order stay the same.
    my ($good_file, $several) = map { scratch($_) } qw(good.mtx several.mtx);
    spew($several, run([qw(mm-gen er 300 -p 0.05 --seed 3 --count 5)])->{out});
    my $dense = scratch('dense.mtx');
    spew($dense, run([qw(mm-gen dense 300x40 --seed 4 --count 2)])->{out});
    for my $case (['five A and two B', '-B', $dense, $several], ['... in the binary form', '--form', 'bin', '-B', $dense, $several],
        ['failures in between', '-k', '-B', $b_file, $over_file, $good_file, $over_file, $several, $good_file, $good_file],
        ['a failure', '-B', $b_file, $good_file, $good_file, $over_file, $good_file]) {
        my ($what, @options) = @$case;
        my ($one, @more) = map { my $run = run(['spmm-tc', @$_, @options]); "$run->{status}\n$run->{err}\n$run->{out}" }
            ['-j1'], ['-j4'], ['-j4', '--memory', '1M'];
        ok(length $one > 100 && !grep({ $_ ne $one } @more), "$what: the same with a thread that writes");
    }
    for my $options (['-j1'], ['-j4']) {
        my $full = run(['spmm-tc', @$options, '-B', $dense, $several], stdout => '/dev/full');
        is("$full->{status} $full->{err}", "4 spmm-tc: cannot write standard output: No space left on device\n", "@$options: a full disk");
    }
}
is(run(['spmm-tc', '-o', scratch('over.mtx'), '-B', $b_file, $over_file])->{status} . (-e scratch('over.mtx') ? 'there' : ''), 1,
    '-o: no file');
is(run(['spmm-tc', '--bench', '-B', $b_file, $over_file])->{status}, 0, '--bench measures it all the same');

my $huge = run(['spmm-tc', '-t', '-n', 1], input => "%%MatrixMarket matrix coordinate real general\n3000000000 1 0\n");
is($huge->{status}, 1, '2^31 columns and more: status 1');
like($huge->{err}, qr/3000000000 columns/, '... with a message');

# Options that contradict each other; nothing of a stream that failed.
for my $options ([], ['-n', 2, '-B', $b_file], ['-n', 2, '--beta', 1], ['-n', 2, '-C', $c_file],
    ['-n', 2, '--bench', '-C', $c_file, '--beta', 1], ['-n', 2, '--json'],
    ['-n', 2, '-p', 'fp32', '--alpha', '1e39'], ['-B', $b_file, '-C', $b_file, '-p', 'fp16', '--beta', '-1e39'], ['-n', 2, '--kernel', 'no-such']) {
    my $run = run(['spmm-tc', @$options, $a_file]);
    is("$run->{status} $run->{out}", '2 ', "@$options: status 2, nothing on stdout");
}
for my $case (['no-such', "'no-such'"], ['all', "'all' (all goes with --bench)"]) {
    my $run = run(['spmm-tc', '-k', '-B', scratch('none.mtx'), '--kernel', $case->[0], scratch('none.mtx')]);
    is("$run->{status} $run->{out}", '2 ', "--kernel $case->[0]: status 2 before any file is opened");
    is($run->{err}, "spmm-tc: there is no kernel $case->[1]; --kernel list prints their names\nTry 'spmm-tc --help'.\n", '... and what there is instead');
}
is(run(['spmm-tc', '-B', scratch('none.mtx'), $a_file])->{status}, 2, 'no such B: status 2');
is(run(['spmm-tc', '-n', 2, '--device', 'cuda', $a_file], environment => { MMPIPE_LIBCUDA => '/nowhere' })->{status}, 4,
    'no device: status 4');

# Kernels have the names that they had in version 0.1, too.
my %now = (runs => 'merge', stages => 'rowstaged', strips => 'rowpairs', slabs => 'bstationary',
    map { ("windows$_" => "rowwindows$_") } 8, 16);
for my $name (sort keys %now) {
    is(run(['spmm-tc', '-n', 2, '--device', 'cpu', '--kernel', $name, $a_file])->{err},
        "spmm-tc: $a_file: matrix A0, record 1: kernel $now{$name}: --device cpu\n", "--kernel $name: $now{$name}");
}

# Permuted rows go back with mm-order.
my $text = slurp(source_path('tests/data/impcol_b.mtx'));
my $back = run(['sh', '-c', 'mm-order --for degree | spmm-tc -t -n 2 | mm-order --invert'], input => $text);
is("$back->{status} $back->{err}", '0 ', 'through mm-order and back');
like($back->{out}, qr/^59 2 \d+$/m, '... the product in its own order');

# Lines.
$run = run(['spmm-tc', '-n', 3, '--kernel', 'list', $a_file]);
my ($header, @lines) = split /\n/, $run->{out};
like($header, qr/^name\tnrow\tncol\tnnz\tn\tprecision\tkernel\tdevice\tseconds\t/, '--kernel list: a header');
is(scalar(grep { /^A0\t3\t6\t/ } @lines), scalar(grep { /^A1\t8\t6\t/ } @lines), '... as many lines for each matrix');
like($run->{out}, qr/\tref\tcpu\t[0-9.e-]+\t/, '... ref among them');
$run = run(['spmm-tc', '-n', 3, '--bench', '--json', '-p', 'bf16', $a_file]);
is(scalar(() = $run->{out} =~ /^\{"name":"A\d".*"warm_seconds":[0-9.e-]+,.*"error":[0-9.e-]+\}$/mg), 2, '--bench --json');
my ($error) = $run->{out} =~ /"error":([0-9.e-]+)/;
ok($error > 1e-6 && $error < 2**-7.5, "... the error of bf16 is $error");
$run = run(['spmm-tc', '-n', 3, '--explain', $a_file]);
like($run->{err}, qr/^spmm-tc: \w+ +cpu .* \*$/m, '--explain marks a kernel');
my %at = map { /^(spmm-tc: \w+ +)(?:where|cpu|cuda) / ? (length $1 => 1) : () } split /\n/, $run->{err};
is(scalar(keys %at), 1, '... in columns that align');
is($run->{out} =~ s/^% by.*\n//mgr, run(['spmm-tc', '-n', 3, $a_file])->{out} =~ s/^% by.*\n//mgr, '... the same products');
$run = run(['spmm-tc', '-n', 3, '--tune', '--explain', $a_file]);
like($run->{err}, qr/measured/, '--tune measures');
my ($choice) = $run->{err} =~ /^spmm-tc: (\w+) .* \*$/m;
my $again = run(['spmm-tc', '-n', 3, '--tune', '--explain', $a_file]);
unlike($again->{err}, qr/measured/, '... once');
like($again->{err}, qr/^spmm-tc: \Q$choice\E .* \*$/m, '... and remembers the choice');
# With any number of threads a kernel of this processor is chosen, not the reference, and the product is the same.
{
    my $a = run([qw(mm-gen er 400 -p 0.05 --seed 3)])->{out};
    my @products;
    for my $threads (1, 2, 4) {
        my $run = run(['spmm-tc', "-j$threads", qw(--device cpu --random-b 16 --bench --json -)], input => $a);
        my ($kernel) = $run->{out} =~ /"kernel":"([^"]*)"/;
        isnt($kernel, 'ref', "-j$threads: not the reference kernel");
        push @products, run(['spmm-tc', "-j$threads", qw(--device cpu --random-b 16 -)], input => $a)->{out};
    }
    is($products[1], $products[0], '... the same product');
    is($products[2], $products[0], '... for all');
}
# --memory: 20000 rows times 64 columns are 10 MB of a product alone.
my $tall = scratch('tall.mtx');
spew($tall, run([qw(mm-gen identity 20000)])->{out});
$refused = run(['spmm-tc', '--device', 'cpu', '--random-b', 64, '--memory', '8M', $tall]);
is("$refused->{status} $refused->{out}", '4 ', '--memory 8M: a product of 10 MB is refused');
like($refused->{err}, qr/A, B and the product need about \S+ bytes, 8388608 are allowed \(--memory\)$/m, '... with the reason');
is(run(['spmm-tc', '--device', 'cpu', '--random-b', 64, '--memory', '32M', '-o', scratch('tall.out'), $tall])->{status}, 0, '... and allowed by 32M');

done_testing();
