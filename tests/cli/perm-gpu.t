#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# perm-gpu: result lines, JSON, blocks put together, refusals.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'perm-gpu is not built' unless $built{'perm-gpu'};

sub matrix {
    my ($field, $n, $comments, @entries) = @_;
    return join '', "%%MatrixMarket matrix coordinate $field\n", (map { "% $_\n" } @$comments),
        "$n $n " . @entries . "\n", map { "$_\n" } @entries;
}

# Output lines, status and error text of perm-gpu on an input.
sub permanents {
    my ($input, @options) = @_;
    my $run = run(['perm-gpu', @options], input => $input);
    return ($run->{out}, $run->{status}, $run->{err});
}

sub answers {
    my ($input, $want, $what, @options) = @_;
    my ($out, $status, $err) = permanents($input, @options);
    is("$status $out", "0 $want", $what) or diag $err;
}

sub refused {
    my ($input, $want, $message, $what, @options) = @_;
    my ($out, $status, $err) = permanents($input, @options);
    is($status, $want, "$what: status $want");
    like($err, $message, '... with the reason');
    return $out;
}

# Every field and symmetry, by hand.
my @named = ('name: A');
answers(matrix('integer general', 2, \@named, '1 1 2', '1 2 3', '2 1 5', '2 2 7'), "A\t29\n", '2·7 + 3·5');
answers(matrix('pattern symmetric', 2, \@named, '1 1', '2 1'), "A\t1\n", 'a symmetric pattern');
answers(matrix('real skew-symmetric', 2, \@named, '2 1 0.5'), "A\t-0.25\n", 'a skew-symmetric matrix: -1/4');
answers(matrix('complex hermitian', 2, \@named, '1 1 2 0', '2 1 1 2', '2 2 3 0'), "A\t11 0\n",
    'a Hermitian matrix: 2·3 + |1 + 2i|^2');
answers(matrix('complex general', 1, \@named, '1 1 0.5 -4'), "A\t0.5 -4\n", 'a complex number');
answers(matrix('integer general', 2, \@named, '1 1 2', '2 1 5'), "A\t0\n", 'no perfect matching: 0');
answers(matrix('integer general', 2, \@named, '1 1 2', '1 2 0', '2 1 5', '2 2 7'), "A\t14\n", 'explicit zeros');
answers(matrix('pattern general', 0, \@named), "A\t1\n", '0x0: 1');
my $huge = '100000000000000000000000000000';
answers(matrix('integer general', 2, [@named, 'integers: big'], "1 1 $huge", "2 2 -$huge", '1 2 1', '2 1 1'),
    'A' . "\t-" . '9' x 58 . "\n", 'integers of any size');
my ($far) = permanents(matrix('real general', 2, \@named, '1 1 1e300', '2 2 1e300'));
like($far, qr/^A\t1\.0{10}\d+e\+600\n\z|^A\t9\.9{10}\d+e\+599\n\z/, 'beyond the range of doubles');
is((permanents(matrix('real general', 1, \@named, '1 1 0.1')))[0], "A\t0.1\n", 'shortest digits');

# All kernels on one matrix, and the list of them.
my $seven = matrix('real general', 7, \@named, map { my $i = $_; map { "$i $_ " . ($i + $_) } 1 .. 7 } 1 .. 7);
my ($list) = permanents($seven, '--kernel', 'list');
my @kernels = $list =~ /^ +([a-z][a-z0-9-]+) +[\d.e+-]+ s /mg;
cmp_ok(scalar @kernels, '>', 4, "--kernel list: @kernels");
unlike($list, qr/^A\t/m, '... and no result');
my %ends = map { /^  \S+ +[\d.e+-]+( s) / ? ($+[0] => 1) : () } split /\n/, $list;
my %reasons = map { /^(  \S+ +)(?!rather)[a-z]/ ? (length $1 => 1) : () } split /\n/, $list;
is(join(' ', map { scalar keys %$_ } \%ends, \%reasons), '1 1', '... in columns that align');
my ($exact) = permanents($seven, '--kernel', 'frontier-exact');
for my $kernel (@kernels) {
    my ($got) = permanents($seven, '--kernel', $kernel);
    my ($value, $want) = map { (split /\t/)[1] } $got, $exact;
    cmp_ok(abs($value - $want), '<=', 1e-10 * abs $want, "--kernel $kernel");
}
refused($seven, 2, qr/no kernel|kernel is named/, 'an unknown kernel', '--kernel', 'no-such');
is((permanents($seven, '--raw'))[0], (permanents($seven))[0], '--raw: the same value');

