#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Breaks everything that can be broken and counts what happens; writes the table tests/fault/RESULTS.md.
#
#   campaign.pl [CLASS...]     CAMPAIGN_SECONDS (default 3600) for all of them together, CAMPAIGN_SEED, CAMPAIGN_OUT,
#                              CAMPAIGN_JOBS (default 1): processes that share the work of a class
#
# A try is `detected` where the program says what is wrong and ends with a status for that, `tolerated` where the
# result is right all the same. The other four must be 0: `crashed` (a signal), `hung` (two minutes), `left behind` (a
# file that should not be there), `silently wrong` (status 0 and another result).
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../cli";
use POSIX qw(mkfifo strftime);
use Program;
use Time::HiRes qw(time sleep);

$ENV{MMPIPE_TEST_SECONDS} = 120; # of a run: machines are busy while this goes on
my $seconds = $ENV{CAMPAIGN_SECONDS} // 3600;
my $seed = $ENV{CAMPAIGN_SEED} // 1;
my $jobs = $ENV{CAMPAIGN_JOBS} // 1;
my ($shard, $shards) = split m{/}, $ENV{CAMPAIGN_SHARD} // '0/1'; # set by a campaign that has several jobs
srand $seed + 1000 * $shard;
my @count = qw(tried detected tolerated crashed hung left wrong);
my (%sum, %about, $class, $until);
my @details;
my $folders = 0;

