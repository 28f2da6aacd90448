#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Kernels compile for processors that have none of x86's instructions: the compiler of this build is told that it is
# another one. The build and the unit tests on 64-bit Arm are `make check-aarch64`.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Find;
use File::Path 'make_path';
use Program;
use Test::More;

my %made = slurp(build_path('Makefile')) =~ /^(CC) = *(.*)$/mg;
# Headers of the C library take the processor for one of 32 bits, and ask for this file.
make_path(scratch('headers/gnu'));
spew(scratch('headers/gnu/stubs-32.h'), '');
my @sources;
find({ no_chdir => 1, wanted => sub { push @sources, $_ if /\.c$/ && !/_fatbin\.c$/ } }, source_path('kernels'));
ok(@sources > 20, 'there are kernels') or BAIL_OUT('no kernels');
my @command = (split(' ', $made{CC}), qw(-std=gnu11 -Wall -Wextra -Werror -fsyntax-only -U__x86_64__ -D_GNU_SOURCE),
    '-I' . scratch('headers'), map { '-I' . source_path($_) } qw(lib lib/include kernels .));
push @command, '-I' . build_path();
my @errors;
for my $source (sort @sources) {
    my $got = run([@command, $source]);
    push @errors, $got->{err} if $got->{status} != 0;
}
is(join('', @errors), '', 'each compiles without x86');
done_testing();
