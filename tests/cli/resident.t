#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Streams whose records stay in memory: the same matrices arrive, by way of any programs, and whatever ends,
# is killed or stands in between, it is told, and nothing is left behind.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use IO::Select;
use POSIX qw(:sys_wait_h);
use Socket;
use Test::More;

# The statuses of the commands of a pipeline, and what it says.
sub pipeline {
    my ($text, %environment) = @_;
    return run(['bash', '-c', "$text; echo \"\${PIPESTATUS[\@]}\""], environment => \%environment);
}

# ---- matrices of every kind, of more than 64 KiB each ----

sub entries {
    my ($kind, $value) = @_;
    my @lines;
    for my $k (1 .. 5000) {
        my ($row, $col) = ($k + 1, int($k * 37 % 4000) + 1);
        next if $kind ne 'general' && $col > $row;
        next if $kind eq 'skew-symmetric' && $col == $row;
        push @lines, join ' ', $row, $col, $value->($k, $row == $col);
    }
    return scalar(@lines) . "\n" . join '', map { s/ $//r . "\n" } @lines;
}

my %value = (
    pattern => sub { '' },
    integer => sub { $_[0] * 7919 - 20000 },
    big => sub { ($_[0] % 2 ? '-' : '') . '1234567890123456789' . $_[0] . '000' },
    real => sub { $_[0] / 7 - 300 },
    complex => sub { ($_[0] / 3) . ' ' . ($_[1] ? 0 : -$_[0]) },
);

sub sample {
    my ($field, $symmetry) = @_;
    my $text = entries($symmetry, $value{$field});
    my $name = $field eq 'big' ? 'integer' : $field;
    my $note = $field eq 'big' ? "% integers: big\n" : '';
    return "%%MatrixMarket matrix coordinate $name $symmetry\n% name: $field $symmetry\n${note}5001 5001 $text";
}

sub array {
    my ($field, $symmetry) = @_;
    my $order = $symmetry eq 'general' ? 120 : 180;
    my $count = $symmetry eq 'general' ? $order**2 : $order * ($order + ($symmetry eq 'skew-symmetric' ? -1 : 1)) / 2;
    my $text = "%%MatrixMarket matrix array $field $symmetry\n$order $order\n";
    return $text . join '', map { $value{$field}->($_, 1) . "\n" } 1 .. $count;
}

my %samples;
for my $field (qw(pattern integer big real complex)) {
    for my $symmetry (qw(general symmetric skew-symmetric hermitian)) {
        next if $symmetry eq 'hermitian' && $field ne 'complex';
        next if $symmetry eq 'skew-symmetric' && $field eq 'pattern';
        $samples{"$field $symmetry"} = sample($field, $symmetry);
        $samples{"array $field $symmetry"} = array($field, $symmetry) if $field =~ /^(integer|real)$/;
    }
}
$samples{'array complex'} = array('complex', 'general');
for my $name (sort keys %samples) {
    my $plain = run(['mm-cat'], input => $samples{$name});
    spew(scratch('sample.mtx'), $samples{$name});
    my $path = scratch('sample.mtx');
    my $run = pipeline("mm-cat --form resident $path | mm-cat --form resident | mm-cat");
    is($plain->{status}, 0, "$name: a sample");
    ok($run->{out} eq "$plain->{out}0 0 0\n", "$name: the same by way of memory") or diag($run->{err});
}

# What changes the arrays of a record, of some whose entries have no order.
for my $name ('real general', 'complex hermitian', 'integer skew-symmetric', 'pattern symmetric', 'big general', 'array real symmetric') {
    my ($path, $one, $two) = map { scratch($_) } qw(mixed.mtx one two);
    my ($banner, $rest) = $samples{$name} =~ /\A((?:%.*\n)+\d.*\n)(.*)\z/s;
    my @entries = split /^/, $rest;
    spew($path, $banner . join '', $name =~ /array/ ? @entries : reverse @entries);
    for my $option ('--sort', '--transpose', '--drop-values', '--drop-zeros', '--general', '--to binsparse', '--to mat', '--to npz', '--to edges') {
        my $run = run(['sh', '-c', "mm-cat $option $path >$one 2>/dev/null; a=\$?; mm-cat --form resident $path | mm-cat $option >$two 2>$two.err; b=\$?; cmp $one $two && echo \$((a - b))"]);
        is($run->{out}, "0\n", "$name, $option: the same by way of memory") or diag $run->{err}, slurp("$two.err");
    }
}

# ---- binary files, whose records are read into memory that is handed on ----

{
    my ($path, $plain, $resident) = map { scratch($_) } qw(large.bin plain resident);
    my @large = ('er 3000 --p 0.05 --values uniform', 'er 3000 --p 0.08 --field pattern', 'er 3000 --p 0.05 --field integer --values int:-900:70000',
        'er 2500 --p 0.06 --field complex --values uniform', 'er 4000 --p 0.1 --field real --values uniform --symmetry symmetric', 'dense 1200 --values uniform');
    for my $options (@large) {
        my $run = run(['sh', '-c', "mm-gen $options --seed 5 --form bin >$path && mm-cat $path >$plain && wc -l <$plain"]);
        cmp_ok($run->{out}, '>', 300_000, "$options: a large record") or diag $run->{err};
        for my $step ('', '--transpose', '--general', '--sort', $options =~ /dense/ ? () : '--drop-values') {
            my $run = run(['sh', '-c', "mm-cat $step $path >$plain; a=\$?; mm-cat $step --form resident $path | mm-cat --form resident | mm-cat >$resident; cmp $plain $resident && echo \$a"]);
            is($run->{out}, "0\n", "... $step: the same by way of memory") or diag $run->{err};
        }
    }
    my $whole = slurp($path);
    for my $case (['cut off', substr($whole, 0, length($whole) / 2)], ['damaged', substr($whole, 0, 7e6) . '...' . substr($whole, 7e6 + 3)]) {
        spew($path, $case->[1]);
        my $run = pipeline("mm-cat --form resident $path | mm-info");
        like($run->{out}, qr/^3 /m, "a record that is $case->[0]");
        like($run->{err}, qr/large\.bin: record 1: .*(cut off in a block|block does not have its checksum)/, '... is told of');
        unlike($run->{out}, qr/dense/, '... and does not arrive');
    }
}

# ---- programs ----

my $stream = scratch('stream');
spew($stream, run(['mm-gen', 'er', '300', '--p', '0.1', '--count', '12', '--seed', '3'])->{out});
my $small = scratch('small');
spew($small, run(['mm-gen', 'er', '9', '--p', '0.4', '--count', '40', '--seed', '3'])->{out});

for my $steps ('mm-cat IN @ | mm-order --for rcm @ | mm-info', 'mm-cat IN @ | mm-dm --blocks @ | mm-info --json',
    'mm-cat IN @ | spmm-tc -n 40 @ | mm-info', 'mm-cat IN @ | mm-diff - IN') {
    for my $input ($stream, $small) {
        (my $text = $steps) =~ s/IN/$input/g; # once: the random name of the folder may have these letters, too
        my ($plain, $resident) = map { pipeline($text =~ s/\@/$_/gr) } '', '--form resident';
        like($plain->{out}, qr/^(0 )+0\n\z/m, "$steps runs");
        is($resident->{out}, $plain->{out}, '... with the same outcome by way of memory');
    }
}
{
    my $text = 'mm-gen points 3000x2 @ | h2-build @ | h2-orthog @ | h2-compress --tol 1e-4 @ | h2-mv -n 2 @ | mm-cat';
    my ($plain, $resident) = map { pipeline($text =~ s/\@/$_/gr) } '', '--form resident';
    my ($hashed, $everywhere) = (pipeline($text =~ s/\@/--form resident --verify/gr),
        pipeline($text =~ s/\@//gr, MMPIPE_FORM => 'resident'));
    like($plain->{out}, qr/\n0 0 0 0 0 0\n\z/, 'hierarchical matrices');
    is($resident->{out}, $plain->{out}, '... the same by way of memory');
    is($hashed->{out}, $plain->{out}, '... with hashes');
    is($everywhere->{out}, $plain->{out}, '... with MMPIPE_FORM, which leaves the last program its own form');
    my $scheme = pipeline('mm-gen scheme 12x12x12 --form resident | flip-check');
    is($scheme->{out} =~ s/.*\n(.*\n)\z/$1/sr, "0 0\n", 'a scheme');
}
{
    my $path = scratch('out.mtx');
    my $run = run(['mm-cat', '-o', $path, $stream], environment => { MMPIPE_FORM => 'resident' });
    is($run->{status}, 0, 'MMPIPE_FORM and a file');
    is(slurp($path), run(['mm-cat', $stream])->{out}, '... that gets the usual form');
    is(run(['h2-build', '--form', 'text'])->{status}, 2, 'an H2 matrix has no text form');
}

{
    my $text = "mm-gen er 300 --p 0.1 | spmm-tc -n 40 \@ | spmm-tc -B - $stream \@ | mm-info";
    my ($plain, $resident) = map { pipeline($text =~ s/\@/$_/gr) } '', '--form resident';
    like($plain->{out}, qr/^0 0 0 0\n\z/m, 'a product that is the right-hand side of others');
    is($resident->{out}, $plain->{out}, '... the same by way of memory');
}

# ---- takers that are none ----

for my $case (['| cat', qr/none of mmpipe's/], ['| tee ' . scratch('tee'), qr/none of mmpipe's/], ['> ' . scratch('file'), qr/no pipe/]) {
    my ($taker, $says) = @$case;
    my $run = pipeline("mm-cat --form resident $stream $taker");
    like($run->{out}, qr/(?:^|\n)1( 0)?\n\z|1 0\n\z/, "mm-cat $taker: status 1");
    like($run->{err}, $says, '... with the reason');
}
{
    my $run = pipeline("mm-cat --form resident $stream | cat | mm-info");
    like($run->{out}, qr/^1 0 3$/m, 'another program in between: both ends fail');
    like($run->{err}, qr/came by way of another program/, '... with the reason');
    $run = run(['mm-info', scratch('tee')]);
    is($run->{status}, 3, 'what it kept is damaged');
    like($run->{err}, qr/resident form/, '... with the reason');
    $run = pipeline("mm-cat --form resident $small | cat | mm-info");
    like($run->{out}, qr/^0 0 0$/m, 'small records go through any program');
}

# ---- processes that are killed ----

# Starts a program with the given descriptors as standard input and output.
sub spawn {
    my ($in, $out, @command) = @_;
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        $SIG{PIPE} = 'DEFAULT';
        open STDIN, '<&', $in or die if $in;
        open STDOUT, '>&', $out or die if $out;
        open STDERR, '>', scratch("err.$$") or die;
        close $in if $in && fileno $in > 2;
        $^F = 2;
        { no warnings 'exec'; exec @command }
        POSIX::_exit(127);
    }
    return $pid;
}

sub reap {
    my ($pid) = @_;
    for (1 .. 6000) {
        return $? if waitpid($pid, WNOHANG) == $pid;
        select undef, undef, undef, 0.05;
    }
    kill KILL => $pid;
    waitpid $pid, 0;
    return 'still there after 300 seconds';
}

sub says { return slurp(scratch("err.$_[0]")) }

sub pair { pipe my $read, my $write or die; return ($read, $write) }

# The name of a pipe's taker, and whether somebody has it.
sub name_of { my @about = stat $_[0]; return sprintf 'mmpipe:%x:%x', @about[0, 1] }
sub is_taken { my $name = name_of($_[0]); return slurp('/proc/net/unix') =~ /\@\Q$name\E$/m }

my $record = run(['mm-gen', 'er', '300', '--p', '0.1', '--seed', '3'])->{out};
my @numbered = slurp($stream) =~ /(%%MatrixMarket.*?)(?=%%MatrixMarket|%%End)/sg;
$SIG{PIPE} = 'IGNORE';

# A giver fed by hand and its taker, both running.
sub couple {
    my ($feed_read, $feed) = pair();
    my ($read, $write) = pair();
    my ($rows_read, $rows) = pair();
    my $taker = spawn($read, $rows, 'mm-info');
    wait_until(sub { is_taken($read) });
    my $giver = spawn($feed_read, $write, qw(mm-cat --form resident));
    close $_ for $feed_read, $write, $rows;
    $feed->autoflush(1);
    return { feed => $feed, read => $read, rows => $rows_read, taker => $taker, giver => $giver };
}

{
    my $two = couple();
    print { $two->{feed} } $numbered[0], $numbered[1], substr $numbered[2], 0, 60;
    my $got = '';
    ok(wait_until(sub { sysread $two->{rows}, $got, 4096, length $got; $got =~ /\n.*\n/ }), 'a record arrives');
    kill KILL => $two->{giver};
    reap($two->{giver});
    is(reap($two->{taker}) >> 8, 3, 'the giver is killed: the taker sees a stream that is cut off');
    like(says($two->{taker}), qr/truncated/, '... and says so');
    ok(!is_taken($two->{read}), '... and nothing is left behind');
}
{
    my $two = couple();
    kill KILL => $two->{taker};
    reap($two->{taker});
    my $name = $two->{read};
    ok(!is_taken($name), 'the taker is killed: nothing is left behind');
    close delete $two->{read};
    print { $two->{feed} } @numbered;
    close $two->{feed};
    is(reap($two->{giver}) & 127, 13, '... and the giver dies of the broken pipe');
}
{
    my $two = couple();
    kill STOP => $two->{taker};
    print { $two->{feed} } @numbered[0, 1];
    select undef, undef, undef, 0.3;
    kill KILL => $two->{taker}, $two->{giver};
    reap($two->{$_}) for qw(taker giver);
    ok(!is_taken($two->{read}), 'both are killed with records in flight: nothing is left behind');
}
{
    my ($read, $write) = pair();
    my $giver = spawn(undef, $write, 'mm-cat', '--form', 'resident', $stream);
    my $unread = pack 'L', 0;
    wait_until(sub { ioctl($read, 0x541B, $unread); unpack('L', $unread) > 0 });
    select undef, undef, undef, 0.2;
    is(waitpid($giver, WNOHANG), 0, 'a giver waits for a taker that has not begun');
    kill KILL => $giver;
    reap($giver);
    close $write;
    my $taker = spawn($read, undef, 'mm-info');
    is(reap($taker) >> 8, 3, 'the giver is killed before it hands over: the taker sees a cut');
}
{
    my ($read, $write) = pair();
    my $taker = spawn($read, undef, 'mm-info');
    wait_until(sub { is_taken($read) });
    kill STOP => $taker;
    my $second = spawn($read, undef, 'mm-info');
    select undef, undef, undef, 0.3;
    # Fewer records than may be in flight: the giver would wait for those that the second has read.
    my $giver = spawn(undef, $write, 'mm-cat', '--form', 'resident', '--head', '3', $stream);
    close $write;
    is(reap($second) >> 8, 3, 'two takers: the second is refused');
    like(says($second), qr/resident form/, '... with the reason');
    kill CONT => $taker;
    is(reap($taker) >> 8, 3, '... and the first misses what the second has read');
    reap($giver);
}

# ---- records in flight ----

# How many records have come so far: so many, and those that come while it waits for more.
sub count_records {
    my ($read, $bytes, $wanted) = @_;
    my $select = IO::Select->new($read);
    my $count = sub { return scalar(() = $$bytes =~ /MMPB\x01\x06/g) };
    sysread $read, $$bytes, 65536, length $$bytes while $select->can_read($count->() < $wanted ? 300 : 0.5);
    return $count->();
}

{
    my ($read, $write) = pair();
    socket(my $listener, AF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!";
    bind($listener, pack_sockaddr_un("\0" . name_of($read))) or die "bind: $!";
    listen($listener, 1);
    my $giver = spawn(undef, $write, 'mm-cat', '--form', 'resident', $stream);
    close $write;
    accept(my $socket, $listener);
    my $bytes = '';
    is(count_records($read, \$bytes, 8), 8, 'eight records are in flight, and no more');
    syswrite $socket, pack('Q<', $_) for 1 .. 3;
    is(count_records($read, \$bytes, 11), 11, '... three more when three were taken');
    kill KILL => $giver;
    reap($giver);
    close $socket;
    like($bytes, qr/\A\x5d\x2a\x4d\x18.{4}MMPB\x01\x05/s, 'the stream begins with who gives');
}
{
    my ($read, $write) = pair();
    socket(my $listener, AF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!";
    bind($listener, pack_sockaddr_un("\0" . name_of($read))) or die "bind: $!";
    listen($listener, 1);
    my $giver = spawn(undef, $write, qw(mm-cat --memory 1M --form resident), $stream);
    close $write;
    accept(my $socket, $listener);
    my $bytes = '';
    # 9000 entries of 24 bytes: a quarter of --memory has room for one
    is(count_records($read, \$bytes, 1), 1, 'a quarter of --memory is the bound, too');
    kill KILL => $giver;
    reap($giver);
}

done_testing();
