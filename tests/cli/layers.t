#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Layers go one way: bin, methods, mm, base; inside a method its rooms go one way too, and no files need each
# other in a circle. Kernels see only their contract. A library that only one file is meant to know is included
# by that file alone.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Find;
use Program;
use Test::More;

my @methods = qw(perm h2 spmm flip);
my @services = qw(dm order); # methods that other methods may use
my %allowed = (base => [qw(base)], mm => [qw(mm base)]);
$allowed{$_} = [$_, qw(mm base)] for @services;
$allowed{$_} = [$_, @services, qw(mm base)] for @methods;
# The library on top of all, its headers, and programs that have nothing but these.
$allowed{api} = [qw(api mmpipe mm base), @services, @methods];
$allowed{include} = ['mmpipe'];
$allowed{examples} = [];

# The rooms of a layer, from the bottom up: a room sees those of the rows before its own, and none beside it.
my %rooms = (
    base => ['core', 'device resident', 'run'],
    mm => [
        'coding decimal', 'record', 'metadata source', 'text binary arrays', 'formats', 'stream matrix', 'generate where picture',
    ],
    flip => ['scheme', 'derive formats', 'search', 'device', 'job'],
    h2 => ['matrix', 'product build', 'change', 'device', 'dispatch'],
    perm => [
        'value', 'matrix', 'subsets degree', 'chunks', 'method',
        'frontier multiplicities exact dense doubledouble mpfr sparse minors', 'plan', 'solve', 'report'
    ],
    spmm => ['problem', 'cpu device', 'families', 'dispatch', 'plan', 'product'],
);

# Included headers: [name, in angle brackets or not]
sub includes {
    my ($path) = @_;
    my ($text, @found) = slurp($path);
    push @found, [$2, $1 eq '<'] while $text =~ /^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]/mg;
    return @found;
}

# Where a room of a layer stands: {room => floor}.
sub floors {
    my ($rows, $floor, %at) = (@_, 0);
    for my $row (@$rows) {
        $at{$_} = $floor for split ' ', $row;
        $floor++;
    }
    return \%at;
}
my %floor = map { $_ => floors($rooms{$_}) } keys %rooms;

my @files;
find({ no_chdir => 1, wanted => sub { push @files, $_ if /\.(c|h|cu)$/ && !/_fatbin\.c$/ } },
    grep { -d } map { source_path($_) } qw(bin lib kernels));
ok(@files > 0, 'there are source files');

