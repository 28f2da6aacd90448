#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# pipelines/fetch.mk against a server on this machine that cuts, stalls and lies.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Digest::SHA qw(sha256_hex);
use IO::Compress::Gzip qw(gzip);
use IO::Socket::INET;
use Program;
use Test::More;

plan skip_all => 'curl is not installed' unless grep { -x "$_/curl" } split /:/, $ENV{PATH};

# Archives of a matrix each, with random bytes beside it so that a part is much.
srand 3;
sub archive {
    my ($n) = @_;
    my $text = "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 2\n2 1 $n\n2 2 5\n";
    my $padding = join '', map { chr int rand 256 } 1 .. 60000;
    my $folder = scratch("tar$n");
    mkdir $folder;
    mkdir "$folder/m$n";
    spew("$folder/m$n/m$n.mtx", $text);
    spew("$folder/m$n/notes.txt", $padding);
    system('tar', '-C', $folder, '-czf', "$folder/m$n.tar.gz", "m$n") == 0 or die;
    return slurp("$folder/m$n.tar.gz");
}
my %archive = map { $_ => archive($_) } 1 .. 9;

# What the server does with m1, m2, ...: each time one of these is asked for, the next word.
my %manner = (1 => ['whole'], 2 => [qw(cut cut cut)], 3 => [qw(stall)], 4 => [qw(wrong)], 5 => [qw(wrong wrong wrong wrong)], 6 => [qw(page)],
    7 => [qw(absent absent absent absent)], 8 => [qw(no-range-cut no-range)], 9 => [qw(busy)]);
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 20, ReuseAddr => 1) or plan skip_all => "no server: $!";
my $port = $server->sockport;
my $log = scratch('log');
spew($log, '');
my $serving = fork // die;
if ($serving == 0) {
    my %turn;
    $SIG{PIPE} = 'IGNORE';
    while (my $client = $server->accept) {
        my ($path, $from) = ('', 0);
        while (my $line = <$client>) { $path = $1 if $line =~ /^GET (\S+)/; $from = $1 if $line =~ /^Range: bytes=(\d+)-/i; last if $line =~ /^\r?\n/ }
        my ($number) = $path =~ m{^/MM/(?:T|HB)/m(\d)\.tar\.gz$};
        my $manner = defined $number ? $manner{$number}[$turn{$number}++] // 'whole' : 'absent';
        open my $file, '>>', $log;
        print $file "$path $from $manner\n";
        close $file;
        my $content = $archive{ $number // 1 };
        if ($manner eq 'absent') { print $client "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"; close $client; next }
        if ($manner eq 'busy') { print $client "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"; close $client; next }
        $content = $archive{1} if $manner eq 'wrong';
        $content = '<html>Please log in.</html>' if $manner eq 'page';
        if ($from >= length $content && $manner !~ /range/) { print $client "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"; close $client; next }
        $from = 0 if $manner =~ /range/;
        my $rest = substr $content, $from;
        print $client $from ? "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes $from-" . (length($content) - 1) . '/' . length($content) . "\r\n" : "HTTP/1.1 200 OK\r\n",
            'Content-Length: ', length $rest, "\r\nConnection: close\r\n\r\n";
        if ($manner =~ /cut/) { print $client substr $rest, 0, 15000 }
        elsif ($manner eq 'stall') { print $client substr $rest, 0, 15000; $client->flush; if (!fork) { open STDOUT, '>', '/dev/null'; open STDERR, '>', '/dev/null'; sleep 20; POSIX::_exit(0) } }
        else { print $client $rest }
        close $client;
    }
    POSIX::_exit(0);
}
close $server;

my $index = scratch('index.tsv');
spew($index, join '', "id\tGroup\tName\tnrows\tncols\tnnz\tsha256\n", map { join("\t", $_, 'T', "m$_", $_ * 100, $_ * 100, 3, $_ == 2 || $_ == 6 ? '' : sha256_hex($archive{$_})) . "\n" } 1 .. 9);
my $cache = scratch('cache');
sub fetch {
    my (@more) = @_;
    spew($log, '');
    return run(['make', '-k', '-s', '-f', source_path('pipelines/fetch.mk'), "INDEX=$index", "CACHE=$cache", "URL=http://127.0.0.1:$port/MM", 'PAUSE=0', 'TRIES=4', 'STALL=4', @more], environment => { no_proxy => '*' });
}
sub asked { return scalar(() = slurp($log) =~ m{/T/m$_[0]\.}g) }
sub is_whole { my ($n) = @_; return -f "$cache/T/m$n.tar.gz" && slurp("$cache/T/m$n.tar.gz") eq $archive{$n} }

is(fetch('list', 'WHERE=n < 300 && group == T')->{out}, "T/m1\nT/m2\n", 'list: what the condition chooses');
is(slurp($log), '', '... without asking the server');
my $wrong = fetch('list', 'WHERE=order < 300');
isnt($wrong->{status}, 0, 'an unknown name');
like($wrong->{err}, qr/unknown name 'order'. Known names: .*\bnrow\b/, '... is told');

my $run = fetch('WHERE=n <= 500');
isnt($run->{status}, 0, 'one of five cannot be had');
ok(is_whole($_), "m$_ is there") for 1 .. 4;
is(asked(1), 1, 'a server that behaves is asked once');
is(asked(2), 4, 'one that cuts, until all is there');
is_deeply([slurp($log) =~ m{/T/m2\S+ (\d+)}g], [0, 15000, 30000, 45000], '... each time for the rest');
is_deeply([slurp($log) =~ m{/T/m3\S+ (\d+)}g], [0, 15000], 'one that stalls, too');
is(asked(4), 2, 'a wrong archive is fetched once more');
ok(!-e "$cache/T/m5.tar.gz" && !-e "$cache/T/m5.tar.gz.part", 'one that stays wrong is not kept');
like($run->{err}, qr/T\/m5: its sha256 is [0-9a-f]{64}, not [0-9a-f]{64}/, '... and the reason told');

$run = fetch('WHERE=n <= 400');
is("$run->{status} " . slurp($log), '0 ', 'what is there is not asked for again');
$run = fetch('WHERE=n >= 600 && n != 700');
is($run->{status}, 0, 'the others') or diag $run->{err};
ok(is_whole($_), "m$_ is there") for 6, 8, 9;
is(asked(6), 2, 'a page in place of an archive is no archive');
cmp_ok(asked(8), '<=', 4, 'a server that cannot go on in the middle');
$run = fetch('WHERE=n == 700');
isnt($run->{status}, 0, 'one that is absent');
like($run->{err}, qr/T\/m7: the server refuses it/, '... is told');

# What rots in the cache is seen.
is(fetch('check', 'WHERE=n <= 400')->{out}, "4 archives, 0 of them wrong\n", 'check');
my $bytes = slurp("$cache/T/m2.tar.gz");
substr($bytes, 30000, 1) = chr(255 ^ ord substr $bytes, 30000, 1);
chmod 0644, "$cache/T/m2.tar.gz";
spew("$cache/T/m2.tar.gz", $bytes);
$run = fetch('check', 'WHERE=n <= 500');
like($run->{out}, qr/^T\/m2: its sha256 is .*^T\/m5: not there\n5 archives, 2 of them wrong\n\z/ms, '... names what is wrong');
isnt($run->{status}, 0, '... with a status');
is(run(['perm-gpu', "$cache/T/m1.tar.gz"])->{out}, "T/m1\t10\n", 'a program reads what was fetched');

# The Collection's own table has no header, but the number of rows and a date.
spew($index, "2\n31-Oct-2023 18:12:37\nHB,1138_bus,1138,1138,4054,1,0,0,1,1,1,power network problem,4054\nBai,cage5,37,37,233,1,0,0,0,1,0.5,graph,233\n");
is(fetch('list', 'WHERE=group == Bai && nnz < 300')->{out}, "Bai/cage5\n", 'ssstats.csv');

# Names of an index are no paths.
spew($index, "group\tname\n../x\tm1\n");
like(fetch('list')->{err}, qr/'\.\.\/x' is no name of a group or matrix/, 'an index that points elsewhere is refused');

# As mmpipe-bulk(7) has it.
my $page = scratch('page');
mkdir $page;
symlink source_path('pipelines'), "$page/pipelines" or die;
spew("$page/FILE", "group\tname\tnrow\tncol\tnnz\nHB\tm1\t98\t98\t3\nHB\tm2\t99\t99\t3\n");
$run = run(['sh', '-c', "cd '$page' && " . page_block(qr/fetch\.mk/)], environment => { MAKEFLAGS => " -- URL=http://127.0.0.1:$port/MM CACHE=$page/cache PAUSE=0", no_proxy => '*' });
is("$run->{status} " . join(' ', map { s{.*/}{}r } bsd_glob("$page/cache/HB/*.tar.gz")), '0 m1.tar.gz', 'the lines of the page') or diag $run->{err};
like($run->{out}, qr{^HB/m1$}m, '... of which the first names what the second fetches');
kill TERM => $serving;
waitpid $serving, 0;
done_testing();
