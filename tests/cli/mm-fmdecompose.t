#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# mm-fmdecompose: the published numbers of terms; permanents of random matrices through pipes of pieces in every
# nesting; pieces that are missing.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Math::BigFloat;
use Program;
use Test::More;

sub pipeline {
    my ($input, $command) = @_;
    my $run = run(['bash', '-o', 'pipefail', '-c', $command], input => $input);
    is("$run->{status} $run->{err}", '0 ', "$command: status 0, nothing on stderr");
    return $run->{out};
}

sub data { return source_path('tests/data', "$_[0].mtx") }

sub summary {
    my ($command) = @_;
    return map { decode_json($_) } split /\n/, pipeline('', "$command --summary --json");
}

# SUperman (table 5), with both decompositions: submatrices, and their mean order and mean number of entries,
# decimals cut off, where all of them have perfect matchings. curtis54 with its 143219 takes too long here.
for my $row ([bcspwr02 => 1, 30, 110], [d_ss => 1, 30, 94], [will57 => 6834, 30], [impcol_b => 19, 2.52, 10.1],
    [bfwb62 => 9, 29.66, 181.44], [ww_36_pmec_36 => 11, 3.63, 80.18], [steam3 => 90, 23.55, 111.62]) {
    my ($name, $terms, $n, $nnz) = @$row;
    my ($told) = summary('mm-fmdecompose --rule superman ' . data($name));
    is($told->{terms} + $told->{zero_terms}, $terms, "$name: as many submatrices as published");
    is($told->{zero_terms}, $nnz ? 0 : 1468, '... some of which have no perfect matching');
    is(join(' ', map { int(100 * $told->{$_} + 1e-9) / 100 } 'n_mean', $nnz ? 'nnz_mean' : ()),
        join(' ', $n, $nnz // ()), '... of those orders and entries');
}

# Forbert-Marx alone.
for my $row ([bcspwr02 => 1, 30, 110], [impcol_b => 1, 30, 174], [ww_36_pmec_36 => 1, 30, 872], [steam3 => 88, 30, 143.04]) {
    my ($name, $terms, $n, $nnz) = @$row;
    my ($told) = summary('mm-fmdecompose --rule plain ' . data($name));
    is(join(' ', $told->{terms}, map { int(100 * $told->{$_} + 1e-9) / 100 } qw(n_mean nnz_mean)), "$terms $n $nnz",
        "$name: the terms of algorithm 4");
}

# Each of what the default adds leaves fewer terms.
for my $name (qw(steam3 will57)) {
    my @terms = map { (summary("mm-fmdecompose $_ " . data($name)))[0] }
        '', '--rule fill', '--rule fill --merge 0', '--rule superman';
    cmp_ok($terms[$_]{terms}, '<', $terms[$_ + 1]{terms}, "$name: fewer terms") for 0 .. 2;
    cmp_ok($terms[$_]{merged}, '>', 0, '... after merging') for 0 .. 1;
    is($terms[$_]{merged}, 0, '... nothing is merged') for 2 .. 3;
}
my ($curtis) = summary('mm-fmdecompose --max-terms 2200 ' . data('curtis54'));
cmp_ok($curtis->{terms}, '<', 2200, 'curtis54: a hundredth of the matrices that were published');

# Real matrices: exact integers, reals to the last digit, through rules and nestings.
my %known = map { (split /\t/)[0, 3] } grep { !/^#/ } split /\n/, slurp(source_path('tests/data/permanents.tsv'));
for my $name (qw(bcspwr02 steam3 d_ss impcol_b)) {
    my $file = data($name);
    my $whole = run(['perm-gpu', $file])->{out};
    for my $pipe ("mm-fmdecompose $file", "mm-fmdecompose --rule superman $file",
        "mm-dm --blocks $file | mm-fmdecompose -n 25", "mm-fmdecompose $file | mm-dm --blocks | mm-order --for degree",
        "mm-fmdecompose -n 45 $file | mm-dm --blocks | mm-fmdecompose -n 38 --form bin | mm-dm --blocks") {
        is(pipeline('', "$pipe | perm-gpu"), $whole, "$name: ... the permanent");
    }
}

# Random streams. Signed integers and patterns must agree to the digit; reals within rounding.
my @nestings = ('mm-fmdecompose -n 3', 'mm-fmdecompose -n 0 --max-degree 6', 'mm-fmdecompose --rule plain -n 4', 'mm-fmdecompose --rule superman -n 4',
    'mm-dm --blocks | mm-fmdecompose -n 2 | mm-order --for degree', 'mm-fmdecompose -n 7 | mm-dm --blocks --singletons',
    'mm-fmdecompose -n 7 | mm-dm --blocks | mm-fmdecompose -n 5 --rule superman | mm-dm --blocks | mm-fmdecompose -n 0',
    'mm-fmdecompose -n 6 --max-degree 2 | mm-fmdecompose -n 3', 'mm-fmdecompose -n 2 --merge 0',
    'mm-fmdecompose -n 0 --merge 3 | mm-dm --blocks', 'mm-fmdecompose -n 3 --max-degree 9 --rule fill');
my $seed = $ENV{MMPIPE_TEST_SEED} // 1;
diag "seed $seed";
for my $kind (['--field integer --values int:-3:3', 0], ['--field pattern', 0],
    ['--field integer --values int:-4000000000000000000:4000000000000000000', 0], ['--field real --values uniform', 1e-12],
    ['--field real --values uniform:-1:1', 1e-7], ['--field complex --values uniform:-1:1', 1e-7],
    ['--field integer --values int:-3:3 --symmetry symmetric', 0]) {
    my ($options, $tolerance) = @$kind;
    my $input = join '', map {
        my ($n, $p) = @$_;
        run(['bash', '-c', "mm-gen er $n -p $p --count 15 --seed $seed $options | sed 's/name: /name: $n-/'"])->{out} =~ s/^(%% ?End|% record).*\n//mgr;
    } [1, 0.7], [5, 0.5], [8, 0.35], [11, 0.3], [12, 0.25], [13, 0.3];
    my @want = split /\n/, pipeline($input, 'perm-gpu --raw');
    for my $nesting (@nestings) {
        my @got = split /\n/, pipeline($input, "$nesting | perm-gpu");
        is(scalar @got, 90, '... a line for each matrix');
        my @wrong = grep { !agree($got[$_], $want[$_], $tolerance) } 0 .. $#want;
        is("@wrong", '', "... permanents ($options)") or diag map { "$want[$_] $got[$_]\n" } @wrong;
    }
}

sub agree {
    my ($got, $want, $tolerance) = @_;
    return $got eq $want unless $tolerance;
    my ($name, @want) = split ' ', $want;
    my ($also, @got) = split ' ', $got;
    my ($size, $error) = (0, 0);
    for (0 .. $#want) {
        $size += abs $want[$_];
        $error += abs($want[$_] - $got[$_]);
    }
    return $name eq $also && @want == @got && $error <= $tolerance * $size;
}

# All that are known, as far as they make few terms.
sub published {
    my ($path) = @_;
    return map { [(split /\t/)[0, 3]] } grep { !/^(#|file)/ } split /\n/, slurp($path);
}
my ($shared, %seen) = ($ENV{MMPIPE_SHARED} // source_path('..', 'shared'));
my @known = (map { [source_path('tests/data', $_->[0]), $_->[1]] } published(source_path('tests/data/permanents.tsv'))),
    (-d "$shared/data" ? map { ["$shared/data/matrices/$_->[0]", $_->[1]] } published("$shared/data/permanents.tsv") : ());
for my $row (grep { -e $_->[0] && !$seen{$_->[0] =~ s{.*/}{}r}++ } @known) {
    my ($file, $want) = @$row;
    my $run = run(['bash', '-c', "mm-dm --blocks $file | mm-fmdecompose --max-terms 500 | perm-gpu --max-time 5"]);
    my $name = $file =~ s{.*/}{}r;
  SKIP: {
        skip "$name: more than 500 terms or 5 seconds", 1 if $run->{err} =~ /more than 500 terms|would take|takes longer/;
        my $got = $run->{out} =~ s/.*\t(.*)\n/$1/r;
        my $error = Math::BigFloat->new($got)->bsub($want)->babs;
        ok($want =~ /[.e]/ ? $error <= Math::BigFloat->new($want)->babs->bmul('1e-12') : $got eq $want,
            "$name: the known permanent")
            or diag "got $got, want $want", $run->{err};
    }
}

# Doubles with a bound that holds.
for my $name (qw(d_ss bfwb62)) {
    my $told = decode_json(pipeline('', 'mm-dm --blocks ' . data($name) . ' | mm-fmdecompose --round | perm-gpu --json'));
    my $want = $known{"$name.mtx"};
    my $error = abs($told->{permanent} - $want);
    cmp_ok($error, '<=', $told->{error_bound} + 1e-15 * abs $want, "$name with --round: the bound holds");
    cmp_ok($told->{error_bound}, '>', 0, '... and is not 0');
}

# Real entries that became integers: no need to be exact, unless asked for.
my $steam3 = data('steam3');
my $scaled = pipeline('', "mm-fmdecompose $steam3 | mm-dm --blocks | mm-fmdecompose -n 25");
is(scalar(() = $scaled =~ /^% scaled: real$/mg), scalar(() = $scaled =~ /^%%MatrixMarket \S+ \S+ integer/mg),
    'integers in terms of a real matrix are marked');
cmp_ok(scalar(() = $scaled =~ /^% scaled: real$/mg), '>', 20, '... and there are some');
is(run([qw(perm-gpu --exact)], input => $scaled)->{out}, run([qw(perm-gpu --exact), $steam3])->{out},
    '... their permanents exactly');
my $ww = decode_json(pipeline('', 'mm-dm --blocks ' . data('ww_36_pmec_36') . ' | mm-fmdecompose | perm-gpu --json'));
like($ww->{method}, qr/^(?:dense|sparse|frontier)/, '... or in doubles');
cmp_ok($ww->{error_bound}, '>', 0, '... with a bound');
unlike(pipeline('', 'mm-fmdecompose ' . data('will57')), qr/scaled/, '... integers of an integer matrix are not');

# What is missing, doubled, or of another split.
my @terms = split /^(?=%%MatrixMarket)/m, run([qw(mm-fmdecompose -n 20), data('bcspwr02')])->{out} =~ s/^%%End \d+\n//mr;
cmp_ok(scalar @terms, '>', 2, 'several terms');
s/^% record: \d+\n//m for @terms;
my $permanent = "HB/bcspwr02\t17339123388\n";
is(run(['perm-gpu'], input => join '', reverse @terms)->{out}, $permanent, 'in another order');
for my $bad (['the last is missing', @terms[0 .. $#terms - 1]], ['one is missing', @terms[1 .. $#terms]],
    ['one came twice', $terms[0], @terms], ['another kind', @terms[0 .. 1], $terms[2] =~ s/piece: term/piece: block/r],
    ['too many', @terms, $terms[0]], ['a whole one between', $terms[0], $terms[1] =~ s/^% piece: .*\n//mr, @terms[2 .. $#terms]]) {
    my ($what, @records) = @$bad;
    my $run = run(['perm-gpu'], input => join '', @records);
    is($run->{status}, 1, "$what: refused") or diag $run->{out};
}
for my $bad ('term 0', 'term', 'term 3/2', 'bloc 1', 'term 1;', 'term 1; ', 'term 99999999999999999999', 'term 1/x') {
    is(run(['perm-gpu'], input => $terms[0] =~ s/piece: .*/piece: $bad/r)->{status}, 3, "piece: $bad: status 3");
}

my $zero = "%%MatrixMarket matrix coordinate integer general\n% name: Z\n% perm.factor: 7\n3 3 4\n1 1 1\n1 2 1\n1 3 5\n2 1 2\n";
is(pipeline($zero, 'mm-fmdecompose -n 0 | perm-gpu'), "Z\t0\n", 'no perfect matching: one term that says 0');
is(pipeline("%%MatrixMarket matrix coordinate real general\n% name: N\n0 0 0\n", 'mm-fmdecompose | perm-gpu'), "N\t1\n", '0x0');
my $factor = "%%MatrixMarket matrix coordinate integer general\n% name: F\n% perm.factor: -7\n2 2 4\n1 1 1\n1 2 1\n2 1 5\n2 2 2\n";
is(pipeline($factor, 'mm-fmdecompose -n 0 | perm-gpu'), "F\t-49\n", 'a factor of the record counts once');

my $few = run([qw(mm-fmdecompose --max-terms 87 --rule plain), data('steam3')]);
is("$few->{status} $few->{out}", '1 ', '--max-terms: refused before anything is written');
like($few->{err}, qr/more than 87 terms/, '... with the number');
is(run([qw(mm-fmdecompose --max-terms 88 --rule plain), data('steam3')])->{out},
    run([qw(mm-fmdecompose --rule plain), data('steam3')])->{out} =~ s/^% by: mm-fmdecompose \S+/$& --max-terms 88/mgr,
    '... or written as without');
is(run(['mm-fmdecompose'], input => "%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 1\n")->{status}, 1,
    'not square: status 1');
is(run(['mm-fmdecompose', '--json'], input => $zero)->{status}, 2, '--json without --summary: status 2');
done_testing();
