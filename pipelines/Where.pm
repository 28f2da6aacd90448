# SPDX-License-Identifier: BSD-3-Clause
# Conditions on rows of tables, in the language of mm-cat --where: rows are hashes, names are their keys.
package Where;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(compile);

# The words of a condition; dies where none begins.
sub words {
    my ($text) = @_;
    my @words;
    pos($text) = 0;
    while (1) {
        $text =~ /\G\s+/gc;
        my $column = 1 + pos $text;
        last if pos $text == length $text;
        if ($text =~ /\G(\d+(?:\.\d+)?(?:e[+-]?\d+)?)([kMGT]?)(?![\w.])/gc) {
            push @words, { kind => 'number', text => $1 * 1000**index(' kMGT', $2 || ' '), column => $column };
        } elsif ($text =~ /\G(["'])(.*?)\1/gc) { push @words, { kind => 'text', text => $2, column => $column } }
        elsif ($text =~ /\G(skew-symmetric|[A-Za-z_]\w*)/gc) { push @words, { kind => 'word', text => $1, column => $column } }
        elsif ($text =~ /\G(==|!=|<=|>=|!~|&&|\|\||[<>~!()+*\/-])/gc) { push @words, { kind => 'mark', text => $1, column => $column } }
        else { die "column $column: unexpected here\n" }
    }
    return [@words, { kind => 'end', text => '', column => 1 + length $text }];
}

my %compare = (
    '==' => sub { $_[0] == 0 }, '!=' => sub { $_[0] != 0 }, '<' => sub { $_[0] < 0 }, '<=' => sub { $_[0] <= 0 },
    '>' => sub { $_[0] > 0 }, '>=' => sub { $_[0] >= 0 });
my %arithmetic = ('+' => sub { $_[0] + $_[1] }, '-' => sub { $_[0] - $_[1] }, '*' => sub { $_[0] * $_[1] },
    '/' => sub { $_[1] == 0 ? undef : $_[0] =~ /^-?\d+\z/ && $_[1] =~ /^-?\d+\z/ ? int($_[0] / $_[1]) : $_[0] / $_[1] });
my %same = ('and' => '&&', 'or' => '||', 'not' => '!');
# Columns of numbers: a word beside one is no text to compare with.
my $numbers = qr/^(?:n|nrow|ncol|nnz|nnz_stored|explicit_zeros|density)\z/;
# Words of the Matrix Market, which stand for a condition where they are alone.
my %market = ((map { $_ => 'field' } qw(pattern integer real complex)), (map { $_ => 'format' } qw(coordinate array)),
    map { $_ => 'symmetry' } qw(general symmetric hermitian skew-symmetric));

# compile(TEXT, NAMES): a function of a row that says whether the condition holds. NAMES: those that rows have. Dies
# with the column of a mistake. What a row lacks, or has as '-' or '', compares with nothing.
sub compile {
    my ($text, $names) = @_;
    my ($words, $at) = (words($text), 0);
    my %known = map { $_ => 1 } @$names, qw(n square density group);
    my ($or, $unary);
    my $is = sub { my $mark = $words->[$at]{kind} =~ /mark|word/ ? $words->[$at]{text} : ''; $mark = $same{$mark} // $mark; return grep { $_ eq $mark } @_ };
    my $mistake = sub { die "column $words->[$at]{column}: $_[0]\n" };
    my $variable = sub {
        my ($name) = @_;
        return sub { my $r = $_[0]; defined $r->{nrow} && $r->{nrow} eq ($r->{ncol} // '') ? 1 : 0 } if $name eq 'square' && !grep { $_ eq $name } @$names;
        return sub {
            my ($row) = @_;
            my $value = $row->{$name};
            if (!defined $value) {
                return $row->{nrow} eq $row->{ncol} ? $row->{nrow} : undef if $name eq 'n';
                return $row->{nrow} * $row->{ncol} > 0 ? $row->{nnz} / ($row->{nrow} * $row->{ncol}) : undef if $name eq 'density';
                return $row->{name} =~ m{^(.*)/} ? $1 : '' if $name eq 'group';
            }
            return defined $value && $value ne '-' && $value ne '' ? $value : undef;
        };
    };
    my $primary = sub {
        my $word = $words->[$at];
        if ($word->{kind} eq 'mark' && $word->{text} eq '(') {
            $at++;
            my $inner = $or->();
            $is->(')') or $mistake->('expected )');
            $at++;
            return $inner;
        }
        $at++;
        return { value => sub { $word->{text} } } if $word->{kind} =~ /number|text/;
        if ($word->{kind} eq 'word') {
            return { value => $variable->($word->{text}), column => $word->{text}, $word->{text} eq 'square' ? (condition => 1) : () } if $known{$word->{text}};
            return { value => sub { $word->{text} }, bare => $word };
        }
        $at--;
        $mistake->($word->{kind} eq 'end' ? 'something is missing at the end' : 'unexpected here');
    };
    $unary = sub {
        return $primary->() unless $is->('-');
        $at++;
        my $inner = $unary->();
        return { value => sub { my $value = $inner->{value}($_[0]); defined $value ? -$value : undef } };
    };
    my $chain = sub {
        my ($operand, @marks) = @_;
        my $left = $operand->();
        while (my ($mark) = $is->(@marks)) {
            $at++;
            my ($one, $other) = ($left, $operand->());
            $left = { value => sub { my ($a, $b) = map { $_->{value}($_[0]) } $one, $other; defined $a && defined $b ? $arithmetic{$mark}($a, $b) : undef } };
        }
        return $left;
    };
    my $sum = sub { $chain->(sub { $chain->($unary, '*', '/') }, '+', '-') };
    my $glob = sub { my $pattern = quotemeta $_[0]; $pattern =~ s/\\\*/.*/g; $pattern =~ s/\\\?/./g; return qr/\A$pattern\z/s };
    my $unknown = sub { my ($word) = @_; die "column $word->{column}: unknown name '$word->{text}'. Known names: " . join(', ', sort keys %known) . "\n" };
    my $comparison = sub {
        my $left = $sum->();
        my ($mark) = $words->[$at]{kind} eq 'mark' ? $is->(keys %compare, '~', '!~') : ();
        return $left unless $mark;
        $at++;
        my $right = $sum->();
        for ([$left, $right], [$right, $left]) {
            my ($one, $other) = @$_;
            $unknown->($one->{bare}) if $one->{bare} && ($mark !~ /^[!=]=$/ || !defined $other->{column} || $other->{column} =~ $numbers);
        }
        return { condition => 1, value => sub {
            my ($a, $b) = map { $_->{value}($_[0]) } $left, $right;
            return 0 unless defined $a && defined $b;
            return $a =~ $glob->($b) ? 1 : 0 if $mark eq '~';
            return $a =~ $glob->($b) ? 0 : 1 if $mark eq '!~';
            my $number = qr/^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\z/i;
            return $compare{$mark}($a =~ $number && $b =~ $number ? $a <=> $b : $a cmp $b) ? 1 : 0;
        } };
    };
    my $condition = sub {
        my ($node) = @_;
        return $node if $node->{condition};
        my $word = $node->{bare} or $mistake->('a condition is missing before this');
        my $name = $market{$word->{text}} // $unknown->($word);
        my $value = $variable->($name);
        return { condition => 1, value => sub { ($value->($_[0]) // '') eq $word->{text} ? 1 : 0 } };
    };
    my $not;
    $not = sub {
        return $comparison->() unless $is->('!');
        $at++;
        my $inner = $condition->($not->());
        return { condition => 1, value => sub { $inner->{value}($_[0]) ? 0 : 1 } };
    };
    my $logic = sub {
        my ($operand, $mark) = @_;
        my $left = $operand->();
        while ($is->($mark)) {
            $at++;
            my ($one, $other) = ($condition->($left), $condition->($operand->()));
            $left = { condition => 1, value => $mark eq '&&'
                ? sub { $one->{value}($_[0]) && $other->{value}($_[0]) } : sub { $one->{value}($_[0]) || $other->{value}($_[0]) } };
        }
        return $left;
    };
    $or = sub { $logic->(sub { $logic->($not, '&&') }, '||') };
    my $whole = $or->();
    $words->[$at]{kind} eq 'end' or $mistake->('an operator is missing before this');
    return $condition->($whole)->{value};
}

1;
