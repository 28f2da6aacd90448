#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# mm-cat: what it passes on unchanged, picks, converts, checks and refuses.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my %file = map { $_ => source_path("tests/data/$_.mtx") } qw(bcspwr01 bcspwr02 can_24 cage5 d_ss bfwb62 ash85);
my @all = @file{ sort keys %file };

sub cat { return run(['mm-cat', @_]) }
sub cat_text { my ($text, @options) = @_; return run(['mm-cat', @options], input => $text) }
sub names { my ($text) = @_; return join ' ', $text =~ /^% name: (\S+)/mg }

# A lone matrix in the writer's own way of writing numbers comes back byte by byte.
my $matrix = "%%MatrixMarket matrix coordinate real general\n% a comment\n% name: A/b\n2 3 2\n1 1 1.5\n2 3 -2\n";
is(cat_text($matrix)->{out}, $matrix, 'a lone matrix passes unchanged');
is(cat_text(cat($file{can_24})->{out})->{out}, cat($file{can_24})->{out}, 'twice is once');

# Streams
my $stream = cat(@all)->{out};
is(scalar(() = $stream =~ /^%%MatrixMarket/mg), @all, 'every file is in the stream');
like($stream, qr/%%End 7\n\z/, 'which ends with its mark');
is(cat_text($stream)->{out}, $stream, 'a stream passes unchanged');
is(cat_text($stream . $stream)->{out} =~ /%%End (\d+)\n\z/ && $1, 14, 'two streams become one');
is(cat_text("%%End 0\n")->{out}, "%%End 0\n", 'a stream of nothing');
is(cat_text(substr $stream, 0, -9)->{status}, 3, 'a stream without end mark is damaged');

# --name
is(names(cat('--name', 'HB/bcspwr02', @all)->{out}), 'HB/bcspwr02', '--name with group');
is(names(cat('--name=bcspwr02,can_24', @all)->{out}), 'HB/bcspwr02 HB/can_24', '--name of two');
is(names(cat('-n', 'HB/b*', @all)->{out}), 'HB/bcspwr01 HB/bcspwr02', '--name with a glob');
my $missing = cat('-n', 'HB/nothing', @all);
is($missing->{status}, 1, 'a name that is not there: status 1');
like($missing->{err}, qr/HB\/nothing/, 'and a message');
is(cat('-n', 'nothing*', @all)->{status}, 0, 'a glob may find nothing');

# --where; sizes by the files' own size lines
sub sizes { my ($path) = @_; my ($line) = grep { !/^%/ } split /\n/, slurp($path); return split ' ', $line }
for my $limit (10, 30, 50, 60, 100) {
    my @want = grep { my ($m, $n) = sizes($file{$_}); $m == $n && $n <= $limit } sort keys %file;
    my @got = map { s{.*/}{}r } split ' ', names(cat('--where', "square && n<=$limit", @all)->{out});
    is("@got", "@want", "square && n<=$limit");
}
my @symmetric = grep { slurp($file{$_}) =~ /\A\S+ \S+ \S+ \S+ symmetric/ } sort keys %file;
is(join(' ', map { s{.*/}{}r } split ' ', names(cat('-w', 'symmetric', @all)->{out})), "@symmetric", 'symmetric');
my $wrong = cat('-w', 'n <', @all);
is($wrong->{status}, 2, 'a mistake in --where is one of usage');
like($wrong->{err}, qr/column 4/, 'with its place');
is(cat('-w', '1/nrow == 1 / 0', @all)->{status}, 1, 'a division by zero fails the record');

# --part
my @parts = map { cat('--part', "$_/3", @all)->{out} } 1 .. 3;
is(join(' ', sort map { split ' ', names($_) } @parts), join(' ', sort split ' ', names($stream)), 'parts make the whole');
is(names($parts[1]), join(' ', (split ' ', names($stream))[1, 4]), 'part 2/3 has records 2 and 5');

# Conversions
my $general = cat('--general', $file{can_24})->{out};
like($general, qr/\A%%MatrixMarket matrix coordinate pattern general\n/, '--general');
like($general, qr/^24 24 160$/m, 'has both triangles'); # 24 diagonal entries and 68 pairs
like($general, qr/^% by: mm-cat \S+ --general$/m, 'and says who did it');
unlike(cat('--general', $file{d_ss})->{out}, qr/^% by:/m, 'but not where nothing changed');
my $zeros = "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 0\n2 1 4\n2 2 00\n";
like(cat_text($zeros, '--drop-zeros')->{out}, qr/^2 2 1\n2 1 4\n\z/m, '--drop-zeros');
like(cat_text($zeros)->{out}, qr/^2 2 3$/m, 'zeros are kept otherwise');
like(cat_text($zeros, '--array')->{out}, qr/array integer general\n(?:%.*\n)*2 2\n0\n4\n0\n0\n\z/, '--array');
my $skew = "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n0\n3\n";
like(cat_text($skew, '--coordinate')->{out}, qr/coordinate integer skew-symmetric\n(?:%.*\n)*3 3 2\n2 1 1\n3 2 3\n\z/, '--coordinate');
like(cat_text($skew, '--general')->{out}, qr/array integer general\n(?:%.*\n)*3 3\n0\n1\n0\n-1\n0\n3\n0\n-3\n0\n\z/, '--general of an array');
my $hermitian = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 5 0\n2 1 1 2\n";
like(cat_text($hermitian, '--general')->{out}, qr/^2 2 3\n1 1 5 0\n2 1 1 2\n1 2 1 -2\n\z/m, '--general of a hermitian matrix');
is(cat('--array', '--coordinate', $file{can_24})->{status}, 2, '--array and --coordinate contradict each other');
is(cat_text("%%MatrixMarket matrix coordinate pattern general\n1000000000 1000000000 0\n", '--array')->{status}, 4,
    'an array beyond the memory is refused');
