#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The library as it is installed: what it shows, what it needs, headers by themselves, pkg-config, and the examples,
# compiled against it and run.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my %made = slurp(build_path('Makefile')) =~ /^(CC|CXX|CFLAGS|MMPIPE_CFLAGS|prefix|libdir|EMULATOR) = *(.*)$/mg;
plan skip_all => 'programs of a cross build run in an emulator' if ($made{EMULATOR} // '') ne '';
my @cc = split ' ', $made{CC};
# A library with sanitizers needs them in the programs, too.
my @flags = grep { /^-fsanitize/ } split ' ', "$made{MMPIPE_CFLAGS} $made{CFLAGS}";

my $root = scratch('root');
my $install = run(['make', '-s', '-C', build_path(), 'install', "DESTDIR=$root"]);
is($install->{status}, 0, 'make install') or BAIL_OUT($install->{err});
my $prefix = "$root$made{prefix}";
my $libdir = $root . $made{libdir} =~ s/\$\{(?:exec_)?prefix\}/$made{prefix}/gr;
my ($so) = bsd_glob("$libdir/libmmpipe.so.*.*.*");
ok(defined $so && -f "$libdir/libmmpipe.a", 'a shared and a static library') or BAIL_OUT('no library');

# ---- symbols ----

my @listed = slurp(source_path('lib/api/mmpipe.map')) =~ /^ +(mmpipe_\w+);$/mg;
is("@listed", join(' ', sort @listed), 'the list of symbols is sorted');
sub symbols {
    my ($file, @options) = @_;
    my $found = run(['nm', '-P', @options, $file]);
    return sort map { /^([^\s@]+)\S* [TDBRVWC] / ? $1 : () } split /\n/, $found->{out};
}
is(join("\n", grep { $_ ne 'MMPIPE_0' } symbols($so, '-D', '--defined-only')), join("\n", @listed),
    'the shared library shows the symbols of mmpipe.map');
is(join("\n", grep { !/^\.gomp_critical/ } symbols("$libdir/libmmpipe.a", '-g', '--defined-only')),
    join("\n", @listed), 'so does the static one');
my $headers = join '', map { slurp($_) } bsd_glob("$prefix/include/mmpipe/*.h");
my %declared = map { $_ => 1 } $headers =~ /^MMPIPE_API [^;(]*?\b(mmpipe_\w+)\(/mg;
is(join("\n", sort keys %declared), join("\n", @listed), 'and the headers declare just these');
my $page = slurp(source_path('man/libmmpipe.3'));
is(join(' ', grep { $page !~ /\b$_\b/ } @listed), '', 'libmmpipe(3) names each of them');
like(run(['readelf', '-d', $so])->{out}, qr/SONAME.*\[libmmpipe\.so\.0\]/, 'the soname is that of version 0');

# ---- one implementation ----

# Beside what lib/api/ defines, the library is made of objects of the programs: it computes nothing in a way of its own.
sub code {
    my ($file) = @_;
    return map { /^((?:base|dm|flip|h2|mm|order|perm|spmm)_\w+) [TtDdBbRr] / ? $1 : () } split /\n/, run(['nm', '-P', $file])->{out};
}
SKIP: {
    skip 'names do not survive -flto', 2 if "$made{MMPIPE_CFLAGS} $made{CFLAGS}" =~ /-flto/;
    my %of_programs = map { $_ => 1 } map { code($_) } grep { -x && !-d && !/\.\w+$/ } bsd_glob(build_path('bin/*'));
    my @code = code("$libdir/libmmpipe.a");
    cmp_ok(scalar @code, '>', 500, 'the library has code of the methods');
    is(join("\n", grep { !$of_programs{$_} } @code), '', 'all of it is in some program, too');
}

# ---- manners ----

# What it takes from others: nothing that prints, ends the process, or changes signals or the locale. _exit is that of a child
# in which METIS runs (lib/order/child.h).
my $taken = run(['nm', '-D', '-P', '--undefined-only', $so])->{out};
my @rude = $taken =~ /^((?:exit|_Exit|quick_exit|abort|__assert_fail|raise|kill|signal|sigaction|setlocale|printf|
    puts|putchar|perror|psignal|syslog|errx?|warnx?|stdout|stderr|vprintf|__printf_chk|__vprintf_chk))(?:@\S*)? /xmg;
is("@rude", '', 'it calls nothing that prints, exits, or changes signals or locale');

# ---- headers ----

my @compilers = (['C11', @cc, '-std=c11', '-x', 'c']);
push @compilers, ['C++', 'c++', '-std=c++11', '-x', 'c++'] if grep { -x "$_/c++" } split /:/, $ENV{PATH};
for my $compiler (@compilers) {
    my ($language, @command) = @$compiler;
    my @errors;
    for my $header (bsd_glob("$prefix/include/mmpipe/*.h")) {
        my $got = run([@command, qw(-Wall -Wextra -pedantic -Werror -fsyntax-only), "-I$prefix/include", '-'],
            input => '#include <mmpipe/' . $header =~ s{.*/}{}r . ">\n");
        push @errors, $got->{err} if $got->{status} != 0;
    }
    is("@errors", '', "each header compiles by itself as $language");
}

# ---- examples ----

SKIP: {
    my @config = ('pkg-config', 'mmpipe');
    local @ENV{qw(PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR)} = ("$libdir/pkgconfig", $root);
    local @ENV{qw(PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS)} = (1, 1);
    my $version = run([@config, '--modversion']);
    skip 'no pkg-config', 1 if $version->{status} != 0;
    my ($said) = $headers =~ /define MMPIPE_VERSION "(.*)"/;
    is($version->{out}, "$said\n", 'headers and pkg-config tell the same version');
    my $chain = scratch('tridiagonal.mtx');
    spew($chain, run(['mm-gen', 'tridiagonal', '12'])->{out});
    # Fibonacci numbers; [1 2; 3 4] and [5]; a path; products by hand; sums; Strassen 1969.
    my %expected = (
        dm => [[], "structural rank 3, 2 blocks\npermanent 50\n"],
        h2 => [[], "smaller: yes, error below 1e-4: yes\n"],
        order => [[], qr/^bandwidth 4\nbandwidth 1, rows (0 4 1 3 2|2 3 1 4 0)\n$/],
        permanent => [[$chain], "tridiagonal-12\t233\texact\treduction\n"],
        scheme => [[], "right\nwrong: a_1_1 b_1_1 c_1_1 has the coefficient 2 instead of 1\n"],
        spmm => [[], "8 11\n6 9\n30 39\n11 14\n9 12\n39 48\n"],
        stream => [[$chain, scratch('copy.zst')], ''],
    );
    my @examples = bsd_glob("$prefix/share/doc/mmpipe/examples/*.c");
    is(scalar @examples, scalar keys %expected, 'all examples are installed');
    for my $example (@examples) {
        my ($name) = $example =~ m{([^/]*)\.c$};
        my ($arguments, $wanted) = @{ $expected{$name} };
        # One is linked with the static library.
        my $is_static = $name eq 'permanent';
        my @words = split ' ', run([@config, '--cflags', '--libs', $is_static ? '--static' : ()])->{out};
        @words = map { $_ eq '-lmmpipe' && $is_static ? '-l:libmmpipe.a' : $_ } @words;
        my $program = scratch("example-$name");
        my $got = run([@cc, qw(-std=c11 -Wall -Wextra -pedantic -Werror), @flags, $example, '-o', $program, @words, '-lm']);
        is($got->{status}, 0, "$name compiles") or diag $got->{err};
        local $ENV{LD_LIBRARY_PATH} = $libdir;
        $got = run([$program, @$arguments]);
        is($got->{status}, 0, "$name runs") or diag $got->{err};
        ref $wanted ? like($got->{out}, $wanted, "$name prints what it should") : is($got->{out}, $wanted, "$name prints what it should");
        unlike(run(['ldd', $program])->{out}, qr/libmmpipe/, "$name has the library inside") if $is_static;
    }
    is(run(['mm-diff', $chain, scratch('copy.zst')])->{status}, 0, 'stream copied what it read');
    like(run(['mm-cat', scratch('copy.zst')])->{out}, qr/^% copied: yes$/m, 'and added a comment');
}

# ---- what else is installed ----

for my $file (qw(README.md COPYING CHANGES)) {
    ok(-s "$prefix/share/doc/mmpipe/$file", "$file is installed");
}
# They bring what they run: a collection from the installed ones.
my $matrices = scratch('matrices');
mkdir $matrices or die;
system('cp', map({ source_path("tests/data/$_.mtx") } qw(bcspwr01 can_24)), $matrices) == 0 or die;
my $collected = run(['make', '-s', '-f', "$prefix/share/mmpipe/pipelines/collection.mk", "INPUT=$matrices", 'WORK=' . scratch('work'), 'STAGES=info perm'],
    environment => { MMPIPE_TEST_SECONDS => 300 });
is($collected->{status}, 0, 'pipelines are installed, with what they run') or diag $collected->{err};
like(-e scratch('work/table.tsv') ? slurp(scratch('work/table.tsv')) : '', qr/^HB\/bcspwr01\t.*\t376417000\t/m, '... and work there');
# With what they run: a table of a paper comes out of the installed makefile.
my $table = run(['make', '-s', '-f', "$prefix/share/mmpipe/pipelines/paper-codegen.mk", 'SMALL=1', "WORK=$root/papers", 'MACHINE=m', 'shares=0.1', 'kernels=', 'figure5', 'report']);
is($table->{status}, 0, 'a table of a paper') or diag $table->{err};
like($table->{out}, qr/^40-0\.1-1-ordered +sums /m, '... with its rows');
ok(-s "$root/papers/report.html", '... and its page');
system('rm', '-rf', "$root/papers");
my $removed = run(['make', '-s', '-C', build_path(), 'uninstall', "DESTDIR=$root"]);
my @left = split /\n/, run(['find', $root, '-not', '-type', 'd'])->{out};
is("@left", '', 'make uninstall leaves nothing');
done_testing();
