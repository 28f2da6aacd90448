#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# perm-gpu: which method is chosen, what is said of it, and what limits it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'perm-gpu is not built' unless $built{'perm-gpu'};

sub generate {
    return run(['mm-gen', @_])->{out};
}

# The kernels that fit, by name, as objects of the list. Seconds are those of this machine, which hold for as long as
# nothing disturbs their measurement; a price is the same everywhere.
sub candidates {
    my @candidates = map { decode_json($_) } split /\n/, run([qw(perm-gpu --device cpu --kernel list --json)], input => $_[0])->{out};
    return map { $_->{kernel} => $_ } grep { defined $_->{price} } @candidates;
}

# The cheapest of those that may be chosen is: by its price, and by the seconds that the digits which it lacks are
# worth; nothing else counts. The first is a block for which a frontier takes gigabytes.
for my $case ([qw(er 48 -p 0.1 --diagonal --seed 7)], [qw(er 36 -p 0.15 --diagonal --seed 1)], [qw(er 30 -p 0.25 --diagonal)],
    [qw(er 26 -p 0.4 --values uniform:-1:1)], [qw(dense 25 --field complex)], [qw(dense 21)]) {
    my $matrix = generate(@$case);
    my %all = candidates($matrix);
    my ($chosen) = grep { $all{$_}{chosen} } sort keys %all;
    my $cost = sub { my $candidate = $all{ $_[0] }; $candidate->{price} + $candidate->{digits_seconds} };
    my @cheaper = grep { $cost->($_) < $cost->($chosen) } grep { /^(frontier|multiplicities.*|dense-.*|sparse-.*)$/ } sort keys %all;
    is("@cheaper", '', "mm-gen @$case: nothing is cheaper than $chosen");
    my $list = run([qw(perm-gpu --device cpu --kernel list)], input => $matrix)->{out};
    like($list, qr/^  \Q$chosen\E rather than \S+: .* against [\d.]+/m, '... and the list says so');
}

# What a sum in doubles lacks is said where it decides.
my $short = run([qw(perm-gpu --device cpu --kernel list)], input => generate(qw(er 20 -p 0.3 --diagonal)))->{out};
like($short, qr/^  sparse-\S+ +[\d.e+-]+ s +[\d.e+-]+ MiB  \+ 0\.1 s for digits$/m, 'digits that doubles lack are listed with their price');
like($short, qr/^  frontier rather than \S+: \S+ s against \S+ s \+ 0\.1 s for digits(?:, by the prices|$)/m, '... which decides');
# Those that an estimate of the error leaves out are worth less: exact frontiers take 60 to 90 ms here, sums below 1.
for my $signed ([18, qw(--values uniform:-1:1)], [17, qw(--field complex --values uniform:-1:1)]) {
    my $run = run([qw(perm-gpu --device cpu -j1 --explain)], input => generate('dense', @$signed));
    like($run->{err}, qr/^perm-gpu:   (?:dense|sparse-gray)-\S+ rather than frontier: \S+ s \+ 0\.01 s for digits against/m,
        "dense @$signed: a sum in doubles comes first");
}
my $named = run([qw(perm-gpu --kernel dense --explain)], input => generate(qw(dense 8)))->{err};
like($named, qr/dense-\S+: --kernel asks for it/, 'a method that is named');
unlike($named, qr/for digits/, '... whatever digits it lacks');

# Pairs of doubles have a price where their digits are asked for, and none where doubles are all that is.
for my $case ([dd => qr/^perm-gpu:   dd-\S+ .* chosen$/m, 'a sum of pairs'], [double => qr/^perm-gpu:   dense-\S+ .* chosen$/m, 'a sum of doubles']) {
    my ($precision, $chosen, $what) = @$case;
    my $run = run([qw(perm-gpu --device cpu --explain --precision), $precision], input => generate(qw(dense 16 --seed 3)));
    like($run->{err}, $chosen, "--precision $precision: $what");
    is($run->{err} =~ /^perm-gpu:   dd-/m ? 'dd' : 'double', $precision, '... and pairs of doubles are priced only there');
}

