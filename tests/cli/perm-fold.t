#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# perm-gpu --part and perm-fold: the parts of every job fold to the bytes of the unsplit run; what does not
# belong together is refused.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use List::Util qw(shuffle);
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-cat mm-dm mm-gen perm-gpu perm-fold);
my $seed = $ENV{MMPIPE_TEST_SEED} // 1;
srand $seed;
diag "seed $seed";

sub generate {
    my ($family, $n, @options) = @_;
    my $run = run(['mm-gen', $family, $n, '--seed', int rand 1e6, @options]);
    die $run->{err} if $run->{status};
    return $run->{out};
}

sub stream { return run(['mm-cat'], input => join '', @_)->{out} }

# The lines of part R of M, and what perm-fold makes of lines in any order.
sub part {
    my ($input, $r, $m, @options) = @_;
    my $run = run(['perm-gpu', '--part', "$r/$m", '-j' . (1 + int rand 3), @options], input => $input);
    diag $run->{err} if $run->{status} > 1;
    return split /^/, $run->{out};
}
sub fold { my ($lines, @options) = @_; return run(['perm-fold', @options], input => join '', @$lines) }

# Time and memory depend on the machine and its threads.
sub result { my ($text) = @_; return $text =~ s/"(?:seconds|bytes)":[^,}]*//gr }

sub folds {
    my ($what, $input, $parts, @options) = @_;
    my $whole = run(['perm-gpu', @options], input => $input);
    is($whole->{status}, 0, "$what: the whole") or diag $whole->{err};
    my $json = run(['perm-gpu', '--json', @options], input => $input);
    for my $m (@$parts) {
        my @lines = shuffle map { part($input, $_, $m, @options) } 1 .. $m;
        my $got = fold(\@lines);
        is("$got->{status} $got->{out}", "0 $whole->{out}", "$what: $m parts") or diag $got->{err};
        is(result(fold(\@lines, '--json')->{out}), result($json->{out}), '... and as JSON');
    }
}

# The processes of mpirun and srun: each takes the part of its rank.
{
    my $input = generate('er', 26, '-p', '0.4', '--diagonal');
    for my $names ([qw(OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE)], [qw(PMI_RANK PMI_SIZE)],
                   [qw(SLURM_PROCID SLURM_NTASKS)]) {
        my @lines = map {
            my %environment = ($names->[0] => $_, $names->[1] => 3);
            split /^/, run([qw(perm-gpu --part rank)], input => $input, environment => \%environment)->{out};
        } reverse 0 .. 2;
        is(fold(\@lines)->{out}, run(['perm-gpu'], input => $input)->{out}, "three processes by $names->[0]");
    }
    is(run([qw(perm-gpu --part rank)], input => $input)->{status}, 2, 'no process of mpirun or srun: status 2');
}

# Every field; large enough that sums have several chunks.
my %matrix = (
    real => generate('dense', 23, '--field', 'real'),
    complex => generate('dense', 20, '--field', 'complex'),
    integer => generate('dense', 21, '--field', 'integer', '--values', 'int:-9:9'),
    pattern => generate('er', 24, '-p', '0.6', '--field', 'pattern', '--diagonal'),
);
my $stream = stream(@matrix{qw(real complex integer pattern)}, generate('er', 30, '-p', '0.1', '--diagonal'));
folds('a stream', $stream, [1 .. 7]);

my $decimals = stream(map { generate('er', 14, '-p', '0.5', '--diagonal', '--field', $_) } qw(real complex));
folds('decimals', $decimals, [2, 3], '--exact', '--decimal');
folds('blocks of decimals', run(['mm-dm', '--blocks'], input => stream(generate('block', 30, '--blocks', 5, '-p', '0.8',
    '--field', 'real')))->{out}, [2], '--exact', '--decimal');

# Each method by name, on matrices that it takes.
my $small = stream(generate('er', 12, '-p', '0.7', '--diagonal', '--field', 'integer', '--values', 'int:1:5'),
    generate('er', 13, '-p', '0.6', '--diagonal', '--field', 'real'),
    generate('er', 11, '-p', '0.6', '--diagonal', '--field', 'complex'));
