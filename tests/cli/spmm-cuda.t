#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# spmm-tc on a device, which is made of the shim (tests/fake): products, chains whose dense matrices stay there,
# takers that cannot have them, and what is left behind.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use POSIX 'ceil';
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-gen mm-cat mm-diff spmm-tc);
my $fake = build_path('tests/fake/libcuda.so');
plan skip_all => 'tests/fake/libcuda.so is not built' unless -f $fake;
plan skip_all => 'sanitizers remark on the stacks of the fake driver' if is_sanitized();
$ENV{MMPIPE_LIBCUDA} = $ENV{MMPIPE_LIBCUBLAS} = $ENV{MMPIPE_LIBCUBLASLT} = $fake;
$ENV{MMPIPE_FAKE_BYTES} = 1 << 30;
$ENV{MMPIPE_FAKE_DEVICES} = 1;
$ENV{MMPIPE_CACHE} = scratch('cache');

sub generate {
    my ($name, @options) = @_;
    my $path = scratch($name);
    spew($path, run(['mm-gen', @options])->{out});
    return $path;
}
sub shell {
    my ($text, %environment) = @_;
    return run(['bash', '-c', $text], environment => \%environment);
}
# The statuses of the commands of a pipeline come last.
sub pipeline { my ($text, @rest) = @_; return shell("$text; echo \"\${PIPESTATUS[\@]}\" >&2", @rest) }

# 1024 x 128 doubles are the least that stays on a device; values are integers, so that every sum is exact in every
# precision and the processor has the same bits.
my $a = generate('a.mtx', qw(er 1024 --p 0.004 --field integer --values int:-2:2 --seed 3));
my $b = generate('b.mtx', qw(dense 1024x128 --field integer --values int:-3:3 --seed 4));
my $c = generate('c.mtx', qw(dense 1024x128 --field integer --values int:-3:3 --seed 5));
my $gpu = 'spmm-tc --device cuda --kernel rows';
my $first = shell("$gpu -B $b $a");
plan skip_all => 'built without CUDA kernels' if $first->{err} =~ /built without CUDA kernels/;