# -v tells what a method took of the processor, beside what was expected: no more than the whole program did.
for my $case ([[qw(dense 20 --field real)], 'frontier', qw(--kernel frontier)], [[qw(dense 18)], 'dense-portable', qw(--kernel dense-portable)]) {
    my ($matrix, $method, @named) = @$case;
    my $text = generate(@$matrix);
    my $before = (times)[2] + (times)[3];
    my $told = run([qw(perm-gpu --device cpu -j2 -v), @named], input => $text)->{err};
    my $whole = (times)[2] + (times)[3] - $before;
    my ($took) = $told =~ /^perm-gpu:   \Q$method\E took (\S+) s of processor time$/m;
    ok(defined $took, "-v: what $method took") or diag $told;
    cmp_ok($took // 1e9, '<=', 1.02 * $whole + 0.03, '... is part of what the program took');
}

# --max-time is a limit, too. A forecast for far more threads than there are processors is too short, as it is on any
# machine for sums below half a second, which no measurement of the processor corrects; what then runs past the limit
# stops with status 5, with a state where one is asked for, and lets others follow under -k.
my ($long, $six, $state) = (scratch('long.mtx'), scratch('six.mtx'), scratch('state'));
spew($long, generate(qw(dense 27 --values uniform:-1:1)));
spew($six, generate(qw(dense 6)));
my @limited = qw(perm-gpu --device cpu -j400 --kernel dense-portable --max-time 0.01);
my $stopped = run([@limited, $long, $six]);
is("$stopped->{status} $stopped->{out}", '5 ', 'past --max-time: status 5, no line');
like($stopped->{err}, qr/long.mtx: matrix \S+, record 1: stopped: it takes longer than --max-time allows, .* no --checkpoint/, '... with the reason');
my $passed = run([@limited, '-k', $long, $six]);
my ($row, $next) = split /^/, $passed->{out};
is("$passed->{status} $next", '1 ' . run([qw(perm-gpu --kernel dense-portable), $six])->{out}, '-k: the next record follows');
like($row, qr/\t1\tstopped: it takes longer/, '... after a row with status and reason');
like($passed->{err}, qr/long.mtx: matrix \S+, record 1: stopped: it takes longer/, '... after the reason');
my $pattern = scratch('pattern.mtx');
spew($pattern, generate(qw(er 24 -p 0.9 --diagonal --field pattern)));
my @saved = ('perm-gpu', '--kernel', 'exact-portable', '--checkpoint', $state, $pattern);
my $saved = run([@saved, qw(-j400 --max-time 0.005)]);
is($saved->{status}, 5, 'past --max-time with a checkpoint: status 5') or diag $saved->{err};
like($saved->{err}, qr/longer than --max-time allows; run it again to go on from \Q$state\E/, '... with the reason');
ok(-s $state, '... and a state');
is(run(\@saved)->{out}, run([qw(perm-gpu --kernel exact-portable), $pattern])->{out}, '... from which it goes on to the same result');
ok(!-e $state, '... and which is removed then');
my $given_up = run([@saved, qw(-k -j400 --max-time 0.005)]);
is($given_up->{status}, 1, '... with -k it is given up');
like($given_up->{err}, qr/longer than --max-time allows; with --keep-going nothing of it is kept$/m, '... and not said to be in the state');
ok(!-e $state, '... which is not there');
like(run([@limited, '-k', $long])->{err}, qr/longer than --max-time allows$/m, '... without a state: nothing that would not help is said');
my $minors = run([qw(perm-gpu -j32 --minors --kernel minors-portable --max-time 0.05)], input => generate(qw(dense 27)));
is("$minors->{status} $minors->{out}", '5 ', 'minors past --max-time') or diag $minors->{err};

# The search for an order is stopped, too: of frontiers, which takes seconds here, and of tables.
my $wide = scratch('wide.mtx');
spew($wide, generate(qw(er 60 -p 0.1 --diagonal --seed 1)));
for my $case (['--explain'], [qw(--kernel sparse-portable)]) {
    my $searched = run([qw(perm-gpu -j1 --device cpu --max-time 0.05), @$case, $wide, $six]);
    is("$searched->{status} $searched->{out}", '5 ', "the search for an order past --max-time, @$case: status 5, no line");
    like($searched->{err}, qr/wide.mtx: matrix \S+, record 1: stopped: the search for an order takes longer/, '... with the reason');
}
my $skipped = run([qw(perm-gpu -j1 --device cpu --max-time 0.05 -k), $wide, $six]);
($row, $next) = split /^/, $skipped->{out};
is("$skipped->{status} $next", '1 ' . run(['perm-gpu', $six])->{out}, '-k: the next record follows');
like($row, qr/\t1\tstopped: the search for an order/, '... after a row with status and reason');

# With --json the table and what --explain says are objects, one a line.
{
    my ($two, @kernel) = (generate(qw(ones 12)) =~ s/^(%%.*\n)/$1% name: T\/"ones"\n/r);
    my @list = map { decode_json($_) } split /\n/, run([qw(perm-gpu --device cpu --kernel list --json)], input => $two)->{out};
    my @candidates = grep { exists $_->{kernel} } @list;
    my %text = map { /^  (\S+) +(.*)$/ && $2 !~ /^rather/ ? ($1 => $2) : () } split /\n/, run([qw(perm-gpu --device cpu --kernel list)], input => $two)->{out};
    delete $text{$_} for grep { /:$/ } keys %text;
    is(join(' ', sort map { $_->{kernel} } @candidates), join(' ', sort keys %text), '--kernel list --json: an object for each kernel of the table');
    is_deeply([grep { $_->{name} ne 'T/"ones"' || $_->{file} ne '-' || $_->{record} != 1 } @list], [], '... with its record');
    is_deeply([grep { $_->{n} != 12 || $_->{nnz} != 144 } @candidates], [], '... and the block');
    is_deeply([grep { defined $_->{seconds} ? $_->{seconds} <= 0 || defined $_->{reason} : $text{ $_->{kernel} } ne $_->{reason} } @candidates], [],
        '... with seconds, or the reason why there are none');
    is_deeply([grep { defined $_->{price} xor defined $_->{seconds} } @candidates], [], '... and a price beside them');
    my @chosen = map { $_->{kernel} } grep { $_->{chosen} } @candidates;
    is_deeply(\@chosen, [grep { $text{$_} =~ /  chosen$/ } sort keys %text], '... one of them is chosen');
    my $explained = run([qw(perm-gpu --device cpu --explain --json)], input => $two);
    my @said = map { eval { decode_json($_) } // 'no object' } split /\n/, $explained->{err};
    is_deeply([map { $_->{kernel} } grep { ref && $_->{chosen} } @said], \@chosen, '--explain --json: the same one');
    is_deeply([grep { !ref } @said], [], '... nothing but objects');
    is(decode_json($explained->{out})->{permanent}, '479001600', '... and the result is where it was');
    is(run([qw(perm-gpu --device cpu --explain --json -q)], input => $two)->{err}, '', '... unless --quiet');
}

done_testing();
