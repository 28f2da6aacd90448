#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# packaging/make-deb leaves every package that dpkg-buildpackage makes in one folder, that of debug symbols included,
# which is a .deb file on Debian and a .ddeb file on Ubuntu: the .changes file names all of them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

my $source = scratch('build/mmpipe-0.1');
mkdir scratch('build') or die;
mkdir $source or die;
system('cp', '-R', source_path('packaging'), $source) == 0 or die;
system('chmod', '-R', 'u+w', $source) == 0 or die;
mkdir scratch('bin') or die;

for my $debug ('deb', 'ddeb') {
    my @made = map { "$_.deb" } 'mmpipe_0.1-1_amd64', 'libmmpipe0_0.1-1_amd64', 'libmmpipe-dev_0.1-1_amd64',
        'python3-mmpipe_0.1-1_all';
    push @made, "mmpipe-dbgsym_0.1-1_amd64.$debug", "libmmpipe0-dbgsym_0.1-1_amd64.$debug";
    push @made, 'mmpipe_0.1-1_amd64.buildinfo', 'mmpipe_0.1-1_amd64.changes';
    spew(scratch('bin/dpkg-buildpackage'), "#!/bin/sh\ncd ..\ntouch @made\n");
    chmod 0755, scratch('bin/dpkg-buildpackage') or die;
    my $run = run(['sh', "$source/packaging/make-deb"], environment => { PATH => scratch('bin') . ":$ENV{PATH}" });
    is($run->{status}, 0, "make-deb where debug symbols are in a .$debug file") or diag($run->{err});
    is_deeply([sort map { s{.*/}{}r } bsd_glob(scratch('build/debs/*'))], [sort @made], '... all files are in debs');
    is_deeply([bsd_glob(scratch('build/*mmpipe*_*'))], [], '... and none beside it');
    system('rm', '-r', scratch('build/debs'), "$source/debian") == 0 or die;
}
done_testing();
