# SPDX-License-Identifier: BSD-3-Clause
# A list of the matrices of a collection, for tools that fetch them or say what they would take: a table with tabs and a header
# line, or with commas as the Collection's ssstats.csv. It has the columns group and name (any capitals).
package Index;
use strict;
use warnings;
use FindBin;
use Exporter 'import';
our @EXPORT_OK = qw(read_index);

sub fail { die "$FindBin::Script: $_[0]\n" }

# Columns of the Collection's ssstats.csv behind the two lines of count and date; it has no header.
my @stats = qw(group name nrow ncol nnz isreal isbinary isnd posdef pattern_symmetry numerical_symmetry kind nentries);

# read_index(PATH): the names of its columns, and its rows as hashes; those of numbers have the names of mm-info. Dies with a reason.
sub read_index {
    my ($path) = @_;
    open my $file, '<:raw', $path or fail("$path: $!");
    my @lines = map { s/\r?\n\z//r } <$file>;
    close $file;
    my @keys;
    if (@lines > 2 && $lines[0] =~ /^\d+$/ && $lines[1] !~ /,.*,/) { splice @lines, 0, 2; @keys = @stats }
    else { @keys = map { lc } split /\t|,/, shift(@lines) // '' }
    my %other = (nrows => 'nrow', ncols => 'ncol', rows => 'nrow', cols => 'ncol', nonzeros => 'nnz');
    $_ = $other{$_} // $_ for @keys;
    (grep { $_ eq 'group' } @keys) && (grep { $_ eq 'name' } @keys) or fail("$path: no columns group and name, but @keys");
    my @rows;
    for my $line (@lines) {
        my %row;
        @row{@keys} = split /\t|,/, $line, -1;
        # These become parts of paths and addresses.
        for (@row{qw(group name)}) { defined && /^[\w.+-]+$/ && !/^\.+$/ or fail("$path: '" . ($_ // '') . "' is no name of a group or matrix") }
        push @rows, \%row;
    }
    return (\@keys, \@rows);
}

1;