# What the processor makes of it, by text files.
my %known;
sub reference {
    my ($options, @steps) = @_;
    return $known{join ',', $options, scalar @steps} //= compute(@_);
}
sub compute {
    my ($options, @steps) = @_;
    my $path = scratch('ref.mtx');
    shell("spmm-tc --device cpu $options -B $b $a >$path");
    for my $step (@steps) {
        my $next = scratch('next.mtx');
        shell("spmm-tc --device cpu $options $step -B $path $a >$next");
        $path = scratch('ref.mtx');
        rename $next, $path;
    }
    return slurp($path) =~ s/^% (?:by|record):.*\n//mgr;
}
sub stripped { return $_[0] =~ s/^% (?:by|record):.*\n//mgr }

is($first->{status}, 0, 'a product on the device') or diag $first->{err};
my $once = reference('');
ok(stripped($first->{out}) eq $once, '... has the numbers of the processor');
for my $precision (qw(fp16 bf16 tf32 3xtf32 fp32)) {
    my $run = shell("$gpu -p $precision -B $b $a");
    ok(stripped($run->{out}) eq $once, "... and in $precision") or diag $run->{err};
}
for my $columns (1, 7, 33) {
    my $narrow = scratch('narrow.mtx');
    shell("mm-cat --cols 1:$columns $b >$narrow");
    my ($here, $there) = map { stripped(shell("$_ -p fp16 -B $narrow $a")->{out}) } 'spmm-tc --device cpu', $gpu;
    ok(length $here > 1000 && $here eq $there, "$columns columns");
}
{
    my $run = shell("$gpu --alpha 2 --beta -3 -C $c -B $b $a");
    my $same = shell("spmm-tc --device cpu --alpha 2 --beta -3 -C $c -B $b $a");
    ok($run->{status} == 0 && stripped($run->{out}) eq stripped($same->{out}), '--alpha, --beta and -C');
}

# A product, and the kernels that it launches with the number of their blocks.
sub launch {
    my ($command) = @_;
    my $path = scratch('launches');
    unlink $path;
    my $run = shell($command, MMPIPE_FAKE_LAUNCHES => $path);
    return $run, -e $path ? slurp($path) : '';
}

# A has 8 bands of 128 rows. Each is cut into four pieces, so that each of the 16 multiprocessors has two blocks.
for my $precision (qw(fp16 bf16 tf32 3xtf32 fp64)) {
    my ($run, $launches) = launch("spmm-tc --device cuda --kernel panels -p $precision -B $b $a");
    ok(stripped($run->{out}) eq $once, "panels in $precision") or diag $run->{err};
    like($launches, qr/^panels_\S+ 32$/m, '... by 32 blocks');
}
{
    # 13 tiles of 64 columns, too.
    my ($left, $right) = (scratch('left.mtx'), scratch('right.mtx'));
    shell("mm-cat --cols 1:832 $a >$left; mm-cat --rows 1:832 $b >$right");
    my ($run, $launches) = launch("spmm-tc --device cuda --kernel panels -p fp16 -B $right $left");
    ok(stripped($run->{out}) eq stripped(shell("spmm-tc --device cpu -B $right $left")->{out}), 'panels, 832 columns of A');
    like($launches, qr/^panels_\S+ 32$/m, '... by 32 blocks');
}
{
    my $wide = generate('wide.mtx', qw(dense 1024x160 --field integer --values int:-3:3 --seed 8));
    my ($run, $launches) = launch("spmm-tc --device cuda --kernel blocks32 -p fp16 -B $wide $a");
    my $same = shell("spmm-tc --device cpu -p fp16 -B $wide $a");
    ok(length $same->{out} > 4e5 && stripped($run->{out}) eq stripped($same->{out}), 'blocks32, 160 columns') or diag $run->{err};
    like($launches, qr/^rings_half_2_2_1 /m, '... by rings');
}

# B in two chunks: of 9000 rows, 7232 have room with 32 bytes each. C has something before.
{
    my $left = generate('left.mtx', qw(er 160x9000 --p 0.05 --field integer --values int:-3:3 --seed 9));
    my $right = generate('right.mtx', qw(dense 9000x20 --field integer --values int:-3:3 --seed 10));
    my $added = generate('added.mtx', qw(dense 160x20 --field integer --values int:-9:9 --seed 11));
    my %bytes = (fp16 => 2, fp32 => 4, fp64 => 8);
    for my $precision (sort keys %bytes) {
        my $options = "-p $precision --alpha 2 --beta -3 -C $added -B $right $left";
        my ($run, $launches) = launch("spmm-tc --device cuda --kernel bstationary $options");
        my $same = shell("spmm-tc --device cpu $options");
        ok(length $same->{out} > 1e4 && stripped($run->{out}) eq stripped($same->{out}), "bstationary in $precision") or diag $run->{err};
        my $launch = qr/^bstationary_[a-z]+_(\d)_(\d)_\d (\d+) cooperative$/m;
        like($launches, $launch, '... by blocks that meet') or next;
        my ($lanes, $each, $blocks) = $launches =~ $launch;
        my $tiles = ceil(20 * $bytes{$precision} / (16 * $lanes * $each));
        cmp_ok($blocks, '>=', 2 * $tiles, '... with blocks for two chunks of B or more') or diag $launches;
    }
}

# Blocks for all tiles and chunks would not be resident together: one group of tiles after the other.
{
    my $left = generate('left.mtx', qw(er 64x9000 --p 0.05 --field integer --values int:-3:3 --seed 9));
    my $right = generate('right.mtx', qw(dense 9000x160 --field integer --values int:-3:3 --seed 10));
    my ($run, $launches) = launch("spmm-tc --device cuda --kernel bstationary -p fp64 -B $right $left");
    my $same = shell("spmm-tc --device cpu -p fp64 -B $right $left");
    is(stripped($run->{out}), stripped($same->{out}), 'bstationary in groups of tiles') or diag $run->{err};
    cmp_ok(scalar(() = $launches =~ /^bstationary_/mg), '>=', 2, '... one after the other') or diag $launches;
}

# B without columns.
{
    my $left = generate('left.mtx', qw(er 5000x9000 --p 0.001 --seed 9));
    my $right = scratch('right.mtx');
    spew($right, "%%MatrixMarket matrix array real general\n9000 0\n");
    for my $precision (qw(fp16 fp32 fp64)) {
        my $run = shell("spmm-tc --device cuda -p $precision -B $right $left");
        ok($run->{status} == 0 && $run->{out} =~ /^5000 0\n\z/m, "no columns in $precision") or diag $run->{err};
    }
}

# cuBLAS, of which the fake driver has its own.
{
    my ($right, $added) = (scratch('right.mtx'), scratch('added.mtx'));
    my $left = generate('left.mtx', qw(er 90 --p 0.5 --field integer --values int:-2:2 --seed 6));
    shell("mm-cat --rows 1:90 --cols 1:33 $b >$right; mm-cat --rows 1:90 --cols 1:33 $c >$added");
    for my $precision (qw(fp16 bf16 tf32 fp32 fp64)) {
        my ($here, $there) = map { shell("spmm-tc $_ -p $precision --alpha 2 --beta -3 -C $added -B $right $left") }
          '--device cpu', '--device cuda --kernel dense';
        ok(length $here->{out} > 1e4 && stripped($here->{out}) eq stripped($there->{out}), "cuBLAS in $precision") or diag $there->{err};
    }
}

# Rows of 24.1 entries on average are enough for two chunks, whatever blocks of rows have that fit a device.
{
    my $left = generate('left.mtx', qw(er 2000x9000 --p 0.00268 --field integer --values int:1:3 --seed 1));
    my $right = generate('right.mtx', qw(dense 9000x4 --field integer --values int:-3:3 --seed 10));
    my ($run, $launches) = launch("spmm-tc --device cuda --device-memory 66M --kernel bstationary -p fp32 -B $right $left");
    my $same = shell("spmm-tc --device cpu -p fp32 -B $right $left");
    is(stripped($run->{out}), stripped($same->{out}), 'bstationary in blocks of rows') or diag $run->{err};
    my ($all, $chunked) = map { scalar(() = $launches =~ /$_/mg) } qr/^bstationary_/m, qr/^bstationary_\S+ \d+ cooperative$/m;
    cmp_ok($all, '>', 2, '... of which there are several');
    is($chunked, $all, '... each with chunks of B');
}

# Twelve variants of kernels are measured. From the 25th event on they are 1 ms apart, so that the first variant is not the
# fastest.
{
    my $left = generate('left.mtx', qw(er 60 --p 0.5 --field integer --values int:-3:3 --seed 12));
    my $right = generate('right.mtx', qw(dense 60x4 --field integer --values int:-3:3 --seed 13));
    my $gpu = "spmm-tc --device cuda -p fp64 -B $right $left";
    my $run = shell("$gpu --tune --explain", MMPIPE_FAKE_FASTER => 25);
    my %measured = $run->{err} =~ /^spmm-tc: (\S+) .* measured (\S+)/mg;
    my ($chosen) = $run->{err} =~ /^spmm-tc: (\S+) .*\*$/m;
    is(scalar(keys %measured), 12, '--tune measures twelve variants') or diag $run->{err};
    is($measured{$chosen}, 0.001, '... and takes one of the fastest');
    is($measured{rows}, 0.002, '... which the one with the lowest price is not');
    my $same = stripped(shell("spmm-tc --device cpu -p fp64 -B $right $left")->{out});
    is(stripped($run->{out}), $same, '... with the same product');
    my ($again, $launches) = launch("$gpu --tune --explain");
    unlike($again->{err}, qr/measured /, '... once');
    like($again->{err}, qr/^spmm-tc: \Q$chosen\E: remembered/m, '... which is remembered');
    is(stripped($again->{out}), $same, '... with the same product');
    my ($other, $cheapest) = launch("$gpu --kernel rows");
    my ($one, $two) = map { /^((?!pack_|transpose_|reduction_)\S+) \d+(?: cooperative)?$/m ? $1 : 'none' } $launches, $cheapest;
    ok($one ne $two && $one ne 'none' && $two ne 'none', "... by another kernel than the cheapest ($one, $two)");
    my (undef, $timed) = launch("$gpu --tune --bench");
    like($timed, qr/^\Q$one\E /m, '... which --bench times, too');
}

# The clock of the fake device goes on by 2 ms from one event to the next.
{
    my $run = shell("spmm-tc --device cuda --kernel rows --bench -B $b $a");
    my ($names, $values) = map { [split /\t/] } split /\n/, $run->{out};
    my %bench;
    @bench{@$names} = @$values;
    is("$bench{warm_seconds} $bench{cold_seconds}", '0.002 0.002', '--bench: what a product takes') or diag $run->{err};
}

# One B for all matrices of a stream, and several for each.
{
    my $stream = scratch('stream.mtx');
    shell("mm-gen er 1024 --p 0.003 --field integer --values int:-2:2 --seed 7 --count 4 >$stream");
    my $sides = scratch('sides.mtx');
    shell("mm-cat $b $c >$sides");
    for my $side ($b, $sides) {
        for my $form ('', '--form resident') {
            my $run = pipeline("$gpu $form -B $side $stream | mm-cat");
            my $same = shell("spmm-tc --device cpu -B $side $stream | mm-cat");
            like($run->{err}, qr/^0 0$/m, "a stream of four $form");
            ok(length $same->{out} > 4e5 && stripped($run->{out}) eq stripped($same->{out}), '... has the same products');
        }
    }
    # B has a MiB in fp64, the four matrices A less than a half together.
    my $copies = scratch('copies');
    for my $side ("-B $b", '-n 128') {
        unlink $copies;
        my $run = pipeline("MMPIPE_FAKE_COPIES=$copies $gpu --form resident $side $stream | mm-cat --name '*1024*' --form resident | mm-cat");
        like($run->{err}, qr/^0 0 0$/m, "$side, a stream of four");
        my ($to, $from) = slurp($copies) =~ /^(\d+) (\d+)$/m;
        ok($to > 1 << 20 && $to < 3 << 19, "... B is sent once ($to bytes)");
        ok($from < 1000, "... and nothing comes back ($from bytes)");
    }
}

# Products of a stream come back while the next ones are computed; the fake driver copies them when they are waited for.
{
    my $stream = scratch('six.mtx');
    shell("mm-gen er 1024 --p 0.003 --field integer --values int:-2:2 --seed 9 --count 6 >$stream");
    my $same = shell("spmm-tc --device cpu -B $b $stream | mm-cat");
    for my $form ('text', 'bin') {
        my @run = map { pipeline("$gpu -j$_ --form $form -B $b $stream | mm-cat") } 4, 1;
        like($run[0]{err}, qr/^0 0$/m, "six products, --form $form");
        ok(length $same->{out} > 4e5 && stripped($run[0]{out}) eq stripped($same->{out}), '... are those of the processor');
        ok($run[0]{out} eq $run[1]{out}, '... and with one thread the same');
    }
    my $cut = pipeline("$gpu -j4 --form bin --level 0 -B $b $stream | head -c 3000000 >/dev/null");
    like($cut->{err}, qr/^[1-9]\d* 0$/m, 'a pipe that is cut ends it');
}

# --device auto. A start takes as long as three and a half products of the processor: the device, whose products take a
# twentieth, is started for the fourth.
{
    my $stream = scratch('auto.mtx');
    shell("mm-gen er 1024 --p 0.05 --field integer --values int:-2:2 --seed 11 --count 6 >$stream");
    my $auto = sub { return shell("MMPIPE_DEVICE_COSTS=$_[0]:1e15:1e15 spmm-tc -j1 --explain -B $b $stream | mm-cat") };
    my $kernels = sub { return join ' ', map { /^spmm-tc: \S+ +(cpu|cuda) .* \*$/m } split /\n/, $_[0]{err} };
    my $never = $auto->(1000);
    is($kernels->($never), 'cpu cpu cpu cpu cpu cpu', 'a device that starts slowly is not used');
    is(() = $never->{err} =~ /^spmm-tc: rows +cuda +not looked for/mg, 6, '... nor looked for');
    my ($seconds) = $never->{err} =~ /^spmm-tc: \S+ +cpu +(\S+) .* \*$/m;
    my $soon = $auto->(3.5 * $seconds);
    is($kernels->($soon), 'cpu cpu cpu cuda cuda cuda', 'one that takes three and a half products to start is used from the fourth on');
    ok(length $never->{out} > 4e5 && stripped($soon->{out}) eq stripped($never->{out}), '... with the same products');
    is($kernels->($auto->(0)), 'cuda cuda cuda cuda cuda cuda', 'one that starts at once is used at once');
    # The product does not fit beside A and B, but may stay on a device, which must be looked for to know.
    my $one = scratch('one.mtx');
    shell("mm-gen er 1024 --p 0.05 --field integer --values int:-2:2 --seed 11 >$one");
    my $full = pipeline("MMPIPE_DEVICE_COSTS=0:1e15:1e15 spmm-tc --memory 2500k --form resident --explain -B $b $one | mm-cat");
    like($full->{err}, qr/the product stays on the device.*^0 0$/ms, 'what exceeds --memory stays on the device');
}

# Two devices share the rows of A; each gets B once, and the numbers are the same.
{
    my $copies = scratch('copies');
    my $stream = scratch('stream.mtx');
    my $run = pipeline("MMPIPE_FAKE_COPIES=$copies.2 MMPIPE_FAKE_DEVICES=2 $gpu --form resident --explain -B $b $stream | mm-cat");
    like($run->{err}, qr/^0 0$/m, 'two devices');
    unlike($run->{err}, qr/stays on the device/, '... what they share goes by way of the host');
    ok(stripped($run->{out}) eq stripped(shell("spmm-tc --device cpu -B $b $stream | mm-cat")->{out}), '... with the same products');
    my ($to) = slurp("$copies.2") =~ /^(\d+) \d+$/m;
    ok($to > 2 << 20 && $to < 5 << 19, "... B is sent once to each ($to bytes)");
    my $power = shell("MMPIPE_FAKE_DEVICES=2 $gpu --power 3 -B $b $a");
    ok(stripped($power->{out}) eq reference('', '', ''), '... and powers are right');
    # A B on the second of them is worked with there.
    my $there = pipeline("spmm-tc --device cuda:1 --kernel rows --form resident -B $b $a | "
        . "$gpu --form resident --explain -B - $a | mm-cat", MMPIPE_FAKE_DEVICES => 2);
    ok($there->{err} =~ /^0 0 0$/m && $there->{err} =~ /stays on the device/ && stripped($there->{out}) eq reference('', ''),
        'B on the second of two devices') or diag $there->{err};
}

# ---- chains ----

my $thrice = reference('', '', '');
my $resident = '--form resident';
for my $precision ('', '-p fp16', '-p tf32') {
    my $want = $precision eq '-p fp16' ? reference($precision, '', '') : $thrice;
    my $run = pipeline("$gpu $precision $resident --explain -B $b $a | $gpu $precision $resident --explain -B - $a | $gpu $precision -B - $a");
    like($run->{err}, qr/^0 0 0$/m, "three programs $precision");
    is(() = $run->{err} =~ /the product stays on the device/g, 2, '... two products stay on the device');
    ok(stripped($run->{out}) eq $want, '... and the third has the right numbers') or diag $run->{err};
}
{
    my $run = pipeline("$gpu $resident -B $b $a | spmm-tc --kernel rows $resident -B - --explain $a | mm-cat");
    like($run->{err}, qr/^0 0 0$/m, '--device auto');
    like($run->{err}, qr/the product stays on the device/, '... works where B is');
}
for my $case (["spmm-tc --device cpu -B - $a", 'a processor takes it'],
    ["mm-cat $resident | $gpu -B - $a", 'mm-cat hands it on'],
    ["mm-cat --transpose $resident | mm-cat --transpose | $gpu -B - $a", 'mm-cat --transpose looks at the numbers'],
    ["mm-cat --form bin | $gpu -B - $a", 'mm-cat writes it']) {
    my $run = pipeline("$gpu $resident -B $b $a | $case->[0]");
    like($run->{err}, qr/^(?:0 )+0$/m, $case->[1]);
    ok(stripped($run->{out}) eq reference('', ''), '... and the product is right') or diag $run->{err};
}
{
    my $run = pipeline("$gpu $resident --verify -B $b $a | $gpu -B - $a");
    ok($run->{err} =~ /^0 0$/m && stripped($run->{out}) eq reference('', ''), '--verify goes by way of the host');
    my $info = pipeline("$gpu $resident -B $b $a | mm-info");
    like($info->{out}, qr/\t1024\t128\t/, 'mm-info fetches it');
    my $same = scratch('same.mtx');
    shell("spmm-tc --device cpu -B $b $a >$same");
    my $diff = pipeline("$gpu $resident -B $b $a | mm-diff - $same");
    like($diff->{err}, qr/^0 0$/m, 'mm-diff fetches it');
}
# Beyond 2^11 the formats with 11 bits round.
for my $power (2, 3, 7) {
    for my $precision ('', '-p fp16', '-p tf32') {
        my $run = pipeline("$gpu $precision --power $power $resident -B $b $a | mm-cat");
        ok($run->{err} =~ /^0 0$/m && stripped($run->{out}) eq reference($precision, ('') x ($power - 1)),
            "--power $power $precision stays on the device") or diag $run->{err};
    }
}

# ---- what does not fit, and who cannot take it ----

{
    my $large = scratch('large.mtx');
    shell("mm-gen dense 1024x128 --field real --values uniform:60000:70000 --seed 5 >$large");
    my $run = pipeline("$gpu $resident -B $large $a | $gpu -p fp16 -B - $a");
    like($run->{err}, qr/row \d+ has a number beyond the range of fp16.*\n.*^0 1$/ms, 'numbers beyond the range of the taker');
    my $over = pipeline("$gpu -p fp32 --alpha 3e38 $resident -B $large $a | mm-cat >/dev/null");
    like($over->{err}, qr/of the 131072 numbers of the product exceed the range of fp32, the first at row/, 'a product beyond the range');
    my $same = shell("spmm-tc --device cpu -p fp32 --alpha 3e38 -B $large $a");
    my ($one, $two) = map { /(\d+ of the 131072.*)/ } $over->{err}, $same->{err};
    is($one, $two, '... says what the processor says');
}
{
    my $run = pipeline("$gpu $resident -B $b $a | cat >/dev/null");
    like($run->{err}, qr/none of mmpipe.*\n.*^1 0$/ms, 'cat takes no memory');
    my $blind = pipeline("$gpu $resident -B $b $a | MMPIPE_LIBCUDA=/nowhere spmm-tc --device cpu -B - $a");
    like($blind->{err}, qr/lies in the memory of a GPU that is not there.*^0 4$/ms, 'a taker without the device');
    my $file = scratch('file');
    my $to = shell("$gpu $resident -B $b $a >$file");
    is($to->{status}, 1, 'a file takes no memory');
    for my $refused (qw(cuMemCreate:800 cuMemMap:1 cuMemExportToShareableHandle:304 cuDeviceGetUuid:801)) {
        my $host = pipeline("$gpu $resident -B $b $a | $gpu -B - $a", MMPIPE_FAKE_REFUSE => $refused);
        ok($host->{err} =~ /^0 0$/m && stripped($host->{out}) eq reference('', ''), "$refused: by way of the host") or diag $host->{err};
    }
    # What a product needs has a constant of 64 MiB: the giver's is whole, the taker's, which has B twice, is divided.
    my $little = pipeline("$gpu $resident --explain -B $b $a | $gpu -B - $a", MMPIPE_FAKE_BYTES => 76 << 20);
    ok($little->{err} =~ /stays on the device/ && $little->{err} =~ /^0 0$/m && stripped($little->{out}) eq reference('', ''),
        'a taker with little memory: by way of the host') or diag $little->{err};
    my $both = pipeline("$gpu $resident --explain -B $b $a | spmm-tc -B - $a", MMPIPE_FAKE_BYTES => 75 << 20);
    ok($both->{err} !~ /stays on the device/ && $both->{err} =~ /^0 0$/m && stripped($both->{out}) eq reference('', ''),
        'a giver with little memory, too') or diag $both->{err};
}
{
    # One that never ends by itself, since its input does not; one that is killed before it has begun is tried again.
    my ($run, $taken);
    for my $seconds (1, 4, 16) {
        $run = pipeline("(cat $a $a; sleep @{[2 * $seconds]}) | timeout -s KILL $seconds $gpu $resident -B $b | $gpu -B - $a");
        last if $run->{err} =~ /^\d+ 137 3$/m;
    }
    like($run->{err}, qr/^\d+ 137 3$/m, 'the giver is killed: the taker sees a cut');
    for my $seconds (1, 4, 16) {
        $taken = pipeline("$gpu $resident -B $b $a | timeout -s KILL $seconds $gpu -B - <(cat $a; sleep @{[2 * $seconds]})");
        last if $taken->{err} =~ /^\d+ 137$/m;
    }
    like($taken->{err}, qr/^\d+ 137$/m, 'the taker is killed with what it took');
}
done_testing;