my ($list) = run(['perm-gpu', '--kernel', 'list'], input => $small)->{out};
my %kernels = map { $_ => 1 } $list =~ /^ +([a-z][a-z0-9-]+) +[\d.e+-]+ s /mg;
cmp_ok(scalar keys %kernels, '>', 4, 'methods: ' . join ' ', sort keys %kernels);
for my $kernel (sort keys %kernels) {
    my @fitting = grep { run(['perm-gpu', '--kernel', $kernel], input => $_)->{status} == 0 }
        split /^(?=%%MatrixMarket)/m, $small =~ s/^(?:%%End.*|% record:.*)\n//mgr;
    folds("--kernel $kernel", stream(@fitting), [1 + int rand 7]);
}
folds('exact by many chunks', $matrix{pattern}, [2, 5], '--kernel', 'exact');
folds('dense by many chunks', generate('dense', 26, '--field', 'real', '--values', 'uniform:-1:1'), [3, 4],
    '--kernel', 'dense');
my $counted = generate('dense', 7, '--field', 'real') =~ s/^(%%MatrixMarket.*\n)/$1% perm.row_mult: 3 4 2 3 1 2 3\n% perm.col_mult: 4 2 3 1 3 3 2\n/r;
folds("multiplicities, $_", $counted, [3], '--kernel', $_, '--verify') for qw(multiplicities multiplicities-double);
folds('sparse by many chunks', generate('er', 31, '-p', '0.3', '--diagonal', '--field', 'real'), [2, 5], '--kernel', 'sparse');
folds('sparse integers by many chunks', generate('er', 31, '-p', '0.3', '--diagonal', '--field', 'pattern'), [2, 5],
    '--kernel', 'sparse-exact');
folds('0/1 in Gray code order', generate('er', 25, '-p', '0.3', '--diagonal', '--field', 'real', '--values', 'int:1:1'), [3],
    '--kernel', 'sparse-gray', '--verify');
folds('complex by many chunks', generate('dense', 25, '--field', 'complex'), [3], '--kernel', 'dense');

# The estimate of an error travels with each part.
folds('entries of both signs', generate('dense', 24, '--values', 'uniform:-1:1'), [2, 5]);
folds('... by one kernel', generate('dense', 23, '--values', 'uniform:-1:1'), [3], '--raw', '--kernel', 'dense');

# A part does its share of the work, and no second computation that takes longer. Where the whole needs one, as a
# skew-symmetric matrix of odd order, whose permanent is 0, perm-fold says so: it never prints other digits.
for my $case ([qw(dense 26 --values uniform:-1:1)], [qw(dense 22 --field complex)]) {
    my $input = generate(@$case);
    my @lines = part($input, 1, 2);
    is(scalar @{ decode_json($lines[0])->{blocks}[0]{runs} }, 1, "@$case: a part computes once");
    is(fold([@lines, part($input, 2, 2)])->{out}, run(['perm-gpu'], input => $input)->{out}, '... and the parts fold to the whole');
}
for my $case ([21, '--field', 'real'], [23, '--field', 'real'], [9, '--field', 'complex']) {
    my ($n, @field) = @$case;
    my $input = generate('dense', $n, @field, '--symmetry', 'skew-symmetric', '--values', 'uniform:-1:1');
    my $whole = run(['perm-gpu'], input => $input);
    my $got = fold([map { part($input, $_, 2) } 1, 2]);
    my $is_refused = $got->{status} == 1 && $got->{out} eq '' && $got->{err} =~ /too few digits .* without --part/;
    ok($is_refused || "$got->{status} $got->{out}" eq "0 $whole->{out}", "skew-symmetric of order $n, @field: the same bytes, or the reason")
        or diag $got->{out}, $got->{err}, $whole->{out};
}

# Blocks are put together by perm-fold as by perm-gpu.
my $blocks = run(['mm-dm', '--blocks'], input => stream(
    map { generate('block', 40, '--blocks', 6, '-p', '0.9', '--field', $_) } qw(integer real)));
