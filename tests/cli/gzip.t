#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Libraries that are loaded when they are needed: gzip by ISA-L or zlib, with the same outcome, and archives by
# libarchive, which no program is linked with.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Compress::Zlib;
use Program;
use Test::More;

my $matrix = run(['mm-gen', 'er', '200', '--p', '0.1', '--seed', '5'])->{out};
my $none = scratch('no-such-library');

sub gzip {
    my ($text, %with) = @_;
    my $packed = Compress::Zlib::memGzip($text);
    # RFC 1952: flags in byte 3; extra field 4, name 8, comment 16
    return $packed unless %with;
    my $head = substr $packed, 0, 10, '';
    substr $head, 3, 1, chr(4 | 8 | 16);
    return $head . pack('v', 5) . 'extra' . "a name\0" . "a comment\0" . $packed;
}

# The outcome of reading bytes, with ISA-L and without.
sub both {
    my ($bytes, $what, $check) = @_;
    my $path = scratch('input.gz');
    spew($path, $bytes);
    my @runs = map { run(['mm-cat', $path], environment => $_) } {}, { MMPIPE_LIBISAL => $none };
    $check->($runs[0], "$what");
    $check->($runs[1], "$what, by zlib");
    is($runs[1]{out}, $runs[0]{out}, "$what: the same matrices");
    return;
}

sub reads {
    my ($text) = @_;
    my $want = run(['mm-cat'], input => $text)->{out};
    return sub { my ($run, $what) = @_; is("$run->{status} $run->{out}", "0 $want", $what) };
}

sub damaged {
    my ($says) = @_;
    return sub {
        my ($run, $what) = @_;
        is($run->{status}, 3, "$what: status 3");
        like($run->{err}, $says, '... with the reason');
    };
}

my $packed = gzip($matrix);
both($packed, 'a member', reads($matrix));
both(gzip($matrix, name => 1), 'a member with name, comment and extra field', reads($matrix));
both($packed . gzip($matrix), 'two members', reads($matrix . $matrix));
both(join('', map { gzip($_) } split /(?<=\n)/, $matrix), 'a member for each line', reads($matrix));
both(gzip('') . $packed . gzip(''), 'empty members around it', reads($matrix));
both($packed . "\0" x 1000, 'padding of a tape', reads($matrix));
both($packed . 'more', 'something behind it', damaged(qr/something else behind/));
both(substr($packed, 0, -1), 'a length that is cut', damaged(qr/cut off/));
both(substr($packed, 0, 2000), 'data that are cut', damaged(qr/cut off/));
for my $case ([-8, 'the checksum'], [-4, 'the length']) {
    my ($place, $what) = @$case;
    my $wrong = $packed;
    substr $wrong, $place, 1, chr(ord(substr $wrong, $place, 1) ^ 1);
    both($wrong, "$what is wrong", damaged(qr/damaged/));
}

# Random flips: never another matrix.
my $passed = 0;
srand 7;
for (1 .. 60) {
    my $wrong = $packed;
    my $place = int(10 + rand(length($wrong) - 10)); # the head has bytes that do not matter
    substr $wrong, $place, 1, chr(ord(substr $wrong, $place, 1) ^ 1 << int rand 8);
    $passed += run(['mm-cat'], input => $wrong)->{status} == 0;
}
is($passed, 0, 'every flipped bit is seen');

# ---- members that threads decode ahead ----

# Stored members (level 0) are as long as their text, so that a few are enough, and show what is in them.
sub stored {
    my ($text) = @_;
    my ($deflate) = Compress::Zlib::deflateInit(-Level => 0, -WindowBits => 16 + MAX_WBITS);
    return $deflate->deflate($text) . $deflate->flush;
}
my @matrices = map { run(['mm-gen', 'er', '300', '--p', '0.2', '--seed', $_])->{out} } 1 .. 6;
my @members = map { stored($_) } @matrices;
cmp_ok(length($members[0]), '>', 128 * 1024, 'members that are long enough');
my $long = join '', @members;
my $whole = join '', @matrices;
sub ahead {
    my ($bytes, $what, $check) = @_;
    my $path = scratch('ahead.gz');
    spew($path, $bytes);
    my @runs = map { run(['mm-cat', "-j$_", $path]) } 1, 4;
    $check->($runs[0], $what);
    is("$runs[1]{status} $runs[1]{err}", "$runs[0]{status} $runs[0]{err}", '... the same with threads');
    is($runs[1]{out}, $runs[0]{out}, '... and the same matrices');
    return;
}
both($long, 'six long members', reads($whole));
ahead($long, 'six long members', reads($whole));
ahead(join('', map { gzip($_) } unpack '(a65280)*', $whole x 3), 'members of bgzip', reads($whole x 3));
ahead(join('', map { gzip($_) } ($matrices[0]) x 40), 'members of one line each', reads($matrices[0] x 40));
ahead($long . "\0" x 300000, 'padding behind long members', reads($whole));
ahead($long . "\0" x 300000 . $members[0], 'a member behind padding', damaged(qr/something else behind/));
ahead(substr($long, 0, -5), 'long members that are cut', damaged(qr/cut off/));
for my $member (0 .. 5) {
    my $wrong = join '', @members[0 .. $member - 1];
    substr((my $bad = $members[$member]), 100000, 1) ^= "\1";
    ahead($wrong . $bad . join('', @members[$member + 1 .. 5]), "a wrong bit in member $member", damaged(qr/damaged/));
}

# ---- libraries ----

SKIP: {
    my $ldd = run(['ldd', build_path('bin', 'mm-cat')]);
    skip 'no ldd', 2 if $ldd->{status} != 0;
    unlike($ldd->{out}, qr/libarchive|libisal|libxml2|libicu|libcuda|libnettle/, 'a program links no library of archives');
    skip 'sanitizers are libraries, too', 1 if is_sanitized();
    cmp_ok(scalar(() = $ldd->{out} =~ /\n/g), '<=', 12, '... and few others');
}
my $folder = scratch('archive');
mkdir $folder;
spew("$folder/a.mtx", $matrix);
run(['tar', 'czf', scratch('a.tar.gz'), '-C', $folder, 'a.mtx']);
run(['zstd', '-q', '-o', scratch('a.mtx.zst'), "$folder/a.mtx"]);
for my $name ('a.tar.gz', 'a.mtx.zst') {
    is(run(['mm-cat', scratch($name)])->{status}, 0, "$name is read");
    my $run = run(['mm-cat', scratch($name)], environment => { MMPIPE_LIBARCHIVE => $none });
    is($run->{status}, 4, "$name without libarchive: status 4");
    like($run->{err}, qr/no libarchive/, '... with the reason');
}
is(run(['mm-cat'], input => $packed, environment => { MMPIPE_LIBARCHIVE => $none })->{status}, 0,
    'a .gz needs no libarchive');

done_testing();
