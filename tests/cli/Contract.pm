# SPDX-License-Identifier: BSD-3-Clause
# The contract that every program keeps: options, exit statuses, streams, faults and signals.
package Contract;
use strict;
use warnings;
use Exporter 'import';
use IO::Handle;
use IO::Compress::Gzip qw(gzip);
use POSIX qw(mkfifo SIGHUP SIGINT SIGPIPE SIGTERM);
use Program;
use Test::More;
our @EXPORT = qw(check_contract);

# Two small matrices: a stream of them, one alone. The stream has integers, reals, comments, an explicit zero.
our $lone = <<'END';
%%MatrixMarket matrix coordinate integer general
% name: Test/three
3 3 5
1 1 2
2 1 3
1 2 5
2 2 7
3 3 9
END
our $stream = <<'END';
%%MatrixMarket matrix coordinate integer general
% record: 1
% name: Test/three
3 3 5
1 1 2
2 1 3
1 2 5
2 2 7
3 3 9
%%MatrixMarket matrix coordinate real symmetric
% record: 2
% name: Test/two
2 2 3
1 1 0.5
2 1 -1e-3
2 2 0
%%End 2
END

# The same for programs that work on schemes.
my $lone_scheme = <<'END';
%%MatrixMarket matrix coordinate integer general
% name: Test/scheme
% scheme: 1x1x2
% scheme.field: F2
5 2 6
1 1 1
2 1 1
4 1 1
1 2 1
3 2 1
5 2 1
END
my $scheme_stream = $lone_scheme =~ s/^% name/% record: 1\n% name/mr . <<'END';
%%MatrixMarket matrix coordinate integer general
% record: 2
% name: Test/other
% scheme: 1x1x1
% scheme.field: Z
3 2 6
1 1 3
2 1 1
3 1 1
1 2 -2
2 2 1
3 2 1
%%End 2
END

# The samples; the compressed ones are made when they are asked for. Cuts tells which cuts of a sample are
# complete inputs again: of a lone matrix its last newline may be missing.
my %sample = (lone => $lone, stream => $stream);
my %whole_without = (lone => 1);
my $feed; # the command that makes samples from matrices

sub sample {
    my ($name) = @_;
    return $sample{$name} //= do {
        my $result;
        if ($feed) {
            $result = run($feed, input => $name eq 'lone' ? $lone : $stream)->{out};
        } elsif ($name eq 'binary') {
            $result = run(['mm-cat', '--form', 'bin'], input => $stream)->{out};
        } elsif ($name eq 'gzip') {
            gzip(\$stream => \$result, -Minimal => 1) or die;
        } elsif ($name eq 'zstd') {
            $result = run(['zstd', '-qc', '--check'], input => $stream)->{out};
        }
        $result;
    };
}