sub folder { my $name = scratch('campaign' . ++$folders); mkdir $name or die; return $name }
sub left_in { return join ' ', sort map { s{.*/}{}r } map { bsd_glob("$_[0]/$_") } '*', '.[!.]*' }
sub remove { my ($folder) = @_; unlink bsd_glob("$folder/*"), bsd_glob("$folder/.[!.]*"); rmdir $folder }
sub file { my ($name, $text) = @_; spew(scratch($name), $text); return scratch($name) }
sub out { return run([@_])->{out} }
sub shuffle { my @all = @_; for my $i (reverse 1 .. $#all) { my $j = int rand($i + 1); @all[$i, $j] = @all[$j, $i] } return @all }
sub mine { return @_[grep { $_ % $shards == $shard } 0 .. $#_] }
sub is_late { return time > $until }

sub note {
    my ($what, $text) = @_;
    $sum{$class}{$what}++;
    push @details, "$class: $what: $text" if $what =~ /crashed|hung|left|wrong/;
    print STDERR "$class: $what: $text\n" if $what =~ /crashed|hung|left|wrong/;
}

# Judges a run that wrote $folder/out; `want` are its statuses and bytes if nothing happens.
sub judge {
    my ($name, $run, $folder, $want, %option) = @_;
    $sum{$class}{tried}++;
    my $out = -f "$folder/out" ? slurp("$folder/out") : '';
    my $there = left_in($folder);
    my $first = (split /\n/, $run->{err})[0] // '';
    if ($run->{signal} == 9) { note('hung', $name) }
    elsif ($run->{signal}) { note('crashed', "$name: signal $run->{signal}") }
    elsif ($run->{status} == $want->{status} && ($out eq $want->{out} || $option{any})) {
        note($there =~ /\A(?:out)?\z/ ? 'tolerated' : 'left', "$name: $there");
    } elsif ($run->{status} == 0) { note('wrong', "$name: $first") }
    elsif ($run->{status} > 5) { note('crashed', "$name: status $run->{status}: $first") }
    elsif ($there ne '' && $there ne ($option{may_leave} // '') && $run->{status} != 1) { note('left', "$name: $there") }
    elsif ($first eq '' && $run->{status} != 1) { note('wrong', "$name: status $run->{status} without a word") }
    else { note('detected', $name) }
}

# ---- what programs work on ----

my @small = map { source_path("tests/data/$_.mtx") } qw(bcspwr01 can_24 will57 cage5 curtis54);
my $matrices = file('stream.mtx', out('mm-cat', @small));
my $scheme = file('scheme.mtx', out(qw(mm-gen scheme 2x2x2)));
my $points = file('points.mtx', out(qw(mm-gen points 40x2)));
my $h2 = file('matrix.h2', out(qw(h2-build --leaf 8 -p 2), $points));
my $part = file('part.json', out('perm-gpu', '--part', '1/1', $matrices));
my $real = source_path('tests/data/bfwb62.mtx');
my %command = (
    'flip-check' => [$scheme], 'flip-combine' => ['rotate', $scheme], 'flip-emit' => [$scheme], 'flip-lift' => [$scheme],
    'flip-path' => [$scheme, $scheme], 'flipwalk' => [qw(--steps 1 --islands 2 --walkers 1), $scheme],
    'h2-build' => [qw(--leaf 8 -p 2), $points], 'h2-compress' => [$h2], 'h2-info' => [$h2], 'h2-mv' => [$h2], 'h2-orthog' => [$h2],
    'mm-cat' => [$matrices], 'mm-diff' => [$matrices, $matrices], 'mm-dm' => ['--blocks', $matrices],
    'mm-fmdecompose' => [source_path('tests/data/cage5.mtx')], 'mm-gen' => [qw(er 40 -p 0.2 --count 3)], 'mm-info' => [$matrices],
    'mm-order' => ['--for', 'degree', $matrices], 'mm-spy' => [$real], 'perm-fold' => [$part],
    'perm-gpu' => ['-k', '--max-time', '1', $matrices], 'spmm-tc' => ['--random-b', '4', $real],
);
my %want;
sub want {
    my ($program) = @_;
    return $want{$program} //= do {
        my $folder = folder();
        my $run = run([$program, '-j2', @{ $command{$program} }, '-o', "$folder/out"]);
        my $want = { status => $run->{status}, out => -f "$folder/out" ? slurp("$folder/out") : '' };
        remove($folder);
        $want;
    };
}

# ---- the classes ----

my %class;

$class{'fuzzed parsers'} = sub {
    my @targets = slurp(source_path('tests/fuzz/local.mk')) =~ m{^fuzz_targets \+= %D%/(\S+)}mg;
    for my $target (@targets) {
        my @own = bsd_glob(source_path("tests/fuzz/corpus/$target/*"));
        my $share = int(($until - time) / (@targets - (grep { $targets[$_] eq $target } 0 .. $#targets)[0] || 1)) || 1;
        my $libfuzzer = build_path("build-fuzz/$target.run");
        my $run;
        local $ENV{MMPIPE_TEST_SECONDS} = $share + 60;
        if (-x $libfuzzer) {
            my $found = build_path("build-fuzz/$target");
            $run = run([$libfuzzer, "-max_total_time=$share", '-max_len=4096', "-seed=" . (1 + $seed + 1000 * $shard), '-print_final_stats=1',
                '-artifact_prefix=' . build_path('build-fuzz/'), $found,
                -d source_path("tests/fuzz/corpus/$target") ? source_path("tests/fuzz/corpus/$target") : source_path('tests/fuzz/corpus')]);
            $sum{$class}{tried} += $1 if $run->{err} =~ /stat::number_of_executed_units: +(\d+)/;
        } else {
            my @inputs = @own ? @own : grep { -f && -s _ < 5000 } bsd_glob(source_path('tests/fuzz/corpus/*')), bsd_glob(source_path('tests/data/*.mtx'));
            for (my $begin = time; time - $begin < $share;) {
                my $runs = 20_000;
                $run = run([build_path("tests/fuzz/$target"), @inputs], environment => { FUZZ_RUNS => $runs, FUZZ_SEED => int rand 1e9 });
                $sum{$class}{tried} += $runs;
                last if $run->{status} || $run->{signal};
            }
        }
        note('crashed', "$target: " . substr($run->{err}, -300)) if $run->{status} || $run->{signal};
    }
    $sum{$class}{tolerated} = $sum{$class}{tried} - ($sum{$class}{crashed} // 0);
};

$class{'failing allocations, reads, writes, syncs, renames, threads, maps'} = sub {
    my %done; # program and kind: behind its last operation
    my @pairs = mine(map { my $p = $_; map { [$p, $_] } qw(alloc read write sync rename thread map) } sort keys %command);
    my @points = map { my $n = $_; map { my $pair = $_; map { [@$pair, $n, $_] } '', '+' } @pairs } 1 .. 400;
    # In order of the number, so that every program and kind gets its share of the time.
    for my $point (@points) {
        last if is_late();
        my ($program, $kind, $n, $good) = @$point;
        next if $done{"$program $kind"} && $done{"$program $kind"} < $n;
        my $folder = folder();
        my $run = run([$program, '-j2', @{ $command{$program} }, '-o', "$folder/out"], environment => { MMPIPE_FAULT => "$kind:$n$good" });
        judge("$program $kind:$n$good", $run, $folder, want($program));
        $done{"$program $kind"} //= $n + 2 if $run->{status} == want($program)->{status};
        remove($folder);
    }
};

$class{'cut and flipped bytes'} = sub {
    my $binary = out('mm-cat', '--form', 'bin', source_path('tests/data/can_24.mtx'), source_path('tests/data/cage5.mtx'));
    my $plain = slurp(source_path('tests/data/cage5.mtx'));
    my %format = (
        'binary' => ['mm-cat', $binary, 1], 'h2' => ['h2-info', slurp($h2), 1], 'part' => ['perm-fold', slurp($part), 1],
        'gzip' => ['mm-cat', run(['gzip', '-nc'], input => $plain)->{out}, 1], 'zstd' => ['mm-cat', run(['zstd', '-qc', '--check'], input => $plain)->{out}, 1],
        'text' => ['mm-cat', slurp($matrices), 0], 'exp' => ['flip-check', slurp(source_path('tests/data/strassen.exp')), 0],
        'npz' => ['flip-check', slurp(source_path('tests/data/strassen.npz')), 1],
    );
    my @points;
    for my $name (sort keys %format) {
        my $bytes = length $format{$name}[1];
        push @points, map { [$name, 'cut', $_] } 0 .. $bytes - 1;
        push @points, map { [$name, 'flip', $_] } 0 .. $bytes - 1;
    }
    my %whole = map { $_ => run([$format{$_}[0]], input => $format{$_}[1]) } keys %format;
    for my $point (shuffle(mine(@points))) {
        last if is_late();
        my ($name, $way, $at) = @$point;
        my ($program, $data, $sealed) = @{ $format{$name} };
        my $damaged = $way eq 'cut' ? substr $data, 0, $at : $data;
        substr($damaged, $at, 1) ^= chr(1 << int rand 8) if $way eq 'flip';
        my $folder = folder();
        my $run = run([$program, '-o', "$folder/out"], input => $damaged);
        # Text has no checksum: what reads as another matrix is one. Its cuts are seen.
        my $any = !$sealed && ($way eq 'flip' || $name eq 'exp' || $at >= length($data) - 2);
        judge("$name $way $at", $run, $folder, { status => 0, out => $whole{$name}{out} }, any => $any);
        remove($folder);
    }
};

$class{'200 filters at once'} = sub {
    my $want = out('mm-cat', $matrices);
    my @names = (['mm-cat', $matrices], ['mm-info', $matrices], ['perm-gpu', '-k', '--max-time', '1', $matrices], ['mm-dm', '--blocks', $matrices]);
    my @right = map { run($_)->{out} } @names;
    do {
        my $folder = folder();
        my @pids = map { my $k = $_; my $pid = fork // die;
            if (!$pid) { open STDOUT, '>', "$folder/$k.out"; open STDERR, '>', "$folder/$k.err"; exec @{ $names[$k % @names] } } $pid } 0 .. 199;
        for my $k (0 .. 199) {
            waitpid $pids[$k], 0;
            $sum{$class}{tried}++;
            my $status = $?;
            if ($status & 127) { note('crashed', "filter $k: signal " . ($status & 127)) }
            elsif (($status >> 8) == 4) { note('detected', $k) }
            else { note(slurp("$folder/$k.out") eq $right[$k % @names] ? 'tolerated' : 'wrong', "filter $k: status " . ($status >> 8)) }
        }
        remove($folder);
    } until is_late();
};

$class{'pipes of ten programs, one of them killed'} = sub {
    my $input = file('longer.mtx', out('mm-cat', (@small) x 40));
    my $want = out('mm-cat', $input);
    $want =~ s/^% by:.*\n//mg;
    do {
        my $folder = folder();
        my (@pids, $from);
        open my $in, '<', $input or die;
        $from = $in;
        my $victim = int rand 10;
        for my $k (0 .. 9) {
            my ($reader, $writer);
            pipe $reader, $writer if $k < 9;
            my $pid = fork // die;
            if (!$pid) {
                open STDIN, '<&', $from; open STDOUT, '>&', $writer if $writer; open STDERR, '>', "$folder/err$k";
                exec 'mm-cat', ($k % 2 ? ('--form', 'bin') : ()), $k == 9 ? ('--form', 'text', '-o', "$folder/out") : ();
            }
            push @pids, $pid;
            close $writer if $writer;
            $from = $reader;
        }
        sleep rand 0.08;
        kill((qw(KILL TERM INT SEGV))[rand 4], $pids[$victim]);
        my $begin = time;
        my @status = map { my $pid = $_; local $SIG{ALRM} = sub { kill KILL => @pids }; alarm 120; waitpid $pid, 0; alarm 0; $? } @pids;
        $sum{$class}{tried}++;
        my $out = -f "$folder/out" ? slurp("$folder/out") =~ s/^% by:.*\n//mgr : undef;
        my @other = grep { !/^err|^out$/ } split / /, left_in($folder);
        if (time - $begin > 119) { note('hung', "victim $victim") }
        elsif (defined $out && $out ne $want) { note('wrong', "victim $victim") }
        elsif (@other && $victim != 9) { note('left', "@other") }
        else { note(defined $out ? 'tolerated' : 'detected', $victim) }
        remove($folder);
    } until is_late();
};

# Stops of a program over a stream of 200 different real matrices.
sub stop_stream {
    my @command = @_;
    my @names = real_matrices(200);
    if (@names < 200) { print "# skipped: no 200 real matrices in MMPIPE_SHARED/data/matrices\n"; return }
    my $input = file('many.mtx', out('mm-cat', @names));
    push @command, $input;
    my $begin = time;
    my $whole = run(\@command);
    my $lasts = time - $begin;
    my ($folder, $finished) = (folder(), 0);
    do {
        my $signal = (qw(INT TERM HUP XCPU QUIT KILL))[rand 6];
        my $handle = start([@command, '--checkpoint', "$folder/state", '-o', "$folder/out"]);
        sleep rand($lasts * 0.7);
        my $sent = time;
        kill $signal => $handle->{pid};
        my $run = finish($handle);
        my $took = time - $sent;
        $sum{$class}{tried}++;
        my ($said) = $run->{err} =~ /which has (\d+) finished/;
        my $left = join ' ', grep { !/^(?:state|state\.old)$/ && !($signal eq 'KILL' && /^(?:out\.|state\.)/) } split / /, left_in($folder);
        if ($run->{signal} && $run->{signal} != 9 && !($run->{signal} && $took < 0.05)) { note('crashed', "SIG$signal: signal $run->{signal}") }
        elsif ($signal ne 'KILL' && $took > 100) { note('hung', "SIG$signal") }
        elsif ($run->{status} == 0 && !$run->{signal}) {
            note(slurp("$folder/out") ne $whole->{out} ? 'wrong' : $left ne 'out' ? 'left' : 'tolerated', "after SIG$signal: $left");
            unlink "$folder/out";
            $finished = 0;
        }
        elsif (defined $said && $said < $finished) { note('wrong', "SIG$signal: $said finished records after $finished") }
        elsif ($left ne '' && $signal ne 'KILL' && !$run->{signal}) { note('left', "$left: SIG$signal, status $run->{status}: $run->{err}") }
        else { note('detected', $signal); $finished = $said if defined $said }
        unlink bsd_glob("$folder/out.*") if $signal eq 'KILL';
    } until is_late();
    my $last = run([@command, '--checkpoint', "$folder/state", '-o', "$folder/out"]);
    note('wrong', 'the last run') if slurp("$folder/out") ne $whole->{out};
    remove($folder);
}
$class{'stops of perm-gpu over 200 real matrices'} = sub { stop_stream(qw(perm-gpu -j2 -k --max-time 0.1)) };
$class{'stops of mm-order over 200 real matrices'} = sub { stop_stream(qw(mm-order -j2 -k --for rcm)) };

$class{'kill -9 at every system call of a checkpointed run'} = sub {
    my ($strace) = grep { -x } map { "$_/strace" } split /:/, $ENV{PATH};
    my $input = file('three.mtx', out('mm-cat', map { source_path("tests/data/$_.mtx") } qw(can_24 cage5 bcspwr01)));
    my @command = ('perm-gpu', '-j1', $input);
    my $whole = run(\@command)->{out};
    my @always = (environment => { MMPIPE_CHECKPOINT_SECONDS => 0 });
    return unless $strace;
    my @tracing = ($strace, '-f', '-e', 'trace=%file,%desc,%process,%memory');
    my $probe = folder();
    my $run = run([@tracing, '-o', "$probe/trace", @command, '--checkpoint', "$probe/state", '-o', "$probe/out"], @always);
    return if $run->{status};
    my %calls;
    my $trace = slurp("$probe/trace");
    $calls{$1}++ while $trace =~ /^\d+ +(\w+)\(/mg;
    remove($probe);
    for my $point (shuffle(mine(map { my $name = $_; map { [$name, $_] } 1 .. $calls{$name} } sort keys %calls))) {
        last if is_late();
        my ($name, $number) = @$point;
        my $folder = folder();
        run([@tracing, '-o', '/dev/null', '-e', "inject=$name:signal=KILL:when=$number", @command, '--checkpoint', "$folder/state", '-o', "$folder/out"], @always);
        unlink bsd_glob("$folder/out.*");
        my $again = run([@command, '--checkpoint', "$folder/state", '-o', "$folder/out"], @always);
        judge("$name $number", $again, $folder, { status => 0, out => $whole });
        remove($folder);
    }
};

$class{'the cache: 100 processes, full, unwritable, damaged'} = sub {
    my $input = source_path('tests/data/can_24.mtx');
    my @list = ('perm-gpu', '--kernel', 'list', $input);
    my $cache = folder();
    local $ENV{MMPIPE_CACHE} = $cache;
    my $lines = sub { return scalar(() = $_[0] =~ /\n/g) };
    my $want = $lines->(run(\@list)->{out});
    do {
        my $folder = folder();
        my @pids = map { my $k = $_; my $pid = fork // die; if (!$pid) { open STDOUT, '>', "$folder/$k"; exec @list } $pid } 0 .. 99;
        for my $k (0 .. 99) {
            waitpid $pids[$k], 0;
            $sum{$class}{tried}++;
            note($? & 127 ? 'crashed' : $? || $lines->(slurp("$folder/$k")) != $want ? 'wrong' : 'tolerated', "process $k: $?");
        }
        remove($folder);
        my @bad = grep { !/^[0-9a-f]{32}$/ } split / /, left_in($cache);
        note('left', "@bad") if @bad;
        # What is there, cut and flipped; then folders that cannot be written to.
        for my $entry (bsd_glob("$cache/*")) {
            my $good = slurp($entry);
            for my $at (shuffle(0 .. length($good) - 1)) {
                last if is_late();
                for my $way (qw(cut flip)) {
                    my $wrong = $way eq 'cut' ? substr $good, 0, $at : $good;
                    substr($wrong, $at, 1) ^= chr(1 << int rand 8) if $way eq 'flip';
                    spew($entry, $wrong);
                    chmod 0600, $entry;
                    my $run = run(\@list);
                    $sum{$class}{tried}++;
                    note($run->{signal} ? 'crashed' : $run->{status} || $lines->($run->{out}) != $want ? 'wrong' : 'tolerated', "$way $at");
                }
            }
            spew($entry, $good);
        }
        for my $place ('/dev/null/cache', '/proc/cache', '/dev/full') {
            my $run = run(\@list, environment => { MMPIPE_CACHE => $place });
            $sum{$class}{tried}++;
            note($run->{signal} ? 'crashed' : $run->{status} || $lines->($run->{out}) != $want ? 'wrong' : 'tolerated', $place);
        }
        for my $n (1 .. 6) {
            unlink bsd_glob("$cache/*");
            my $run = run(\@list, environment => { MMPIPE_FAULT => "write:$n" });
            $sum{$class}{tried}++;
            note($run->{signal} ? 'crashed' : $run->{status} == 4 ? 'detected' : $run->{status} || $lines->($run->{out}) != $want ? 'wrong' : 'tolerated', "write $n");
        }
    } until is_late();
    remove($cache);
};

$class{'unit tests under valgrind'} = sub {
    my ($valgrind) = grep { -x } map { "$_/valgrind" } split /:/, $ENV{PATH};
    return unless $valgrind;
    for my $test (shuffle(mine(map { s/\.c$//r } bsd_glob(source_path('tests/unit/*/*.c'))))) {
        last if is_late();
        my $program = build_path($test =~ s{.*/tests/}{tests/}r);
        next unless -x $program;
        local $ENV{MMPIPE_TEST_SECONDS} = 300;
        my $run = run([$valgrind, '--quiet', '--error-exitcode=99', '--leak-check=full', '--show-leak-kinds=definite', '--errors-for-leak-kinds=definite',
            '--suppressions=' . source_path('tests/valgrind.supp'), $program], environment => { srcdir => source_path() });
        if ($run->{signal} == 9) { next } # too slow for the time there is: not a try
        $sum{$class}{tried}++;
        note($run->{status} == 0 && !$run->{signal} ? 'tolerated' : 'crashed', "$program: " . substr($run->{err}, 0, 300));
    }
};

# ---- the table ----

my @order = ('fuzzed parsers', 'failing allocations, reads, writes, syncs, renames, threads, maps', 'cut and flipped bytes', '200 filters at once',
    'pipes of ten programs, one of them killed', 'kill -9 at every system call of a checkpointed run',
    'the cache: 100 processes, full, unwritable, damaged', 'unit tests under valgrind', 'stops of perm-gpu over 200 real matrices',
    'stops of mm-order over 200 real matrices');
my %weight = ($order[0] => 3, $order[1] => 2, $order[2] => 2, $order[3] => 0.5, $order[4] => 1, $order[5] => 1, $order[6] => 0.5, $order[7] => 1, $order[8] => 1, $order[9] => 1);
my @wanted = @ARGV ? grep { my $name = $_; grep { index($name, $_) >= 0 } @ARGV } @order : @order;
my $weights = 0;
$weights += $weight{$_} for @wanted;
# Several processes for a class, each with its share of the points or a seed of its own; their counts are added. What
# fills a machine by itself is done once.
sub run_shards {
    my ($share) = @_;
    my $m = $class =~ /at once|100 processes/ ? 1 : $jobs;
    my @pids = map { my $r = $_; my $pid = fork // die "fork: $!";
        if (!$pid) {
            @ENV{qw(CAMPAIGN_SHARD CAMPAIGN_SECONDS CAMPAIGN_OUT)} = ("$r/$m", $share, scratch("shard$r"));
            exec $^X, $0, $class or POSIX::_exit(127);
        } $pid } 0 .. $m - 1;
    waitpid $_, 0 for @pids;
    for my $r (0 .. $m - 1) {
        for (-f scratch("shard$r") ? split /\n/, slurp(scratch("shard$r")) : "crashed\t1\n") {
            my ($what, $value) = split /\t/, $_, 2;
            if ($what eq 'detail') { push @details, $value } else { $sum{$class}{$what} += $value }
        }
        unlink scratch("shard$r");
    }
}

for (@wanted) {
    $class = $_;
    $sum{$class}{$_} //= 0 for @count;
    my $share = $seconds * $weight{$class} / $weights;
    my $begin = time;
    $until = $begin + $share;
    if ($jobs > 1 && !defined $ENV{CAMPAIGN_SHARD}) { run_shards($share) } else { $class{$class}->() }
    $about{$class} = time - $begin;
    printf STDERR "%s: %d tried in %.0f s\n", $class, $sum{$class}{tried}, $about{$class};
}
if (defined $ENV{CAMPAIGN_SHARD}) {
    spew($ENV{CAMPAIGN_OUT}, join '', (map { "$_\t$sum{$class}{$_}\n" } @count), map { "detail\t" . s/\n/ /gr . "\n" } @details);
    exit 0;
}
my ($model) = slurp('/proc/cpuinfo') =~ /^model name\s*: (.*)$/m;
my $cores = () = slurp('/proc/cpuinfo') =~ /^processor\s*:/mg;
my $text = "# What the campaign found\n\nWritten by `make campaign` (tests/fault/campaign.pl), which says what the columns mean. "
    . "The last four must be 0.\n\n| class | tried | detected | tolerated | crashed | hung | left behind | silently wrong | seconds |\n|---|---|---|---|---|---|---|---|---|\n";
$text .= join(' | ', "| $_", do { my $c = $_; map { $sum{$c}{$_} } @count }, sprintf('%.0f |', $about{$_})) . "\n" for @wanted;
$text .= sprintf "\n%s, %d cores; seed %d; %s.\n", $model // 'unknown processor', $cores, $seed, strftime('%-d %B %Y', gmtime);
$text .= "\n" . join('', map { "- $_\n" } @details) if @details;
spew($ENV{CAMPAIGN_OUT} // source_path('tests/fault/RESULTS.md'), $text);
print $text;
my $bad = 0;
$bad += $sum{$_}{crashed} + $sum{$_}{hung} + $sum{$_}{left} + $sum{$_}{wrong} for @wanted;
exit($bad > 0);
