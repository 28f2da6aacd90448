#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Pages of pipelines/report: tables of every program, and the page of a collection, opened in Chromium: rows and pictures
# are counted, the table is sorted and filtered, and the console stays empty.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Program;
use Test::More;

my $report = source_path('pipelines/report');
my @data = map { source_path("tests/data/$_.mtx") } qw(bcspwr01 can_24 ash85 impcol_b d_ss);

# Text: numbers to the right, a missing value "-".
is(run([$report, '--text', qw(name n missing)], input => qq({"name":"a","n":5}\n{"name":"longer","n":12}\n))->{out},
   "name     n  missing\na        5        -\nlonger  12        -\n", 'a table of text');
is(run([$report, '--text', qw(permanent)], input => qq({"permanent":123456789012345678901234567890}\n))->{out},
   (' ' x 21) . "permanent\n123456789012345678901234567890\n", '... with all digits');

# Each program's table has a row for a row and a column for a key.
my $points = run([qw(mm-gen points 100x2)])->{out};
my $h2 = run([qw(h2-build --leaf 16 --order 2)], input => $points)->{out};
for my $case (['mm-info', \@data], ['mm-dm --summary', \@data], ['perm-gpu --json', \@data], ['mm-info --json', \@data],
              ['spmm-tc --bench -n 2 --device cpu', \@data], ['h2-info', [], $h2],
              ['flip-check --json', [map { source_path("tests/data/schemes/$_.mtx") } qw(3x4x5-47 4x4x4-47)]]) {
    my ($command, $files, $input) = @$case;
    my $lines = run([split(/ /, $command), @$files], input => $input)->{out};
    my @keys = $lines =~ /^\{/ ? keys %{ decode_json((split /\n/, $lines)[0]) } : split /\t/, (split /\n/, $lines)[0];
    my $rows = @$files || 1;
    my $page = run([$report, '--title', $command], input => $lines)->{out};
    is(scalar(() = $page =~ /<tr data-row/g), $rows, "$command: a row for each");
    is(scalar(() = $page =~ /<th[ >]/g), scalar @keys, '... and a column for each key');
}
like(run([$report], input => qq({"name":"<script>alert(1)</script>&","n":1}\n))->{out}, qr/&lt;script&gt;alert\(1\)&lt;\/script&gt;&amp;/, 'names are text');

# The page of papers: a section for each, its pictures, and all rows in one table.
my $papers = scratch('papers');
mkdir $_ for $papers, "$papers/superman", "$papers/tca";
my $head = "case\twhat\tmethod\tours\tbeside\tpublished\tratio\tmachine\tpublished_on\n";
spew("$papers/superman/table4.tsv", $head . join '', map { "$_\twall\tdense\t1\tCEG\t2\t2\tm\tq\n" } 30, 32, 35);
spew("$papers/superman/table4.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>');
spew("$papers/tca/peers.tsv", $head . "64x64-0.1\twarm_seconds\tavx2\t1\tscipy\tnot installed\t-\tm\tm\n");
spew("$papers/tca/note.tsv", "no\ttable\n");
my $made = run([$report, '--papers', $papers]);
is("$made->{status} $made->{out}", "0 $papers/report.html\n", 'a page of papers') or diag $made->{err};
my $page = slurp("$papers/report.html");
is(join(' ', $page =~ /<h2 id="(\w+)">/g), 'superman tca table', '... a section for each');
is(scalar(() = $page =~ /<tr data-row/g), 4, '... all rows in one table');
for my $link ($page =~ /(?:src|href)="([^"#:]+)"/g) { ok(-s "$papers/$link", "$link is there") }
like($page, qr/table4<\/a><span>3 figures, theirs by ours from 2 to 2, median 2</, '... with what the ratios are');
like($page, qr/peers<\/a><span>1 figure, none of them published</, '... or that there are none');
isnt(run([$report, '--papers', "$papers/tca/none"])->{status}, 0, 'a folder without tables is an error');

# A histogram over decades: its axis has the numbers of the column.
SKIP: {
    skip 'gnuplot is not installed', 2 unless grep { -x "$_/gnuplot" } split /:/, $ENV{PATH};
    my $table = join '', "name\tseconds\n", map { "m$_\t" . 2e-3 * 10**($_ % 6) . "\n" } 1 .. 24;
    my $decades = run([$report], input => $table)->{out};
    my %label = map { $_ => 1 } $decades =~ m{<tspan[^>]*>\s*([\d.e+-]+)\s*</tspan>}g;
    is(join(' ', grep { $label{$_} } qw(0.01 0.1 1 10 100)), '0.01 0.1 1 10 100', 'a histogram of 0.002 to 200 seconds has their decades') or diag join ' ', sort keys %label;
    is(join(' ', grep { /e/ || ($_ > 0 && $_ < 0.001) } sort keys %label), '', '... and no others');
}

# The page of a collection.
my $work = scratch('work');
my $bad = scratch('bad');
mkdir $bad;
spew("$bad/bad.mtx", "no matrix\n");
system("cp '$_' '$bad/'") for @data;
$made = run(['make', '-s', '-f', source_path('pipelines/collection.mk'), "INPUT=$bad", "WORK=$work", 'LIMIT=20s', '-j2'], environment => { MMPIPE_TEST_SECONDS => 300 });
is($made->{status}, 0, 'a collection') or diag $made->{err};
$made = run(['make', '-s', '-f', source_path('pipelines/collection.mk'), "INPUT=$bad", "WORK=$work", 'report']);
is($made->{out}, "$work/report.html\n", '... and its page') or diag $made->{err};
$page = slurp("$work/report.html");
unlike($page, qr/(?:src|href)="(?:https?:)?\/\//, 'nothing from the network');
for my $link ($page =~ /(?:src|href)="((?:results|pictures)\/[^"]*|\w+\.tsv)"/g) { ok(-s "$work/$link", "$link is there") }

my ($chromium) = grep { -x } map { ("$_/chromium", "$_/chromium-browser") } split /:/, $ENV{PATH};
SKIP: {
    skip 'chromium is not installed', 22 unless $chromium;
    # The page with a script at its end that uses it and leaves what it saw in the page.
    my $use = <<'END';
<script>
addEventListener("load", async () => {
  const seen = {}, head = name => [...document.querySelectorAll("table.sort th")].find(h => h.textContent === name);
  const visible = () => [...document.querySelectorAll("table.sort tbody tr")].filter(r => !r.hidden);
  const column = name => visible().map(r => r.cells[head(name).cellIndex].textContent);
  seen.rows = visible().length;
  for (const img of document.images) img.loading = "eager";
  await Promise.all([...document.images].map(i => i.complete ? 0 : new Promise(done => { i.onload = i.onerror = done })));
  seen.pictures = [...document.images].filter(i => i.naturalWidth > 0).length;
  seen.plots = document.querySelectorAll(".plots svg").length;
  seen.marks = document.querySelectorAll(".plots use").length;
  head("nnz").firstElementChild.click(); seen.up = column("nnz");
  head("nnz").firstElementChild.click(); seen.down = column("nnz");
  head("name").firstElementChild.click(); seen.names = column("name");
  const filter = document.querySelector("#filter"), type = text => { filter.value = text; filter.dispatchEvent(new Event("input")) };
  type("HB/ symmetric"); seen.filtered = column("name"); seen.count = document.querySelector("#count").textContent;
  seen.shown = [...document.querySelectorAll(".pictures figure")].filter(f => !f.hidden).length;
  type(""); document.querySelector("#bad").click(); seen.failed = column("name");
  document.querySelector("#bad").click(); seen.all = visible().length;
  seen.width = document.documentElement.scrollWidth; seen.window = innerWidth;
  seen.ink = getComputedStyle(document.body).color; seen.paper = getComputedStyle(document.body).backgroundColor;
  const result = document.createElement("pre"); result.id = "seen"; result.textContent = JSON.stringify(seen); document.body.append(result);
});
</script>
END
    spew("$work/used.html", $page =~ s/<\/body>/$use<\/body>/r);
    for my $case (['desktop, light', 1280, 1], ['phone, dark', 500, 0]) {
        my ($what, $width, $scheme) = @$case;
        my $run = run([$chromium, qw(--headless --no-sandbox --disable-gpu --enable-logging=stderr --virtual-time-budget=20000 --timeout=400000), "--user-data-dir=" . scratch('chromium'),
            "--window-size=$width,900", "--blink-settings=preferredColorScheme=$scheme", '--dump-dom', "file://$work/used.html"]);
        my ($text) = $run->{out} =~ /<pre id="seen">(.*?)<\/pre>/s;
        ok(defined $text, "$what: the page runs") or diag(substr $run->{err}, -500), next;
        my $seen = decode_json($text =~ s/&lt;/</gr =~ s/&gt;/>/gr =~ s/&amp;/&/gr);
        is($seen->{rows}, 6, '... a row for each matrix and each file that is none');
        is($seen->{pictures}, 5, '... a picture for each matrix');
        my $gnuplot = grep { -x "$_/gnuplot" } split /:/, $ENV{PATH};
        is($seen->{plots}, $gnuplot ? 2 : 0, '... two plots');
        cmp_ok($seen->{marks}, '>=', $gnuplot ? 5 : 0, '... with a mark for each permanent');
        is("@{$seen->{up}}", '131 144 160 271 523 -', '... sorted by a number');
        is("@{$seen->{down}}", '523 271 160 144 131 -', '... and the other way, what is missing last');
        is("@{$seen->{names}}", 'Grund/d_ss HB/ash85 HB/bcspwr01 HB/can_24 HB/impcol_b bad', '... by name');
        is("@{$seen->{filtered}}", 'HB/ash85 HB/bcspwr01 HB/can_24', '... filtered by words');
        is("$seen->{count}, $seen->{shown}", '3 of 6 rows, 3', '... and so the pictures');
        is("@{$seen->{failed}}", 'bad', '... failures only');
        is($seen->{all}, 6, '... and all again');
        cmp_ok($seen->{width}, '<=', $seen->{window}, '... the page is no wider than the window');
        my ($ink, $paper) = map { my ($r, $g, $b) = /(\d+)/g; $r + $g + $b } @$seen{qw(ink paper)};
        ok($scheme ? $ink < 200 && $paper > 600 : $ink > 600 && $paper < 200, '... in its colours') or diag "$seen->{ink} on $seen->{paper}";
        unlike($run->{err}, qr/CONSOLE/, '... and nothing on the console');
    }
}
done_testing();
