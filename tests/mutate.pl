#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Random mutants of lib, one after another: a line of a C file is changed, what depends on it is built, and the tests
# of its room run until one fails. Prints a line for each: killed, by what; lived; or did not compile.
#
#   mutate.pl [COUNT [SEED [ROOM...]]]    in a build folder of its own: build-mutate; ROOM: a folder, as lib/mm/text
use strict;
use warnings;
use Cwd qw(getcwd);
use File::Path qw(make_path);

my ($count, $seed, @rooms) = @ARGV;
$count //= 300;
$seed //= 1;
srand $seed;
my $jobs = $ENV{MUTATE_JOBS} // 2;
my $seconds = $ENV{MUTATE_SECONDS} // 300; # of a test: what takes longer has found a mutant that hangs
my $limit = $ENV{MUTATE_LIMIT}; # seconds: behind them no mutant begins
my %skip = map { $_ => 1 } split ' ', $ENV{MUTATE_SKIP} // ''; # tests that fail here without a mutant

# What a plain clone runs for each room, the fast ones first.
my %tests = (
    'lib/api' => [[qw(api)], [qw(library)]],
    'lib/base' => [[qw(base)], [qw(hostile common options progress failures mm-cat limits devices resident states checkpoint stop)]],
    'lib/dm' => [[qw(dm)], [qw(mm-dm mm-info mm-spy golden)]],
    'lib/flip' => [[qw(flip)], [qw(flip-check flip-combine flip-emit flip-lift flip-path flipwalk-cuda flipwalk)]],
    'lib/h2' => [[qw(h2)], [qw(h2-build h2-norm h2-phases golden resident)]],
    'lib/mm' => [[qw(mm)], [qw(hostile mm-cat mm-cat-options mm-diff mm-info mm-gen mm-spy submatrices golden formats gzip fuzz)]],
    'lib/order' => [[qw(order)], [qw(mm-order golden)]],
    'lib/perm' => [[qw(perm)], [qw(mm-order perm-minors perm-fold perm-plan perm-progress known permanents mm-fmdecompose perm-cuda perm-gpu golden checkpoint stop)]],
    'lib/spmm' => [[qw(spmm)], [qw(spmm-tc golden resident)]],
);