my (%owners, @wrong, @upward);
for my $path (sort @files) {
    my $file = substr $path, length source_path('');
    my ($top, $part, $room) = split m{/}, $file;
    for my $include (includes($path)) {
        my ($name, $system) = @$include;
        if ($system) {
            push @wrong, "$file: $name" if $name =~ m{^mmpipe/} && $part !~ /^(?:include|examples)$/;
            push @{ $owners{zstd} }, $file if $name =~ /^zstd/;
            push @{ $owners{zlib} }, $file if $name =~ /^zlib/;
            push @{ $owners{libarchive} }, $file if $name =~ /^archive/;
            push @{ $owners{"SuiteSparse in $part"} }, $file
                if $name =~ m{suitesparse/|^(cs|btf|amd|colamd|camd|ccolamd|cholmod|umfpack|klu)\.h$}i;
            next;
        }
        next if $name eq 'config.h' || $name eq 'processor.h'; # what the compiler and the processor can do
        my ($layer, $other) = split m{/}, $name;
        if ($top eq 'lib') {
            my @may = @{ $allowed{$part} // [] };
            push @may, $part if -d source_path('kernels', $part); # a method and its own kernels
            push @wrong, "$file: $name" unless $name =~ m{/} && grep { $_ eq $layer } @may;
            if ($floor{$part} && $layer eq $part && $room ne $other && -f source_path("lib/$name")) {
                my ($mine, $its) = @{ $floor{$part} }{ $room, $other };
                push @upward, "$file: $name" unless defined $mine && defined $its && $its < $mine;
            }
        } elsif ($top eq 'kernels' && $part ne 'gen') {
            push @wrong, "$file: $name" unless $name =~ m{^\Q$part\E/|^[^/]+$};
        }
    }
}
is(join("\n", @wrong), '', 'files include only what their layer may');
is(join("\n", @upward), '', 'rooms include only rooms below them');
for my $library (sort keys %owners) {
    my %seen = map { $_ => 1 } @{ $owners{$library} };
    my @names = sort keys %seen;
    ok(@names == 1, "$library is included by one file") or diag "@names";
}
for my $path (grep { m{/bin/[^/]+\.c$} } @files) {
    my $lines = () = slurp($path) =~ s{\A/\* SPDX-[^\n]*\n}{}r =~ /\n/g;
    cmp_ok($lines, '<=', 170, substr($path, length source_path('')) . " is short");
}

# Every source names its licence, in its first line or behind that of its interpreter.
SKIP: {
    my @tracked = -e source_path('.git') ? split /\0/, run(['git', '-C', source_path(''), 'ls-files', '-z'])->{out} : ();
    skip 'no checkout', 1 unless @tracked;
    my $source = qr{(?:\.(?:c|h|cu|map|mk|am|ac|pl|pm|t|py|sh|toml|def)|/meta\.yaml|^GNUmakefile)$};
    my @unnamed;
    for my $file (grep { !m{^tests/(?:data|golden|fuzz/corpus)/|\.(?:md|mtx)$} && -f source_path($_) } @tracked) {
        my ($first, $second) = split /\n/, slurp(source_path($file));
        my $is_script = ($first // '') =~ /^#!/;
        next unless $is_script || $file =~ $source;
        push @unnamed, $file unless (($is_script ? $second : $first) // '') =~ m{^(?:/\* |# |dnl )SPDX-License-Identifier: BSD-3-Clause(?: \*/)?$};
    }
    is("@unnamed", '', 'every source names its licence');
}

# A source says what it is: by a header of its name, or by the comment that it begins with.
my $lib = source_path('lib');
my @bare;
for my $path (grep { m{^\Q$lib\E/.*\.c$} } sort @files) {
    (my $text = slurp($path)) =~ s{\A/\* SPDX-[^\n]*\n}{};
    next if -f $path =~ s/c$/h/r || $text =~ m{^/[*/]};
    push @bare, substr $path, length source_path('');
}
is("@bare", '', 'every source has a header of its name or an opening comment');

# Memory comes from lib/base/core/memory.h, where sizes cannot overflow and tests can make it run out.
my @loose;
for my $path (grep { m{^\Q$lib\E/} && !m{/base/core/(?:gmp_)?memory\.c$} } sort @files) {
    (my $text = slurp($path)) =~ s{/\*.*?\*/|"(?:\\.|[^"\\])*"}{}gs;
    push @loose, substr($path, length source_path('')) . ": $1"
        while $text =~ /\b((?:malloc|calloc|realloc|strdup|strndup|asprintf|aligned_alloc|posix_memalign)\()/g;
}
is(join("\n", @loose), '', 'nothing allocates past base/core/memory.h');

# What a folder lists in its local.mk, and for a family of SpMM kernels its file in lib/; a header that is forgotten
# there is missed only in a tarball.
my %listed;
for my $list (grep { -f } map { "$_/local.mk" } keys %{ { map { s{/[^/]*$}{}r => 1 } @files } }) {
    my $folder = substr($list, length source_path('')) =~ s{/local\.mk$}{}r;
    my @rows = slurp($list) =~ /^\w+ \+= (\S+)$/mg;
    $listed{$_}++ for map { s/^%D%/$folder/r } @rows;
    for my $block (split /\n\n/, slurp($list)) {
        my @names = $block =~ /^\w+ \+= (\S+)$/mg;
        is("@names", join(' ', sort @names), "$folder/local.mk is sorted") if join(' ', sort @names) ne "@names";
    }
}
my @unlisted;
for my $path (sort @files) {
    my $file = substr $path, length source_path('');
    my $name = $file =~ s{^(bin/.*)\.c$}{$1}r;
    push @unlisted, $file if ($listed{$name} // 0) != 1;
}
is("@unlisted", '', 'every file stands in one local.mk');

# A folder is one idea: where it has more files, it is two.
my %room;
$room{ s{/[^/]*$}{}r }++ for grep { !m{^bin/} } map { substr $_, length source_path('') } @files;
for my $top ('tests/support', 'tests/unit') {
    find({ no_chdir => 1, wanted => sub { $room{ substr $File::Find::dir, length source_path('') }++ if /\.[ch]$/ } }, source_path($top));
}
is(join(', ', map { "$_: $room{$_}" } grep { $room{$_} > 25 } sort keys %room), '', 'no folder has more than 25 sources');

# Circles between headers: guards would hide one, and the order of includes decide whether it compiles.
my %included;
for my $path (grep { /\.h$/ } @files) {
    my $file = substr $path, length source_path('');
    $included{$file} = [
        grep { -f source_path($_) } map { my $name = $_; map { "$_/$name" } qw(lib lib/include kernels) }
        map { $_->[0] } includes($path)
    ];
}
cmp_ok(scalar(grep { @$_ } values %included), '>', 100, 'headers include others');
is(join("\n", map { join ' ', sort @$_ } circles(\%included)), '', 'no headers include each other in a circle');

# Circles between sources with their headers: X.c needs what Y.h declares, and Y.c or Y.h needs X.h. Only a folder's
# internal.h may look back: it shows the folder's own sources more of what the folder's headers declare.
my %needed;
for my $path (@files) {
    my $file = substr $path, length source_path('');
    my ($folder, $unit) = ($file =~ s{/[^/]*$}{}r, $file =~ s/\.\w+$//r);
    for my $name (map { $_->[0] } includes($path)) {
        my ($header) = grep { -f source_path($_) } map { "$_/$name" } qw(lib lib/include kernels);
        next if !defined $header || $header eq "$folder/internal.h";
        my $other = $header =~ s/\.\w+$//r;
        $needed{$unit}{$other} = 1 if $other ne $unit;
    }
}
my %units = map { $_ => [sort keys %{ $needed{$_} }] } keys %needed;
is(join("\n", map { join ' ', sort @$_ } circles(\%units)), '', 'no sources with their headers need each other in a circle');

# Circles between the object files of a layer, found by the symbols that they define and need.
SKIP: {
    my @objects;
    find({ no_chdir => 1, wanted => sub { push @objects, $_ if /\.o$/ } }, "$ENV{MMPIPE_BUILD}/lib");
    my $symbols = @objects ? run(['nm', '-A', '-P', @objects]) : undef;
    skip 'no objects here, or no nm', 1 unless $symbols && $symbols->{status} == 0;
    my (%owner, %needs);
    for (split /\n/, $symbols->{out}) {
        my ($object, $name, $kind) = /^(\S+): (\S+) (\S)/ or next;
        if ($kind =~ /[TDBRV]/) { $owner{$name} = $object }
        elsif ($kind eq 'U') { $needs{$object}{$name} = 1 }
    }
    my %edges;
    for my $object (keys %needs) {
        my %to = map { $owner{$_} => 1 } grep { $owner{$_} && $owner{$_} ne $object } keys %{ $needs{$object} };
        $edges{$object} = [keys %to];
    }
    my @circles = map { join ' ', map { substr $_, 1 + length $ENV{MMPIPE_BUILD} } sort @$_ } circles(\%edges);
    my %flat = map { $_ => 1 } @services;
    @circles = grep { m{^lib/(\w+)/} && ($rooms{$1} || $flat{$1}) } @circles;
    is(join("\n", @circles), '', 'no files need each other in a circle');
}

# Strongly connected components of more than one file (Tarjan, 1972).
sub circles {
    my ($edges) = @_;
    my (%index, %low, %open, @stack, @found);
    my $visit;
    $visit = sub {
        my ($object) = @_;
        $index{$object} = $low{$object} = keys %index;
        push @stack, $object;
        $open{$object} = 1;
        for my $next (@{ $edges->{$object} // [] }) {
            if (!exists $index{$next}) {
                $visit->($next);
                $low{$object} = $low{$next} if $low{$next} < $low{$object};
            } elsif ($open{$next}) {
                $low{$object} = $index{$next} if $index{$next} < $low{$object};
            }
        }
        return if $low{$object} != $index{$object};
        my @component;
        do {
            push @component, pop @stack;
            delete $open{ $component[-1] };
        } until $component[-1] eq $object;
        push @found, \@component if @component > 1;
    };
    no warnings 'recursion';
    $visit->($_) for grep { !exists $index{$_} } sort keys %$edges;
    return @found;
}
done_testing();
