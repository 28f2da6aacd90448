#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# With --keep-going a record that failed is a row of the table, too: name, file, status and error. An input without
# anything for a program is told. What goes with a matrix in an archive is passed over.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Path qw(make_path);
use JSON::PP;
use Program;
use Test::More;

my $good = "%%MatrixMarket matrix coordinate integer general\n% name: Test/good\n2 2 3\n1 1 2\n2 1 3\n2 2 5\n";
my $twice = $good =~ s/Test\/good/Test\/twice/r =~ s/2 1 3/1 1 3/r;  # two entries in one place
my $cut = $good =~ s/Test\/good/Test\/cut/r =~ s/2 2 5\n//r;
my $scheme = slurp(source_path('tests/data/schemes/4x4x4-47.mtx'));
my $points = run([qw(mm-gen points 60x2)])->{out};
my $h2 = run([qw(h2-build --leaf 16 --order 2)], input => $points)->{out};
my %file = (good => $good, twice => $twice, cut => $cut, none => '', text => "hello\n");
spew(scratch("$_.mtx"), $file{$_}) for keys %file;
my @files = map { scratch("$_.mtx") } qw(text cut good twice none);
my $absent = scratch('absent.mtx');

# name, status and a part of the error of each, in order; the good one has status 0 and no error.
my @want = (['text', 3, 'no %%MatrixMarket banner'], ['Test/cut', 3, 'truncated: 2 of 3 entries'], ['Test/good', 0, undef],
            ['Test/twice', 1, 'two entries'], ['none', 3, 'empty'], ['absent', 2, 'cannot open']);
my @selected = ('--columns', 'nnz,name');

sub table {
    my ($text) = @_;
    my ($header, @lines) = split /\n/, $text;
    my @keys = split /\t/, $header;
    return map { my %row; @row{@keys} = split /\t/, $_, -1; \%row } @lines;
}