# A line has no place for an error bound: it is told where it is larger than the permanent.
my $cancelling = "%%MatrixMarket matrix array real general\n2 2\n0.1\n0.7\n0.3\n-2.1\n";
my @told = map { (permanents($cancelling, qw(--raw --kernel dense), @$_))[2] } [], ['--json'], ['-q'];
like($told[0], qr/: no digit is certain, the error is at most \S+e-16; .*--exact/, 'a permanent without a certain digit');
is("$told[1]$told[2]", '', '... in JSON its bound stands beside it, and -q keeps quiet');
is((permanents($cancelling, qw(--raw --exact)))[2], '', '... exactly it is certain');

# Rectangles, by hand: every choice of an entry from each row, no two in a column.
sub rectangle {
    my ($field, $rows, $columns, $comments, @entries) = @_;
    return join '', "%%MatrixMarket matrix coordinate $field general\n", (map { "% $_\n" } @$comments),
        "$rows $columns " . @entries . "\n", map { "$_\n" } @entries;
}
my @six = ('1 1 1', '1 2 2', '1 3 3', '2 1 4', '2 2 5', '2 3 6');
answers(rectangle('integer', 2, 3, \@named, @six), "A\t58\n", '2x3: 5 + 6 + 8 + 12 + 12 + 15');
answers(rectangle('integer', 3, 2, \@named, map { s/^(\d) (\d)/$2 $1/r } @six), "A\t58\n", '... and its transpose');
answers(rectangle('real', 2, 3, \@named, map { "$_.5" } @six), "A\t80.5\n", 'a real rectangle');
answers(rectangle('complex', 1, 3, \@named, '1 1 1 2', '1 3 3 -4'), "A\t4 -2\n", 'a complex one');
answers(rectangle('integer', 2, 3, \@named, '1 1 7'), "A\t0\n", 'an empty row: 0');
answers(rectangle('integer', 2, 5, \@named, '1 4 7', '2 4 7'), "A\t0\n", '... and two rows for one column');
answers(rectangle('pattern', 0, 5, \@named), "A\t1\n", '0x5: 1');
answers(rectangle('integer', 2, 3, \@named, @six), "A\t58\n", "... by $_", '--kernel', $_)
    for qw(multiplicities frontier exact exact-ref);
answers(rectangle('integer', 2, 3, \@named, @six), "A\t58\n", "... and by the old name $_", '--kernel', $_, '--raw')
    for qw(repeated);
for my $shape (['1x2000', 2000], ['2x2000', 2000 * 1999], ['2000x2', 2000 * 1999], ['3x9', 504]) {
    my ($size, $want) = @$shape;
    answers(run(['mm-gen', 'ones', $size])->{out}, "ones-$size\t$want\n", "ones, $size");
}

# Multiplicities.
my @square = ('1 1 2', '1 2 3', '2 1 5', '2 2 7');
answers(matrix('integer general', 2, \@named, @square), "A\t12\n", '--row-mult 2,0', '--row-mult', '2,0');
answers(matrix('integer general', 2, \@named, @square), "A\t20\n", '--row-mult, --col-mult', '--row-mult', '1,1',
    '--col-mult', '2,0');
answers(matrix('integer general', 2, [@named, 'perm.row_mult: 2 0'], @square), "A\t12\n", '% perm.row_mult');
answers(matrix('integer general', 2, [@named, 'perm.col_mult: 2 0', 'perm.row_mult: 0 2'], @square), "A\t50\n",
    '... and % perm.col_mult');
answers(matrix('integer general', 2, [@named, 'perm.row_mult: 2 0'], @square), "A\t29\n", '... which options overrule',
    '--row-mult', '1 1');
answers(matrix('integer general', 2, \@named, @square), "A\t1\n", 'nothing is left: 1', '--row-mult', '0,0');
refused(matrix('integer general', 2, \@named, @square), 1, qr/--row-mult does not list 2 numbers/, 'a short list',
    '--row-mult', '1');
refused(matrix('integer general', 2, \@named, @square), 2, qr/--col-mult: not a list/, 'no list', '--col-mult', '1,x');
refused(matrix('integer general', 2, ['perm.col_mult: 1 -1'], @square), 3, qr/perm.col_mult: not a list/,
    'a list in the record that is none');
