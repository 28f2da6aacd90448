#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Nothing that a program allocates is lost before it ends: the leak sanitizer of the C compiler, loaded before the
# programs as they are built, finds no block to which nothing points. A run that fails gives everything back, too.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my %built = map { $_ => -x build_path('bin', $_) } programs();
plan skip_all => 'the programs are not built' if grep { !$_ } values %built;
plan skip_all => 'built with sanitizers' if is_sanitized();
chomp(my $sanitizer = `cc -print-file-name=liblsan.so 2>/dev/null` // '');
plan skip_all => 'the C compiler has no liblsan.so' unless $sanitizer =~ m{/};

my %variables = (LD_PRELOAD => $sanitizer, LSAN_OPTIONS => 'exitcode=99', MMPIPE_DEVICE => 'cpu');

# It must find a leak, and nothing where there is none: it cannot work in every container.
my $source = scratch('leak.c');
spew($source, "#include <stdlib.h>\nint main(int count, char **words) {\n    char *volatile block = malloc(10);\n"
        . "    if (count > 1)\n        free(block);\n    block = NULL;\n    return words == NULL;\n}\n");
plan skip_all => 'no compiler' if system('cc', '-o', scratch('leak'), $source) != 0;
my @status = map { run([scratch('leak'), @$_], environment => \%variables)->{status} } [], ['free'];
plan skip_all => "the leak sanitizer does not work here: statuses @status" if "@status" ne '99 0';

my %data = map { $_ => source_path('tests/data', $_) } qw(ash85.mtx bfwb62.mtx bcspwr01.mtx bcspwr02.mtx cage5.mtx can_24.mtx
    curtis54.mtx d_ss.mtx impcol_b.mtx steam3.mtx strassen.exp strassen.npz will57.mtx ww_36_pmec_36.mtx mycielskian6.mtx);
my %made; # inputs that programs make: name => path

# Runs a program. A word that names data stands for its path, as =NAME for what make has made. The status is what it
# would be without the sanitizer.
sub clean {
    my ($words, $status, %option) = @_;
    my ($program, @rest) = map { /^=(.*)/ ? $made{$1} : $data{$_} // $_ } split ' ', $words;
    my $run = run([build_path('bin', $program), @rest], environment => \%variables, %option);
    is($run->{status}, $status // 0, $words)
        or diag($run->{err} =~ s/^((?:.*\n){12}).*/$1/sr);
    return $run->{out};
}
sub make {
    my ($name, $words) = @_;
    $made{$name} = scratch($name);
    spew($made{$name}, clean($words));
}

# Records and their forms.
make('both', 'mm-cat bcspwr01.mtx cage5.mtx can_24.mtx');
make('bin', 'mm-cat --form bin =both bfwb62.mtx');
make('points', 'mm-gen points 300x2');
make('integer', 'mm-gen er 12 -p 0.5 --diagonal --field integer --values int:1:9');
make('real', 'mm-gen er 12 -p 0.6 --diagonal --field real');
make('complex', 'mm-gen er 10 -p 0.7 --diagonal --field complex');
make('dense', 'mm-gen dense 9 --field real');
make('scheme', 'mm-gen scheme 2x2x2');
make('f2', 'mm-gen scheme 2x2x2 --f2');
clean("mm-gen $_ 12") for qw(dense vector permutation unitary ones identity tridiagonal derangement menage);
clean("mm-gen $_") for 'band 12 --bandwidth 2:1', 'block 12 --block-count 3', 'rmat 16', 'constant 5 --values 0.5';
clean('mm-gen stencil 4x5');
clean('mm-gen circulant 12 --offsets 0,1,5');
clean('mm-gen points --grid 3x3x3 --perturb 0.5');
clean('mm-gen dense 6 --symmetry hermitian --field complex');
clean("mm-cat $_") for '=bin', '--array =dense', '--general --drop-zeros steam3.mtx', "--name bcs* =both", '--lenient =both',
    '--check =both', '--part 1/2 =both', 'strassen.npz', '--level 0 --form bin =both';
clean('mm-cat --where n<40&&square =both');
$made{parts} = scratch('parts.txt');
spew($made{parts}, "3,1;4,2\n2;1:3\n");
clean("mm-cat $_ =both") for '--rows 3,1 --cols 4,2', '--submatrices =parts';
clean("mm-info $_") for '=both', '--json =both', '=bin', 'impcol_b.mtx';
clean('mm-diff =both =bin', 1);
clean('mm-diff =both =both');
clean("mm-spy $_") for 'ash85.mtx -o ' . scratch('spy.png'), 'ash85.mtx -o ' . scratch('spy.svg'), 'impcol_b.mtx';
clean("mm-dm $_ impcol_b.mtx") for '', '--summary', '--blocks', '--drop';
make('wide', 'mm-gen er 30x34 -p 0.07 --seed 1'); # a part of it is square
clean("mm-dm --blocks $_") for 'd_ss.mtx', '=wide';
clean("mm-order --for $_ curtis54.mtx") for qw(frontier degree amd colamd metis rcm spmm levels);
clean("mm-order --for $_ =integer") for qw(perm partition);
make('ordered', 'mm-order --for degree curtis54.mtx');
clean('mm-order --invert =ordered');

# Permanents.
clean("perm-gpu $_") for '=both', '--json =both', '--verify =integer', '--explain =real', '=complex', 'steam3.mtx --kernel list';
clean("perm-gpu --kernel $_ =integer") for qw(frontier frontier-exact frontier-double frontier-quad exact-portable dd-portable mpfr sparse-exact-portable);
clean("perm-gpu --precision double --kernel $_ =integer") for qw(dense-portable dense-ref);
clean("perm-gpu --kernel $_ =real") for qw(dense-portable mpfr dd-portable sparse-portable sparse-gray-portable);
clean('perm-gpu --precision exact =complex');
clean('perm-gpu --checkpoint ' . scratch('state') . ' =integer =real');
clean('perm-gpu --minors =integer');
clean('perm-gpu --minors =real');
for my $part (1 .. 2) {
    make("part$part", "perm-gpu --part $part/2 =integer =real");
}
clean('perm-fold =part1 =part2');
clean('perm-fold --json =part1 =part2');
clean('perm-fold =part1', 1);
clean('mm-fmdecompose --stop-n 20 --max-degree 4 will57.mtx');

# Products.
make('rectangle', 'mm-gen ones 4x30'); # many equal columns
clean('perm-gpu =rectangle');
make('vectors', 'mm-gen dense 62x5 --field real');
clean("spmm-tc $_ bfwb62.mtx") for '-B =vectors', '--random-b 8', '--random-b 8 --power 3', '--random-b 8 --transpose-a', '--random-b 3 --precision fp32',
    '--random-b 3 --kernel list', '--random-b 40 --verify';

# Hierarchical matrices.
make('h2', 'h2-build =points');
make('orthogonal', 'h2-orthog =h2');
make('small', 'h2-compress --tol 1e-3 =orthogonal');
clean("h2-compress $_ =orthogonal") for '--tol 1e-2 --basis qr', '--tol-rule frobenius', '--weights householder';
clean("h2-info $_") for '=h2', '--json =small';
clean("h2-mv $_") for '=h2', '--transpose =small', '--random 3 =small';
clean("h2-build --function $_ =points") for qw(gaussian helmholtz convection);
make('nine', 'mm-gen points 9x2');
clean('h2-build --matrix =dense =nine');

# Schemes.
clean("flip-check $_") for '=scheme', '=f2', 'strassen.exp', 'strassen.npz';
make('walked', 'flipwalk --steps 20000 --device cpu =f2');
clean('flip-lift =walked');
clean('flip-emit =scheme');
clean('flip-combine product =scheme =scheme');
clean("flip-combine $_ =scheme") for qw(extend rotate transpose);
clean('flip-path =walked =walked');

# The library, by its unit tests, of which these take a moment.
for my $unit (map { build_path('tests/unit', $_) } qw(api/matrices api/permanents api/products api/threads flip/lift order/order perm/sum perm/value)) {
  SKIP: {
        skip "$unit is not built", 1 unless -x $unit;
        is(run([$unit], environment => \%variables)->{status}, 0, $unit);
    }
}

# Devices, by a driver that computes on the processor.
SKIP: {
    my $fake = build_path('tests/fake/libcuda.so');
    skip 'tests/fake/libcuda.so is not built', 1 unless -f $fake;
    local @variables{qw(MMPIPE_DEVICE MMPIPE_LIBCUDA MMPIPE_LIBNVRTC MMPIPE_FAKE_BYTES MMPIPE_FAKE_DEVICES MMPIPE_FAKE_STRICT MMPIPE_CACHE)} =
        ('cuda', $fake, $fake, 1 << 28, 2, 1, scratch('cache'));
    my $list = run([qw(perm-gpu --kernel list), $made{real}], environment => \%variables)->{out};
    skip 'built without CUDA kernels', 1 if $list =~ /built without CUDA kernels/;
    clean("perm-gpu --kernel $_-cuda =real") for qw(dense sparse register hybrid);
    clean('perm-gpu --verify --kernel sparse-cuda =real');
    make('larger', 'mm-gen dense 16 --field real');
    clean('perm-gpu --kernel dense-pairs-cuda =larger');
    clean("perm-gpu --kernel $_-cuda --exact =integer") for qw(exact sieve);
    make('gaussian', 'mm-gen er 10 -p 0.7 --diagonal --field complex --values int:-9:9');
    clean('perm-gpu --kernel exact-cuda --exact =gaussian');
    clean('perm-gpu --kernel frontier-cuda =integer');
    clean('perm-gpu --emit-kernel --kernel sparse-cuda =real');
    for my $call (map { 10 * $_ } 2 .. 9) { # the driver has no memory, somewhere; there may be fewer calls
        local $variables{MMPIPE_FAKE_FAIL} = "$call:2";
        my $run = run([qw(perm-gpu --verify --device cuda:0 --kernel exact-cuda --exact), $made{integer}], environment => \%variables);
        like($run->{status}, qr/^[04]$/, "a driver whose call $call fails") or diag($run->{err} =~ s/^((?:.*\n){12}).*/$1/sr);
    }
    clean('flipwalk --steps 20000 --islands 2 =scheme');
    clean('spmm-tc --kernel rows --random-b 8 bfwb62.mtx');
}

# What fails.
clean('mm-cat', 3, input => "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n2 2 x\n");
clean('mm-cat --keep-going', 1, input => "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n");
clean('mm-cat --where n<forty =both', 2);
clean('perm-gpu', 3, input => substr slurp($data{'can_24.mtx'}), 0, 700);
clean('perm-gpu --kernel mpfr ash85.mtx', 1);
clean('h2-compress =h2', 1);
clean('h2-info =points', 1);
clean('flip-check', 3, input => substr slurp($made{scheme}), 0, 150);
clean('h2-mv', 3, input => substr slurp($made{h2}), 0, 4000);
clean('mm-info', 3, input => substr slurp($made{bin}), 0, 700);
clean('h2-build =both', 1);
clean('spmm-tc -B =both bfwb62.mtx', 1);
done_testing();
