#!/usr/bin/perl
# perm-gpu: which method is chosen, what is said of it, and what limits it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'perm-gpu is not built' unless $built{'perm-gpu'};

sub generate {
    return run(['mm-gen', @_])->{out};
}

# The methods that are listed: seconds, MiB, and seconds that the digits are worth which they lack.
sub candidates {
    my ($list) = @_;
    my %candidates;
    while ($list =~ /^ +([a-z][a-z0-9-]+) +([\d.e+-]+) s +([\d.e+-]+) MiB(?:  \+ ([\d.e+-]+) s for digits)?(  chosen)?$/mg) {
        $candidates{$1} = { seconds => $2, mib => $3, lacking => $4 // 0, is_chosen => defined $5 };
    }
    return %candidates;
}

# The cheapest of those that may be chosen is: by its seconds, and those that the digits which it lacks are
# worth; nothing else counts. The first is a block for which a frontier takes gigabytes.
for my $case ([qw(er 48 -p 0.1 --diagonal --seed 7)], [qw(er 36 -p 0.15 --diagonal --seed 1)], [qw(er 30 -p 0.25 --diagonal)],
    [qw(er 26 -p 0.4 --values uniform:-1:1)], [qw(dense 25 --field complex)], [qw(dense 21)]) {
    my $list = run([qw(perm-gpu --device cpu --kernel list)], input => generate(@$case))->{out};
    my %all = candidates($list);
    my ($chosen) = grep { $all{$_}{is_chosen} } sort keys %all;
    my $cost = sub { my $candidate = $all{ $_[0] }; $candidate->{seconds} + $candidate->{lacking} };
    my @cheaper = grep { $cost->($_) < 0.98 * $cost->($chosen) } grep { /^(frontier|multiplicities.*|dense-.*|sparse-.*)$/ } sort keys %all;
    is("@cheaper", '', "mm-gen @$case: nothing is cheaper than $chosen");
    like($list, qr/^  \Q$chosen\E rather than \S+: .* against [\d.]+/m, '... and the list says so');
}

# What a sum in doubles lacks is said where it decides.
my $short = run([qw(perm-gpu --device cpu --kernel list)], input => generate(qw(er 20 -p 0.3 --diagonal)))->{out};
like($short, qr/^  sparse-\S+ +[\d.e+-]+ s +[\d.e+-]+ MiB  \+ 0\.1 s for digits$/m, 'digits that doubles lack are listed with their price');
like($short, qr/^  frontier rather than \S+: \S+ s against \S+ s \+ 0\.1 s for digits$/m, '... which decides');
my $named = run([qw(perm-gpu --kernel dense --explain)], input => generate(qw(dense 8)))->{err};
like($named, qr/dense-\S+: --kernel asks for it/, 'a method that is named');
unlike($named, qr/for digits/, '... whatever digits it lacks');

done_testing();