my $counted = matrix('integer general', 3, [@named, 'perm.row_mult: 2 0 1'], '1 1 2', '1 2 3', '2 1 5', '2 3 1', '3 1 1', '3 2 4',
    '3 3 6');
my ($whole) = permanents($counted);
my $ordered = run(['mm-order', '--for', 'rcm'], input => $counted)->{out};
isnt($ordered, $counted, 'mm-order changes the order');
answers($ordered, $whole, '... and keeps the multiplicities with their rows');
is(run(['mm-dm', '--blocks'], input => $counted)->{status}, 1, 'mm-dm does not split such a matrix');
is(run(['mm-dm', '--drop'], input => $counted)->{status}, 1, '... nor drop its entries');

# Precision.
my $tenth = matrix('real general', 3, \@named, map { my $i = $_; map { "$i $_ 0.1" } 1 .. 3 } 1 .. 3);
# 6 (3602879701896397 / 2^55)^3
my $tenths = '0.006000000000000000999200722162640941848050899634131875603813421849034891863330'
    . '85477222148794583927265559454863399698959307813905805772947132936678826808929443359375';
# Doubles leave 14 digits or more.
my $by_doubles = qr/0\.00(6(000000000000\d*)?|599999999999\d+)/;
my %prints = (double => $by_doubles, kahan => $by_doubles,
    dd => qr/0\.00600000000000000099920072216264\d*/,
    'mpfr:24' => qr/0\.00(6|600000\d|59999\d+)/,
    'mpfr:200' => qr/\Q@{[substr $tenths, 0, 58]}\E\d*/,
    exact => qr/$tenths/);
for my $precision (sort keys %prints) {
    my ($got) = permanents($tenth, '--precision', $precision);
    like($got, qr/^A\t$prints{$precision}\n\z/, "--precision $precision");
}
is((permanents($tenth, '--exact'))[0], (permanents($tenth, '--precision', 'exact'))[0], '--exact');
my $whole_seven = $seven =~ s/real/integer/r;
my ($seven_exact) = permanents($whole_seven);
is((permanents($whole_seven, '--precision', $_))[0], $seven_exact, "integers by --precision $_: no doubt")
    for qw(kahan dd mpfr:100 exact);
my $inexact = decode_json((permanents($whole_seven, '--precision', 'mpfr:24', '--json'))[0]);
cmp_ok($inexact->{error_bound}, '>', 0, '--precision mpfr:24: an error bound');
cmp_ok(abs($inexact->{permanent} - (split ' ', $seven_exact)[1]), '<=', 2 * $inexact->{error_bound}, '... that holds');
refused($tenth, 2, qr/'half' is none of double/, 'an unknown precision', '--precision', 'half');
refused($tenth, 2, qr/mpfr takes 24 to/, 'too few bits', '--precision', 'mpfr:3');
refused($tenth, 1, qr/--kernel dense does not compute with --precision dd/, 'a kernel of another precision', '--precision', 'dd', '--kernel',
    'dense');
# Every kernel and precision gives a number or says why not, and the stream goes on.
my $three = join '', map { matrix(@$_) } ['real general', 2, ['record: 1', 'name: R'], '1 1 0.5', '1 2 1', '2 1 3', '2 2 2'],
    ['integer general', 2, ['record: 2', 'name: I'], '1 1 5', '1 2 1', '2 1 3', '2 2 2'],
    ['complex general', 1, ['record: 3', 'name: C']], ['real general', 0, ['record: 4', 'name: E']];
