# SPDX-License-Identifier: BSD-3-Clause
# h2-build's default matrices beside the functions that they stand for, computed here: on point sets of every
# dimension the error is small, or a remark on standard error names it.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Program;
use Test::More;

my $turn = 2 * atan2(0, -1);
my @functions = qw(exponential gaussian matern32 matern52 inverse log helmholtz convection);
my $most = 1e-3;      # an error above this needs a remark
my $sampling = 4;     # errors from different rows and vectors agree to such a factor

sub uniform { return rand }    # the same on every machine after srand

sub vector { return [map { uniform() } 1 .. 3] }
sub combine {
    my (@terms) = @_;    # factor, vector, …
    my @sum = (0, 0, 0);
    while (my ($factor, $vector) = splice @terms, 0, 2) { $sum[$_] += $factor * $vector->[$_] for 0 .. 2 }
    return \@sum;
}

# Each makes one point of a set from the number of the point, their number and the set's own vectors.
my %sets = (
    'line' => sub { [uniform()] },
    'graded line' => sub { [10**(-8 * uniform())] },
    'regular line' => sub { [$_[0] / $_[1]] },
    'line with duplicates' => sub { [int(200 * uniform()) / 200] },
    'square' => sub { [uniform(), uniform()] },
    'regular square' => sub { my $m = int sqrt $_[1]; [($_[0] % $m) / $m, int($_[0] / $m) / $m] },
    'strip' => sub { [uniform(), uniform() / 100] },
    'line in the plane' => sub { my $t = uniform(); [$t, $t * $_[2][0]] },
    'circle' => sub { my $t = $turn * uniform(); [cos $t, sin $t] },
    'graded square' => sub { [uniform()**4, uniform()**4] },
    'cube' => sub { vector() },
    'regular cube' => sub {
        my $m = int($_[1]**(1 / 3)) + 1;
        [($_[0] % $m) / $m, (int($_[0] / $m) % $m) / $m, int($_[0] / $m / $m) / $m];
    },
    'line in space' => sub { combine(uniform(), $_[2]) },
    'line along an axis' => sub { [uniform(), $_[2][1], $_[2][2]] },
    'plane in space' => sub { combine(uniform(), $_[2], uniform(), $_[3]) },
    'plane along axes' => sub { [uniform(), uniform(), $_[2][2]] },
    'circle in space' => sub { my $t = $turn * uniform(); combine(cos $t, $_[2], sin $t, $_[3]) },
    'sphere' => sub {
        my ($z, $t) = (2 * uniform() - 1, $turn * uniform());
        [sqrt(1 - $z * $z) * cos $t, sqrt(1 - $z * $z) * sin $t, $z];
    },
    'helix' => sub { my $t = uniform(); [cos 20 * $t, sin 20 * $t, $t] },
    'clusters' => sub { combine(1, $_[2 + int(6 * uniform())], 1e-3, vector()) },
    'duplicates' => sub { combine(1, $_[2 + $_[0] % 150]) },
    'line and cloud' => sub { $_[0] % 2 ? combine(uniform(), $_[2]) : vector() },
    'tiny cube' => sub { combine(1e-9, vector()) },
    'huge cube' => sub { combine(1e9, vector()) },
    'tiny line in space' => sub { combine(1e-12 * uniform(), $_[2]) },
    'huge line in space' => sub { combine(1e12 * uniform(), $_[2]) },
    'cube far away' => sub { combine(1, vector(), 1e6, $_[2]) },
);

sub make_points {
    my ($set, $n) = @_;
    my @own = map { vector() } 1 .. 200;
    return [map { $sets{$set}->($_, $n, @own) } 0 .. $n - 1];
}

sub evaluate {
    my ($function, $x, $y) = @_;
    my $l = 0.1;
    my $square = 0;
    $square += ($x->[$_] - $y->[$_])**2 for 0 .. $#$x;
    my $r = sqrt $square;
    return exp -$r / $l if $function eq 'exponential';
    return exp -$square / (2 * $l * $l) if $function eq 'gaussian';
    return (1 + sqrt(3) * $r / $l) * exp -sqrt(3) * $r / $l if $function eq 'matern32';
    return (1 + sqrt(5) * $r / $l + 5 * $square / (3 * $l * $l)) * exp -sqrt(5) * $r / $l
        if $function eq 'matern52';
    return exp -($r - ($x->[0] - $y->[0]) / 2) / $l if $function eq 'convection';
    return 0 if $r == 0;
    return $function eq 'inverse' ? $l / $r : $function eq 'log' ? -log($r / $l) : cos($turn * $r / $l) / $r;
}

sub array_text {
    my ($rows, $cols, @numbers) = @_;
    return join "\n", '%%MatrixMarket matrix array real general', "$rows $cols", @numbers, '';
}

sub ratio {
    my @rows = @_;    # exact, approximate
    my ($far, $whole) = (0, 0);
    for (@rows) { $far += ($_->[0] - $_->[1])**2; $whole += $_->[0]**2 }
    return $far == 0 ? 0 : sqrt($far / $whole);
}

