#!/usr/bin/perl
# Progress of programs that take long: a bar that fits the terminal, and a line on SIGUSR1 whatever they are at.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;
use Time::HiRes qw(sleep time);

# Inputs of which each program has work for seconds.
my $large = scratch('large.mtx');
my $made = run([qw(mm-gen er 150000 -p 0.00005 --seed 3 -o), $large]);
is($made->{status}, 0, 'a large matrix') or BAIL_OUT($made->{err});
my $dense = scratch('dense.mtx');
run([qw(mm-gen er 44 -p 0.5 --diagonal --field real --seed 3 -o), $dense]);

# Sent again and again from the start, SIGUSR1 kills no one and is answered while a program reads, works or waits.
for my $case (['mm-info', [$large, $large], 0], ['mm-cat', ['-o', '/dev/null', $large, $large], 0], ['mm-dm', ['--summary', $large], 0],
              ['mm-diff', [$large, $large], 0], ['mm-order', [qw(--for degree -o /dev/null), $large], 0],
              ['mm-gen', [qw(er 2000 -p 0.3 --count 8 -o /dev/null)], 0],
              ['perm-gpu', [qw(--raw --max-time 1000d --kernel sparse-portable), $dense], 1]) {
    my ($program, $arguments, $endless) = @$case;
    my $handle = start([$program, @$arguments], stdin => '/dev/null');
    my ($asked, $said) = (0, '');
    while (waitpid($handle->{pid}, 1) == 0) {
        sleep 0.05;
        kill USR1 => $handle->{pid};
        $asked++;
        $said = slurp($handle->{err_path}) if $asked % 20 == 0;
        if ($asked > 20 && $endless && $said =~ /\n/ || $asked > 400) { kill KILL => $handle->{pid} }
    }
    $said = slurp($handle->{err_path});
    my @lines = grep { !/^perm-gpu: .* is / } split /\n/, $said;
    ok(@lines > 0, "$program: answers") or diag "asked $asked times";
    ok(!(grep { !/^$program: (?:\S+: +[0-9.e+]+ (?:%|bytes|matrices|subsets)|(?:record \d+, )?[0-9.e+]+ bytes read)/ } @lines),
       '... with what is done') or diag $said;
}

# A pipe that nothing comes from.
SKIP: {
    pipe(my $read, my $write) or skip 'no pipe', 1;
    my $pid = fork // die;
    if ($pid == 0) {
        open STDIN, '<&', $read;
        open STDERR, '>', scratch('waits');
        exec 'mm-info';
    }
    sleep 0.5;
    kill USR1 => $pid;
    my $asked = time;
    sleep 0.02 while -z scratch('waits') && time - $asked < 30;
    like(slurp(scratch('waits')), qr/^mm-info: 0 bytes read/, 'a program that waits for its input answers');
    close $write;
    close $read;
    kill KILL => $pid;
    waitpid $pid, 0;
}

# The bar, on a terminal of so many columns.
SKIP: {
    my $script = grep { -x "$_/script" } split /:/, $ENV{PATH};
    skip 'script(1) is not installed', 6 unless $script;
    for my $width (40, 80, 132) {
        my $run = run(['script', '-qec', "stty cols $width; perm-gpu --raw --max-time 1000d --kernel sparse-portable $dense & sleep 2.5; kill \$!; wait", '/dev/null'], stdin => '/dev/null');
        my @drawn = map { s/\e\[K//r } grep { / left| gone/ } split /[\r\n]+/, $run->{out};
        ok(@drawn >= 2, "$width columns: a bar") or diag $run->{out};
        ok(!(grep { length >= $width } @drawn), '... that fits') or diag join "\n", @drawn;
    }
}
done_testing();