$three .= "%%End 4\n";
my %product = (R => 4, I => 13, C => 0, E => 1);
for my $kernel (undef, qw(frontier frontier-quad dense dense-ref sparse sparse-exact exact exact-ref sieve-avx2 dd mpfr multiplicities
                          multiplicities-double dense-cuda)) {
    for my $precision (undef, qw(double kahan dd mpfr:64 exact)) {
        my @asked = ('--raw', $kernel ? ('--kernel', $kernel) : (), $precision ? ('--precision', $precision) : ());
        my ($out, $status, $err) = permanents($three, '-k', '--device', 'cpu', @asked);
        my %got = map { /^(\S+)\t(?!-\t)(\S+)/ ? ($1, $2) : () } split /\n/, $out; # a failed record has "-"
        my %said = map { /record (\d+): \S.*\S\. Leave /  ? (substr('RICE', $1 - 1, 1), 1) : () } split /\n/, $err;
        my @wrong = grep { defined $got{$_} ? $got{$_} != $product{$_} : !$said{$_} } qw(R I C E);
        ok(!@wrong && $status == (%said ? 1 : 0), "@asked: each record has a number or a reason") or diag "@wrong $status\n$out$err";
    }
}
my $empty = matrix('complex general', 1, \@named);
answers($empty, "A\t0 0\n", 'no entries, by compensated sums', '--raw', '--precision', 'kahan');
refused($tenth, 2, qr/there is no kernel 'sieve'/, 'an unknown kernel', '-k', '--kernel', 'sieve');
refused($tenth, 2, qr/--kernel minors is for --minors/, 'a kernel of minors', '--kernel', 'minors');
refused($tenth, 2, qr/contradict/, '--exact with another precision', '--exact', '--precision', 'dd');

# Decimals: exact sums over all permutations, by decimal arithmetic.
require Math::BigFloat;
sub by_permutations {
    my ($rows, @taken) = @_;
    my $row = @taken;
    return Math::BigFloat->new(1) if $row == @$rows;
    my $sum = Math::BigFloat->new(0);
    for my $column (grep { my $c = $_; !grep { $_ == $c } @taken } 0 .. $#{ $rows->[0] }) {
        $sum += $rows->[$row][$column] * by_permutations($rows, @taken, $column);
    }
    return $sum;
}
my $decimal_seed = $ENV{MMPIPE_TEST_SEED} // 1;
srand $decimal_seed;
diag "decimals: seed $decimal_seed";
my ($decimal_wrong, $decimal_other) = (0, 0);
for my $trial (1 .. 40) {
    my $n = 1 + int rand 5;
    my @texts = map { [map { (rand() < 0.3 ? '-' : '') . int(rand 1000) . '.' . int(rand 1e6) . 'e' . (int(rand 60) - 30) } 1 .. $n] } 1 .. $n;
    my $stream = matrix('real general', $n, \@named, map { my $i = $_; map { "$i $_ $texts[$i - 1][$_ - 1]" } 1 .. $n } 1 .. $n);
    my ($out) = permanents($stream, '--exact', '--decimal');
    my $want = by_permutations([map { [map { Math::BigFloat->new($_) } @$_] } @texts]);
    my ($value) = $out =~ /\t(.*)/;
    $decimal_wrong++ if Math::BigFloat->new($value) != $want;
    $decimal_other++ if $value ne ((permanents($stream, '--exact'))[0] =~ s{.*\t}{}r =~ s{\n}{}r);
}
is($decimal_wrong, 0, '--exact --decimal: 40 matrices of decimals');
cmp_ok($decimal_other, '>', 20, '... which doubles are not');
is((permanents($tenth, '--exact', '--decimal'))[0], "A\t0.006\n", '... 6/1000');
answers(matrix('complex general', 2, \@named, '1 1 0.1 0.2', '2 2 0.3 -0.1', '1 2 1e-3 0', '2 1 0 7'), "A\t0.05 0.057\n",
    '... complex: (0.1 + 0.2i)(0.3 - 0.1i) + 0.007i', '--exact', '--decimal');
answers(rectangle('real', 2, 3, \@named, map { "$_.1" } @six), "A\t62.26\n", '... a rectangle', '--exact', '--decimal');
refused($tenth, 2, qr/--decimal is for --exact/, '--decimal alone', '--decimal');

my ($tiny) = permanents(matrix('real general', 2, \@named, '1 1 1e-300', '2 2 1e-300', '1 2 1e-300', '2 1 3e-300'),
    '--precision', 'dd');
like($tiny, qr/^A\t(4\.0{12}\d*|3\.9{12}\d*)e-600\n\z/, 'far below the range of doubles');

# Time.
my $years = run(['mm-gen', 'er', '60', '-p', '0.5'])->{out};
refused($years, 1, qr/would take \S+ about \S+ years, 30 days are allowed/, 'what would take years');
refused($seven, 1, qr/would take .* seconds are allowed/, '--max-time', '--max-time', '1e-12');
like((permanents($years, '--kernel', 'list'))[0], qr/dense/, '... is listed all the same');

