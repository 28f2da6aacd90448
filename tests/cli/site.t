#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The site that `make site` makes: every page is there, no link leads nowhere, nothing is wider than a phone, and a
# browser has no error to tell.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

sub installed { my ($program) = @_; return (grep { -x } map { "$_/$program" } split /:/, $ENV{PATH})[0] }
for my $needed (qw(mandoc cmark-gfm)) {
    plan skip_all => "$needed is not installed" unless installed($needed);
}

my $folder = scratch('site');
my $made = run([source_path('man/site'), source_path(), $folder]);
is("$made->{status} $made->{err}", '0 ', 'the site is made');
my @names = ('index', map { m{([^/]+)$} } bsd_glob(source_path('man/*.[1-9]')));
is_deeply([sort map { m{([^/]+)\.html$} } bsd_glob("$folder/*.html")], [sort @names], 'README and every page are there');

my %html = map { $_ => slurp("$folder/$_.html") } @names;
for my $name (sort @names) {
    my %anchor = map { $_ => 1 } $html{$name} =~ /\bid="([^"]+)"/g;
    my @dead;
    for my $link ($html{$name} =~ /\b(?:href|src)="([^"]+)"/g) {
        next if $link =~ /^https?:/;
        my ($file, $place) = split /#/, $link, 2;
        if ($file eq '') {
            push @dead, $link unless $anchor{$place};
        } else {
            push @dead, $link unless -e "$folder/$file";
        }
    }
    is_deeply(\@dead, [], "$name: every link leads somewhere");
    is(scalar(() = $html{$name} =~ /aria-current=/g), 1, "$name: the menu shows where one is");
}

# The performance page has its plots, in the colour of the text, and the table that they are drawn from has no other figures.
my $performance = slurp(source_path('man/mmpipe-performance.7'));
my @rows = map { [split /\t/] } split /\n/, slurp(source_path('man/performance.tsv'));
is(join(' ', @{ shift @rows }), 'figure series case value command', 'the table of figures has its header');
is_deeply([map { $_->[3] } grep { $performance !~ /(?<![\d.])\Q$_->[3]\E(?!\d)/ } @rows], [], 'every figure of the plots is on the page');
my ($peers) = slurp(source_path('README.md')) =~ /^## Beside other programs\n.*?^\|---[^\n]*\n(.*?)\n\n/ms;
my @claimed = map { my (undef, undef, @cells) = split /\|/; map { /(?<![\w.^-])(\d+(?:\.\d+)?)(?![\w.^-])/g } @cells } split /\n/, $peers;
cmp_ok(scalar @claimed, '>', 15, "README's table of peers has figures");
is_deeply([grep { $performance !~ /(?<![\d.])\Q$_\E(?![\d.]\d|\d)/ } @claimed], [], '... and all of them are on the page');
SKIP: {
    skip 'gnuplot is not installed', 2 unless installed('gnuplot');
    my %figures = map { $_->[0] => 1 } @rows;
    my @plots = $html{'mmpipe-performance.7'} =~ m{<figure>(<svg.*?</svg>)}gs;
    is(scalar @plots, scalar keys %figures, 'the site has a plot for each figure');
    is(scalar(grep { /currentColor/ && !/black|#000000/ } @plots), scalar @plots, '... in the colour of the text');
}

# One browser looks at all pages, each in a frame as wide as a phone, and writes down which are wider.
my $browser = installed('chromium');
SKIP: {
    skip 'chromium is not installed', 2 unless $browser;
    my $tell = '<script>parent.postMessage([document.title, document.documentElement.scrollWidth > innerWidth ? "wide" : "fits"], "*")</script>';
    my $frames = '';
    for my $name (sort @names) {
        spew("$folder/probe-$name.html", $html{$name} =~ s{<title>.*?</title>}{<title>$name</title>}r =~ s{</body>}{$tell</body>}r);
        $frames .= qq{<iframe width="390" height="800" src="probe-$name.html"></iframe>\n};
    }
    spew("$folder/frames.html", "<!DOCTYPE html><ul></ul><script>onmessage = e => { const item = document.createElement('li');\n"
        . "item.textContent = e.data.join(' '); document.querySelector('ul').append(item) }</script>\n$frames");
    my $seen = run([$browser, qw(--headless --no-sandbox --disable-gpu --virtual-time-budget=20000 --enable-logging=stderr --dump-dom),
            "--user-data-dir=$folder/browser", "file://$folder/frames.html"], directory => $folder);
    is_deeply([sort $seen->{out} =~ m{<li>(.*?)</li>}g], [map { "$_ fits" } sort @names], 'every page fits 390 pixels');
    unlike($seen->{err}, qr/CONSOLE/, 'no message on the console');
}
done_testing();