folds('blocks', $blocks->{out}, [2, 3]);
SKIP: {
    skip 'there is no mm-fmdecompose', 1 unless $built{'mm-fmdecompose'};
    my $terms = run(['sh', '-c', 'mm-dm --blocks | mm-fmdecompose'], input => stream(
        map { generate('er', 24, '-p', '0.12', '--diagonal', '--field', $_) } qw(integer real complex)));
    folds('terms of blocks', $terms->{out}, [3]);
}
my $singular = "%%MatrixMarket matrix coordinate integer general\n% name: S\n2 2 2\n1 1 2\n2 1 5\n";
folds('a singular matrix', $singular, [2]);

# What is missing, doubled or mixed.
sub refused {
    my ($what, $lines, $status, $message) = @_;
    my $run = fold($lines);
    is("$run->{status} $run->{out}", "$status ", "$what: status $status, no line");
    like($run->{err}, $message, '... with the reason');
}
my ($one) = (stream(generate('dense', 9, '--field', 'real')));
my @part = map { [part($one, $_, 3)] } 1 .. 3;
my $name = decode_json($part[0][0])->{name};
refused('a missing part', [@{ $part[0] }, @{ $part[2] }], 1, qr/\Q$name\E: part 2\/3 is missing/);
refused('a doubled part', [map { @$_ } @part, $part[1]], 1, qr/part 2\/3 came twice/);
refused('other options', [@{ $part[0] }, @{ $part[1] }, part($one, 3, 3, '--raw')], 1, qr/by '.*' and by '.*--raw'/);
refused('another split', [@{ $part[0] }, part($one, 2, 2)], 1, qr/split into 3 and into 2/);
my $other = $one =~ s/^% name: \S+/% name: other/mr;
refused('another input', [@{ $part[0] }, @{ $part[1] }, part($other, 3, 3)], 1, qr/part 3\/3 is missing/);
my @two = (stream($one, generate('dense', 5)), stream($one, generate('dense', 6)));
my $mixed = fold([part($two[0], 1, 2), part($two[1], 2, 2)]);
is("$mixed->{status} $mixed->{out}", '1 ' . run(['perm-gpu'], input => $one)->{out},
    'another second matrix: status 1 after the first');
like($mixed->{err}, qr/dense-5\S* and dense-6\S*: parts .* of different inputs/, '... with both names');
refused('more matrices', [part($two[0], 1, 2), part($one, 2, 2)], 1, qr/with 2 records and with 1/);
refused('a part without its end', [@{ $part[0] }, @{ $part[1] }, $part[2][0]], 3, qr/part 3\/3 is cut off/);
refused('a cut line', [@{ $part[0] }, @{ $part[1] }, substr $part[2][0], 0, 99], 3, qr/last line is cut off/);
refused('no parts', [], 3, qr/there are no parts/);
refused('something else', ["A\t3\n"], 3, qr/line 1: no line of perm-gpu --part/);
refused('another version', [map { my @l = @$_; s/perm-gpu 0/perm-gpu 9/ for @{ $_ == $part[2] ? \@l : [] }; @l } @part],
    3, qr/line 5: the line is damaged: its checksum/);
refused('a part under another number', [@{ $part[0] }, map { s{"part":"2/3"}{"part":"3/3"}r } @{ $part[1] }], 3,
    qr/checksum/);