# Where a block is sparse but no frontier is narrow, the sum over tables is the choice; -1 where it cancels.
my $sparse = run(['mm-gen', 'er', '27', '-p', '0.3', '--diagonal', '--field', 'real', '--seed', '5', '--values',
    'uniform:-1:1'])->{out};
my ($by_tables, $tables_status, $tables_told) = permanents($sparse, '--explain', '--memory', '100k');
like($tables_told, qr/ sparse-\S+ .*chosen/, 'a sparse block: by tables');
is((permanents($sparse, '--memory', '100k', '-j3', '--verify'))[0], $by_tables, '... by any number of threads, verified');
my $bounded = decode_json((permanents($sparse, '--kernel', 'sparse', '--json'))[0]);
my $sharp = decode_json((permanents($sparse, '--exact', '--json'))[0]);
cmp_ok(abs($bounded->{permanent} - $sharp->{permanent}), '<=', $bounded->{error_bound} + 1e-15 * abs $sharp->{permanent},
    '... within its bound of the exact value');
my $counting = run(['mm-gen', 'er', '16', '-p', '0.3', '--diagonal', '--field', 'integer', '--values', 'int:1:3'])->{out};
is((permanents($counting, '--precision', 'double', '--kernel', 'sparse'))[0], (permanents($counting))[0],
    '... and integers, where no doubt is left');

# Sparse integers by tables modulo primes, where no frontier fits the memory.
my $wider = run([qw(mm-gen er 33 -p 0.25 --diagonal --field integer --values int:-3:5 --seed 4)])->{out};
my ($by_residues, $residues_status, $residues_told) = permanents($wider, '--explain', '--memory', '100k');
like($residues_told, qr/ sparse-exact-\S+ .*chosen/, 'sparse integers: by tables modulo primes');
is((permanents($wider, '--kernel', 'sparse-exact', '-j3', '--verify'))[0], $by_residues, '... verified');
is((permanents($wider, '--kernel', 'exact'))[0], $by_residues, '... as by all subsets');
my $far_too_large = matrix('integer general', 9, \@named, map { my $i = $_; map { "$i $_ 99999999999" } 1 .. 9 } 1 .. 9);
refused($far_too_large, 1, qr/entries are too large/, 'large integers by tables', '--kernel', 'sparse-exact');

# JSON.
my $json = decode_json((permanents(matrix('integer general', 2, \@named, '1 1 2', '1 2 3', '2 1 5', '2 2 7'),
    '--json'))[0]);
is("$json->{name} $json->{n} $json->{nnz} $json->{permanent} $json->{error_bound}", 'A 2 4 29 0', '--json');
my @keys = qw(name n nnz field permanent method blocks states transitions subsets bytes error_bound error_estimate seconds);
is(join(' ', grep { !exists $json->{$_} } @keys), '', '... with every key');
my $kept = decode_json((permanents(matrix('integer general', 1, \@named, '1 1 5'), '--json', '-k'))[0]);
is(join(' ', sort keys %$kept), join(' ', sort @keys, qw(file status error)), '--json -k: three more');
ok($kept->{status} == 0 && exists $kept->{error} && !defined $kept->{error}, '... which tell of no error');

# Sizes that no scaling of lines brings together: with fractions -5.89789495667454465622955191284713051164e864.
my $uneven = matrix('real general', 5, \@named,
    '1 1 6.694507370715507e+273', '1 2 1.0', '2 2 -4.5073780953193974e-145', '2 3 -5.048289271430992e-246',
    '2 4 1.0', '2 5 -6.690031393924369e+231', '3 3 3.5771074124359826e-270', '3 4 1.0',
    '3 5 -4.557700101731387e+243', '4 1 1.0', '4 3 1.0', '4 4 -1.157088099665613e+212', '4 5 1.0',
    '5 2 3.0588106380003372e+214', '5 3 3.7063143186862364e+279', '5 4 1.0', '5 5 1.0');
answers($uneven, "A\t-5.897894956674544656229551912847e+864\n", '113 bits where doubles underflow',
    '--kernel', 'frontier-quad', '--precision', 'dd');

my $float = decode_json((permanents($seven, '--json', '--kernel', 'frontier-double'))[0]);
cmp_ok($float->{error_bound}, '>', 0, 'doubles have an error bound');
cmp_ok($float->{error_bound}, '<', 1e-10 * $float->{permanent}, '... a small one');

