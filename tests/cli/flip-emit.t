#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# flip-emit: the functions compile without warnings and multiply right, and the self-test sees when they do not.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my ($compiler) = grep { my $name = $_; grep { -x "$_/$name" } split /:/, $ENV{PATH} } qw(cc gcc clang);
plan skip_all => 'there is no C compiler' unless $compiler;

# Status of the self-test; the compiler's messages where there are any.
sub test {
    my ($source) = @_;
    my ($file, $program) = (scratch('scheme.c'), scratch('scheme'));
    spew($file, $source);
    my $run = run([$compiler, qw(-std=c11 -O0 -Wall -Wextra -Werror -DSELF_TEST -o), $program, $file]);
    return $run->{err} if $run->{status};
    return run([$program])->{status};
}

sub emit {
    my ($input, @options) = @_;
    return run(['flip-emit', @options], input => $input)->{out};
}

sub additions { return join ',', $_[0] =~ /(\d+ products, \d+ additions)/g }

my $strassen = run([qw(flip-check --export mm), source_path('tests/data/strassen.exp')])->{out};
my $binary = $strassen =~ s/field: Z/field: F2/r;
for my $type (qw(double float int64_t)) {
    is(test(emit($strassen, '--type', $type)), 0, "Strassen in $type");
}
is(additions(emit($strassen)), '7 products, 18 additions', 'as many additions as Strassen has');
is(test(emit($binary)), 0, 'Strassen over F2');
like(emit($binary), qr/const uint64_t m0 = .* & /, '... in bits');

# Winograd's form has 15 additions when its common sums are seen.
my $winograd = <<'END';
(a11)*(b11)*(c11+c12+c21+c22)
(a12)*(b21)*(c11)
(a21+a22)*(b12-b11)*(c21+c22)
(a21+a22-a11)*(b22-b12+b11)*(c12+c21+c22)
(a11-a21)*(b22-b12)*(c12+c22)
(a12-a21-a22+a11)*(b22)*(c21)
(a22)*(b21-b22+b12-b11)*(c12)
END
my $checked = run(['flip-check'], input => $winograd);
like($checked->{out}, qr/\tyes\tZ,F2\t.*\t15\t1-/, 'the form of Winograd');
is(additions(emit($winograd)), '7 products, 15 additions', '... has 15 additions');
is(test(emit($winograd)), 0, '... and is right');

my $several = $strassen . run([qw(mm-gen scheme 2x3x4)])->{out} . $strassen;
is(test(emit($several)), 0, 'several functions in a file');
is(join(' ', emit($several) =~ /^void (\w+)/mg), 'multiply_2x2x2 multiply_2x3x4 multiply_2x2x2_2', '... with different names');
is(join(' ', emit($strassen, '--name', 'product') =~ /^void (\w+)/mg), 'product', '--name');

# Three times the third factors, over three.
my $third = $strassen =~ s/field: Z/field: Q\n% scheme.denominator: 3/r;
$third =~ s/^((?:9|10|11|12) \d+ )(-?1)$/$1 . 3 * $2/gme;
is(test(emit($third)), 0, 'a denominator');
is(test(emit($third, '--type', 'int64_t')), 0, '... in integers');

my $walked = run(['sh', '-c', 'mm-gen scheme 3x3x3 | flipwalk | tee /dev/stderr | flip-lift'])->{out};
is(test(emit($walked)), 0, 'what is found for 3x3x3 and lifted') if $walked ne '';

# The self-test is one: with an operation changed it fails.
my $source = emit($strassen);
isnt(test($source =~ s/ - / + /r), 0, 'a minus made plus: the self-test fails');
isnt(test(emit($binary) =~ s/ \^ / & /r), 0, 'a sum made a product: the self-test fails');

is(run(['flip-emit'], input => $strassen =~ s/^1 1 1$/2 1 1/mr)->{status}, 1, 'a wrong scheme: status 1');
is(run([qw(flip-emit --name 1st)], input => $strassen)->{status}, 2, 'no name: status 2');

SKIP: {
    my $folder = ($ENV{MMPIPE_SHARED} // '') . '/data/schemes';
    skip 'the published schemes are not here (MMPIPE_SHARED)', 1 unless -d $folder;
    for my $file (qw(classic/Laderman-333-23-98.m kauers-moosbauer/444-47-mod2.exp fmm-catalogue/4x4x4_tensor.mpl
        kauers-moosbauer/345-47-mod0.exp)) {
        my $run = run(['flip-emit', "$folder/$file"]);
        is(test($run->{out}), 0, $file);
    }
}
done_testing();
