#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Random mutants of lib, bin and kernels: a line of a C file is changed in a copy of the tree, and the tests that execute the
# line run, fast ones first, until one fails twice. Before each test only what it needs is built; device code is not
# compiled for devices. Prints a line for each mutant: its number, the verdict, file and line, the line before and behind
# the change. Verdicts are
#
#   killed       by the test that is named; (hangs): it was stopped
#   lived        so many tests execute the line and none failed
#   unfinished   so many of so many tests had passed when the time was over
#   no mutant    it does not compile, or the compiler makes the same code of it, or only a device compiles the line
#
#   mutate.pl [COUNT [SEED [ROOM...]]]    ROOM: a folder, as lib/mm/text
#
# MUTATE_JOBS: so many at a time, each in a copy of its own below build-mutate. MUTATE_LIMIT: seconds, behind which none
# begins. MUTATE_EACH: seconds for one of them. MUTATE_ONLY: the numbers of those that are tried. One count and seed
# give the same mutants of the same sources. build-mutate/tried keeps which tests a mutant has passed: another run with the
# same sources goes on behind them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Tests;
use Cwd qw(getcwd);
use Digest::SHA qw(sha256_hex);

my ($count, $seed, @rooms) = @ARGV;
$count //= 300;
$seed //= 1;
srand $seed;
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)}; # of the make that runs this
$| = 1;
my $jobs = $ENV{MUTATE_JOBS} || 2;
my $limit = $ENV{MUTATE_LIMIT} // 1e9;
my $each = $ENV{MUTATE_EACH} // 1e9;
my %only = map { $_ => 1 } split ' ', $ENV{MUTATE_ONLY} // '';

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

my @files = grep { !/_fatbin\.c$/ && (/\.c$/ || /^kernels/) } split /\n/,
    `find @{[@rooms ? "@rooms" : 'bin kernels lib']} -name '*.[ch]' -not -path 'lib/examples/*' | LC_ALL=C sort`;
die "no sources here\n" unless @files;

sub draw {
    my ($number) = @_;
    while (1) {
        my $file = $files[rand @files];
        my ($lines, $places) = code_lines($file);
        my $at = @$places ? $places->[rand @$places] : next;
        my $changed = mutate($lines->[$at]) // next;
        return { number => $number, file => $file, lines => $lines, at => $at, changed => $changed };
    }
}

# The files of a copy that are newer than a file; the tests' own are not of interest.
sub newer {
    my ($copy, $than) = @_;
    return split /\n/, `cd $copy && find . -path ./tests/cache -prune -o -newer $than -type f -print`;
}

# Puts back what a mutant has changed in its copy, with its times.
sub restore {
    my ($copy) = @_;
    for my $file (newer($copy, '../mark-' . $copy =~ s{.*/}{}r)) {
        if (-e $file) { system 'cp', '-p', '--remove-destination', $file, "$copy/$file" } # it may still run
        else { unlink "$copy/$file" }
    }
}

# Whether a test fails with the mutant, twice: what else goes on in the machine must not decide. Each of its processes may
# take five times its time of a processor, and 8 s, and the whole three times as long by the clock.
my $late;
sub fails {
    my ($copy, $test, $seconds, $log) = @_;
    my $most = int(8 + 5 * $seconds);
    for (1, 2) {
        my $begin = time;
        return 0 if run_test($copy, $test, 3 * $most, $log, "ulimit -t $most");
        $late = time - $begin >= 3 * $most ? ' (hangs)' : '';
    }
    return 1;
}

# Where build-mutate/tried says that a mutant passes a test: both, and the sources, by their digest.
sub tried_key {
    my ($mutant, $lines, $test) = @_;
    return sha256_hex(join "\0", $lines->{state}, @$mutant{qw(file at changed)}, $test, $lines->{tests}{$test}{state}) . "\n";
}
my %tried = map { $_ => 1 } -e 'build-mutate/tried' ? split /^/, slurp('build-mutate/tried') : ();
sub note_tried {
    open my $file, '>>', 'build-mutate/tried' or return;
    syswrite $file, $_[0]; # one line in one call: the processes share the file
}

my @device_code = map { ('-o', $_) } split /\n/, `find kernels -name '*.fatbin'`; # make: as old as it may be, it stays

sub verdict {
    my ($mutant, $copy, $lines) = @_;
    return 'no mutant: only a device compiles the line' if $mutant->{file} =~ /^kernels/ && !$lines->{executable}{ $mutant->{file} };
    my @tests = tests_of($lines, $mutant->{file}, $mutant->{lines}, $mutant->{at} + 1);
    return 'lived: no test executes the line' unless @tests;
    my $slot = $copy =~ s{.*/}{}r;
    my $log = getcwd() . "/build-mutate/log$slot";
    my @text = @{ $mutant->{lines} };
    $text[$mutant->{at}] = $mutant->{changed};
    spew("build-mutate/mark-$slot", '');
    spew("$copy/$mutant->{file}", join '', @text);
    my ($compared, $begin) = (0, time);
    for my $done (0 .. $#tests) {
        my $test = $tests[$done];
        my $key = tried_key($mutant, $lines, $test);
        next if $tried{$key} || is_known_to_fail($test);
        return "unfinished: $done of @{[scalar @tests]} tests passed" if time - $^T > $limit || time - $begin > $each;
        my @needs = ($test =~ /\.t$/ ? () : $test, @{ $lines->{tests}{$test}{programs} });
        return 'no mutant: does not compile' if @needs && !succeeds($copy, 900, $log, "make -f Makefile @device_code @needs");
        if (!$compared++) {
            my @objects = grep { /\.o$/ } newer($copy, "../mark-$slot");
            return 'no mutant: the same code' if @objects && !grep { slurp($_) ne slurp("$copy/$_") } @objects;
        }
        my $is_noticed = fails($copy, $test, $lines->{tests}{$test}{seconds}, $log);
        return "killed by $test$late" if $is_noticed && passes($test, $log);
        note_tried($key) unless $is_noticed;
    }
    return "lived: @{[scalar @tests]} tests";
}

my @mutants = map { draw($_) } 1 .. $count;
@mutants = grep { $only{ $_->{number} } } @mutants if %only;
mkdir 'build-mutate';
my $lines = find_lines($jobs);
parallel($jobs, [1 .. $jobs], sub { copy_tree("build-mutate/$_[0]"); return '' }, sub { });
print "# @{[time - $^T]} s before the first mutant\n";
my %sum = map { $_ => 0 } qw(killed lived unfinished no);
parallel($jobs, \@mutants, sub {
    my ($mutant, $slot) = @_;
    return 'unfinished: not begun' if time - $^T > $limit;
    my $copy = "build-mutate/$slot";
    my $verdict = eval { verdict($mutant, $copy, $lines) } // "unfinished: $@";
    restore($copy) if -e "build-mutate/mark-$slot";
    return $verdict;
}, sub {
    my ($mutant, $verdict) = @_;
    $sum{ $verdict =~ /^(\w+)/ ? $1 : 'unfinished' }++;
    return if $verdict eq 'unfinished: not begun';
    my ($before, $behind) = map { s/^\s+|\s+$//gr } $mutant->{lines}[$mutant->{at}], $mutant->{changed};
    printf "%d\t%s\t%s:%d\t%s\t%s\n", $mutant->{number}, $verdict, $mutant->{file}, $mutant->{at} + 1, $before, $behind;
});
printf "# %d of %d mutants killed, seed %d; %d unfinished, %d were none\n", $sum{killed}, $sum{killed} + $sum{lived}, $seed,
    @sum{qw(unfinished no)};
