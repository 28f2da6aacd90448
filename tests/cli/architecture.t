#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The map names only files that exist, and every room of the library.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

# Names between backticks that look like paths of this tree: with a slash, or with a suffix.
sub named_paths {
    my ($text) = @_;
    my %seen;
    for my $name ($text =~ /`([\w.\/-]+)`/g) {
        $seen{$name} = 1 if $name =~ m{^(?:bin|lib|kernels|tests|man|pipelines)/} && $name !~ /NAME/;
    }
    return sort keys %seen;
}

for my $page (qw(ARCHITECTURE.md CONTRIBUTING.md)) {
    my @names = named_paths(slurp(source_path($page)));
    cmp_ok(scalar @names, '>', 5, "$page names files");
    ok(-e source_path($_), "$page: $_ exists") for @names;
}

my $map = slurp(source_path('ARCHITECTURE.md'));
for my $folder (grep { -d } bsd_glob(source_path('lib/*/*'))) {
    my ($layer, $room) = $folder =~ m{/lib/(\w+)/(\w+)$} or next;
    my ($line) = $map =~ m{^(- `lib/$layer/`.*?)(?=^- |\n\n)}ms;
    like($line // '', qr/\b$room\b/, "ARCHITECTURE.md: the room $room of lib/$layer");
}

# Comments, too, name only files that exist, from the root, from a root of the includes, or by the name alone.
my @files = map { substr $_, length source_path('') } grep { -f } map { bsd_glob(source_path($_)) }
    map { my $depth = '/*' x $_; map { "$_$depth" } qw(bin lib kernels tests pipelines man) } 1 .. 4;
my %ends = map { $_ => 1 } map { my @parts = split m{/}; map { join '/', @parts[ $_ .. $#parts ] } 0 .. $#parts } @files;
my %outside = ('cuda.h' => 'NVIDIA');
my @gone;
for my $file (grep { /\.(?:[chtm]|cu|pm|mk|py|sh)$/ && -s source_path($_) < 1 << 17 } @files) {
    for my $comment (slurp(source_path($file)) =~ m{/\*.*?\*/|^\s*//[^\n]*|^\s*#(?!include)[^\n]*}msg) {
        push @gone, map { "$file: $_" } grep { !$ends{$_} && !$outside{$_} } $comment =~ m{(?<![\w./<"-])((?:\w+/)*[a-z_0-9]+\.(?:cu|[ch]))(?![\w.])}g;
    }
}
cmp_ok(scalar @files, '>', 500, 'files with comments');
is(join("\n", @gone), '', 'comments name files that exist');

# A folder's door: a header whose opening comment says what the folder does and how its parts fit.
for my $folder (grep { -d } bsd_glob(source_path('lib/*/*')), bsd_glob(source_path('kernels/{flip,h2/*,perm/*,spmm/*}'))) {
    my @headers = bsd_glob("$folder/*.h") or next;
    # Of kernels it is the contract; those for processors have that of common/.
    @headers = grep { m{/(?:contract|kernel|gpu|problem|pack|tca)\.h$} } @headers if $folder =~ m{/kernels/};
    next if !@headers;
    my @lines = sort { $b <=> $a } map { slurp($_) =~ m{\A(?:/\* SPDX-[^\n]*\n)?(/\*.*?\*/|(?://[^\n]*\n)+)}s ? scalar(split /\n/, $1) : 0 } @headers;
    cmp_ok($lines[0], '>=', 4, substr($folder, length source_path('')) . ': a header says what is here');
}
done_testing();