my ($alone, $together) = map {
    my $told = decode_json(run(['perm-gpu', '--json', '--kernel', 'frontier', $_, source_path('tests/data/cage5.mtx')])->{out});
    delete $told->{seconds};
    $told;
} '-j1', '-j4';
is_deeply($together, $alone, 'states, transitions and bytes of a frontier do not depend on the threads');

# Blocks.
sub block {
    my ($of, $place, $value, @more) = @_;
    return matrix('integer general', 1, ["name: $of", "piece: block $place", @more], "1 1 $value");
}
answers(block('A', '1/2', 6) . block('A', '2/2', 7) . block('B', '1/1', 5), "A\t42\nB\t5\n", 'blocks multiply');
answers(block('A', '2/2', 6) . block('A', '1/2', 7), "A\t42\n", '... in any order');
answers(block('A', '1/2', 6) . block('A', '2/2', 7, 'dm.singular: 1'), "A\t0\n", 'a singular block: 0');
answers(block('A', '1/2', 6, 'perm.factor: -10') . block('A', '2/2', 7), "A\t-420\n", 'an integer factor');
answers(block('A', '1/1', 6, 'perm.factor: 0.25'), "A\t1.5\n", 'a real factor');
answers(block('A', '1/1', 6, 'perm.factor: 0.25 1'), "A\t1.5 6\n", 'a complex factor');
refused(block('A', '1/1', 6, 'perm.factor: six'), 3, qr/'six' is not a number/, 'a factor that is no number');
refused(block('A', '1/1', 6, 'perm.factor: 0x1p10000000000'), 3, qr/perm.factor: .* beyond the range, -1073741824 to/,
    'a factor with an exponent that is not printed');
refused(block('A', '1/1', 6, 'perm.factor: 1e-999999999'), 3, qr/perm.factor: .* beyond the range of double/,
    'a factor that is not 0 and would become it');
answers(block('A', '1/1', 6, 'perm.factor: 0x1p-1073741824'), "A\t1.4295389429327706e-323228496\n",
    'the least power of two: by decimal arithmetic');
refused(block('A', '1/2', 6), 1, qr/A: 1 of its 2 blocks came/, 'a block is missing at the end');
refused(block('A', '1/2', 6) . block('B', '1/1', 7), 1, qr/A: 1 of its 2 blocks came/, 'a block is missing');
refused(block('A', '1/3', 6) . block('A', '1/3', 7), 1, qr/block 1 of A came before/, 'a block comes twice');
refused(block('A', '3/2', 6), 3, qr/'% piece: block 3\/2' is not understood/, 'a block that cannot be');
like(refused(block('A', '1/2', 6) . block('B', '1/1', 7), 1, qr/A: 1 of its 2 blocks came/, '--keep-going', '-k'),
    qr/^B\t7$/m, '... goes on with the next matrix');

# Refusals.
my $wide = matrix('integer general', 70, \@named,
    map { my $i = $_; map { "$i $_ " . (1 + $i * $_ % 71) } 1 .. 70 } 1 .. 70);
refused($wide, 1, qr/too large: .*transitions/, 'a dense matrix of order 70');
for my $case ([['ones', 300], 300], [[qw(er 400 -p 0.6 --diagonal --field integer --seed 2)], 400]) {
    my ($arguments, $n) = @$case;
    refused(run(['mm-gen', @$arguments])->{out}, 1, qr/order $n .* too large: .* go to order 63, .* at least \d+ wide, 128/,
        "mm-gen @$arguments: refused by its degrees alone");
}
like(run([qw(perm-gpu --kernel list)], input => run([qw(mm-gen ones 300)])->{out})->{out}, qr/n is too large/, '... and its methods listed');
my $middle = matrix('pattern general', 20, \@named, map { my $i = $_; map { "$i $_" } 1 .. 20 } 1 .. 20);
answers($middle, "A\t2432902008176640000\n", '20! by Gray code when the memory is small', '--memory', '1k');
my ($out, $status, $told) = permanents($middle, '--explain');
is($out, "A\t2432902008176640000\n", '20!');
like($told, qr/frontier .* s .*MiB/, '--explain says what was weighed');
is((permanents($middle, '-j4'))[0], $out, '-j4: the same');