my $comments = "%%MatrixMarket matrix coordinate pattern general\n% a\n% name: x\n%b\n% by: me\n1 1 1\n1 1\n";
is(cat_text($comments, '--strip')->{out}, "%%MatrixMarket matrix coordinate pattern general\n% name: x\n1 1 1\n1 1\n", '--strip');

# --check and --keep-going
my $damaged = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n3 1 1\n";
my $path = scratch('damaged.mtx');
spew($path, $damaged);
my $check = cat('--check', @all);
is("$check->{status}|$check->{out}|$check->{err}", '0||', '--check of good files says nothing');
$check = cat('--check', $path);
is("$check->{status}|$check->{out}", '3|', '--check of a damaged file');
like($check->{err}, qr/damaged\.mtx: record 1, line 4: /, 'names file, record and line');
$check = cat('--check', '--keep-going', $path, $file{can_24}, $path);
is($check->{status}, 1, '--keep-going ends with 1');
is(scalar(() = $check->{err} =~ /damaged\.mtx/g), 2, 'after all the messages');
my $kept = cat('--keep-going', $path, $file{can_24});
is("$kept->{status} " . names($kept->{out}), '1 HB/can_24', '--keep-going passes the good ones on');

# --lenient
my $upper = "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 7\n";
is(cat_text($upper)->{status}, 3, 'an entry above the diagonal is refused');
my $lenient = cat_text($upper, '--lenient');
is($lenient->{status}, 0, 'or repaired');
like($lenient->{err}, qr/repaired/, 'and told');
my $all = cat_text("%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 3 junk\n1 1 4\n1 2 5.0 x\n", '--lenient');
like($all->{err}, qr/^mm-cat: standard input: record 1: repaired: 'junk' behind an entry ignored; 'x' .* fraction of zeros; 1 duplicate entries added up$/m,
    'each kind of repair is named');
my $marked = cat_text("\xef\xbb\xbf%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 3 junk\n", '--lenient');
like($marked->{err}, qr/repaired: 'junk' behind an entry ignored; byte-order mark removed$/m, '... that of a byte-order mark, too');
like($lenient->{out}, qr/^% by: mm-cat \S+ --lenient\n2 2 1\n2 1 7\n\z/m, 'in the metadata, too');

my $mark = "\xef\xbb\xbf";
my $lower = "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 7\n";
for my $text ($lower, "$lower$mark$lower", "2,3,1\n0 1 1\n2\n") {
    my $marked = cat_text("$mark$text");
    is("$marked->{status}|$marked->{out}", '3|', 'a byte-order mark is refused');
    like($marked->{err}, qr/record 1, line 1: a byte-order mark/, '... as that');
    $marked = cat_text("$mark$text", '--lenient');
    like($marked->{err}, qr/repaired: byte-order mark removed/, '... or removed, and told');
    my ($out, $plain) = map { s/^% by: .*\n//mgr } $marked->{out}, cat_text($text =~ s/$mark//r)->{out};
    is($out, $plain, '... and the rest is read');
}
is(cat_text("$lower$mark$lower")->{status}, 3, 'one between two records, too');

# Names of files stay in their column and line.
my $odd = "od\td\n1 1 1";
spew(scratch("$odd.mtx"), "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n");
is((split /\t|\n/, run(['perm-gpu', scratch("$odd.mtx")])->{out}, -1)[0], 'od?d?1 1 1', 'a file with a strange name');
my $archive = scratch('odd.tar');
SKIP: {
    skip 'tar is not installed', 2 if system('tar', '-cf', $archive, '-C', scratch('.'), "$odd.mtx");
    like(cat($archive)->{out}, qr/^% name: .*od\?d\?1 1 1$/m, '... in an archive');
    my $product = run(['spmm-tc', '-B', scratch("$odd.mtx"), scratch("$odd.mtx")]);
    like($product->{out}, qr/^% by: spmm-tc .*od\?d\?1 1 1\.mtx$/m, '... among options');
}

# A file that -o replaces
my $private = scratch('private');
spew($private, 'old');
chmod 0640, $private;
cat('-o', $private, $file{can_24});
is(slurp($private), cat($file{can_24})->{out}, '-o over a file');
is(sprintf('%o', (stat $private)[2] & 07777), '640', '... leaves its permissions');

# Forms
my $binary = scratch('stream.zst');
is(cat('--form', 'bin', '-o', $binary, @all)->{status}, 0, 'binary form');
is(cat($binary)->{out}, $stream, 'and back');
is(cat('--form', 'bin', '--level', '0', $binary)->{out} eq '', '', 'without compression, too');
SKIP: {
    skip 'gzip is not installed', 1 if system("gzip -c '$file{can_24}' > " . scratch('x') . ' 2>/dev/null');
    is(cat(scratch('x'))->{out}, cat($file{can_24})->{out}, 'gzip, whatever its name');
}
done_testing();