# One change of a line of code, or undef: an operator, a comparison, a constant, a condition, a statement.
sub mutate {
    my ($line) = @_;
    my @ways = (
        [qr/ < /, ' <= '], [qr/ <= /, ' < '], [qr/ > /, ' >= '], [qr/ >= /, ' > '], [qr/ == /, ' != '], [qr/ != /, ' == '],
        [qr/ \+ /, ' - '], [qr/ - /, ' + '], [qr/ \* /, ' + '], [qr/ && /, ' || '], [qr/ \|\| /, ' && '], [qr/\+\+/, '--'],
        [qr/ \+= /, ' -= '], [qr/\b0\b(?=[;,) ])/, '1'], [qr/\b1\b(?=[;,) ])/, '2'], [qr/\btrue\b/, 'false'], [qr/\bfalse\b/, 'true'],
        [qr/\bif \((?!!)/, 'if (!'], [qr/return (?!BASE|status|NULL|;)/, 'return !'],
        [qr/^(\s+)[a-z_]+\([^;{}]*\);$/, "\$1;"],
    );
    for my $way (map { $ways[rand @ways] } 1 .. 40) {
        my ($from, $to) = @$way;
        my @places;
        while ($line =~ /$from/g) { push @places, [$-[0], $+[0], $1 // ''] }
        next unless @places;
        my ($begin, $end, $kept) = @{ $places[rand @places] };
        my $changed = $line;
        substr($changed, $begin, $end - $begin) = $to eq '$1;' ? "$kept;" : $to;
        return $changed if $changed ne $line;
    }
    return;
}

sub slurp { my ($path) = @_; open my $file, '<', $path or die "$path: $!"; local $/; return scalar <$file> }
sub spew { my ($path, $text) = @_; open my $file, '>', $path or die "$path: $!"; print $file $text; close $file or die }

# Lines of code: none of comments, declarations and messages.
sub code_lines {
    my ($path) = @_;
    my @lines = split /^/, slurp($path);
    my $comment = 0;
    return \@lines, [grep {
        my $line = $lines[$_];
        $comment = 1 if $line =~ m{^\s*/\*};
        my $code = !$comment && $line =~ /^    / && $line !~ m{^\s*(?:#|"|//|\}|done:|static|const char)};
        $comment = 0 if $line =~ m{\*/};
        $code;
    } 0 .. $#lines];
}

# Runs a command in at most so many seconds; whether it succeeded. $late: it was stopped.
my $late;
sub succeeds {
    my ($limit, $log, @command) = @_;
    my $status = system("timeout -k 5 $limit " . join(' ', @command) . " >$log 2>&1 </dev/null");
    $late = $status >> 8 == 124 ? ' (hangs)' : '';
    return $status == 0;
}

my @files = grep { /\.c$/ && !/_fatbin\.c$/ } split /\n/, `find @{[@rooms ? "@rooms" : 'lib']} -name '*.c' -not -path 'lib/examples/*' | LC_ALL=C sort`;
die "no sources here\n" unless @files;
make_path('build-mutate');
my $log = getcwd() . '/build-mutate/log';
my %sum = (killed => 0, lived => 0);
for my $number (1 .. $count) {
    last if defined $limit && time - $^T > $limit;
    my ($file, $lines, $places, $at, $changed);
    do {
        $file = $files[rand @files];
        ($lines, $places) = code_lines($file);
        $at = @$places ? $places->[rand @$places] : 0;
        $changed = @$places ? mutate($lines->[$at]) : undef;
    } until defined $changed;
    my $whole = slurp($file);
    my ($room) = grep { index($file, "$_/") == 0 } keys %tests;
    my ($units, $cli) = @{ $tests{$room} };
    my @units = grep { my $unit = $_; !$skip{$unit} && grep { $unit =~ m{^tests/unit/$_/} } @$units } map { s/\.c$//r } glob('tests/unit/*/*.c'), glob('tests/unit/*/*/*.c');
    $SIG{INT} = $SIG{TERM} = sub { spew($file, $whole); exit 1 };
    my @mutant = @$lines;
    $mutant[$at] = $changed;
    spew($file, join '', @mutant);
    my $verdict = 'lived';
    $verdict = 'no mutant: does not compile' unless succeeds(900, $log, 'make', "-j$jobs", grep { -e } @units);
    for my $unit (grep { -x } @units) {
        next if $verdict ne 'lived' || succeeds($seconds, $log, "sh -c '. tests/environment.sh; exec ./$unit' . . .") && slurp($log) !~ /^not ok/m;
        $verdict = "killed by $unit$late";
    }
    # The programs are linked only where the units have noticed nothing: this is most of the time.
    $verdict = 'no mutant: does not compile' if $verdict eq 'lived' && !succeeds(900, $log, 'make', "-j$jobs", 'all');
    for my $test (grep { !$skip{$_} } @$cli) {
        next if $verdict ne 'lived' || succeeds($seconds, $log, 'env -u MMPIPE_SHARED MMPIPE_SHARED= prove', "tests/cli/$test.t");
        $verdict = "killed by tests/cli/$test.t$late";
    }
    spew($file, $whole);
    $sum{ $verdict =~ /^(killed|lived)/ ? $1 : 'other' }++;
    my $line = $lines->[$at] =~ s/^\s+|\s+$//gr;
    printf "%d\t%s\t%s:%d\t%s\t%s\n", $number, $verdict, $file, $at + 1, $line, $changed =~ s/^\s+|\s+$//gr;
    $| = 1;
}
succeeds(900, $log, 'make', "-j$jobs", 'all');
my $all = $sum{killed} + $sum{lived};
printf "# %d of %d mutants killed, seed %d\n", $sum{killed}, $all, $seed;
