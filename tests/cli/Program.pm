# SPDX-License-Identifier: BSD-3-Clause
# Runs programs for the tests and says what came out.
package Program;
use strict;
use warnings;
use Exporter 'import';
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Glob qw(bsd_glob);
use File::Temp qw(tempdir);
use POSIX qw(:sys_wait_h);
our @EXPORT = qw(run start finish wait_until wait_for_handler slurp spew source_path build_path is_sanitized programs real_matrices scratch bsd_glob page_block);

# The source and build folders; a test that is run by hand finds the source folder beside itself.
my $source = $ENV{MMPIPE_SOURCE} // abs_path(dirname(__FILE__) . '/../..');
my $build = $ENV{MMPIPE_BUILD} // $source;
$ENV{PATH} = "$build/bin:$ENV{PATH}";
$ENV{LC_ALL} = 'C';
$ENV{MMPIPE_SHARED} //= "$source/../shared" if -d "$source/../shared";
# Settings of the person who runs the tests must not change their outcome.
delete @ENV{grep { /^MMPIPE_/ && !/^MMPIPE_(SOURCE|BUILD|SHARED|TEST_.*)$/ } keys %ENV};
# Nor their cache, which tests must leave alone.
$ENV{MMPIPE_CACHE} = "$build/tests/cache";
# Choices between processor and device must not follow what other tests have measured.
$ENV{MMPIPE_DEVICE_COSTS} = '0.25:12e9:12e9';
# Nor must the flags of the make that runs them reach those that they run.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)};
my $scratch = tempdir('mmpipe-test-XXXXXX', TMPDIR => 1, CLEANUP => 1);

sub source_path { return join '/', $source, @_ }
sub build_path { return join '/', $build, @_ }
sub scratch { return join '/', $scratch, @_ }

# Whether the programs were built with sanitizers, which need addresses without a limit, and libraries.
sub is_sanitized { return -e build_path('Makefile') && slurp(build_path('Makefile')) =~ /^MMPIPE_CFLAGS = .*-fsanitize/m }

# The programs that the makefile installs, without mmpipe, which only starts them.
sub programs { return grep { $_ ne 'mmpipe' } slurp(source_path('bin/local.mk')) =~ m{^bin_PROGRAMS \+= %D%/(\S+)}mg }

# The paths of so many different matrices of the Collection, the smallest files of the shared folder; fewer where it
# has fewer, none without it.
sub real_matrices {
    my ($count) = @_;
    return () unless defined $ENV{MMPIPE_SHARED};
    my %bytes = map { $_ => (-s) * (/zst$/ ? 10 : 1) } bsd_glob("$ENV{MMPIPE_SHARED}/data/matrices/*.mtx{,.zst}");
    my @paths = sort { $bytes{$a} <=> $bytes{$b} || $a cmp $b } keys %bytes;
    return @paths[0 .. ($count < @paths ? $count : @paths) - 1];
}

sub slurp {
    my ($path) = @_;
    open my $file, '<:raw', $path or die "$path: $!";
    local $/;
    return <$file> // '';
}

sub spew {
    my ($path, $text) = @_;
    open my $file, '>:raw', $path or die "$path: $!";
    print $file $text;
    close $file or die "$path: $!";
}

# Starts a command and returns a handle for finish. Options: input => text, stdin => path, stdout => path or
# 'closed', directory => path, environment => {NAME => value}, arguments after a command name.
sub start {
    my ($command, %option) = @_;
    my $stdin = $option{stdin};
    if (!defined $stdin) {
        $stdin = scratch('stdin');
        spew($stdin, $option{input} // '');
    }
    my ($out, $err) = map { scratch($_) } qw(stdout stderr);
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        $SIG{$_} = 'DEFAULT' for qw(PIPE INT QUIT TERM HUP XCPU); # a shell ignores some for what runs in its background
        my $variables = $option{environment} // {};
        @ENV{keys %$variables} = values %$variables;
        chdir $option{directory} if defined $option{directory};
        my $stdout = $option{stdout} // $out;
        open STDERR, '>:raw', $err or POSIX::_exit(126);
        open STDIN, '<:raw', $stdin or POSIX::_exit(126) if $stdin ne 'inherit';
        if (ref $stdout) { open STDOUT, '>&', $stdout or POSIX::_exit(126) }
        elsif ($stdout eq 'closed') { POSIX::close(1) }
        else { open STDOUT, '>:raw', $stdout or POSIX::_exit(126) }
        { no warnings 'exec'; exec { $command->[0] } @$command }
        POSIX::_exit(127);
    }
    return { pid => $pid, out_path => $out, err_path => $err };
}

# Waits (at most 600 seconds, or as many as MMPIPE_TEST_SECONDS says: so long that a slow machine is not taken for a
# program that hangs) and fills in out, err, status (exit status) and signal.
sub finish {
    my ($run) = @_;
    my $most = $ENV{MMPIPE_TEST_SECONDS} // 600;
    local $SIG{ALRM} = sub { warn "# killed after $most seconds\n"; kill KILL => $run->{pid} };
    alarm $most;
    waitpid $run->{pid}, 0;
    my $status = $?;
    alarm 0;
    $run->{status} = $status >> 8;
    $run->{signal} = $status & 127;
    $run->{out} = slurp($run->{out_path}) if -f $run->{out_path};
    $run->{err} = slurp($run->{err_path});
    return $run;
}

# Waits for something to become true; whether it has, within so many seconds.
sub wait_until {
    my ($true, $seconds) = @_;
    my $end = time + ($seconds // 300);
    while (!$true->()) {
        return 0 if time > $end;
        select undef, undef, undef, 0.01;
    }
    return 1;
}

# Until a process has a handler of SIGUSR1, which kills it before, or has ended.
sub wait_for_handler {
    my ($pid) = @_;
    my $usr1 = 1 << POSIX::SIGUSR1() - 1;
    return wait_until(sub {
        open my $file, '<', "/proc/$pid/status" or return 1;
        my $about = do { local $/; <$file> } // '';
        return $about =~ /^State:\s*Z/m || $about =~ /^SigCgt:\s*[0-9a-f]*([0-9a-f]{8})$/m && hex($1) & $usr1;
    });
}

sub run {
    my ($command, %option) = @_;
    unlink scratch('stdout');
    return finish(start($command, %option));
}

# The commands of mmpipe-bulk(7) that stand together with such a text, as a reader would type them.
sub page_block {
    my ($text) = @_;
    my ($block) = grep { /$text/ } slurp(source_path('man/mmpipe-bulk.7')) =~ /^\.Bd .*?\n(.*?)^\.Ed/msg;
    return ($block // die "mmpipe-bulk(7) has no commands with $text") =~ s/\\e$/\\/mgr;
}

1;
