# SPDX-License-Identifier: BSD-3-Clause
# The frame of a page, and a table in it that sorts and filters, as pipelines/report writes them: one file without any other.
package Page;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(escape html_page html_table html_tools is_number write_page);

sub is_number { my ($text) = @_; return $text =~ /^[-+]?\d[\d.]*(?:e[-+]?\d+)?$/i }

sub escape { my ($text) = @_; $text =~ s/&/&amp;/g; $text =~ s/</&lt;/g; $text =~ s/>/&gt;/g; $text =~ s/"/&quot;/g; return $text }

my $style = <<'END';
:root { color-scheme: light dark; --ink: #1a1c20; --paper: #fbfaf7; --line: #d5d3cc; --soft: #5f636b; --card: #ffffff; --accent: #0b5cad; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e4de; --paper: #15171a; --line: #3a3e45; --soft: #a3a8b1; --card: #1e2125; --accent: #7fb8f0; --bad: #ff9d94; } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 1400px; padding: 1rem; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.6rem; margin: .2rem 0 } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
p.sum { color: var(--soft); margin: .2rem 0 } a { color: var(--accent) }
nav a { margin-right: 1rem; display: inline-block; padding: .3rem 0 }
.tools { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: .5rem 0 }
.tools input { font: inherit; padding: .45rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: var(--ink); flex: 1 1 14rem; max-width: 28rem }
.tools label { display: flex; gap: .4rem; align-items: center; min-height: 2.5rem }
.wide { overflow: auto; max-height: 75vh; border: 1px solid var(--line); border-radius: 6px; background: var(--card) }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; min-width: 100% }
th, td { padding: .35rem .6rem; text-align: left; white-space: nowrap; border-bottom: 1px solid var(--line) }
td.r, th.r { text-align: right } td.long { max-width: 26rem; overflow: hidden; text-overflow: ellipsis }
th { position: sticky; top: 0; background: var(--card); z-index: 2; padding: 0 }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; width: 100%; text-align: inherit; padding: .6rem; cursor: pointer }
th[aria-sort=ascending] button::after { content: " \2191" } th[aria-sort=descending] button::after { content: " \2193" }
td:first-child { position: sticky; left: 0; background: var(--card); z-index: 1; max-width: 40vw; overflow: hidden; text-overflow: ellipsis }
th:first-child { left: 0; z-index: 3 }
tr.failed td.status { color: var(--bad); font-weight: 700 }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 1rem }
.plots figure, .pictures figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .6rem }
.plots svg { width: 100%; height: auto; display: block }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(45%, 170px), 1fr)); gap: .7rem }
.pictures .frame { background: #fff; border-radius: 3px; aspect-ratio: 1; display: flex; align-items: center; justify-content: center; padding: 4px }
.pictures img { max-width: 100%; max-height: 100%; image-rendering: auto }
figcaption { font-size: .78rem; line-height: 1.35; margin-top: .4rem; overflow-wrap: anywhere } figcaption span { color: var(--soft); display: block }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; padding: 0; margin: .3rem 0 .8rem; list-style: none; font-size: .85rem }
.legend i { display: inline-block; width: 1em; height: 1em; vertical-align: -.12em; margin-right: .4em; background: #fff; border: 2px solid }
[hidden] { display: none !important }
@media (max-width: 600px) { body { padding: .6rem; font-size: 15px } td.long { max-width: 16rem } .wide { max-height: 70vh } }
END

my $script = <<'END';
"use strict";
const table = document.querySelector("table.sort"), rows = [...table.tBodies[0].rows], count = document.querySelector("#count");
const value = (row, k) => { const cell = row.cells[k], text = cell.dataset.v ?? cell.textContent, number = Number(text); return text === "-" || text === "" ? null : Number.isNaN(number) ? text : number };
const order = (a, b) => a === null ? (b === null ? 0 : 1) : b === null ? -1 : typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
for (const head of table.tHead.rows[0].cells) head.firstElementChild.addEventListener("click", () => {
  const k = head.cellIndex, down = head.getAttribute("aria-sort") === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const keyed = rows.map((row, i) => [value(row, k), i, row]);
  keyed.sort((a, b) => (a[0] === null || b[0] === null ? order(a[0], b[0]) : (down ? -1 : 1) * order(a[0], b[0])) || a[1] - b[1]);
  table.tBodies[0].append(...keyed.map(x => x[2]));
});
const words = document.querySelector("#filter"), bad = document.querySelector("#bad");
const show = () => {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0; const names = new Set();
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !wanted.every(w => text.includes(w)) || bad.checked && !row.classList.contains("failed");
    if (!row.hidden) { shown++; names.add(row.dataset.row) }
  }
  for (const figure of document.querySelectorAll(".pictures figure")) figure.hidden = !names.has(figure.dataset.row);
  count.textContent = shown + " of " + rows.length + " rows";
};
words.addEventListener("input", show); bad.addEventListener("change", show); show();
END

# A table with buttons in its header; `links` turns a row into the HTML of a last cell.
sub html_table {
    my ($keys, $rows, $links) = @_;
    my %right = map { my $key = $_; $key => !grep { defined $_->{$key} && !is_number($_->{$key}) } @$rows } @$keys;
    my $out = '<div class="wide" tabindex="0" role="region" aria-label="table"><table class="sort"><thead><tr>';
    $out .= '<th' . ($right{$_} ? ' class="r"' : '') . '><button type="button">' . escape($_) . '</button></th>' for @$keys;
    $out .= '<th><button type="button">results</button></th>' if $links;
    $out .= "</tr></thead><tbody>\n";
    my $number = 0;
    for my $row (@$rows) {
        my $failed = ($row->{status} // 0) ne '0' || defined $row->{error} || (defined $row->{valid} && $row->{valid} =~ /^(?:0|false|no)$/);
        $out .= '<tr data-row="' . $number++ . '"' . ($failed ? ' class="failed"' : '') . '>';
        for my $key (@$keys) {
            my $text = defined $row->{$key} ? "$row->{$key}" : '-';
            my @class = ($right{$key} && length $text < 25 ? 'r' : (), length $text > 30 ? 'long' : (), $key eq 'status' ? 'status' : ());
            my $shown = length $text > 200 ? substr($text, 0, 200) . '...' : $text;
            $out .= '<td' . (@class ? ' class="' . join(' ', @class) . '"' : '') . (length $text > 30 ? ' title="' . escape(substr $text, 0, 1000) . '"' : '') . '>' . escape($shown) . '</td>';
        }
        $out .= '<td>' . $links->($row) . '</td>' if $links;
        $out .= "</tr>\n";
    }
    return $out . "</tbody></table></div>\n";
}

sub html_tools { return '<div class="tools"><input id="filter" type="search" placeholder="filter: words of a row" aria-label="filter"><label><input id="bad" type="checkbox" style="flex:none"> failures only</label><span id="count" role="status"></span></div>' . "\n" }

sub html_page {
    my ($title, $summary, $body) = @_;
    return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        . '<link rel="icon" href="data:,"><title>' . escape($title) . "</title><style>\n$style</style></head><body>\n<h1>" . escape($title) . "</h1>\n<p class=\"sum\">" . escape($summary) . "</p>\n$body<script>\n$script</script></body></html>\n";
}

sub write_page { my ($path, $text) = @_; open my $file, '>:raw', "$path.new" or die "report: $path: $!\n"; print $file $text; close $file or die "report: $path: $!\n"; rename "$path.new", $path or die "report: $path: $!\n" }

1;
