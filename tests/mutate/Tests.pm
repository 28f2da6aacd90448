# SPDX-License-Identifier: BSD-3-Clause
# The tests of a plain clone, for tests/mutate/mutate.pl: which lines each executes, in which programs, and how long it
# takes. Both come from a copy that is built with --coverage; build-mutate/lines keeps them.
package Tests;
use strict;
use warnings;
use Exporter 'import';
use Cwd qw(getcwd);
use Digest::SHA qw(sha256_hex);
use POSIX ();
use Storable qw(nstore retrieve);
use Time::HiRes ();
use constant SECONDS => $ENV{MUTATE_SECONDS} // 240; # a test without mutant may take
our @EXPORT = qw(slurp spew succeeds copy_tree parallel run_test passes is_known_to_fail find_lines tests_of);

sub slurp { my ($path) = @_; open my $file, '<:raw', $path or die "$path: $!"; local $/; return scalar(<$file>) // '' }
sub spew { my ($path, $text) = @_; open my $file, '>:raw', $path or die "$path: $!"; print $file $text; close $file or die }

# Runs a shell command in a folder for at most so many seconds, its output into a file; whether it succeeded. It may
# write no file above 1 GiB: a mutant can print for ever.
sub succeeds {
    my ($folder, $seconds, $log, $command) = @_;
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        chdir $folder or die "$folder: $!";
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', $log or die "$log: $!";
        open STDERR, '>&', \*STDOUT;
        exec 'timeout', '-k', 5, $seconds, 'bash', '-c', "ulimit -f 1048576; $command";
        die "timeout: $!";
    }
    waitpid $pid, 0;
    return $? == 0;
}

# A copy of the tree as it is built, with its times, so that make finds nothing to do there.
sub copy_tree {
    my ($to) = @_;
    system 'rm', '-rf', $to;
    mkdir $to;
    my @entries = grep { !m{^(?:\.|\.\.|\.git|build-(?!aux).*|autom4te\.cache)$} } do { opendir my $folder, '.'; readdir $folder };
    system "cp -a @entries '$to' 2>/dev/null"; # tests that run here may take away a file of their cache
    -e "$to/tests/local.mk" or die "no copy $to\n";
}

