#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Names of any length: of records, of files in deep folders, of members of archives; options in `% by`.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Path qw(make_path);
use Program;
use Test::More;

my %built = map { $_ => 1 } programs();
plan skip_all => 'the programs are not built' if grep { !$built{$_} } qw(mm-cat mm-info mm-dm mm-gen);

my $matrix = "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n";
my $long = join '', map { chr(97 + $_ % 26) } 1 .. 2000;
my $named = $matrix =~ s/\n/\n% name: $long\n/r;
my @names = map { (split /\t/, (split /\n/, run([@$_], input => $named)->{out})[-1])[0] } ['mm-info'], ['mm-dm', '--summary'];
is($names[0], $long, 'mm-info: a name of 2000 bytes');
is($names[1], $long, 'mm-dm --summary: the same');
like(run([qw(mm-dm --blocks)], input => $named)->{out}, qr/^% name: \Q$long\E$/m, 'mm-dm --blocks: the same');
is(run(['mm-cat', '--name', $long], input => $named)->{status}, 0, 'mm-cat --name finds it');
is(run(['mm-cat', '--where', "name == '$long'"], input => $named)->{status}, 0, 'mm-cat --where knows it');
is(run(['mm-cat', '--name', substr($long, 0, 511)], input => $named)->{status}, 1, '... and does not take its beginning for it');

# A path of 1500 bytes.
my $folder = scratch(join '/', map { 'folder' . $_ x 40 } 1 .. 30);
make_path($folder);
spew("$folder/deep.mtx", $matrix);
is((split /\t/, (split /\n/, run(['mm-info', "$folder/deep.mtx"])->{out})[-1])[0], 'deep', 'a file in deep folders has its own name');
spew("$folder/bad.mtx", $matrix =~ s/2 2\n\z/2 3\n/r);
like(run(['mm-info', "$folder/bad.mtx"])->{err}, qr/\Q$folder\E\/bad\.mtx: record 1, line 4/, '... also in messages');

# A tar archive with names of 600 and of 1500 bytes, by an extended header (POSIX pax).
sub header {
    my ($name, $type, $size) = @_;
    my $text = pack 'a100a8a8a8a12a12a8a1a100a6a2a32a32a8a8a155x12', $name, "0000644\0", "0000000\0", "0000000\0",
        sprintf("%011o\0", $size), "00000000000\0", ' ' x 8, $type, '', "ustar\0", '00', '', '', '', '', '';
    substr($text, 148, 8) = sprintf "%06o\0 ", unpack '%32C*', $text;
    return $text;
}
sub padded { my ($text) = @_; return $text . "\0" x (-length($text) % 512) }
sub tar {
    my ($name) = @_;
    my $size = length(" path=$name\n");
    my $length = $size + length($size + 4);
    my $pax = "$length path=$name\n";
    return header('pax', 'x', length $pax) . padded($pax) . header('short', '0', length $matrix) . padded($matrix) . "\0" x 1024;
}
my $member = 'G/' . 'm' x 600;
my $read = run(['mm-info'], input => tar("$member.mtx"));
is((split /\t/, (split /\n/, $read->{out})[-1] // '')[0], $member, 'a member of an archive with a name of 600 bytes') or diag $read->{err};
my $refused = run(['mm-info'], input => tar('m' x 1500 . '.mtx'));
is($refused->{status}, 3, '... of 1500 bytes: status 3');
like($refused->{err}, qr/a name of more than 1023 bytes/, '... with the reason');

# Provenance.
my $argument = join ' || ', map { "n == $_" } 1 .. 400;
my $by = run(['mm-cat', '--where', $argument, '--general'], input => $named =~ s/general/symmetric/r)->{out};
like($by, qr/^% by: mm-cat \S+ --where \Q$argument\E --general$/m, 'options of 4000 bytes in % by');
done_testing();
