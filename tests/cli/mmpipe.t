#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# mmpipe: lists every program, starts it by its name and its short name, and shows every page of section 7.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

plan skip_all => 'mmpipe is not built' unless -x build_path('bin/mmpipe');

my $list = run(['mmpipe']);
is($list->{status}, 0, 'without arguments: status 0');
is_deeply([sort $list->{out} =~ /^  ((?:mm|perm|spmm|h2|flip)\S+) +\S/mg], [sort { $a cmp $b } programs()], '... and the list of all programs');
is_deeply([grep { length > 80 } split /\n/, $list->{out}], [], '... in 80 columns');
is(run([qw(mmpipe --help)])->{out}, $list->{out}, '--help: the same');
is(run([qw(mmpipe help)])->{out}, $list->{out}, 'help: the same');
like(run([qw(mmpipe --version)])->{out}, qr/\Ammpipe \d/, '--version');

for my $program (programs()) {
    is(run(['mmpipe', $program, '--version'])->{out}, run([$program, '--version'])->{out}, "mmpipe $program");
}
my %short = (cat => 'mm-cat', perm => 'perm-gpu', fold => 'perm-fold', spmm => 'spmm-tc', walk => 'flipwalk', dm => 'mm-dm');
like(run(['mmpipe', $_, '--version'])->{out}, qr/\A$short{$_} /, "mmpipe $_ is $short{$_}") for sort keys %short;

my $matrix = "%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4\n";
is(run([qw(mmpipe perm -)], input => $matrix)->{out}, "-\t10\n", 'arguments and standard input reach the program');
is(run([qw(mmpipe cat --form)], input => $matrix)->{status}, 2, 'its status comes back');

my $unknown = run([qw(mmpipe permanent)]);
is($unknown->{status}, 2, 'an unknown program: status 2');
is($unknown->{err}, "mmpipe: unknown program 'permanent'; 'mmpipe' without arguments lists what there is\n", '... with its name');
is(run([qw(mmpipe help nothing)])->{status}, 2, 'an unknown topic: status 2');

# A man(1) of the test's own prints the name of the page.
my $folder = scratch('man');
mkdir $folder or die;
spew("$folder/man", "#!/bin/sh\necho \"\$1\"\n");
chmod 0755, "$folder/man";
local $ENV{PATH} = "$folder:$ENV{PATH}";
like(run([qw(mmpipe help perm)])->{out}, qr{perm-gpu(\.1)?$}, 'help for a program: its page');
for my $page (bsd_glob(source_path('man/mmpipe-*.7'))) {
    my ($topic) = $page =~ /mmpipe-(\w+)\.7$/;
    like(run([qw(mmpipe help), $topic])->{out}, qr{mmpipe-$topic(\.7)?$}, "help for the topic $topic");
    like($list->{out}, qr/Topics.* $topic\b/s, '... which is in the list');
}
done_testing();