# |A x - y| / |A x| over some rows, for the products y with the H2 matrix; the larger one of that of all and of
# that without a tenth in which close points make A x large.
sub true_error {
    my ($function, $point, $x, $y) = @_;
    my @rows;
    my $step = int(@$point / 80) | 1;    # odd: some sets alternate
    for (my $i = 0; $i < @$point; $i += $step) {
        my $sum = 0;
        $sum += evaluate($function, $point->[$i], $point->[$_]) * $x->[$_] for 0 .. $#$point;
        push @rows, [$sum, $y->[$i]];
    }
    my @sorted = sort { abs $a->[0] <=> abs $b->[0] } @rows;
    my ($all, $most) = (ratio(@rows), ratio(@sorted[0 .. $#sorted - int(@sorted / 10)]));
    return $all > $most ? $all : $most;
}

# The error of a set and a function, and the one that h2-build named, if any.
sub check_build {
    my ($number, $set, $function) = @_;
    srand $number;
    my $n = 300 + int(500 * uniform());
    my $point = make_points($set, $n);
    my $dim = @{$point->[0]};
    my $text = array_text($n, $dim, map { my $axis = $_; map { sprintf '%.17g', $_->[$axis] } @$point } 0 .. $dim - 1);
    my @x = map { uniform() } 1 .. $n;
    my ($matrix, $vector) = (scratch('A.h2'), scratch('x.mtx'));
    spew($vector, array_text($n, 1, map { sprintf '%.17g', $_ } @x));
    my $built = run(['h2-build', '-K', $function, '-o', $matrix], input => $text);
    my ($named) = $built->{err} =~ /sampled error (\S+) .* raise --order/;
    my $product = run(['h2-mv', '-x', $vector, $matrix]);
    my @y = grep { !/^%|\s/ } split /\n/, $product->{out};
    return ($n, undef, $named, $built->{err}) if $built->{status} != 0 || $product->{status} != 0 || @y != $n;
    return ($n, true_error($function, $point, \@x, \@y), $named, $built->{err});
}

# Either the error is small, or a remark names it.
sub is_honest {
    my ($error, $named, $err) = @_;
    return 0 if !defined $error;
    return $error <= $sampling * $most && $err eq '' if !defined $named;
    return $named <= $sampling**2 * $error && $error <= $sampling**2 * $named;
}

my @names = sort keys %sets;
my $cases = $ENV{MMPIPE_TEST_H2_SETS};    # so many sets with all functions, for a long run
my @work = $cases
    ? map { my $set = $_; map { [$set, $names[$set % @names], $_] } @functions } 1 .. $cases
    : map { [$_, $names[$_ % @names], $functions[$_ % 8]] } 1 .. 40;
my ($silent, $remarks) = (0, 0);
my $largest = 0;
for my $case (@work) {
    my ($n, $error, $named, $err) = check_build(@$case);
    ok(is_honest($error, $named, $err), sprintf '%d: %s, %s, %d points: error %.1e, %s', @$case, $n, $error // -1,
        defined $named ? "named $named" : 'no remark')
        or diag $err;
    defined $named ? $remarks++ : $silent++;
    $largest = $error if !defined $named && defined $error && $error > $largest;
}
note sprintf '%d without a remark, the largest error %.1e; %d with one', $silent, $largest, $remarks;

# Functions that are singular at distance 0, between points on a line: neighbours must not be interpolated.
for my $function (qw(inverse log gaussian)) {
    my ($n, $error, $named) = check_build(1, 'line', $function);
    ok(defined $error && $error < 1e-3 && !defined $named, "a line, $function: silent and right");
}
SKIP: {
    my $points = "@{[$ENV{MMPIPE_SHARED} // '']}/data/repro/line3d.mtx";
    skip 'no shared data', 1 if !-f $points;
    my $matrix = run(['h2-build', '-K', 'inverse', $points]);
    my @fields = split /\t/, (split /\n/, run(['h2-info', '--error'], input => $matrix->{out})->{out})[1];
    cmp_ok($fields[-1], '<', 1e-4, 'points on a line in space');
}

# --eta is taken as it is given; then the remark is all that helps.
srand 3;
my $line = array_text(800, 1, map { sprintf '%.17g', uniform() } 1 .. 800);
my $touching = run([qw(h2-build -K inverse --eta 1)], input => $line);
like($touching->{err}, qr/sampled error \S+ of a product, from 800 of 800 rows: raise --order \(now 8\) or lower --eta \(now 1\)/,
    'touching clusters: a remark with what to do');
is(run([qw(h2-build -q -K inverse --eta 1)], input => $line)->{err}, '', '... unless --quiet');


# Messages name the option that there is.
my $three = scratch('three.mtx');
spew($three, "%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n1\n");
my $unlike = run(['h2-build', '--matrix', $three], input => "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
is($unlike->{status}, 1, 'a matrix of another order than the points: status 1');
like($unlike->{err}, qr/there are 3 points, but the matrix of --matrix has order 2$/m, '... with both numbers');
spew($three, "%%MatrixMarket matrix array real general\n1 2\n1\n0\n");
like(run(['h2-build', '--matrix', $three], input => '')->{err}, qr/--matrix: \S+three.mtx has no square matrix$/m, 'a matrix that is not square');
done_testing;
