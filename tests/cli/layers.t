#!/usr/bin/perl
# Layers go one way: bin, methods, mm, base. Kernels see only their contract. A library that only one file
# is meant to know is included by that file alone.
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

# Included headers: [name, in angle brackets or not]
sub includes {
    my ($path) = @_;
    my ($text, @found) = slurp($path);
    push @found, [$2, $1 eq '<'] while $text =~ /^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]/mg;
    return @found;
}

my @files;
find({ no_chdir => 1, wanted => sub { push @files, $_ if /\.(c|h|cu)$/ && !/_fatbin\.c$/ } },
    grep { -d } map { source_path($_) } qw(bin lib kernels));
ok(@files > 0, 'there are source files');

my (%owners, @wrong);
for my $path (sort @files) {
    my $file = substr $path, length source_path('');
    my ($top, $part) = split m{/}, $file;
    for my $include (includes($path)) {
        my ($name, $system) = @$include;
        if ($system) {
            push @{ $owners{zstd} }, $file if $name =~ /^zstd/;
            push @{ $owners{zlib} }, $file if $name =~ /^zlib/;
            push @{ $owners{libarchive} }, $file if $name =~ /^archive/;
            push @{ $owners{"SuiteSparse in $part"} }, $file
                if $name =~ m{suitesparse/|^(cs|btf|amd|colamd|camd|ccolamd|cholmod|umfpack|klu)\.h$}i;
            next;
        }
        next if $name eq 'config.h';
        my ($layer) = $name =~ m{^([^/]+)/};
        if ($top eq 'lib') {
            my @may = @{ $allowed{$part} // [] };
            push @may, $part if -d source_path('kernels', $part); # a method and its own kernels
            push @wrong, "$file: $name" unless defined $layer && grep { $_ eq $layer } @may;
        } elsif ($top eq 'kernels' && $part ne 'gen') {
            push @wrong, "$file: $name" unless $name =~ m{^\Q$part\E/|^[^/]+$};
        }
    }
}
is(join("\n", @wrong), '', 'files include only what their layer may');
for my $library (sort keys %owners) {
    my %seen = map { $_ => 1 } @{ $owners{$library} };
    my @names = sort keys %seen;
    ok(@names == 1, "$library is included by one file") or diag "@names";
}
for my $path (grep { m{/bin/[^/]+\.c$} } @files) {
    my $lines = () = slurp($path) =~ /\n/g;
    cmp_ok($lines, '<=', 170, substr($path, length source_path('')) . " is short");
}

# A merge of the makefile's lists can leave a name twice, and a forgotten header is missed only in a tarball.
my %listed;
$listed{$_}++ for slurp(source_path('Makefile.am')) =~ /^\w+ \+= (\S+)$/mg;
my @unlisted;
for my $path (sort @files) {
    my $file = substr $path, length source_path('');
    my $name = $file =~ s{^(bin/.*)\.c$}{$1}r;
    push @unlisted, $file if ($listed{$name} // 0) != 1;
}
is("@unlisted", '', 'every file stands once in the makefile');
done_testing();
