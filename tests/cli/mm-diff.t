#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# mm-diff: what counts as equal, what it reports, and its status.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my $n = 0;

# A file with this text.
sub file { my ($text) = @_; my $path = scratch('m' . ++$n . '.mtx'); spew($path, $text); return $path }
sub matrix { my ($head, @lines) = @_; return file("%%MatrixMarket matrix $head\n" . join '', map { "$_\n" } @lines) }
sub diff { return run(['mm-diff', @_]) }

my $a = matrix('coordinate real general', '% name: A', '2 2 3', '1 1 1', '2 1 0.5', '2 2 4');
my $same = matrix('coordinate real symmetric', '2 2 3', '2 2 4', '1 1 1', '2 1 0.5');
my $b = matrix('coordinate real general', '2 2 3', '1 1 1', '2 1 0.5', '2 2 4.25');

my $run = diff($a, $a);
is("$run->{status}|$run->{out}|$run->{err}", '0||', 'a file equals itself, in silence');
$run = diff($a, $b);
is("$run->{status}|$run->{out}", "1|A\tvalue\t2\t2\t4\t4.25\n", 'a value differs');
like($run->{err}, qr/1 of 1 records differ/, 'with a summary');
$run = diff('-q', $a, $b);
is("$run->{status}|$run->{out}|$run->{err}", '1||', '-q: the status alone');
is(diff('--atol', '0.25', $a, $b)->{status}, 0, 'within --atol');
is(diff('--rtol', '0.06', $a, $b)->{status}, 0, 'within --rtol');
is(diff('--rtol', '0.05', $a, $b)->{status}, 1, 'beyond --rtol');
is(diff('--pattern', $a, $b)->{status}, 0, '--pattern');

# Mathematics or storage
my $full = matrix('array real general', '2 2', '1', '0.5', '0.5', '4');
is(diff($same, $full)->{status}, 0, 'symmetric coordinate equals general array');
is(diff('--strict', $same, $full)->{status}, 1, 'unless --strict');
my $integer = matrix('coordinate integer general', '2 2 2', '1 1 1', '2 2 1');
my $pattern = matrix('coordinate pattern general', '2 2 2', '2 2', '1 1');
my $zero = matrix('coordinate real general', '2 2 3', '1 1 1', '2 2 1', '2 1 0');
is(diff($integer, $pattern)->{status}, 0, 'a pattern is ones');
is(diff($integer, $zero)->{status}, 0, 'an explicit zero is no entry');
$run = diff('--keep-zeros', $integer, $zero);
is("$run->{status}|" . $run->{out} =~ s/^[^\t]*//r, "1|\tentry\t2\t1\t-\t0\n", 'unless --keep-zeros');
is(diff('--strict', $pattern, $pattern)->{status}, 0, '--strict of equals');

# Exactness: 2^53 and 2^53 + 1, and beyond 64 bits
my ($even, $odd) = map { matrix('array integer general', '1 1', $_) } '9007199254740992', '9007199254740993';
is(diff($even, $odd)->{status}, 1, 'neighbouring integers that are one double');
my $real = matrix('array real general', '1 1', '9007199254740992');
is(diff($even, $real)->{status}, 0, 'an integer equals the double of its value');
is(diff($odd, $real)->{status}, 1, 'and no other');

# Infinities and the ends of the range
my %one = map { my $text = $_; $text => matrix('array ' . (/ / ? 'complex' : 'real') . ' general', '1 1', $text) }
    'inf', '-inf', '1', '1e308', '-1e308', '1.1e308', 'inf 1', 'inf 2', '1 0', '1e308 1e308', '1e308 -1e308', '5e-324',
    '-0.0', '0';
for (
    ['inf', '1', '1e-12', 1], ['inf', '-inf', '1.999', 1], ['inf', 'inf', '1e-12', 0], ['inf', '1e308', '2', 1],
    ['1e308', '-1e308', '1.999', 1], ['1e308', '-1e308', '2', 0], ['1e308', '1.1e308', '0.1', 0],
    ['1e308', '1.1e308', '0.09', 1], ['inf 1', 'inf 2', '0.9', 1], ['inf 1', '1 0', '2', 1],
    ['1e308 1e308', '1e308 -1e308', '1.4', 1], ['1e308 1e308', '1e308 -1e308', '1.5', 0], ['5e-324', '0', '0.99', 1],
    ['5e-324', '0', '1', 0], ['-0.0', '0', '0', 0]
) {
    my ($x, $y, $rtol, $status) = @$_;
    is(diff('--rtol', $rtol, $one{$x}, $one{$y})->{status}, $status, "$x and $y with --rtol $rtol: $status");
    is(diff('--rtol', $rtol, $one{$y}, $one{$x})->{status}, $status, '... in the other order');
}
like(diff('--json', $one{inf}, $one{1})->{out}, qr/"largest_absolute":null,"largest_relative":null/,
    'no largest difference from an infinity');

# Sizes, names, numbers of records
$run = diff($a, $odd);
is("$run->{status}|$run->{out}", "1|A\tsize\t0\t0\t2x2\t1x1\n", 'sizes');
my $two = run(['mm-cat', $a, $a])->{out};
my $path = file($two);
$run = diff($path, $a);
is("$run->{status}|$run->{out}", "1|A\trecord\t0\t0\t+\t-\n", 'a record that the other has not');
is(diff($a, $path)->{status}, 1, 'on either side');
is(run(['mm-diff', '-', $path], input => $two)->{status}, 0, 'standard input');

# Metadata
my $titled = matrix('coordinate real general', '% name: B', '2 2 3', '1 1 1', '2 1 0.5', '2 2 4');
is(diff($a, $titled)->{status}, 0, 'metadata do not count');
$run = diff('--metadata', $a, $titled);
is("$run->{status}|$run->{out}", "1|A\tmetadata\t0\t0\t% name: A\t% name: B\n", 'unless --metadata');

# Many differences
my @other = map { "$_ $_ " . ($_ + 1) } 1 .. 20;
my @these = map { "$_ $_ $_" } 1 .. 20;
my ($left, $right) = map { matrix('coordinate real general', '% name: M', '20 20 20', @$_) } \@these, \@other;
my @lines = split /\n/, diff($left, $right)->{out};
is(scalar @lines, 6, 'the first five are shown');
is($lines[5], "M\tmore\t0\t0\t15\t-", 'and the others counted');
is(scalar(() = diff('--show', 20, $left, $right)->{out} =~ /\n/g), 20, '--show');

# JSON
$run = diff('--json', $a, $b);
like($run->{out}, qr/\A\{"record":1,"name":"A","equal":false,"differences":1,"largest_absolute":0\.25,/, '--json');
is(diff('--json', $a, $a)->{out} =~ /"equal":true/ && 1, 1, '--json of equals');

# Mistakes and damage
is(diff($a)->{status}, 2, 'one file is not enough');
is(diff('-', '-')->{status}, 2, 'standard input twice');
is(diff('--rtol', '-1', $a, $b)->{status}, 2, 'a negative tolerance');
is(diff($a, scratch('nothing'))->{status}, 2, 'a file that is not there');
my $cut = file(substr slurp($a), 0, -4);
$run = diff($a, $cut);
is($run->{status}, 3, 'damage is 3');
like($run->{err}, qr/\Q$cut\E: matrix A, record 1/, 'and names the file at fault');
my $twice = matrix('coordinate real general', '2 2 2', '1 1 1', '1 1 1');
isnt(diff($twice, $twice)->{status}, 0, 'duplicates are refused');
done_testing();
