#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# pipelines/collection.mk: which matrices it finds, what it computes again and what not, failures, retries.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../pipelines";
use File::Path qw(make_path);
use JSON::PP;
use Program;
use Test::More;
use Time::HiRes qw(sleep time);
use Where;

my $makefile = source_path('pipelines/collection.mk');
my $input = scratch('in put');  # with a blank
make_path("$input/a/b", "$input/c", scratch('tar/good'));
my @names = qw(bcspwr01 can_24 impcol_b);
system('cp', (map { source_path("tests/data/$_.mtx") } @names), "$input/a/b/") == 0 or die;
system('zstd', '-q', source_path('tests/data/d_ss.mtx'), '-o', "$input/c/d_ss.mtx.zst") == 0 or die;
my $small = "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 2\n2 1 3\n2 2 5\n";
spew(scratch('tar/good/good.mtx'), $small);
spew(scratch("tar/good/good_$_.mtx"), "%%MatrixMarket matrix array real general\n2 1\n1\n1\n") for qw(b x);
system('tar', '-C', scratch('tar'), '-czf', "$input/c/good.tar.gz", 'good') == 0 or die;
spew("$input/c/two.mtx", "$small%%MatrixMarket matrix coordinate integer general\n% name: Test/second\n2 2 3\n1 1 7\n2 1 3\n2 2 5\n");
spew("$input/c/cut.mtx", substr $small, 0, -6);
spew("$input/c/README", 'no matrix');
system('cp', "$input/a/b/can_24.mtx", "$input/c/copy.mtx");

sub collect {
    my ($work, @more) = @_;
    my %environment = map { ref ? %$_ : () } @more;
    return run(['make', '-f', $makefile, "INPUT=$input", "WORK=$work", 'LIMIT=20s', '-j2', grep { !ref } @more],
               environment => { MMPIPE_TEST_SECONDS => 300, %environment });
}