sub check {
    my ($what, $rows, $good_key, $good_value) = @_;
    subtest $what => sub {
        is(scalar @$rows, scalar @want, 'a row for each input') or return;
        for my $k (0 .. $#want) {
            my ($name, $status, $error) = @{$want[$k]};
            my $row = $rows->[$k];
            is($row->{name}, $name, "$name: name");
            is($row->{file}, (@files, $absent)[$k], '... file');
            is($row->{status}, $status, '... status');
            like(exists $row->{error} ? $row->{error} // '-' : 'no such key', defined $error ? qr/\Q$error/ : qr/^-$/, '... error');
        }
        is($rows->[2]{$good_key}, $good_value, "$good_key of the good one");
    };
}

for my $case ([['mm-info'], 'nnz', 3], [['mm-dm', '--summary'], 'nnz', 3],
              [[qw(spmm-tc --bench -n 2 --device cpu)], 'nnz', 3], [[qw(mm-fmdecompose --summary)], 'n', 2]) {
    my ($command, $key, $value) = @$case;
    my @command = (@$command, '-k', @files, $absent);
    my $run = run(\@command);
    if ($run->{status} == 2) { fail("@$command: $run->{err}"); next }
    is($run->{status}, 1, "@$command: status 1");
    check("@$command", [table($run->{out})], $key, $value);
    my $json = run([@command, '--json']);
    check("@$command --json", [map { decode_json($_) } split /\n/, $json->{out}], $key, $value);
}

# Permanents: two columns of a good one, and five of one that failed; the order is that of the input.
my $run = run(['perm-gpu', '-k', @files, $absent]);
is($run->{status}, 1, 'perm-gpu -k: status 1');
my @lines = map { [split /\t/] } split /\n/, $run->{out};
is_deeply([map { $_->[0] } @lines], [map { $_->[0] } @want], '... a line for each');
is_deeply($lines[2], ['Test/good', 10], '... the permanent of the good one');
is_deeply([@{$lines[1]}[1 .. 3]], ['-', scratch('cut.mtx'), 3], '... and file and status of one that failed');
check('perm-gpu --json', [map { decode_json($_) } split /\n/, run(['perm-gpu', '--json', '-k', @files, $absent])->{out}],
      'permanent', '10');

# All failed: there is a table all the same.
my @rows = table(run(['mm-info', '-k', scratch('text.mtx'), $absent])->{out});
is_deeply([map { "$_->{name} $_->{status}" } @rows], ['text 3', 'absent 2'], 'nothing but failures');
is(run(['mm-info', scratch('text.mtx')])->{out}, '', 'without -k there is none');
is(run([qw(mm-info -k --no-header), @selected, scratch('text.mtx'), scratch('good.mtx')])->{out},
   "-\ttext\t" . scratch('text.mtx') . "\t3\tno %%MatrixMarket banner\n3\tTest/good\t" . scratch('good.mtx') . "\t0\t-\n",
   '--columns, --no-header: the columns and what -k adds');

# H2 matrices and schemes.
spew(scratch('h2'), $h2);
@rows = table(run(['h2-info', '-k', scratch('text.mtx'), scratch('h2')])->{out});
is_deeply([map { $_->{status} } @rows], [3, 0], 'h2-info -k');
cmp_ok($rows[1]{n} // 0, '==', 60, '... with the order of the good one') or diag explain \@rows;
spew(scratch('scheme'), $scheme);
@rows = table(run(['flip-check', '-k', scratch('text.mtx'), scratch('scheme')])->{out});
is_deeply([map { $_->{status} } @rows], [3, 0], 'flip-check -k');
unlike(run(['h2-info', '-k', '--svg', scratch('text.mtx'), scratch('h2')])->{out}, qr/status|banner/, 'no rows among pictures');

# Messages name the matrix where the file does not.
my $stream = run(['mm-cat', map { scratch("$_.mtx") } qw(good twice)])->{out};
like(run(['mm-info', '-'], input => $stream)->{err}, qr/^mm-info: standard input: matrix Test\/twice, record 2: two entries/m, 'a message names the matrix');
like(run(['mm-info', '-'], input => $cut)->{err}, qr/matrix Test\/cut, record 1, line \d+: truncated/, '... of a damaged one, too');
unlike(run(['mm-info', scratch('twice.mtx')])->{err}, qr/matrix/, '... not where the file has its name');

# Nothing of its kind.
for my $case (['h2-mv', $good, 'H2 matrices'], ['h2-info', $good, 'H2 matrices'], ['h2-compress', $good, 'H2 matrices'],
              ['h2-orthog', $good, 'H2 matrices'], ['flip-check', $good, 'schemes'], ['flip-lift', $good, 'schemes'],
              ['perm-gpu', $scheme, 'matrices'], ['mm-dm --form bin', $h2, 'matrices']) {
    my ($program, $input, $kind) = @$case;
    my $run = run([split / /, $program], input => $input);
    $program =~ s/ .*//;
    is($run->{status}, 1, "$program without $kind: status 1");
    like($run->{err}, qr/^$program: no $kind among the \d+ records of the input/m, '... and says so');
}
is(run(['h2-mv'], input => $good)->{out}, $good, 'what is passed through comes whole');
is(run(['perm-gpu'], input => "%%End 0\n")->{status}, 0, 'a stream of no records is no mistake');
is(run([qw(h2-mv --form bin)], input => $h2 . '')->{status}, 0, 'one of its kind');

# An archive as the Collection's.
SKIP: {
    my $folder = scratch('archive');
    make_path("$folder/good", "$folder/only");
    spew("$folder/good/good.mtx", $good =~ s/% name.*\n//r);
    spew("$folder/good/good_$_.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n") for qw(b coord);
    spew("$folder/only/only_b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
    skip 'tar is not installed', 6 if system('tar', '-C', $folder, '-czf', "$folder/good.tar.gz", 'good')
        || system('tar', '-C', $folder, '-czf', "$folder/only.tar.gz", 'only');
    my $run = run(['perm-gpu', "$folder/good.tar.gz"]);
    is($run->{out}, "archive/good\t10\n", 'only the matrix of an archive');
    is(run(['mm-info', '--no-header', '--columns', 'name', '--all-members', "$folder/good.tar.gz"])->{out} =~ tr/\n//, 3, '--all-members: all');
    is(run(['mm-cat', '--all-members', "$folder/good.tar.gz"])->{out} =~ /^%%End 3$/m, 1, '... of mm-cat');
    $run = run(['mm-info', '-k', "$folder/only.tar.gz", "$folder/good.tar.gz"]);
    is($run->{status}, 1, 'an archive without a matrix: status 1');
    like($run->{err}, qr/only\.tar\.gz: no matrix, only 1 members such as NAME_b\.mtx/, '... with the reason');
    is_deeply([map { "$_->{name} $_->{status}" } table($run->{out})], ['only 1', 'archive/good 0'], '... and the next one is read');
}

# An archive in which nothing is a matrix.
SKIP: {
    spew(scratch('README'), "no matrix\n");
    my $archive = scratch('readme.tar');
    skip 'tar is not installed', 6 if system('tar', '-C', scratch('.'), '-cf', $archive, 'README');
    for my $program (qw(mm-info mm-cat perm-gpu)) {
        my $run = run([$program, $archive]);
        is($run->{status}, 1, "$program: an archive without a matrix: status 1");
        is($run->{err}, "$program: $archive: an archive without a matrix\n", '... and says so');
    }
    is_deeply([map { "$_->{name} $_->{file} $_->{status}" } table(run(['mm-info', '-k', $archive, scratch('good.mtx')])->{out})],
        ["readme $archive 1", 'Test/good ' . scratch('good.mtx') . ' 0'], '... and the next file is read with -k');
}

# A damaged member of an archive: the others are read. An archive that is damaged itself ends there.
SKIP: {
    my $folder = scratch('mixed');
    make_path("$folder/x");
    spew("$folder/x/$_.mtx", $good =~ s/% name.*\n//r) for qw(a c e);
    spew("$folder/x/b.mtx", substr slurp("$folder/x/a.mtx"), 0, -4);
    spew("$folder/x/d.mtx", "no banner\n");
    spew("$folder/x/f.mtx", "%%MatrixMarket matrix coordinate integer general\n% record: 1\n1 1 1\n1 1 1\n");
    my $archive = scratch('mixed.tar');
    skip 'tar is not installed', 8 if system('tar', '-C', $folder, '-cf', $archive, map { "x/$_.mtx" } 'a' .. 'f');
    my @want = ('x/a 0', 'x/b 3', 'x/c 0', 'x/d 3', 'x/e 0', 'x/f 0', 'x/f 3');
    my $run = run(['mm-info', '-k', $archive]);
    is($run->{status}, 1, 'an archive with damaged members: status 1');
    is_deeply([map { "$_->{name} $_->{status}" } table($run->{out})], \@want, '... and a row for each');
    is_deeply([map { my $row = decode_json($_); "$row->{name} $row->{status}" } split /\n/, run(['mm-info', '--json', '-k', $archive])->{out}], \@want, '... with --json, too');
    is(scalar(() = run(['mm-cat', '-k', $archive])->{out} =~ /^%%MatrixMarket/mg), 4, 'mm-cat -k writes those that are whole');
    is(run(['mm-cat', '-k', '--part', '3/4', $archive])->{out} =~ /^% name: (.*)/m ? $1 : '', 'x/e', '--part counts those');
    is(run(['mm-info', '--no-header', $archive])->{status}, 3, 'without -k the first ends the run');
    my $bytes = slurp($archive);
    spew(scratch('cut.tar'), substr $bytes, 0, 512 * 3 + 20);  # in the header of b
    my @rows = table(run(['mm-info', '-k', scratch('cut.tar'), "$folder/x/c.mtx"])->{out});
    is_deeply([map { $_->{status} } @rows], [0, 3, 0], 'an archive that is cut off fails once, and the next file is read');
    spew(scratch('inside.tar'), substr $bytes, 0, 512 + 30);  # in the bytes of a
    @rows = table(run(['mm-info', '-k', scratch('inside.tar'), "$folder/x/c.mtx"])->{out});
    is_deeply([map { $_->{status} } @rows], [3, 0], '... also inside a member');
}

# A damaged group of a Binsparse file is one row, and the others are read.
SKIP: {
    my ($file, $damaged) = map { scratch($_) } qw(two.bsp.h5 damaged.bsp.h5);
    my @source = map { source_path("tests/data/$_.mtx") } qw(bcspwr01 can_24);
    my $made = run(['mm-cat', '--to', 'binsparse', '-o', $file, @source]);
    skip $made->{err}, 13 if $made->{err} =~ /needs the library/;
    my $bytes = slurp($file);
    my @names = qw(HB/bcspwr01 HB/can_24);
    my %nnz = ('HB/bcspwr01' => 131, 'HB/can_24' => 160);
    my $read = sub {
        my ($changed) = @_;
        spew($damaged, $changed);
        return run(['mm-info', '-k', '--columns', 'nnz,name', $damaged, scratch('good.mtx')]);
    };
    my @shape = (index($bytes, '"shape"'), rindex($bytes, '"shape"'));
    for my $bad (0, 1) {
        my $changed = $bytes;
        substr $changed, $shape[$bad], 7, '"shxpe"';
        my $run = $read->($changed);
        my @rows = table($run->{out});
        is($run->{status}, 1, "group $bad without a shape");
        is_deeply([map { $_->{status} } @rows], [$bad == 0 ? (3, 0) : (0, 3), 0], '... is a row, the other one too') or diag $run->{out};
        is($rows[1 - $bad]{nnz}, $nnz{ $names[1 - $bad] }, '... with its entries');
        my ($group, $record) = ($names[$bad] =~ tr/\//_/r, $bad + 1);
        like($run->{err}, qr/\Q$damaged: matrix $group, record $record: \E.*shape/, '... and the message names the damaged one') or diag $run->{err};
    }
    is(scalar(() = run(['mm-cat', '-k', $damaged])->{out} =~ /^%%MatrixMarket/mg), 1, 'mm-cat -k writes the one that is whole');
    is(run(['mm-info', $damaged])->{status}, 3, 'without -k the damaged one ends the run');
    my $seed = $ENV{MMPIPE_TEST_SEED} // 7;
    srand $seed;
    my (%seen, $wrong);
    for (1 .. 150) {
        my $changed = $bytes;
        my $at = rand > 0.2 ? int rand length $bytes : 800 + int rand 600;  # names and places of groups stand there
        substr $changed, $at, 1, chr(ord(substr $bytes, $at, 1) ^ 1 << int rand 8);
        my $run = $read->($changed);
        my @rows = table($run->{out});
        my $last = pop @rows;
        $seen{ join ' ', map { $_->{status} } @rows }++;
        $wrong .= "byte $at: the next file is not read\n" unless $last && $last->{status} == 0 && $last->{name} eq 'Test/good';
        $wrong .= "byte $at: " . @rows . " rows, none of them failed\n" if @rows != 2 && !grep { $_->{status} } @rows;
        $wrong .= "byte $at: status $run->{status}\n" if $run->{status} != ((grep { $_->{status} } @rows) ? 1 : 0);
    }
    is($wrong, undef, "no flipped bit loses a matrix without a word (seed $seed)");
    note join '; ', map { "statuses $_: $seen{$_} times" } sort keys %seen;
    ok(($seen{'0 3'} // 0) > 0 && ($seen{'3 0'} // 0) > 0, '... and both groups were damaged by some');
    $wrong = undef;
    for my $length (map { 8 + int $_ * (length($bytes) - 8) / 40 } 0 .. 39) {
        my @rows = table($read->(substr $bytes, 0, $length)->{out});
        $wrong .= "$length bytes: @{[map { $_->{status} } @rows]}\n" unless @rows >= 2 && $rows[0]{status} == 3 && $rows[-1]{status} == 0;
    }
    is($wrong, undef, 'a file that is cut anywhere fails, and the next one is read');
}
done_testing();