# Does work(item, slot) for each item in so many processes at a time and calls got(item, answer) with what it returns,
# a string. Each process has two processors, where there is taskset: tests start as many threads as there are.
sub parallel {
    my ($jobs, $items, $work, $got) = @_;
    my $processors = `nproc`;
    my @items = @$items;
    my @free = 1 .. $jobs;
    my %running;
    while (@items || %running) {
        while (@items && @free) {
            my ($item, $slot) = (shift @items, shift @free);
            defined(my $pid = open my $answer, '-|') or die "fork: $!";
            if ($pid == 0) {
                my @cpus = map { (2 * $slot + $_) % $processors } 0, 1;
                system "taskset -pc $cpus[0],$cpus[1] $$ >/dev/null 2>&1";
                print $work->($item, $slot);
                close STDOUT;
                POSIX::_exit(0);
            }
            $running{$pid} = [$item, $slot, $answer];
        }
        select undef, undef, undef, 0.02;
        for my $pid (keys %running) {
            my ($item, $slot, $answer) = @{ $running{$pid} };
            my $ready = '';
            vec($ready, fileno $answer, 1) = 1;
            next unless select $ready, undef, undef, 0;
            local $/;
            my $text = <$answer>;
            close $answer;
            delete $running{$pid};
            push @free, $slot;
            $got->($item, $text // '');
        }
    }
}

sub all_tests {
    my @scripts = map { "tests/cli/$_" } slurp('tests/cli/local.mk') =~ m{^cli_tests \+= %D%/(\S+)}mg;
    return @scripts, grep { -x } map { s/\.c$//r } glob('tests/unit/*/*.c tests/unit/*/*/*.c');
}

# Runs a test in a folder as make check does where there is no ../shared, behind shell commands; whether it passed.
sub run_test {
    my ($folder, $test, $seconds, $log, $before) = @_;
    my $run = ($before // ':') . '; . tests/environment.sh "$PWD" "$PWD";';
    return succeeds($folder, $seconds, $log, "$run export MMPIPE_SHARED=; prove $test") if $test =~ /\.t$/;
    return succeeds($folder, $seconds, $log, "$run unset MMPIPE_SHARED; exec ./$test") && slurp($log) !~ /^not ok/m;
}

# The executed and the executable lines in what gcov prints: {file => bits} each.
sub read_gcov {
    my ($command) = @_;
    my ($file, %executed, %executable);
    open my $gcov, '-|', 'bash', '-c', $command or die "gcov: $!";
    while (<$gcov>) {
        if (/^\s*-:\s*0:Source:(.*)/) {
            $file = $1 =~ m{^(?:\./)?((?:bin|kernels|lib)/.*\.[ch])$} ? $1 : undef;
        } elsif (defined $file && (my ($times, $line) = /^\s*(\d+|#####|=====)\*?:\s*(\d+):/)) {
            vec($executable{$file} //= '', $line, 1) = 1;
            vec($executed{$file} //= '', $line, 1) = 1 if $times =~ /\d/;
        }
    }
    return \%executed, \%executable;
}

# The programs that a script names; all of them where it asks for a list, not only for what is built.
sub programs_named {
    my ($test) = @_;
    my $text = $test =~ /\.t$/ ? slurp($test) : return;
    return 'all' if $text =~ /\bprograms\b/ && $text !~ /\$built\{/;
    return grep { $text =~ m{(?<![\w-])\Q@{[s{^bin/}{}r]}\E(?![\w-])} } map { s/\.c$//r } glob 'bin/*.c';
}

# One test in the coverage build: what it executed, and the programs in which. Of a test that does not end in time nobody
# knows what else it executes: it counts for all lines of the files that it has been in, and for those of no other test.
sub lines_of {
    my ($build, $test) = @_;
    my $folder = getcwd() . '/build-mutate/executed/' . $test =~ tr{/}{-}r;
    system 'rm', '-rf', $folder;
    mkdir $folder;
    my $strip = () = "$build/" =~ m{/+(?=.)}g;
    my $begin = Time::HiRes::time();
    run_test($build, $test, SECONDS, "$folder/log", "export GCOV_PREFIX='$folder' GCOV_PREFIX_STRIP=$strip");
    my $seconds = Time::HiRes::time() - $begin;
    my $whole = $seconds < SECONDS ? 1 : 0;
    my @counts = map { substr $_, length "$folder/" } split /\n/, `find '$folder' -name '*.gcda'`;
    symlink "$build/" . s/gcda$/gcno/r, "$folder/" . s/gcda$/gcno/r for @counts;
    my @programs = map { m{^((?:bin|tests/fuzz)/\S+)\.gcda} } @counts;
    push @programs, programs_named($test) unless $whole;
    push @programs, 'all' if $test =~ /\.t$/ && grep { m{^lib/api/} } @counts;
    push @programs, 'tests/fake/libcuda.so' if grep { m{^tests/fake/} } @counts;
    my ($executed, $executable) = read_gcov("cd '$build' && find '$folder' -name '*.gcda' | xargs -r gcov -t 2>/dev/null");
    $executed->{$_} = $executable->{$_} for $whole ? () : keys %$executed;
    nstore({ whole => $whole, seconds => $seconds, programs => \@programs, executed => $executed, executable => $executable }, "$folder.lines");
    system 'rm', '-rf', $folder;
    return '';
}

# The lines of all tests, as far as build-mutate/lines does not have them for these sources.
sub find_lines {
    my ($jobs) = @_;
    my $state = sha256_hex(map { slurp($_) } sort split /\n/, `find lib bin kernels -name '*.[ch]' -not -name '*_fatbin.c' -o -name '*.cu'`);
    my $lines = -e 'build-mutate/lines' ? retrieve('build-mutate/lines') : {};
    $lines = { state => $state, tests => {}, executable => {} } if ($lines->{state} // '') ne $state;
    my %state = map { $_ => sha256_hex(slurp(-e "$_.c" ? "$_.c" : $_)) } all_tests();
    my @missing = grep { ($lines->{tests}{$_}{state} // '') ne $state{$_} } all_tests();
    return $lines unless @missing;
    my $build = getcwd() . '/build-mutate/coverage';
    if (-e "$build/.state" && slurp("$build/.state") eq $state) {
        my $changed = "find tests Makefile* -newer $build/.state -type f '(' -name '*.[cht]' -o -name '*.pm' -o -name 'Makefile*' ')'";
        succeeds('.', 60, "$build.log", "$changed | xargs -r cp -p --parents -t $build") or die "$build is not brought up to date\n";
    } else {
        copy_tree($build);
        succeeds($build, 60, "$build.log", "find . '(' -name '*.o' -o -name '*.a' ')' -delete");
    }
    print "# coverage of @{[scalar @missing]} tests\n";
    my $flags = '--coverage -fno-inline';
    my $make = "make -k -j$jobs CFLAGS='-O1 $flags' LDFLAGS='-Wl,--wrap=_exit,--wrap=raise tests/mutate/exits.o'";
    succeeds($build, 3600, "$build.log", "cc -O1 -fPIC -c -o tests/mutate/exits.o tests/mutate/exits.c && $make all; $make check TESTS=")
        or die "the coverage build is not whole: see build-mutate/coverage.log\n";
    spew("$build/.state", $state);
    mkdir 'build-mutate/executed';
    parallel($jobs, \@missing, sub { lines_of($build, $_[0]) }, sub {
        my ($test) = @_;
        my $path = 'build-mutate/executed/' . $test =~ tr{/}{-}r . '.lines';
        my $got = retrieve($path);
        unlink $path;
        $lines->{tests}{$test} = { state => $state{$test}, map { $_ => $got->{$_} } qw(whole seconds programs executed) };
        $lines->{executable}{$_} = ($lines->{executable}{$_} // '') | $got->{executable}{$_} for keys %{ $got->{executable} };
        nstore($lines, 'build-mutate/lines');
    });
    return $lines;
}

# Whether a test passes without a mutant; it is run once, when a mutant fails it.
sub passes {
    my ($test, $log) = @_;
    my $mark = 'build-mutate/passed-' . $test =~ tr{/}{-}r;
    spew($mark, run_test('.', $test, SECONDS, $log) ? 1 : 0) unless -s $mark;
    return slurp($mark);
}

sub is_known_to_fail {
    my $mark = 'build-mutate/passed-' . $_[0] =~ tr{/}{-}r;
    return -s $mark && !slurp($mark);
}

# The tests that execute a line, fast ones first; those of another method (of bin: of another program) count as four times
# as slow, for they find less. What the compiler gives no code of its own belongs to the nearest lines of the function that have some; what is in
# no function, to the tests that execute anything in the file, or all. Of a kernel, only what runs on the processor counts.
sub tests_of {
    my ($lines, $file, $text, $at) = @_;
    my $executable = $lines->{executable}{$file} // '';
    my @near = ($at) x !!vec($executable, $at, 1);
    for my $step (@near ? () : (-1, 1)) {
        for (my $line = $at + $step; $line > 0 && $line <= @$text && $text->[$line - 1] !~ /^\S/; $line += $step) {
            next unless vec($executable, $line, 1);
            push @near, $line;
            last;
        }
    }
    my @tests = keys %{ $lines->{tests} };
    my @hits = grep {
        my $executed = $lines->{tests}{$_}{executed}{$file};
        defined $executed && (!@near || grep { vec($executed, $_, 1) } @near);
    } @tests;
    @hits = @near ? (grep { !$lines->{tests}{$_}{whole} } @tests) : @tests if !@hits && $file !~ m{^kernels/};
    my ($method) = $file =~ m{^(?:lib|kernels)/(\w+)/};
    $method //= $file =~ m{([\w-]+)\.c$} ? $1 : $file;
    my %order = map { $_ => $lines->{tests}{$_}{seconds} * (m{/$method[^/]*[/.]} ? 1 : 4) } @hits;
    return sort { $order{$a} <=> $order{$b} || $a cmp $b } @hits;
}
1;