refused('a line of an older version', [map { s/"format":4,//r =~ s/"options":"\w+",//r =~ s/,"checksum":"\w+"//r } @{ $part[0] }],
    3, qr/line 1: written by an older version of perm-gpu; run the part again/);

# Bits that flip on the way, anywhere: never another number. The unit test flips all of them, one by one.
{
    my $text = join '', map { @$_ } @part;
    my @wrong;
    for my $try (1 .. 100) {
        my ($at, $bit) = (int rand length $text, int rand 8);
        my $flipped = $text;
        substr($flipped, $at, 1) ^= chr(1 << $bit);
        my $run = run(['perm-fold'], input => $flipped);
        push @wrong, "bit $bit of byte $at: $run->{status} $run->{out}" if $run->{status} != 3 || $run->{out} ne '';
    }
    is("@wrong", '', 'a hundred flipped bits: status 3, no line');
    @wrong = ();
    for my $length (map { int($_ * length($text) / 50) } 0 .. 49) {
        my $run = run(['perm-fold'], input => substr $text, 0, $length);
        push @wrong, "$length bytes: $run->{status} $run->{out}" if $run->{status} == 0 || $run->{out} ne '';
    }
    is("@wrong", '', 'fifty cuts: no line');
}

# Options are told apart to their last byte: multiplicities of which 500 are the same.
{
    my ($n, $size) = (600, 8);
    my $matrix = "%%MatrixMarket matrix coordinate integer general\n% name: wide\n$n $n " . $size * $size * 2 . "\n";
    for my $block (0, 1) {
        for my $i (1 .. $size) {
            $matrix .= join '', map { (570 + 10 * $block + $i) . ' ' . (570 + 10 * $block + $_) . ' ' . ($block + 1) . "\n" } 1 .. $size;
        }
    }
    my @lists = map { my $first = $_; join ',', map { $_ > $first && $_ <= $first + $size ? 1 : 0 } 1 .. $n } 570, 580;
    my @options = map { ['--row-mult', $_, '--col-mult', $_] } @lists;
    my @want = map { "wide\t" . 40320 * 2 ** ($_ * $size) . "\n" } 0, 1; # 8!, of ones and of twos
    is(run(['perm-gpu', @{ $options[$_] }], input => $matrix)->{out}, $want[$_], "multiplicities of 600 rows: list $_") for 0, 1;
    is(fold([map { part($matrix, $_, 2, @{ $options[1] }) } 1, 2])->{out}, $want[1], '... and in parts');
    refused('lists that differ behind byte 1023', [part($matrix, 1, 2, @{ $options[0] }), part($matrix, 2, 2, @{ $options[1] })],
        1, qr/by '\.\.\.[0,]+1[^']*\.\.\.' and by '\.\.\.[0,]+1[^']*\.\.\.'/);
}

# Names of any length.
{
    my $long = 'n' x 3000;
    my $named = $one =~ s/^% name: \S+/% name: $long/mr;
    my $run = fold([map { part($named, $_, 2) } 1, 2]);
    is($run->{out} =~ s/\t.*//sr, $long, 'a name of 3000 bytes is not cut');
}

# Two jobs at once, one of them with a gap.
my $second = stream(generate('dense', 8, '--field', 'integer'));
my @both = shuffle((map { @$_ } @part), map { part($second, $_, 2) } 1 .. 2);
my @want = sort map { run(['perm-gpu'], input => $_)->{out} } $one, $second;
is(join('', sort split /^/, fold(\@both)->{out}), join('', @want), 'two jobs');
my $gap = fold([@{ $part[0] }, map { part($second, $_, 2) } 1 .. 2], '-k');
my ($named) = $one =~ /^% name: (\S+)/m;
is(join('', $gap->{status}, ' ', sort split /^/, $gap->{out}),
    join('', '1 ', sort "$named\t-\t-\t1\t$named: part 2/3 is missing; run perm-gpu --part for it\n", run(['perm-gpu'], input => $second)->{out}),
    '--keep-going: the other job, and a line about the one with the gap; status 1');
like($gap->{err}, qr/^perm-fold: \Q$named\E: part 2\/3 is missing/m, '... whose message names no other matrix');
# ---- files, a line of each in turn ----

my $many = run([qw(mm-gen dense 3 --field real --count 9 --seed 5)])->{out};
my @files = map { my $file = scratch("many$_"); spew($file, join '', part($many, $_, 3)); $file } 1 .. 3;
my $unsplit = run(['perm-gpu'], input => $many)->{out};
for my $order ([0, 1, 2], [2, 0, 1]) {
    my $run = run(['perm-fold', @files[@$order]]);
    is("$run->{status} $run->{out}", "0 $unsplit", "files @$order");
}
my ($another) = (scratch('another'));
spew($another, join '', map { part($one, $_, 2) } 1, 2);
is(run(['perm-fold', @files[0, 1], $another, $files[2]])->{out}, $unsplit . run(['perm-gpu'], input => $one)->{out}, 'a job that one file has whole');
my $doubled = run(['perm-fold', @files, $files[1]]);
is("$doubled->{status} $doubled->{out}", '1 ', 'a file given twice: status 1, no line');
like($doubled->{err}, qr/part 2\/3 came twice/, '... with the reason');
my $cut = scratch('cut');
spew($cut, join '', (split /^/, slurp($files[1]))[0 .. 4]);
my $short = run(['perm-fold', $files[0], $cut, $files[2]]);
is("$short->{status} $short->{out}", '3 ' . join('', (split /^/, $unsplit)[0 .. 4]), 'a file without its end: status 3 behind what is whole');
like($short->{err}, qr/part 2\/3 is cut off: its last line is missing/, '... with the reason');
spew($cut, substr(slurp($files[1]), 0, -9));
$short = run(['perm-fold', $files[0], $cut, $files[2]]);
is($short->{status}, 3, 'a file that ends inside a line: status 3');
like($short->{err}, qr/\Q$cut\E: line 9: the last line is cut off/, '... with file and line');

# The memory does not grow with the records: 24 MB of sums here.
SKIP: {
    skip 'sanitizers need memory of their own', 2 if is_sanitized();
    my $long = scratch('long.mtx');
    run([qw(mm-gen dense 2 --field real --count 20000 --seed 6 --form bin -o), $long]);
    my @long = map { my $file = scratch("long$_"); run(['perm-gpu', '-o', $file, '--part', "$_/2", $long]); $file } 1, 2;
    my $flat = run(['sh', '-c', 'ulimit -d 16384; exec perm-fold "$@"', 'sh', @long]);
    is($flat->{status}, 0, '20,000 records in 16 MiB') or diag $flat->{err};
    is($flat->{out} =~ tr/\n//, 20000, '... all of them');
}

# --memory limits the lines that are held: all of a stream, few where each part has a file of its own.
my $ones = run([qw(mm-gen ones 2 --count 500)])->{out};
my @half = map { my $path = scratch("many.$_"); spew($path, join '', part($ones, $_, 2)); $path } 1, 2;
my $held = run([qw(perm-fold --memory 100k)], input => slurp($half[0]) . slurp($half[1]));
is("$held->{status} $held->{out}", '4 ', '--memory 100k: 1000 lines from standard input are too many');
like($held->{err}, qr/^perm-fold: standard input: .*the lines of parts need more than the 102400 bytes allowed: give each part in a file of its own, or raise --memory$/m,
    '... and what to do');
my $beside = run([qw(perm-fold --memory 100k), @half]);
is($beside->{status}, 0, '... side by side they fit') or diag $beside->{err};
is($beside->{out}, run(['perm-gpu'], input => $ones)->{out}, '... to the same result');

# perm-gpu(1) has every key of the lines.
sub keys_of {
    my ($thing) = @_;
    return ref $thing eq 'HASH' ? (keys %$thing, map { keys_of($_) } values %$thing)
        : ref $thing eq 'ARRAY' ? map { keys_of($_) } @$thing : ();
}
my %key = map { $_ => 1 } map { keys_of(decode_json($_)) } split /\n/, run([qw(perm-gpu --part 1/2)], input => $small)->{out};
my ($described) = slurp(source_path('man/perm-gpu.1')) =~ /^\.Sh PARTS\n(.*?)^\.Sh /ms;
my %has = map { $_ => 1 } map { split } $described =~ /\bCm ([\w ,]+)/g;
cmp_ok(scalar keys %key, '>', 30, 'the keys of the lines');
is_deeply([grep { !$has{$_} } sort keys %key], [], '... are in perm-gpu(1)');
done_testing();