# Rows by file and name; without seconds and memory, which are never the same.
sub table {
    my ($work) = @_;
    my ($header, @lines) = split /\n/, slurp("$work/table.tsv");
    my @keys = split /\t/, $header;
    my %rows;
    for (@lines) {
        my %row;
        @row{@keys} = split /\t/, $_, -1;
        delete @row{qw(seconds memory_bytes)};
        $rows{ ($row{file} =~ s/^\Q$input\E\///r) . " $row{name}" } = \%row;
    }
    return \%rows;
}
sub results { my ($work) = @_; return map { m{([^/]+)\.json$} => join ':', (Time::HiRes::stat($_))[1, 9] } bsd_glob("$work/results/*.json") }
# Numbers of results that are new, and of stages of these.
sub fresh {
    my ($work, $before) = @_;
    my %now = results($work);
    my %count;
    for (grep { ($before->{$_} // '') ne $now{$_} } keys %now) { $count{ decode_json(slurp("$work/results/$_.json"))->{stage} }++ }
    return join ' ', map { "$_=$count{$_}" } sort keys %count;
}

my $work = scratch('work');
my $first = collect($work);
is($first->{status}, 0, 'a collection') or diag $first->{out}, $first->{err};
my $rows = table($work);
is(join(', ', sort keys %$rows), join(', ', sort 'a/b/bcspwr01.mtx HB/bcspwr01', 'a/b/can_24.mtx HB/can_24', 'a/b/impcol_b.mtx HB/impcol_b',
   'c/copy.mtx HB/can_24', 'c/cut.mtx cut', 'c/d_ss.mtx.zst Grund/d_ss', 'c/good.tar.gz c/good', 'c/two.mtx Test/second', 'c/two.mtx two'),
   'a row for each matrix, in folders, archives, compressed, two in a file; what goes with one has none');
# The Collection's index, tests/data/permanents.tsv and 2 * 5, 7 * 5 know these.
my %want = ('a/b/bcspwr01.mtx HB/bcspwr01' => [131, 39, 1, 376417000], 'a/b/can_24.mtx HB/can_24' => [160, 24, 1, 56892084785],
            'c/good.tar.gz c/good' => [3, 2, 2, 10], 'c/two.mtx two' => [3, 2, 2, 10], 'c/two.mtx Test/second' => [3, 2, 2, 35]);
for my $key (sort keys %want) {
    is(join(' ', map { $rows->{$key}{$_} // 'none' } qw(nnz structural_rank dm_blocks permanent)), "@{$want{$key}}", "$key: nnz, rank, blocks, permanent");
}
is($rows->{'a/b/impcol_b.mtx HB/impcol_b'}{dm_blocks}, 19, 'impcol_b has 19 blocks');
my $cut = $rows->{'c/cut.mtx cut'};
is("$cut->{status} $cut->{reason}", '3 read: truncated: 2 of 3 entries', 'a damaged file is a row with its reason') or diag explain $cut;
is_deeply([split /\n/, slurp("$work/failures.tsv")], ["name\tfile\tstatus\treason", "cut\t$input/c/cut.mtx\t3\tread: truncated: 2 of 3 entries"], 'failures.tsv has it alone');
like($first->{out}, qr/^9 matrices, 1 of them with a failure; 28 tasks done, 0 failed, 0 left/m, 'a summary: a matrix that is there twice is computed once') or diag $first->{out};

# Again: nothing; touched: nothing; another option: its stage; a new file: its tasks; a changed file: the same.
my %before = results($work);
collect($work);
is(fresh($work, \%before), '', 'nothing is computed again');
utime time, time, "$input/a/b/can_24.mtx";
collect($work);
is(fresh($work, \%before), '', '... for a file that was touched');
collect($work, 'OPTIONS_perm=--raw');
is(fresh($work, \%before), 'perm=7', '... with another option its stage is');
%before = results($work);
spew("$input/new.mtx", $small =~ s/2 2 5/2 2 11/r);
collect($work);
is(fresh($work, \%before), 'dm=1 info=1 perm=1 spy=1', '... a new file is');
%before = results($work);
spew("$input/new.mtx", $small =~ s/2 2 5/2 2 13/r);
collect($work);
is(fresh($work, \%before), 'dm=1 info=1 perm=1 spy=1', '... a changed one is');
is(table($work)->{'new.mtx new'}{permanent}, 26, '... and has its new permanent');

# A collection that is not there: by LIMIT=1s a task takes 64 s at most, and the permanent of a full rank 1 s. Reading is
# 0.02 s + 4e-7 s an entry for info, 0.1 s + 1e-6 s for perm.
{
    my $index = scratch('index.tsv');
    spew($index, join '', map { join("\t", @$_) . "\n" } [qw(Group Name nrows ncols nnz RBtype nnzdiag sprank)],
        [qw(G full 100 100 1000 rua 0 100)], [qw(G less 100 100 1000 rua 0 99)], [qw(H large 70000 70000 3000000000 rsa 70000 70000)]);
    my $simulate = sub { my ($where, @words) = @_;
        run([source_path('pipelines/collection'), 'simulate', $index, @words], environment => { STAGES => 'info perm', LIMIT => '1s', WHERE => $where }) };
    is($simulate->('', 1, 2, 3)->{out}, <<'END', 'what a collection on paper takes, one, two and three tasks at a time');
3 matrices, 6 tasks, 1 of them permanents that take all of LIMIT; 2 min of work, 0.06 TB of text
2 tasks are stopped after 64 s: they would take longer
    1 at a time  2 min
    2 at a time  65 s
    3 at a time  64 s
END
    is($simulate->('n == 100 && sprank == n', 2)->{out}, <<'END', '... of those that WHERE chooses');
1 matrices, 2 tasks, 1 of them permanents that take all of LIMIT; 1 s of work, 4e-08 TB of text
    2 at a time  1 s
END
    for my $where ('sprang == n', 'n == sprang', 'sprang == 5', 'sprang != name + 1', '2 < sprang') {
        my $wrong = $simulate->($where, 2);
        ok($wrong->{status} != 0 && $wrong->{out} eq '' && $wrong->{err} =~ /^collection: WHERE: column \d+: unknown name 'sprang'\. Known names: /,
            "$where: a word that the table lacks is named") or diag $wrong->{out}, $wrong->{err};
    }
}

# A program of another build has the same version; what the old one found is not taken for its result.
{
    my $other = scratch('other');
    make_path($other);
    my ($old) = grep { -x } map { "$_/mm-dm" } split /:/, $ENV{PATH};
    system('cp', $old, $other) == 0 or die;
    my $path = { PATH => "$other:$ENV{PATH}" };
    %before = results($work);
    collect($work, $path);
    is(fresh($work, \%before), '', 'nothing is computed again by a copy of a program');
    open my $file, '>>:raw', "$other/mm-dm" or die;
    print $file "\0";
    close $file or die;
    my ($one, $two) = map { run([$_, '--version'])->{out} } $old, "$other/mm-dm";
    is(($two =~ /(.*\n)/)[0], ($one =~ /(.*\n)/)[0], '... another build of it has the same version');
    isnt($two, $one, '... and says that it is another');
    collect($work, $path);
    is(fresh($work, \%before), 'dm=8', '... and its stage is computed again');
}

# What would be done.
%before = results($work);
my $dry = collect($work, '-n', 'STAGES=info spmm', 'WHERE=n < 10');
is(scalar(() = $dry->{out} =~ / run \Q$work\E [0-9a-f]{24}$/mg), 4, 'make -n prints the tasks') or diag $dry->{out}, $dry->{err};
my $plan = collect($work, 'plan', 'STAGES=info spmm', 'WHERE=n < 10');
like($plan->{out}, qr/^10 matrices, 5 chosen; 8 tasks, 4 to do\n +spmm +4 tasks/, 'plan counts them') or diag $plan->{out};
is(fresh($work, \%before), '', '... and neither does them');
collect($work, 'STAGES=spmm', 'WHERE=n < 10');
is(fresh($work, \%before), 'spmm=4', 'WHERE and STAGES choose');
my $wrong = collect($work, 'WHERE=rank < 10');
is($wrong->{status}, 2, 'an unknown name of WHERE');
like($wrong->{err}, qr/WHERE: column 1: unknown name 'rank'. Known names: .*\bnrow\b/, '... is told');
like(collect($work, 'STAGES=info rank')->{err}, qr/STAGES: there is no rank, only dm info/, '... and one of STAGES');
unlink "$input/new.mtx";

# Formats of other programs, several matrices in a file, and all of them in an archive beside damaged ones.
SKIP: {
    my ($make, $formats) = map { scratch($_) } qw(make formats);
    make_path("$make/x", "$formats/deep");
    my %source = map { $_ => source_path("tests/data/$_.mtx") } @names;
    my %to = (binsparse => 'bsp.h5', mat => 'mat');
    for my $format (sort keys %to) {
        my $run = run(['mm-cat', '--to', $format, '-o', "$formats/deep/two.$to{$format}", @source{qw(bcspwr01 can_24)}]);
        skip $run->{err}, 4 if $run->{err} =~ /needs the library/;
        run(['mm-cat', '--to', $format, '-o', "$make/x/b.$to{$format}", $source{bcspwr01}]);
    }
    run(['mm-cat', '--to', 'npz', '-o', "$make/x/c.npz", $source{can_24}]);
    my $array = "%%MatrixMarket matrix array integer general\n2 2\n2\n3\n0\n5\n";
    run(['mm-cat', '--to', 'npy', '-o', "$formats/array.npy"], input => $array);
    spew("$make/x/d.$_", substr slurp($_ eq 'npz' ? "$make/x/c.npz" : "$make/x/b.$_"), 0, 300) for qw(npz bsp.h5 mat);
    my @members = map { "x/$_" } qw(b.bsp.h5 d.npz b.mat d.bsp.h5 d.mat c.npz);
    system('tar', '-C', $make, '-cf', "$formats/six(1).tar", @members) == 0 or die;
    system('tar', '-C', $make, '-czf', "$formats/deep/last.tar.gz", @members[0, 4]) == 0 or die;
    my $run = run(['make', '-s', '-f', $makefile, "INPUT=$formats", 'WORK=' . scratch('formats.work'), 'LIMIT=20s', '-j2'], environment => { MMPIPE_TEST_SECONDS => 300 });
    is($run->{status}, 0, 'formats of other programs') or diag $run->{err};
    my $rows = table(scratch('formats.work'));
    my %got = map { ($_ =~ s/^\Q$formats\E\///r) => join ' ', map { $_ // '?' } @{$rows->{$_}}{qw(nnz dm_blocks permanent status)} } keys %$rows;
    my ($bcspwr01, $can_24) = ('131 1 376417000 0', '160 1 56892084785 0');
    my %want = ('deep/two.bsp.h5 HB/bcspwr01' => $bcspwr01, 'deep/two.bsp.h5 HB/can_24' => $can_24, 'deep/two.mat HB_bcspwr01' => $bcspwr01,
        'deep/two.mat HB_can_24' => $can_24, 'array.npy array' => '3 2 10 0', 'six(1).tar HB/bcspwr01' => $bcspwr01, 'six(1).tar HB_bcspwr01' => $bcspwr01,
        'six(1).tar x/c' => $can_24, 'deep/last.tar.gz HB/bcspwr01' => $bcspwr01, 'six(1).tar x/d' => '- - - 3', 'deep/last.tar.gz x/d' => '- - - 3');
    is_deeply(\%got, \%want, '... each matrix once, damaged members beside them') or diag explain \%got;
    my @failed = map { [(split /\t/)[0, 2]] } split /\n/, slurp(scratch('formats.work/failures.tsv'));
    is(join(' ', map { "@$_" } @failed), 'name status x/d 3 x/d 3 x/d 3 x/d 3', '... and all four damaged ones are failures');
    my @pictures = map { /^<\?xml|^<svg/ ? 1 : 0 } map { slurp($_) } bsd_glob(scratch('formats.work/pictures/*.svg'));
    is(join('', sort @pictures), '1' x @pictures, '... and each picture is one');
}

# An archive of many: its tasks read it once together, whatever the stages, and leave nothing beside the results.
{
    my ($many, $make, $log, $bin) = map { scratch($_) } qw(many many.make many.log many.bin);
    make_path($many, "$make/x", $bin);
    my %permanent;
    for my $k (1 .. 12) {
        spew("$make/x/m$k.mtx", $small =~ s/2 2 5/"2 2 " . (10 + $k)/er);
        $permanent{"x/m$k"} = 2 * (10 + $k);
    }
    spew("$make/x/m5b.mtx", substr $small, 0, -6);  # a damaged one in the middle
    system('tar', '-C', $make, '-czf', "$many/many.tar.gz", map { "x/m$_.mtx" } 1 .. 5, '5b', 6 .. 12) == 0 or die;
    my ($real) = grep { -x } map { "$_/mm-cat" } split /:/, $ENV{PATH};
    spew("$bin/mm-cat", "#!/bin/sh\necho \"\$*\" >>'$log'\nexec '$real' \"\$@\"\n");
    chmod 0755, "$bin/mm-cat";
    my $read = sub {
        my ($work, @more) = @_;
        spew($log, '');
        my $run = run(['make', '-f', $makefile, "INPUT=$many", "WORK=$work", 'LIMIT=20s', 'QUIET=1', '-j3', @more],
                      environment => { MMPIPE_TEST_SECONDS => 300, PATH => "$bin:$ENV{PATH}" });
        is($run->{status}, 0, "an archive of many @more") or diag $run->{err};
        return scalar grep { /many\.tar\.gz/ } split /\n/, slurp($log);
    };
    my $work = scratch('many.work');
    is($read->($work), 1, '... is read once by the 48 tasks of its matrices');
    my $rows = table($work);
    my %got = map { $_->{name} => $_->{permanent} } grep { $_->{status} == 0 } values %$rows;
    is_deeply(\%got, \%permanent, '... each of which has its own matrix') or diag explain $rows;
    is(join(' ', map { "$_->{name} $_->{status} $_->{reason}" } grep { $_->{status} } values %$rows), 'x/m5b 3 read: truncated: 2 of 3 entries', '... and the damaged one its reason');
    ok(!-e "$work/records", '... and nothing is left of the parts');
    is($read->($work), 0, '... again: not at all');
    is($read->($work, 'OPTIONS_perm=--raw'), 1, '... with another option once more');
    is($read->(scratch('many.one'), 'STAGES=info', "WHERE=name == 'x/m7'"), 1, '... for one of them');
    is(decode_json(slurp((bsd_glob(scratch('many.one/results/*.json')))[0]))->{name}, 'x/m7', '... which is that one');

    # Killed while it takes the archive apart: the next run does not trust what is there.
    my $killed = scratch('many.killed');
    spew("$bin/mm-cat", "#!/bin/sh\ncase \"\$*\" in\n*--split*) if ! test -f '$bin/once'; then : >'$bin/once'; mkdir -p \"\${6%/*}\"; : >\"\${6%/*}/1\"; kill -9 \$PPID; sleep 1; fi ;;\nesac\nexec '$real' \"\$@\"\n");
    chmod 0755, "$bin/mm-cat";
    run(['make', '-f', $makefile, "INPUT=$many", "WORK=$killed", 'QUIET=1'], environment => { MMPIPE_TEST_SECONDS => 300, PATH => "$bin:$ENV{PATH}" });
    ok(-e "$bin/once" && -e "$killed/records", 'killed while it takes an archive apart');
    $read->($killed);
    %got = map { $_->{name} => $_->{permanent} } grep { $_->{status} == 0 } values %{ table($killed) };
    is_deeply(\%got, \%permanent, '... the next run has all matrices');
    ok(!-e "$killed/records", '... and leaves nothing');
}

# A script for Slurm: stages for GPUs apart, jobs of even length: no two differ by more than the longest task.
my $array = scratch('array');
is(collect($array, '-s', 'slurm', 'GPU=perm', 'JOB_COUNT=3')->{out}, "$array/slurm.sh\n", 'slurm: a script');
my $script = slurp("$array/slurm.sh");
like($script, qr/^cpu=(?!.*--gres).*--array=1-3 .*\ngpu=.*--array=1-3 .*--gres=gpu:1 .*\n.*--dependency=afterany:\$cpu:\$gpu /m, '... with two arrays and an end') or diag $script;
my %planned = map { my @task = split /\t/; $task[0] => [@task[1, 2]] } split /\n/, slurp("$array/plan.tsv");
for my $kind (qw(cpu gpu)) {
    my (@length, $stages, $longest);
    for my $job (1 .. 3) { for (split /\n/, slurp("$array/jobs/$kind.$job")) { my ($stage, $seconds) = @{$planned{$_}}; $length[$job - 1] += $seconds; $stages .= " $stage"; $longest = $seconds if $seconds > ($longest // 0) } }
    my ($least, $most) = (sort { $a <=> $b } @length)[0, -1];
    cmp_ok($most - $least, '<=', $longest + 1e-9, "... $kind jobs of even length");
    is($stages =~ /perm/ ? 'perm' : '', $kind eq 'gpu' ? 'perm' : '', '... of their stages');
    is(scalar(() = $stages =~ / /g), $kind eq 'gpu' ? 7 : 21, '... with all tasks');
}

# A program that runs out of memory once, one that does so always, and one whose state is in use at first.
my $bin = scratch('bin');
make_path($bin);
spew("$bin/perm-gpu", <<'END');
#!/bin/sh
case "$*" in
*--version*) ;;
*can_24*) echo 'perm-gpu: out of memory' >&2; exit 4 ;;
*bcspwr01*) test -f "$0.once" || { : >"$0.once"; kill -9 $$; } ;;
*impcol_b*) test -f "$0.busy" || { : >"$0.busy"; echo 'perm-gpu: --checkpoint: STATE is in use by perm-gpu, process 7' >&2; exit 2; } ;;
esac
exec REAL "$@"
END
my ($real) = grep { -x } map { "$_/perm-gpu" } split /:/, $ENV{PATH};
spew("$bin/perm-gpu", slurp("$bin/perm-gpu") =~ s/REAL/$real/r);
chmod 0755, "$bin/perm-gpu";
my $other = scratch('memory');
my $retried = collect($other, 'STAGES=perm', { PATH => "$bin:$ENV{PATH}" });
my $after = table($other);
is($after->{'a/b/bcspwr01.mtx HB/bcspwr01'}{permanent}, 376417000, 'what ran out of memory is done once more');
is("@{$after->{'a/b/can_24.mtx HB/can_24'}}{qw(status reason)}", '4 perm: out of memory', '... and only once') or diag $retried->{err};
is($after->{'c/two.mtx Test/second'}{permanent}, 35, '... and stops nobody');
is("@{$after->{'a/b/impcol_b.mtx HB/impcol_b'}}{qw(status reason)}", '0 -', 'a state that another program still works on is waited for');

# SIGTERM: the task saves its state, and another run goes on from there.
SKIP: {
    skip 'sanitizers need addresses without a limit', 5 if is_sanitized();
    my $hard = scratch('hard');
    make_path($hard);
    run([qw(mm-gen er 34 -p 0.6 --diagonal --field integer --values int:1:9 --seed 4 -o), "$hard/er.mtx"]);
    my $slow = scratch('slow');
    my @make = ('make', '-f', $makefile, "INPUT=$hard", "WORK=$slow", 'STAGES=perm', 'LIMIT=30d', 'OPTIONS_perm=--raw --kernel exact-portable --device cpu');
    my $keys = run([@make, '-n'])->{out};
    my ($key) = $keys =~ / run \S+ ([0-9a-f]{24})$/m or skip 'no task', 5;
    my $handle = start([source_path('pipelines/collection'), 'run', $slow, $key], stdin => '/dev/null', environment => { LIMIT => '30d', MMPIPE_CHECKPOINT_SECONDS => '0.2' });
    wait_until(sub { -s "$slow/states/$key" });
    kill TERM => $handle->{pid};
    finish($handle);
    is($handle->{status}, 5, 'SIGTERM: status 5') or diag $handle->{err};
    ok(-s "$slow/states/$key", '... the state is kept');
    ok(!-e "$slow/results/$key.json", '... and no result written');
    # Killed, it takes its program along.
    my $working = sub { scalar grep { -r && (eval { slurp($_) } // '') =~ /^perm-gpu\0.*\Q$slow\E/s } bsd_glob('/proc/[0-9]*/cmdline') };
    $handle = start([source_path('pipelines/collection'), 'run', $slow, $key], stdin => '/dev/null', environment => { LIMIT => '30d' });
    wait_until($working);
    is($working->(), 1, 'a program works on it');
    kill KILL => $handle->{pid};
    finish($handle);
    wait_until(sub { !$working->() });
    is($working->(), 0, '... and ends with a task that is killed');
}

# The two readers of conditions agree: on columns of a table and on records.
srand 11;
my @atoms = ('nrow < 40', 'n >= 24', 'nnz * 2 > 300', 'density < 0.1', 'square', "name ~ 'HB/*'", 'name == "HB/can_24"', 'field == pattern', 'symmetric', 'not real',
    'nnz_stored / 3 <= 30', 'nrow - ncol == 0', 'nnz > 1k', 'density * 2.5 >= 0.2', "file !~ '*can*'", '1e2 < nnz');
my @columns = qw(name nrow ncol nnz_stored nnz format field symmetry hash);
my @files = map { source_path("tests/data/$_.mtx") } @names, 'd_ss', 'steam3', 'bcspwr02';
my @records = map { my %row; @row{@columns, 'file'} = split /\t/; \%row } split /\n/, run(['mm-info', '--quick', '--no-header', '--columns', join(',', @columns, 'file'), @files])->{out};
my $different = '';
for (1 .. 60) {
    my $condition = $atoms[rand @atoms];
    $condition = (rand 2 < 1 ? "$condition " . ('&&', '||', 'and', 'or')[rand 4] . ' ' : rand 2 < 1 ? "not ($condition) or " : "($condition) && ! ") . $atoms[rand @atoms] for 1 .. 1 + int rand 3;
    $condition =~ s/! not /! /g;
    my $run = run(['mm-info', '--quick', '--no-header', '--columns', 'name', '--where', $condition, @files]);
    my $test = eval { Where::compile($condition, [@columns, 'file']) };
    my $got = $test ? join ' ', map { $_->{name} } grep { $test->($_) } @records : "refused: $@";
    my $want = $run->{status} == 0 ? join(' ', split /\n/, $run->{out}) : "refused: $run->{err}";
    $different .= "$condition: $got, not $want\n" if $got ne $want;
}
is($different, '', 'conditions on tables mean what they mean on records');
done_testing();