# What an error is estimated at decides: bounds of entries of both signs are useless.
my $signed = run(['mm-gen', 'dense', '24', '--values', 'uniform:-1:1', '--seed', '7'])->{out};
my $default = decode_json((permanents($signed, '--json'))[0]);
my $certain = decode_json((permanents($signed, '--json', '--precision', 'dd', '--kernel', 'dd'))[0]);
my $size = abs $certain->{permanent};
like($default->{method}, qr/^dense-/, 'entries of both signs: by doubles');
cmp_ok($default->{error_bound}, '>', 1e-9 * $size, '... whose bound leaves few digits');
cmp_ok($default->{error_estimate}, '<', 1e-10 * $size, '... and whose estimate leaves ten');
cmp_ok(abs($default->{permanent} - $certain->{permanent}), '<=', 1.1 * $default->{error_estimate}, '... rightly');
cmp_ok(length($default->{permanent} =~ tr/0-9//cdr), '<=', 2 + log($size / $default->{error_estimate}) / log 10,
    '... and no more are printed');

# --certify: bounds alone.
my $proven = decode_json((permanents($signed, '--json', '--certify'))[0]);
is($proven->{error_estimate}, $proven->{error_bound}, '--certify: no estimate');
cmp_ok($proven->{error_bound}, '<', 3e-9 * $size, '... and a bound that leaves eight digits');
cmp_ok(abs($proven->{permanent} - $certain->{permanent}), '<=', 1.1 * $proven->{error_bound}, '... rightly');
like($proven->{method}, qr/^dense-/, '... by the sum in doubles');
my $loose = decode_json((permanents($signed, '--json', '--certify', '--kernel', 'dense'))[0]);
is($loose->{error_estimate}, $loose->{error_bound}, '... nor of a kernel that is named');
cmp_ok(length($loose->{permanent} =~ tr/0-9//cdr), '<=', 2 + log($size / $loose->{error_bound}) / log 10,
    '... whose bound decides how many digits are printed');

# The bound of --certify holds, and is worth reading: for corners of unitary matrices and for real entries.
for my $case (['unitary corner', 4e-9, [qw(--rows 1:20 --cols 1:20)], qw(unitary 100 --seed 3)],
    ['uniform in (-1, 1)', 3e-10, [], qw(dense 22 --values uniform:-1:1 --seed 3)]) {
    my ($what, $most, $cut, @generate) = @$case;
    my $matrix = run(['mm-gen', @generate])->{out};
    $matrix = run(['mm-cat', @$cut], input => $matrix)->{out} if @$cut;
    my ($got, $best) = map { decode_json((permanents($matrix, '--json', @$_))[0]) } ['--certify', '--kernel', 'dense'], ['--precision', 'dd', '--kernel', 'dd'];
    my ($value, $true) = map { my ($re, $im) = split / /, $_->{permanent}; [$re, $im // 0] } $got, $best;
    my $size = sqrt($true->[0] ** 2 + $true->[1] ** 2);
    my $error = sqrt(($value->[0] - $true->[0]) ** 2 + ($value->[1] - $true->[1]) ** 2);
    cmp_ok($got->{error_bound}, '<', $most * $size, "--certify, $what: the bound is below $most of the permanent");
    cmp_ok($error, '<=', 1.1 * $got->{error_bound}, '... and the error within it');
    my ($whole) = permanents($matrix, '--certify', '--kernel', 'dense');
    my @parts = map { run(['perm-gpu', '--certify', '--kernel', 'dense', '--part', "$_/3"], input => $matrix)->{out} } 1 .. 3;
    is(run(['perm-fold'], input => join '', @parts)->{out}, $whole, '... parts give the same');
    my $folded = decode_json(run(['perm-fold', '--json'], input => join '', @parts)->{out});
    is($folded->{error_bound}, $got->{error_bound}, '... with the same bound');
    my $verified = run(['perm-gpu', '--certify', '--kernel', 'dense', '--verify'], input => $matrix);
    is($verified->{out}, $whole, '... and so does --verify');
    $parts[1] = run(['perm-gpu', '--kernel', 'dense', '--part', '2/3'], input => $matrix)->{out};
    my $mixed = run(['perm-fold'], input => join '', @parts);
    like($mixed->{err}, qr/by 'perm-gpu \S+ --certify/, '... and a part without --certify does not fit');
    is($mixed->{out}, '', '... and is not added');
}

# Two equal columns and a row that is the opposite in them.
my @zero = map { my $i = $_; map { "$i $_ " . ($_ == 2 ? cos(37 * $i) : cos(36 * $i + $_ ** 2)) } 1 .. 20 } 2 .. 20;
my $null = matrix('real general', 20, \@named, '1 1 0.7', '1 2 -0.7', map { s/^(\d+) 1 \S+/"$1 1 " . cos(37 * $1)/er } @zero);
my ($nothing, undef, $steps) = permanents($null, '--raw', '--explain');
is($nothing, "A\t0\n", 'a permanent of 0 is found');
like($steps, qr/leaves too few digits: again by dd-.*are left: again by exact-/s, '... by more and more digits');
like((permanents($null, '--raw', '--kernel', 'dense'))[2], qr/no digit is certain, the error is about /,
    '... or it is said that there are none');

# Real matrices with their exact permanents, where they are.
SKIP: {
    my $data = $ENV{MMPIPE_SHARED} && "$ENV{MMPIPE_SHARED}/data";
    skip 'MMPIPE_SHARED is not there', 1 unless $data && -f "$data/permanents.tsv";
    require Math::BigFloat;
    for my $row (grep { !/^(#|file)/ } split /\n/, slurp("$data/permanents.tsv")) {
        my ($file, undef, undef, $want) = split /\t/, $row;
        my (undef, $got) = split /\s/, run(['perm-gpu', "$data/matrices/$file"])->{out};
        my $same = $want =~ /e/
            ? Math::BigFloat->new($got)->bsub($want)->babs <= Math::BigFloat->new($want)->babs->bmul('1e-12')
            : $got eq $want;
        ok($same, "$file: $want") or diag "got $got";
    }
}

# A method that is named has an answer, or a reason that fails the record alone.
my $empty_line = matrix('real general', 3, \@named, '1 1 0.5', '2 2 0.25', '1 3 2');
answers($empty_line, "A\t0\n", "an empty row: 0 by $_", '--raw', split / /)
    for '--precision kahan', '--precision exact', '--kernel dense', '--kernel exact', '--kernel sparse-gray', '--kernel sparse';
answers(matrix('real general', 0, \@named), "A\t1\n", '0x0: 1 by repeated', '--raw', '--kernel', 'repeated');
my $fractions = matrix('real general', 3, \@named, map { my $i = $_; map { "$i $_ 0." . ($i + $_) } 1 .. 3 } 1 .. 3);
refused($fractions . $empty_line, 1, qr/record 1: --kernel $_ cannot compute this block of order 3 .*: its entries are not integers/,
    "--kernel $_ of real numbers", '--raw', '-k', '--kernel', $_) for qw(sparse-exact sparse-exact-portable sparse-exact-avx2);
my $long = matrix('integer general', 64, \@named, map { ("$_ $_ 2", ($_ % 64 + 1) . " $_ 3") } 1 .. 64);
refused($long, 1, qr/--kernel $_ cannot compute this block of order 64 .*: n is too large/, "--kernel $_ of order 64", '--raw', '--kernel', $_)
    for qw(exact exact-portable sparse-portable sparse-gray-portable sparse-gray sparse-exact-portable);
refused($fractions, 2, qr/there is no kernel 'sparse-no'/, 'no such kernel', '--raw', '--kernel', 'sparse-no');

# --verify compares kernels that bound the products of complex numbers differently.
my $one = matrix('complex general', 1, \@named, '1 1 -1 -3');
answers($one, "A\t-1 -3\n", "--verify of a complex number by $_", '--raw', '--verify', '--kernel', $_)
    for qw(sparse-ref sparse-portable sparse-gray-portable);
# A matrix without a perfect matching.
like(run(['perm-gpu', '--json'], input => "%%MatrixMarket matrix array integer general\n2 2\n0\n0\n1\n1\n")->{out},
    qr/"permanent":"0","method":"structure","blocks":0,/, 'a structural zero says so');
# A matrix whose fastest kernel has no tables, which was given a plan that nobody had made. The value is of exact
# fractions, summed over subsets of its 14 columns.
SKIP: {
    my $path = ($ENV{MMPIPE_SHARED} // '') . '/data/matrices/Maragal_1.mtx';
    skip 'MMPIPE_SHARED is not there', 1 unless -f $path;
    is(run(['perm-gpu', $path])->{out}, "NYPA/Maragal_1\t194567.56542662726\n", 'a rectangle of reals without tables');
}
done_testing();