# The command of a program with further options; mm-diff-like programs get the uncut sample to compare with.
sub command {
    my ($program, $row, @more) = @_;
    my @operands;
    if ($row->{kind} eq 'compare') {
        my $other = scratch('compare.mtx');
        spew($other, $stream) unless -f $other;
        @operands = ($other, '-');
    }
    return [$program, @{ $row->{options} // [] }, @more, @operands];
}

sub reads { return $_[0]{kind} ne 'generator' }

# The exit status when all is well: 1 of a program that has nothing to do and passes the samples on.
sub well { return $_[0]{passes} ? 1 : 0 }

# Names of the options that a help text lists.
sub help_options {
    my ($help) = @_;
    my %names;
    for (split /\n/, $help) {
        my ($letter, $name) = /^ {2,6}(?:(-[A-Za-z0-9]), )?(--[a-z0-9-]+)/ or next;
        $names{$_} = 1 for grep { defined } $letter, $name;
    }
    return \%names;
}

# Names of the options in a page's section OPTIONS: the flags of its items.
sub page_options {
    my ($page) = @_;
    my ($section) = $page =~ /^\.Sh OPTIONS\n(.*?)(?=^\.Sh |\z)/ms;
    my %names;
    for (grep { /^\.It / } split /\n/, $section // '') {
        $names{"-$1"} = 1 while /\bFl (?:\\&)?((?:\\?-)?[A-Za-z0-9][A-Za-z0-9\\-]*)/g;
    }
    return { map { s/\\-/-/gr => 1 } keys %names };
}

# The records of a text stream without their numbers and provenance.
sub records {
    my ($text) = @_;
    $text =~ s/^%%End \d+\n//mg;
    $text =~ s/^% (?:record|by):.*\n//mg;
    return split /^(?=%%MatrixMarket)/m, $text;
}

sub check_help {
    my ($program, $row) = @_;
    my $help = run([$program, '--help']);
    is("$help->{status} $help->{err}", '0 ', '--help: status 0, nothing on stderr');
    like($help->{out}, qr/^Usage: \Q$program\E .*\n\S/, '--help: usage and summary');
    is(run([$program, '-h'])->{out}, $help->{out}, '-h is --help');
    my ($version) = slurp(source_path('configure.ac')) =~ /^AC_INIT\(\[mmpipe\], \[(\S+)\]/m;
    my $told = run([$program, '--version']);
    like("$told->{status} $told->{out}", qr/\A0 \Q$program\E \(mmpipe\) \Q$version\E\nbuild [0-9a-f]{32}\n\z/, '--version');
    for my $bad (['--no-such-option'], ['-%'], ['--quiet=yes'], ['--threads', 'many'], ['--output']) {
        my $run = run([$program, @$bad]);
        is("$run->{status} $run->{out}", '2 ', "@$bad: status 2, nothing on stdout");
        like($run->{err}, qr/^\Q$program\E: .*\nTry '\Q$program\E --help'\.\n\z/, '... and where to find help');
    }
    my $listed = help_options($help->{out});
    SKIP: {
        my $path = source_path("man/$program.1");
        skip 'no page', 1 unless -f $path;
        my $described = page_options(slurp($path));
        is(join(' ', grep { !$described->{$_} } sort keys %$listed), '', 'the page has every option of --help');
        is(join(' ', grep { !$listed->{$_} } sort keys %$described), '', '... and no other');
    }
    return $listed;
}

# What a run leaves in an empty folder beside its output file.
my $folders = 0;
sub folder {
    my $path = scratch('folder' . ++$folders);
    mkdir $path or die;
    return $path;
}
sub left_in { my @names = map { s{.*/}{}r } map { bsd_glob("$_[0]/$_") } '*', '.[!.]*'; return "@names" }

sub check_output {
    my ($program, $row, $input) = @_;
    my $plain = run(command($program, $row), input => $input);
    is($plain->{signal}, 0, 'no signal');
    is($plain->{status}, well($row), 'status ' . well($row)) or diag $plain->{err};
    my $folder = folder();
    my $file = run(command($program, $row, '-o', "$folder/out"), input => $input);
    is($file->{status}, well($row), '-o: the same status');
    is($file->{out}, '', '-o: nothing on stdout');
    is(left_in($folder), 'out', '-o leaves the output alone');
    is(slurp("$folder/out"), $plain->{out}, '-o: the same bytes');
    is(run(command($program, $row, '-o', '-'), input => $input)->{out}, $plain->{out}, '-o - is stdout');
    is(run(command($program, $row, '-j1'), input => $input)->{out},
        run(command($program, $row, '-j4'), input => $input)->{out}, '-j1 and -j4: the same bytes');
    my @failures = (['full device', '/dev/full'], ['closed stdout', 'closed']);
    for my $failure ($plain->{out} eq '' ? () : @failures) {
        my ($what, $stdout) = @$failure;
        my $run = run(command($program, $row), input => $input, stdout => $stdout);
        is($run->{status}, 4, "$what: status 4");
        like($run->{err}, qr/^\Q$program\E: cannot write/m, '... with a message');
    }
    my $lost = run(command($program, $row, '-o', "$folder/no/out"), input => $input);
    is($lost->{status}, 2, '-o in a folder that is not there: status 2');
    like($lost->{err}, qr/^\Q$program\E: .*no\/out/, '... with its name');
    is(run(command($program, $row, '-o', ''), input => $input)->{status}, 2, '-o without a name: status 2');
    return $plain->{out};
}

sub check_missing_file {
    my ($program, $row) = @_;
    my @command = @{ command($program, $row) };
    pop @command if $command[-1] eq '-';
    for my $case ([scratch('no such file'), 'No such file or directory'], [folder(), 'Is a directory']) {
        my ($path, $reason) = @$case;
        my $run = run([@command, $path]);
        is("$run->{status} $run->{out}", '2 ', "$reason: status 2, nothing on stdout");
        like($run->{err}, qr/^\Q$program\E: \Q$path\E: .*$reason/, '... with its name');
    }
}

# What is no input at all.
sub check_garbage {
    my ($program, $row) = @_;
    srand 1;
    my $noise = join '', map { chr int rand 256 } 1 .. 3000;
    my %garbage = ('zeros' => "\0" x 3000, 'a long line' => 'x' x 100_000, 'noise' => $noise,
        'noise in gzip' => "\x1f\x8b\x08\0$noise", 'noise in zstd' => "\x28\xb5\x2f\xfd$noise",
        'noise in a frame' => "\x50\x2a\x4d\x18$noise");
    for my $name (sort keys %garbage) {
        my $run = run(command($program, $row), input => $garbage{$name});
        is("$run->{status}/$run->{signal} $run->{out}", '3/0 ', "$name: status 3, nothing on stdout");
        like($run->{err}, qr/^\Q$program\E: .+\n\z/, '... with a message');
    }
}

# Every proper beginning of an input is damaged, and -o leaves nothing of it.
sub check_cuts {
    my ($program, $row, $name) = @_;
    my $input = sample($name);
    my $last = length($input) - 1 - ($whole_without{$name} // 0);
    my $folder = folder();
    my ($wrong, $silent) = ('', '');
    for my $length (0 .. $last) {
        my $run = run(command($program, $row, '-o', "$folder/out"), input => substr($input, 0, $length));
        $wrong .= " $length:$run->{status}/$run->{signal}" if $run->{status} != 3;
        $silent .= " $length" if $run->{err} !~ /^\Q$program\E: .+\n/;
    }
    is($wrong, '', "$name cut at every byte: status 3");
    is($silent, '', '... with a message');
    is(left_in($folder), '', '... and nothing left behind');
    spew("$folder/out", 'old');
    run(command($program, $row, '-o', "$folder/out"), input => substr($input, 0, $last / 2));
    is(slurp("$folder/out"), 'old', '... and an older file as it was');
}

sub check_parts {
    my ($program, $row, $input, $whole) = @_;
    my @split = map {
        my $run = run(command($program, $row, '--part', "$_/3"), input => $input);
        is($run->{status}, well($row), "--part $_/3") or diag $run->{err};
        $row->{kind} eq 'report' ? split /^/, $run->{out} : records($run->{out});
    } 1 .. 3;
    my @whole = $row->{kind} eq 'report' ? split /^/, $whole : records($whole);
    is(join('', sort @split), join('', sort @whole), 'the parts are the whole');
    my $run = run(command($program, $row, '--part', '4/3'), input => $input);
    is($run->{status}, 2, '--part 4/3: status 2');
}

# A stream as text, whatever its form.
sub as_text {
    my ($stream) = @_;
    return $stream =~ /\A%%/ ? $stream : run(['mm-cat'], input => $stream)->{out};
}

sub check_forms {
    my ($program, $row, $output) = @_;
    my $text = as_text($output);
    my $binary = run(command($program, $row, '--form', 'bin'), input => sample('stream'));
    is($binary->{status}, well($row), '--form bin');
    is(join('', records(as_text($binary->{out}))), join('', records($text)), 'text, binary, text: the same records');
    my $again = run(command($program, $row), input => sample('binary'));
    is(join('', records(as_text($again->{out}))), join('', records($text)), 'binary input: the same records');
    my $resident = run(command($program, $row, '--form', 'resident'), input => sample('stream'));
    is($resident->{status}, 1, '--form resident without a pipe: status 1');
    like($resident->{err}, qr/no pipe/, '... with the reason');
}

# The N-th operation of a kind fails, for every N until none is left: status 4 with a message, no crash, no
# file. Some failures have another way out (status 0 with the whole output), so a few runs more are made.
sub check_faults {
    my ($program, $row, $input, $what, @more) = @_;
    my $whole = run(command($program, $row, '-j1', @more), input => $input)->{out};
    my %least = (alloc => 3, read => reads($row), write => $whole ne '', sync => 1, rename => 1);
    for my $kind (qw(alloc read write sync rename)) {
        my ($failed, $passed, $wrong) = (0, 0, '');
        for (my $number = 1; $passed < 4 && $number <= 3000; $number++) {
            my $folder = folder();
            my $run = run(command($program, $row, '-j1', @more, '-o', "$folder/out"), input => $input,
                environment => { MMPIPE_FAULT => "$kind:$number" });
            if ($run->{status} == well($row) && $run->{signal} == 0) {
                $passed++;
                $wrong .= " $number:output" unless -f "$folder/out" && slurp("$folder/out") eq $whole;
            } else {
                ($passed, $failed) = (0, $failed + 1);
                $wrong .= " $number:$run->{status}/$run->{signal}" if $run->{status} != 4;
                $wrong .= " $number:silent" unless $run->{err} =~ /^\Q$program\E: .+\n/;
                $wrong .= " $number:left" if left_in($folder) ne '';
            }
        }
        is($wrong, '', "$what, $kind faults: status 4, a message, nothing left ($failed points)");
        cmp_ok($failed, '>=', $least{$kind}, '... reached at least once') if $least{$kind};
    }
}

# Calls `action` with the handle of a program that waits for the rest of its input and with the folder of its
# output.
sub while_waiting {
    my ($program, $row, $action) = @_;
    my $fifo = scratch("fifo-$program");
    -p $fifo or mkfifo($fifo, 0600) or die;
    my $folder = folder();
    my $handle = start(command($program, $row, '-o', "$folder/out"), stdin => $fifo);
    open my $writer, '>', $fifo or die; # returns when the program's side is open
    $writer->autoflush(1);
    print $writer substr(sample('lone'), 0, 60);
    # The output's temporary file shows up after the signal handlers.
    wait_until(sub { left_in($folder) ne '' }, 60);
    $action->($handle, $folder, $writer);
}

sub check_signals {
    my ($program, $row) = @_;
    for my $signal ([INT => SIGINT], [TERM => SIGTERM], [HUP => SIGHUP]) {
        my ($name, $number) = @$signal;
        while_waiting($program, $row, sub {
            my ($handle, $folder) = @_;
            kill $name => $handle->{pid};
            is(finish($handle)->{signal}, $number, "SIG$name: dies of it");
            is(left_in($folder), '', '... and leaves nothing');
        });
    }
}

# SIGUSR1 asks for one line; the work goes on.
sub check_status_line {
    my ($program, $row) = @_;
    while_waiting($program, $row, sub {
        my ($handle, $folder, $writer) = @_;
        kill USR1 => $handle->{pid};
        print $writer substr(sample('lone'), 60);
        close $writer;
        my $run = finish($handle);
        is("$run->{status}/$run->{signal}", well($row) . '/0', 'SIGUSR1: the work goes on') or diag $run->{err};
        is(left_in($folder), 'out', '... to its end');
        my @lines = split /\n/, $run->{err};
        is(scalar(grep { /^\Q$program\E: / && !/ among the / } @lines), 1, '... with one line') or diag $run->{err};
    }) if $row->{kind} ne 'compare';
}

sub check_pipe {
    my ($program, $row, $input) = @_;
    pipe my $reader, my $writer or die;
    close $reader;
    my $run = run(command($program, $row), input => $input, stdout => $writer);
    is($run->{signal}, SIGPIPE, 'a reader that went away: dies of SIGPIPE');
}

sub check_contract {
    my ($program, $row) = @_;
    local ($lone, $stream) = ($lone, $stream);
    ($lone, $stream) = ($lone_scheme, $scheme_stream) if $row->{schemes};
    %sample = (lone => $lone, stream => $stream);
    $feed = $row->{feed};
    %sample = () if $feed;
    %whole_without = $feed ? () : (lone => 1);
    my $listed = check_help($program, $row);
    my ($first) = ($row->{inputs} && @{ $row->{inputs} } == 1) ? @{ $row->{inputs} } : 'stream';
    my $input = reads($row) ? sample($first) : '';
    my $text = check_output($program, $row, $input);
    if (reads($row)) {
        check_missing_file($program, $row);
        check_garbage($program, $row);
        check_cuts($program, $row, $_) for @{ $row->{inputs} // [qw(lone stream)] };
        check_signals($program, $row);
        check_status_line($program, $row);
    }
    check_parts($program, $row, $input, $text) if $listed->{'--part'} && ($row->{parts} // '') ne 'work';
    check_forms($program, $row, $text) if $listed->{'--form'} && reads($row);
    check_pipe($program, $row, $input) if $text ne '';
    check_faults($program, $row, $input, 'text');
    my %inputs = map { $_ => 1 } @{ $row->{inputs} // [] };
    check_faults($program, $row, sample('binary'), 'binary', '--form', 'bin') if $inputs{binary};
    check_faults($program, $row, sample('gzip'), 'gzip') if $inputs{gzip};
}

1;
