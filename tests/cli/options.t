#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# A word means one thing: no two programs explain one option differently or give one letter to different options,
# mmpipe(7) has the table of shared options that the programs' own tables make, an unknown option names the nearest,
# and old names still work.
#
#   options.t --update      writes the table into man/mmpipe.7
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

# What --help prints: {option}{program} = [letter, argument, explanation]
my %option;
for my $program (programs()) {
    my $name;
    for my $line (split /\n/, run([$program, '--help'])->{out}) {
        if ($line =~ /^  (?:-(\w), |    )--([\w-]+)(?:=(\S+))?\s*(.*)$/) {
            $name = $2;
            $option{$name}{$program} = [$1 // '', $3 // '', $4];
        } elsif (defined $name && $line =~ /^ {20,}(\S.*)/) {
            my $text = \$option{$name}{$program}[2];
            $$text = $$text eq '' ? $1 : "$$text $1";
        } else {
            undef $name;
        }
    }
}
plan skip_all => 'there are no programs' unless %option;

# The table: every option of more than one program, its explanation, its programs.
my @shared = grep { keys %{ $option{$_} } > 1 } sort keys %option;
my $all = () = programs();
my $table = ".Bl -tag -width indent\n";
for my $name (@shared) {
    my @programs = sort keys %{ $option{$name} };
    my ($letter, $argument, $text) = @{ $option{$name}{ $programs[0] } };
    my %arguments = map { $option{$name}{$_}[1] => 1 } @programs;
    $argument = 'ARITHMETIC' if keys %arguments > 1;
    s/\\/\\e/g for $argument, $text;
    $table .= '.It ' . ($letter ne '' ? "Fl $letter , " : '') . "Fl -$name" . ($argument ne '' ? " Ns = Ns Ar $argument" : '') . "\n";
    $table .= ucfirst($text) . ".\n" . (@programs == $all ? "All programs.\n" : join(" ,\n", map { ".Nm $_" } @programs) =~ s/ ,\n\.Nm/ ,\n.Nm/gr . " .\n");
}
$table .= ".El\n";
my ($begin, $end) = (".\\\" The table of shared options, by tests/cli/options.t --update:\n", ".\\\" End of the table.\n");
my $page = source_path('man/mmpipe.7');
if (@ARGV && $ARGV[0] eq '--update') {
    my $text = slurp($page);
    $text =~ s/(\Q$begin\E).*?(\Q$end\E)/$1$table$2/s or die "$page has no place for the table\n";
    spew($page, $text);
}
my ($printed) = slurp($page) =~ /\Q$begin\E(.*?)\Q$end\E/s;
is($printed, $table, 'mmpipe(7) has the table of shared options');

for my $name (@shared) {
    my %texts;
    push @{ $texts{ $option{$name}{$_}[2] } }, $_ for sort keys %{ $option{$name} };
    is(join("\n", map { "$texts{$_}[0]: $_" } sort keys %texts), join("\n", map { "$texts{$_}[0]: $_" } (sort keys %texts)[0]),
        "--$name is explained in one way");
}

# rank and array, for processes of mpirun and tasks of Slurm, are on the page of every program that has --part.
for my $program (sort keys %{ $option{part} }) {
    my ($item) = slurp(source_path("man/$program.1")) =~ /^\.It Fl -part (.*?)^\.(?:It Fl|El)/ms;
    ok($item =~ /--part rank.*--part array.*Xr mmpipe 7/s, "$program(1): --part rank and array");
}

# A page names the arguments of options as --help does, in capitals where the reader puts something in. It may use one word
# for a list of choices that it explains below.
SKIP: {
    skip 'mandoc is not installed', 1 unless grep { -x "$_/mandoc" } split /:/, $ENV{PATH};
    my @wrong;
    for my $program (programs()) {
        my $text = `mandoc -T ascii -O width=1000 '@{[source_path("man/$program.1")]}' 2>&1` =~ s/.\x08//gr;
        my ($section) = $text =~ /^OPTIONS\n(.*?)(?=^\S|\z)/ms;
        while (($section // '') =~ /^ {5,8}(?:-\w, )?(--.*)/mg) {
            for my $item (split /, (?=--)/, $1) {
                my ($name, $argument) = $item =~ /^--([\w-]+)=(\S+)$/ or next;
                my $help = ($option{$name}{$program} // next)->[1];
                next if join('', sort split /[][]/, $argument) eq join('', sort split /[][]/, $help);
                next if $help =~ /\|/ && ($argument =~ /^[A-Z]+$/ || !grep { !/^[A-Z]*$/ && $help !~ /\b\Q$_\E\b/ } $argument =~ /[\w.]+/g);
                push @wrong, "$program --$name: $argument in the page, $help in --help";
            }
        }
    }
    is(join("\n", @wrong), '', 'pages name the arguments as --help does');
}

my %letter;
for my $name (sort keys %option) {
    $letter{ $option{$name}{$_}[0] }{$name} = $_ for sort keys %{ $option{$name} };
}
delete $letter{''};
for my $letter (sort keys %letter) {
    my @meanings = map { "$letter{$letter}{$_} --$_" } sort keys %{ $letter{$letter} };
    is(scalar @meanings, 1, "-$letter means one option") or diag join "\n", @meanings;
}

# An unknown option names the nearest of the program's own.
my %nearest = ('mm-cat --memroy' => 'memory', 'mm-cat --wheer' => 'where', 'mm-cat --transposed' => 'transpose', 'perm-gpu --presicion' => 'precision',
    'mm-info --key-zeros' => 'keep-zeros', 'mm-spy --svgs' => 'svg');
for my $command (sort keys %nearest) {
    my $run = run([split ' ', $command]);
    is($run->{status}, 2, "$command is wrong usage");
    like($run->{err}, qr/: unknown option --\S+; the nearest is --$nearest{$command}$/m, '... and near another');
}
like(run([qw(mm-cat --xyzzy)])->{err}, qr/: unknown option --xyzzy$/m, 'one that is near none names none');
like(run([qw(mm-cat --tr=3)])->{err}, qr/--transpose takes no argument/, 'a beginning of one name is that name');

# What is wrong with a value, and what would be right.
my %value = (
    'mm-cat --head -3' => qr/--head: '-3' is not a whole number of at least 0$/m,
    'mm-cat --memory 3x' => qr/--memory: '3x' is not a number of bytes, as 500M or 8G$/m,
    'perm-gpu --max-time 5x' => qr/--max-time: '5x' is not a time, as 90s, 5m, 2h or 1d$/m,
    'perm-gpu --part 4/3' => qr/--part: '4\/3' is not R\/M with R from 1 to M, rank or array$/m,
    'mm-gen er 3 --p x' => qr/--p: 'x' is not a number$/m,
    'mm-cat --str --so --s' => qr/ambiguous option --s; these begin so: --sort, --strip, --submatrix, --split$/m,
    'mm-gen er' => qr/er: a size is missing: an order, as 10, or ROWSxCOLUMNS, as 10x5$/m,
    'mm-gen points 5' => qr/points: the size is '5' instead of POINTSxDIMENSIONS, as 100x2$/m,
    'mm-gen er 5 --block-count 2' => qr/--block-count has no meaning for the family er; leave it out$/m,
    'flip-emit --identifier 1a' => qr/--identifier: '1a' is no name of a C function$/m,
    'flipwalk --numbers foo=1' => qr/--numbers: unknown key 'foo'. Known keys: /,
    'flip-combine file.mtx extend' => qr/unknown operation 'file.mtx'. The operation comes before the files: extend, /,
    'spmm-tc --random-b 0' => qr/the other factor is missing: give -B FILE, or --random-b N with N of at least 1$/m,
    'spmm-tc --random-b 2 -B x' => qr/-B FILE and --random-b contradict each other/,
    'h2-mv --random 2 --vectors x' => qr/--vectors and --random contradict each other/,
);
for my $command (sort keys %value) {
    my $run = run([split ' ', $command], input => '');
    is($run->{status}, 2, "$command is wrong usage");
    like($run->{err}, $value{$command}, '... and says what would be right');
}
$ENV{MMPIPE_THREADS} = 'zz';
like(run(['mm-cat'], input => '')->{err}, qr/--threads: 'zz' .*; the environment variable MMPIPE_THREADS has it$/m, 'a setting of the environment is named');
delete $ENV{MMPIPE_THREADS};
like(run(['mm-cat'], input => 'hello')->{err}, qr/^mm-cat: standard input: record 1, line 1: /, 'standard input is named');

# Old names and letters work and are not shown.
my $points = run([qw(mm-gen points 40x2 --seed 3)])->{out};
my $matrix = run([qw(mm-gen er 9 --p 0.4 --seed 2)])->{out};
my $scheme = run([qw(mm-gen scheme 2x2x2)])->{out};
my @old = (
    [$points, 'h2-build --function gaussian', 'h2-build --kernel gaussian', 'h2-build -K gaussian'],
    [$points, 'h2-build --halve mean', 'h2-build --split mean'],
    [$scheme, 'flip-emit --identifier f', 'flip-emit --name f', 'flip-emit -n f'],
    [$matrix, 'mm-spy --triangular', 'mm-spy --blocks', 'mm-spy -b'],
    [$matrix, 'mm-order --for frontier --budget 100', 'mm-order --for frontier --steps 100'],
    ['', 'mm-gen block 8 --block-count 2 --p 0.5', 'mm-gen block 8 --blocks 2 --p 0.5', 'mm-gen block 8 --blocks 2 -p 0.5'],
    [$matrix, 'mm-cat --head 1', 'mm-cat --limit 1'],
    [$matrix, 'spmm-tc --random-b 2', 'spmm-tc -n 2'],
);
for my $case (@old) {
    my ($input, $name, @others) = @$case;
    my $without = sub { return $_[0] =~ s/^(?:% by|.. Made by).*\n//mgr };
    my $want = run([split ' ', $name], input => $input);
    is($want->{status}, 0, $name) or diag $want->{err};
    for my $other (@others) {
        my $run = run([split ' ', $other], input => $input);
        is($run->{status}, 0, $other) or diag $run->{err};
        ok($without->($run->{out}) eq $without->($want->{out}), '... does the same') if $name !~ /^h2/;
        my ($old) = $other =~ /--?(kernel|split|steps|blocks|limit|name)\b/ or next;
        my ($program) = split ' ', $other;
        unlike(run([$program, '--help'])->{out}, qr/^ +--$old\b/m, '... and is not shown');
    }
}

done_testing();
