#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# perm-gpu on devices, which are made of the shim (tests/fake): results, devices, parts, states, wrong chunks.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-gen perm-gpu perm-fold);
my $fake = "$ENV{MMPIPE_BUILD}/tests/fake/libcuda.so";
plan skip_all => 'tests/fake/libcuda.so is not built' unless -f $fake;
plan skip_all => 'no compiler' if system 'cc --version >/dev/null 2>&1';
$ENV{MMPIPE_LIBCUDA} = $ENV{MMPIPE_LIBNVRTC} = $fake;
$ENV{MMPIPE_FAKE_BYTES} = 1 << 28;
$ENV{MMPIPE_CACHE} = scratch('cache');

sub generate { return run(['mm-gen', @_])->{out} }
my @values = qw(--field real --values uniform:0:1);
my $dense = generate(qw(dense 24), @values, '--seed', 5);
my $sparse = generate(qw(er 22 -p 0.4 --diagonal), @values, '--seed', 6);
my $pairs = generate(qw(dense 20), @values, '--seed', 8);
my $complex = generate(qw(dense 20 --field complex --values uniform:0:1 --seed 7));
my $list = run(['perm-gpu', '--device', 'cuda', '--kernel', 'list'], input => $dense)->{out};
plan skip_all => 'built without CUDA kernels' if $list =~ /built without CUDA kernels/;
like($list, qr/^ +dense-cuda +[\d.e+-]+ s /m, '--kernel list: dense-cuda with its price');
like(run([qw(perm-gpu --device cuda --kernel list)], input => $sparse)->{out}, qr/^ +sparse-cuda +[\d.e+-]+ s /m,
    '... and sparse-cuda');

sub value { return (split /\t/, $_[0])[1] // '' }
sub compute {
    my ($input, @options) = @_;
    my $run = run(['perm-gpu', @options], input => $input);
    diag $run->{err} if $run->{status};
    return $run->{out};
}

# Half a unit of the last digit that is printed: no more are than the error leaves certain.
sub half_unit {
    my ($digits, $exponent) = $_[0] =~ /^-?\d+(?:\.(\d+))?(?:e([-+]?\d+))?$/;
    return 0.5 * 10**(($exponent // 0) - length($digits // ''));
}

# The same as on the processor.
my $integers = generate(qw(er 21 -p 0.7 --diagonal --field integer --values int:-9:9 --seed 9));
my $small = generate(qw(dense 18), @values, '--seed', 10);
my %whole;
for my $case (['dense-cuda', $dense], ['sparse-cuda', $sparse], ['dense-cuda', $complex],
    ['sparse-cuda', generate(qw(er 14 -p 0.4 --diagonal --field complex --values uniform:0:1 --seed 8))],
    ['register-cuda', $sparse], ['hybrid-cuda', $sparse],
    map({ ["superman-$_-cuda", $pairs] } qw(shared-shared shared-global-ceg registers-global-ceg registers-shared)),
    ['dense-pairs-cuda', $pairs], map({ ['dense-pairs-cuda', generate('dense', @$_)] }
        [16, @values, '--seed', 2], [17, '--field', 'real', '--values', 'uniform:1e-3:1'], [18, qw(--field real --values pm1 --seed 3)]),
    map({ ['dense-tensor-cuda', generate('dense', @$_)] }
        [16, '--field', 'real', '--values', 'uniform:-1:1'], [17, @values], [18, qw(--field real --values pm1 --seed 3)])) {
    my ($kernel, $input) = @$case;
    my $got = compute($input, qw(--device cuda --kernel), $kernel);
    my @got = split ' ', value($got);
    my @want = split ' ', value(compute($input, qw(--device cpu --kernel frontier-exact)));
    my $size = 0;
    $size += abs for @want;
    is(scalar(grep { abs($got[$_] - $want[$_]) > 1e-10 * $size + half_unit($got[$_]) } 0 .. $#want), 0, "$kernel: " . $got =~ s/\n//r);
    next if exists $whole{$kernel} && $kernel !~ /^dense-/;
    my ($bound) = compute($input, qw(--raw --json --device cuda --kernel), $kernel) =~ /"error_bound":"([^"]+)"/;
    cmp_ok(abs($got[0] - $want[0]), '<=', $bound + 1e-15 * $size + half_unit($got[0]), "... within its bound, $bound");
    $whole{$kernel} //= $got;
}
for my $case (
    ['exact-cuda', $integers, '--exact'],
    ['exact-cuda', generate(qw(dense 16 --field integer --values int:-1000000000000:1000000000000 --seed 11)), '--exact'],
    ['exact-cuda', generate(qw(dense 14 --field complex --values int:-99:99 --seed 12)), '--exact'],
    ['sieve-cuda', generate(qw(er 15 -p 0.5 --diagonal --field pattern --seed 13)), '--raw'],
    ['sieve-cuda', generate(qw(er 14 -p 0.8 --field integer --values int:-1:1 --seed 2)), '--raw'],
    ['sieve-cuda', generate(qw(dense 12 --field integer --values pm1 --seed 3)), '--raw'],
    ['dd-cuda', $small, qw(--precision dd)],
    ['dd-cuda', generate(qw(dense 13 --field complex --values uniform:-1:1 --seed 7)), qw(--raw --precision dd)],
    ['dd-cuda', generate(qw(dense 14 --field complex --values int:-99:99 --seed 7)), qw(--raw --precision dd)],
    ['dd-cuda', generate(qw(constant 14 --values 0.1)), qw(--raw --precision dd)]) {
    my ($kernel, $input, @options) = @$case;
    my $got = compute($input, @options, qw(--device cuda --verify --kernel), $kernel);
    is($got, compute($input, @options, qw(--device cpu --kernel), $kernel =~ s/-cuda//r =~ s/sieve/exact/r), "$kernel: " . $got =~ s/\n//r);
    $whole{$kernel} //= $got;
}
# --certify: a bound that holds and is about that of the processor; parts and --verify give the same.
for my $case ([qw(dense 21 --values uniform:-1:1 --seed 7)], [qw(dense 18 --field complex --values uniform:-1:1 --seed 7)]) {
    my $input = generate(@$case);
    my @certify = qw(--certify --device cuda --kernel dense-cuda);
    my $got = compute($input, @certify);
    my @bound = map { compute($input, '--certify', '--json', @$_) =~ /"error_bound":"([^"]+)"/ ? $1 : 0 }
        [qw(--device cuda --kernel dense-cuda)], [qw(--device cpu --kernel dense)];
    my @got = split ' ', value($got);
    my @want = split ' ', value(compute($input, qw(--device cpu --precision dd --kernel dd)));
    is(scalar(grep { abs($got[$_] - $want[$_]) > $bound[0] + half_unit($got[$_]) } 0 .. $#want), 0, "--certify, @$case: within the bound, $bound[0]");
    cmp_ok(abs(log($bound[0] / $bound[1])), '<', log(40), "... which is about that of the processor, $bound[1]");
    is(compute($input, @certify, '--verify'), $got, '... --verify gives the same');
    my $parts = join '', map { compute($input, @certify, '--part', "$_/2") } 1, 2;
    is(run(['perm-fold'], input => $parts)->{out}, $got, '... and so do parts');
    like(compute($input, qw(--certify --device cuda --json)), qr/"method":"dense-cuda"/, '... and devices that are asked for take it');
    is(compute($input . $input, @certify), $got . $got, '... also in a stream');
}
my %input = ('dense-cuda' => $dense, 'dense-pairs-cuda' => $pairs, 'sparse-cuda' => $sparse, 'exact-cuda' => $integers, 'dd-cuda' => $small);
my %options = ('exact-cuda' => ['--exact'], 'dd-cuda' => [qw(--precision dd)]);

# The frontier dynamic program: known permanents, every kind of value, wide frontiers.
my %known = (bcspwr02 => '17339123388', curtis54 => '8787902965855203136', will57 => '1070536592880585216');
for my $name (sort keys %known) {
    my $matrix = slurp(source_path("tests/data/$name.mtx"));
    is(value(compute($matrix, qw(--raw --exact --device cuda --kernel frontier-cuda))) =~ s/\s//r, $known{$name}, "frontier-cuda: $name");
}
for my $case (
    [[qw(er 20 -p 0.3 --diagonal --seed 1), @values], '--precision', 'double'],
    [[qw(er 18 -p 0.3 --diagonal --field real --values uniform:-1:1 --seed 2)], '--precision', 'double'],
    [[qw(er 16 -p 0.3 --diagonal --field complex --values uniform:-1:1 --seed 3)], '--precision', 'double'],
    [[qw(dense 17 --field integer --values int:-1:1 --seed 4)], '--exact'],
    map({ [[qw(er 14 -p 0.3 --diagonal --field integer --seed 5 --values), "int:-$_:$_"], '--exact'] } 2, 10, 1000, 10000),
    map({ [[qw(er 13 -p 0.3 --diagonal --field complex --seed 6 --values), "int:-$_:$_"], '--exact'] } 2, 10, 1000, 10000)) {
    my ($arguments, @options) = @$case;
    my $input = generate(@$arguments);
    my $got = value(compute($input, '--raw', @options, qw(--device cuda --kernel frontier-cuda)));
    my $want = value(compute($input, '--raw', @options, qw(--device cpu --kernel frontier)));
    my @got = split ' ', $got;
    my @want = split ' ', $want;
    my $size = 0;
    $size += abs for @want;
    ok($got ne '' && ($options[0] eq '--exact' ? $got eq $want : !grep { abs($got[$_] - $want[$_]) > 1e-12 * $size } 0 .. $#want),
        "frontier-cuda, @$arguments: " . $got =~ s/\n//r);
}
{
    my $narrow = run([qw(perm-gpu --raw --kernel frontier-cuda)], input => $dense, environment => { MMPIPE_FAKE_BYTES => 1 << 20 });
    is($narrow->{status}, 1, 'frontier-cuda: a device that is too small');
    like($narrow->{err}, qr/GiB of tables, the device has/, '... is told');
    like(run([qw(perm-gpu --raw --kernel frontier-cuda)], input => generate(qw(dense 46), @values))->{err},
        qr/too wide for a device's tables/, 'a frontier that is too wide too');
    like(run([qw(perm-gpu --raw --kernel frontier-cuda --exact)], input => generate(qw(er 14 -p 0.3 --diagonal --field integer --values int:-999999999999999999:999999999999999999)))->{err},
        qr/more than 256 bits/, 'and so are integers');
}

# It has no states of its own: what is killed starts anew, what is stopped has its result.
{
    my $path = scratch('frontier.mtx');
    spew($path, generate(qw(er 17 -p 0.3 --diagonal --seed 1), @values));
    my @command = (qw(perm-gpu --raw --precision double --device cuda:0 --kernel frontier-cuda), $path);
    my @saving = (@command, '--checkpoint', scratch('frontier.state'));
    my $want = run(\@command)->{out};
    for my $seconds (0.02, 0.1) {
        defined(my $process = fork) or die "fork: $!";
        if (!$process) {
            open STDOUT, '>', '/dev/null';
            exec @saving;
        }
        select undef, undef, undef, $seconds;
        kill KILL => $process;
        waitpid $process, 0;
    }
    is(run([@saving, '--time-limit', '0.001'])->{status}, 5, 'frontier-cuda is killed twice, and stopped');
    is(run(\@saving)->{out}, $want, '... and on to the same bytes');
    ok(!-e scratch('frontier.state'), '... without a state in the end');
}

# --max-time stops it between two launches; its price is that of a device, which is far from a minute.
{
    my $wide = generate(qw(er 23 -p 0.7 --diagonal --seed 1 --field integer --values int:1:9));
    my @command = qw(perm-gpu --exact --raw --device cuda:0 --kernel frontier-cuda --max-time 1);
    my $stopped = run(\@command, input => $wide);
    is("$stopped->{status} $stopped->{out}", '5 ', 'frontier-cuda past --max-time: status 5, no line');
    like($stopped->{err}, qr/stopped: it takes longer than --max-time allows/, '... with the reason');
}

# Any number of devices; parts; a state; wrong bits.
for my $kernel (sort keys %input) {
    my @kernel = ('--kernel', $kernel, @{ $options{$kernel} // [] });
    my $input = $input{$kernel};
    for my $devices ('cuda:0', 'cuda:1,0', 'cuda:0,1,2') {
        local $ENV{MMPIPE_FAKE_DEVICES} = 3;
        is(compute($input, @kernel, '--device', $devices, '-j3'), $whole{$kernel}, "$kernel, $devices: the same bytes");
    }
    my @parts = map { compute($input, @kernel, '--part', "$_/3") } 1 .. 3;
    is(run(['perm-fold'], input => join '', @parts)->{out}, $whole{$kernel}, "$kernel: three parts fold to the same bytes");
    is(compute($input, @kernel, '--verify'), $whole{$kernel}, "$kernel: --verify");
    for my $fault ('chunk:1', 'kernel:1') {
        my $run = run(['perm-gpu', @kernel, '--verify'], input => $input, environment => { MMPIPE_FAULT => $fault });
        is("$run->{status} $run->{out}", "0 $whole{$kernel}", "$kernel: a wrong bit ($fault): the same bytes");
        like($run->{err}, qr/chunk \d+ of \d+ .*: computed again/, '... and it is said');
    }
    my $path = scratch('input.mtx');
    spew($path, $input);
    my @command = ('perm-gpu', @kernel, '--device', 'cuda:0', '--checkpoint', scratch("$kernel.state"), $path);
    my $stopped = run([@command, '--time-limit', '0.001'], environment => { MMPIPE_CHECKPOINT_SECONDS => 0 });
    is($stopped->{status}, 5, "$kernel: --time-limit");
    is(run(\@command)->{out}, $whole{$kernel}, '... and on to the same bytes');
}

# The processes of a machine divide its devices.
{
    local $ENV{MMPIPE_FAKE_DEVICES} = 3;
    my @ranks = map { run([qw(perm-gpu --kernel exact-cuda --exact --part rank)], input => $integers, environment => {
        OMPI_COMM_WORLD_RANK => $_, OMPI_COMM_WORLD_SIZE => 2, OMPI_COMM_WORLD_LOCAL_RANK => $_, OMPI_COMM_WORLD_LOCAL_SIZE => 2 })->{out} } 0, 1;
    is(run(['perm-fold'], input => join '', @ranks)->{out}, $whole{'exact-cuda'}, 'two processes of MPI on three devices: the same bytes');
}

# Small matrices share launches, with the bytes that each has alone: -v keeps them apart.
my $many = join '', map({ generate('dense', 9 + $_ % 3, @values, '--seed', $_) } 1 .. 5), $complex,
    generate(qw(er 15 -p 0.2 --diagonal --seed 3), @values), generate(qw(er 12 -p 0.05 --field pattern --seed 3)),
    generate(qw(er 11 -p 0.5 --diagonal --field integer --values int:-9:9 --seed 4)), generate(qw(identity 3)),
    generate(qw(dense 9 --field real --values uniform:1e-310:1e-309 --seed 3)),
    generate(qw(dense 10 --field complex --values uniform:1e-200:1e100 --seed 3));
my $stream = run(['mm-cat'], input => $many)->{out};
my $apart = run([qw(perm-gpu --kernel dense-cuda -v)], input => $stream)->{out};
is(scalar(() = $apart =~ /\n/g), 12, 'twelve small matrices, of any range');
is(compute($stream, qw(--kernel dense-cuda), "-j$_"), $apart, "... together, -j$_: the same bytes") for 1, 3;
is(compute($stream, qw(--kernel dense-cuda --verify), "-j$_"), $apart, "... and verified, -j$_") for 1, 3;
for my $fault ('chunk:1', 'kernel:1', 'kernel:5') { # all of the first eight records are verified
    my $run = run([qw(perm-gpu -j1 --kernel dense-cuda --verify)], input => $stream, environment => { MMPIPE_FAULT => $fault });
    is("$run->{status} $run->{out}", "0 $apart", "... with a wrong bit ($fault): the same bytes");
    like($run->{err}, qr/chunk \d+ of \d+ .*: computed again/, '... and it is said');
}
# A stream that is longer than what is always verified.
my $long = run(['mm-cat'], input => join '', map { generate('dense', 9, @values, '--seed', $_) } 1 .. 150)->{out};
my $right = run([qw(perm-gpu --kernel dense-cuda)], input => $long)->{out};
for my $share (1, '0.001') {
    my @wrong = grep {
        run([qw(perm-gpu --kernel dense-cuda --verify-share), $share], input => $long, environment => { MMPIPE_FAULT => "kernel:$_" })->{out} ne $right
    } 5, 70, 149;
    is(scalar(@wrong), $share == 1 ? 0 : 3, "--verify-share $share of many small ones: " . ($share == 1 ? 'all' : 'no') . ' wrong chunks are seen');
}
my $bad = run(['mm-cat'], input => generate('dense', 9, @values) . "%%MatrixMarket matrix array integer general\n% perm.factor: six\n1 1\n5\n")->{out};
my $broken = run([qw(perm-gpu --kernel dense-cuda)], input => $bad);
is($broken->{status}, 3, 'a bad record among them: its status');
like($broken->{out}, qr/\Adense-9-1\t\S+\n\z/, '... behind the results before it');

# Devices that nobody asked for are started once a stream is worth it, whether records are solved together or not.
my $ones = join '', map { "%%MatrixMarket matrix array integer general\n1 1\n$_\n" } 1 .. 28;
my $worth = run(['mm-cat'], input => join '', map({ generate('dense', 26, @values, '--seed', $_) } 1 .. 20),
    $ones, generate(qw(dense 17), @values, '--seed', 3), generate(qw(er 15 -p 0.4 --diagonal --seed 4), @values))->{out};
my @double = qw(perm-gpu --precision double --json);
my ($together, $one) = map { run($_, input => $worth)->{out} =~ s/"seconds":[^}]*//gr } [@double], [@double, '-v', '-j1'];
is($together, $one, 'a stream that becomes worth a device: the same together and one by one');
like($together, qr/dense-17-3".*dense-cuda.*\n.*er-15-4".*dense-cuda.*\n\z/, '... the last records on it');
my ($some, $single, $whole, @halves) = map { run(['perm-gpu', @$_], input => $worth)->{out} }
    [], [qw(-v -j1)], map { [qw(--precision double), @$_] } [], ['--part', '1/2'], ['--part', '2/2'];
is($some, $single, '... and so are more digits');
is(run(['perm-fold'], input => join '', @halves)->{out}, $whole, '... and parts of the stream');
unlike(run([@double], input => generate(qw(dense 17), @values, '--seed', 3))->{out}, qr/cuda/, '... not without the others');

# The source of a kernel, compiled as C, gives the permanent that its comment says.
for my $kernel (qw(sparse-cuda register-cuda hybrid-cuda)) {
    my $source = run([qw(perm-gpu --raw --emit-kernel --kernel), $kernel], input => $sparse)->{out};
    my ($exponent, $sign, $runs, $threads, $bytes) =
        $source =~ /: 2\^(-?\d+) times (-1 times )?the sum over runs r = 0 \.\.\. (\d+) .*Blocks of (\d+) threads.* (\d+)\s+bytes/s;
    my ($code, $program) = map { scratch($_) } 'code.c', 'code';
    spew($code, qq{#include "shim.h"\n$source
static double out[3 * ($runs + 1)];
static void thread(void *data) { perm_sparse(0, $runs + 1, out); }
int main(void) {
    double sum = 0;
    shim_launch(thread, 0, (shim_index){($runs + 1) / $threads, 1, 1}, (shim_index){$threads, 1, 1}, $bytes);
    for (long r = 0; r <= $runs; r++)
        sum += (__builtin_parityl(r) ? -1 : 1) * (out[r] + out[$runs + 1 + r]);
    printf("%.17g\\n", ldexp(sum, $exponent));
}
});
    is(system("cc -std=gnu11 -O1 -w -ffp-contract=off -I'$ENV{MMPIPE_SOURCE}/kernels' -o $program $code -lm"), 0, "--emit-kernel, $kernel: compiles");
    my $value = `$program` * ($sign ? -1 : 1);
    my $want = value(compute($sparse, qw(--device cpu)));
    cmp_ok(abs($value - $want), '<=', 1e-9 * abs $want, "... and computes $want");
}
is(run([qw(perm-gpu --emit-kernel --kernel dense)], input => $sparse)->{status}, 2, '--emit-kernel of another kernel: status 2');

# A device that fails: status 4 and no number, at any call.
my ($failed, $wrong) = (0, '');
for my $call (map { $_ * $_ + $_ } 1 .. 12) {
    my $run = run([qw(perm-gpu --device cuda:0 --kernel dense-cuda)], input => $complex,
        environment => { MMPIPE_FAKE_FAIL => "$call:719" });
    next if $run->{status} == 0 && $run->{out} ne '';
    $failed++;
    $wrong .= "$call: status $run->{status}, '$run->{out}' $run->{err}" unless $run->{status} == 4 && $run->{out} eq '';
}
is($wrong, '', "a device lost at $failed calls: status 4");
cmp_ok($failed, '>', 3, '... reached');
my @lost = map {
    my $run = run([qw(perm-gpu --device cuda:0 --kernel dense-cuda)], input => $long, environment => { MMPIPE_FAKE_FAIL => "$_:719" });
    $run->{status} == 4 && substr($right, 0, length $run->{out}) eq $run->{out} ? () : "$_: $run->{status} $run->{err}";
} 50, 170, 200;
is("@lost", '', '... among many small matrices: status 4 behind the results before it');

# Devices are not looked for where a processor is quick, nor forced where they are not.
my $run = run([qw(perm-gpu --explain)], input => generate(qw(er 16 -p 0.3 --diagonal), @values, '--seed', 2));
unlike($run->{err}, qr/cuda/, 'a cheap matrix does not look for devices');
like(run([qw(perm-gpu --device cpu --kernel list)], input => $dense)->{out}, qr/dense-cuda +--device cpu/, '--device cpu: none');
{
    local $ENV{MMPIPE_LIBCUDA} = '/nowhere/libcuda.so.1';
    is(run([qw(perm-gpu --device cuda)], input => $dense)->{status}, 4, '--device cuda without a driver: status 4');
    is(compute($complex), compute($complex, qw(--device cpu)), 'auto without a driver: as on the processor');
}
like(run([qw(perm-gpu --device cuda:7)], input => $dense)->{err}, qr/7/, 'an unknown device is named');
done_testing();
