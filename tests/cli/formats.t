#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Formats of other programs: files of the reference library of Binsparse and of SciPy come in exactly, what goes out
# is what these programs read, and every cut or contradiction is refused with its place.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Program;
use Test::More;

sub cat { return run(['mm-cat', @_]) }
sub cat_text { my ($text, @options) = @_; return run(['mm-cat', @options], input => $text) }
sub matrix { my ($text) = @_; return $text =~ s/^%(?!%MatrixMarket).*\n//mgr }
sub same {
    my ($one, $other, $name) = @_;
    my $run = run(['mm-diff', $one, $other]);
    ok($run->{status} == 0, $name) or diag $run->{out}, $run->{err};
}

my $probe = scratch('probe.mtx');
spew($probe, "%%MatrixMarket matrix coordinate integer general\n% name: A\n2 3 2\n1 1 7\n2 3 -8\n");
my %missing = map { $_ => !!(run(['mm-cat', '--to', $_, $probe])->{err} =~ /needs the library/) } qw(binsparse mat);
my $python = run(['/usr/bin/python3', '-c', 'import scipy.sparse, scipy.io, h5py'])->{status} == 0;

# Python as an oracle: prints rows, columns and values of a file that it reads, one entry a line, sorted by columns.
my $reader = scratch('read.py');
spew($reader, <<'PYTHON');
import json, sys
import numpy as np, scipy.sparse as sp, scipy.io
def show(m):
    m = sp.coo_matrix(m)
    t = sorted(zip(m.col.tolist(), m.row.tolist(), m.data.tolist()))
    print(m.shape[0], m.shape[1], len(t))
    for c, r, v in t:
        print(r + 1, c + 1, repr(v.real) + ' ' + repr(v.imag) if isinstance(v, complex) else repr(v))
name = sys.argv[1]
if name.endswith('.npz'):
    show(sp.load_npz(name))
elif name.endswith('.npy'):
    a = np.load(name)
    print(a.dtype, a.shape, a.tolist())
elif name.endswith('.mat'):
    m = scipy.io.loadmat(name)
    for k in m:
        if not k.startswith('__'):
            print(k, m[k].shape)
            show(m[k])
else:
    import h5py
    f = h5py.File(name, 'r')
    g = f if 'binsparse' in f.attrs else f[sys.argv[2]]
    d = json.loads(g.attrs['binsparse'])['binsparse']
    print(d['format'], d['shape'], d['number_of_stored_values'], d.get('structure'), sorted(d['data_types'].items()))
    for k in sorted(g):
        print(k, g[k].dtype, g[k][:].tolist())
PYTHON
sub python { my $run = run(['/usr/bin/python3', @_]); diag $run->{err} if $run->{status}; return $run->{out} }

# ---- Binsparse ----
SKIP: {
    skip 'there is no library HDF5', 1 if $missing{binsparse};
    subtest 'files of the reference library' => sub {
        my $folder = "$ENV{MMPIPE_SHARED}/data";
        plan skip_all => 'there is no ../shared' unless $ENV{MMPIPE_SHARED} && -d "$folder/binsparse";
        my ($ctina) = bsd_glob("$folder/mm-corpus/*ctina*.mtx");
        my %source = (ctina => $ctina);
        for my $path (bsd_glob("$folder/binsparse/*.h5")) {
            my ($file, $name) = $path =~ m{(([^/.]+)\.[^/]*)$};
            next if $name eq 'two';
            my ($mtx) = grep { defined && -f } $source{$name}, "$folder/binsparse/$name.mtx", "$folder/matrices/$name.mtx";
            my $read = scratch('read.mtx');
            is(cat($path, '-o', $read)->{status}, 0, "$file is read");
            same($read, $mtx, "... to what it was made from");
            is(matrix(cat($path)->{out}) =~ /^(.*)/ && $1, matrix(slurp($mtx)) =~ /^(.*)/ && $1, '... with the same banner');
            is(run(['sh', '-c', 'cat "$1" | mm-cat', 'sh', $path])->{out}, cat($path)->{out}, '... from a pipe, too');
        }
        my $two = cat("$folder/binsparse/two.group.bsp.h5")->{out};
        is(join(' ', $two =~ /^% name: (\S+)/mg), 'HB/bcspwr01 HB/can_24', 'a file of two groups has two matrices');
        my $whole = slurp("$folder/binsparse/impcol_b.CSR.bsp.h5");
        my @cut = grep { my $run = cat_text(substr($whole, 0, $_)); $run->{status} != 3 || $run->{out} ne '' }
            map { int(length($whole) * $_ / 40) + 9 } 0 .. 39;
        is("@cut", '', 'cut anywhere: refused');
    };

    # Every kind of record, to the bytes of the text form.
    my %text = (
        'real general' => "1 1 0.1\n2 1 -3e300\n1 3 5\n",
        'real symmetric' => "1 1 0.1\n2 1 2\n3 3 5\n",
        'real skew-symmetric' => "2 1 2.5\n3 2 -1\n",
        'integer general' => "1 1 7\n3 1 -9223372036854775808\n2 2 0\n",
        'pattern symmetric' => "2 1\n3 3\n",
        'pattern general' => "1 1\n1 2\n1 3\n",
        'complex hermitian' => "1 1 4 0\n3 1 0.5 -0.25\n",
        'complex general' => "1 2 0.1 0\n3 3 -0 1\n",
    );
    my %types; # of values, as the reference library chooses them
    for my $kind (sort keys %text) {
        my $entries = () = $text{$kind} =~ /\n/g;
        my $text = "%%MatrixMarket matrix coordinate $kind\n% name: G/x\n% a \"comment\"\n3 3 $entries\n$text{$kind}";
        my $file = scratch('kind.h5');
        is(cat_text($text, '--to', 'binsparse', '-o', $file)->{status}, 0, "$kind is written");
        is(cat($file)->{out}, $text, '... and comes back byte by byte');
        ($types{$kind}) = python($reader, $file) =~ /'values', '([^']*)'/ if $python;
    }
    my $array = "%%%%MatrixMarket matrix array real %s\n2 2\n%s";
    for my $case (['general', "1\n2.5\n3\n4\n"], ['symmetric', "1\n2.5\n4\n"], ['skew-symmetric', "2.5\n"]) {
        my $text = sprintf $array, @$case;
        my $file = scratch('array.h5');
        cat_text($text, '--to', 'binsparse', '-o', $file);
        is(cat($file)->{out}, $text, "array $case->[0] comes back");
    }
    my $rectangle = "%%MatrixMarket matrix array integer general\n% r\n2 3\n1\n2\n3\n4\n5\n6\n";
    cat_text($rectangle, '--to', 'binsparse', '-o', scratch('rectangle.h5'));
    is(cat(scratch('rectangle.h5'))->{out}, $rectangle, 'an array that is not square comes back');
    my $large = "%%MatrixMarket matrix coordinate integer general\n%% integers: big\n1 2 2\n1 1 18446744073709551615\n1 2 3\n" =~ s/%%/%/gr;
    $large =~ s/^%/%%/;
    cat_text($large, '--to', 'binsparse', '-o', scratch('large.h5'));
    is(cat(scratch('large.h5'))->{out}, $large, 'integers of 64 bits without a sign come back');
    is(cat_text($large =~ s/15\n/16\n/r, '--to', 'binsparse')->{status}, 1, 'larger ones are refused');
    is(cat_text("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n1 1\n", '--to', 'binsparse')->{status}, 1,
        'two entries at one position are refused');
    SKIP: {
        skip 'Python has no SciPy or h5py', 2 unless $python;
        is_deeply(\%types, {
            'real general' => 'float64', 'real symmetric' => 'float64', 'real skew-symmetric' => 'float32',
            'integer general' => 'int64', 'pattern symmetric' => 'iso[bint8]', 'pattern general' => 'iso[bint8]',
            'complex hermitian' => 'complex[float32]', 'complex general' => 'complex[float64]',
        }, 'values have the least type that holds them');
        is(python($reader, scratch('rectangle.h5')), "DMATR [2, 3] 6 None [('values', 'uint8')]\nvalues uint8 [1, 3, 5, 2, 4, 6]\n",
            'a dense matrix lies by rows');
        cat($probe, '--to', 'binsparse', '-o', scratch('probe.h5'));
        is(python($reader, scratch('probe.h5')), "CSC [2, 3] 2 None [('indices_1', 'uint8'), ('pointers_to_1', 'uint8'), ('values', 'int8')]\n"
            . "indices_1 uint8 [0, 1]\npointers_to_1 uint8 [0, 1, 1, 2]\nvalues int8 [7, -8]\n", 'what h5py finds in a file');
    }
    # Many numbers of 8 bytes, which are mapped from a file: values, and indices of more than 32 bits.
    my ($long, $count, $file) = ('', 530001, scratch('long.h5'));
    $long .= ($_ - 1) * 9000 + 7000000000 . " $_ " . ($_ + 0.1) . "\n" for 1 .. $count;
    $long = "%%MatrixMarket matrix coordinate real general\n% odd comment\n5000000000000 $count $count\n$long";
    cat_text($long, '--to', 'binsparse', '-o', $file);
    my $bytes = slurp($file);
    my %place = (values => index($bytes, pack 'd<3', 1.1, 2.1, 3.1), indices_0 => index($bytes, pack 'Q<3', map { $_ * 9000 + 7000000000 - 1 } 0 .. 2),
                 indices_1 => index($bytes, pack 'Q<3', 0 .. 2));
    is_deeply([map { $place{$_} > 0 ? $place{$_} % 64 : 'none' } sort keys %place], [0, 0, 0], 'long datasets are aligned');
    ok(cat($file)->{out} eq $long, 'a long matrix comes back');
    ok(run(['sh', '-c', "mm-cat <$file"])->{out} eq $long && run(['sh', '-c', "cat $file | mm-cat"])->{out} eq $long, '... from standard input and from a pipe');
    ok(run(['sh', '-c', "mm-cat --form resident $file | mm-cat"])->{out} eq $long, '... by way of memory');
    ok(cat('--sort', '--rename', 'x', $file)->{status} == 0 && slurp($file) eq $bytes, '... and the file stays as it is');
    is(scalar(() = cat($file, $file)->{out} =~ /^%%MatrixMarket/mg), 2, '... twice');
    for my $case (['values', pack('C8', (0) x 6, 0xf8, 0x7f), qr/a value is NaN/], ['indices_0', pack('Q<', 5000000000000), qr/row 5000000000000 \(from 0\) exceeds 4999999999999/],
                  ['indices_1', pack('Q<', 2**63), qr/column -9223372036854775808 \(from 0\) exceeds 530000/]) {
        my ($name, $wrong, $want) = @$case;
        my $damaged = $bytes;
        substr $damaged, $place{$name} + 8 * ($count - 1), 8, $wrong;
        spew(scratch('damaged.h5'), $damaged);
        my $run = run(['mm-cat', '--check', scratch('damaged.h5')]);
        is($run->{status}, 3, "a wrong number in $name is refused");
        like($run->{err}, $want, '... with the reason');
    }
    my @sources = map { source_path("tests/data/$_.mtx") } qw(can_24 bcspwr01 d_ss);
    cat(@sources, '--to', 'binsparse', '-o', scratch('three.h5'));
    is(cat(scratch('three.h5'))->{out}, cat(@sources)->{out}, 'three matrices in one file, in their order');
    is(cat(@sources, '--to', 'binsparse')->{out}, slurp(scratch('three.h5')), 'the same bytes again, into a pipe');
}

# Other programs' files of the same format
SKIP: {
    skip 'Python has no SciPy or h5py, or there is no library HDF5', 1 if !$python || $missing{binsparse};
    my $make = scratch('make.py');
    spew($make, <<'PYTHON');
import h5py, json, sys
import numpy as np
def write(name, descriptor, **arrays):
    f = h5py.File(sys.argv[1] + '/' + name, 'w')
    f.attrs['binsparse'] = json.dumps({'binsparse': descriptor, 'title': 'T', 'id': 7})
    for k, v in arrays.items():
        f.create_dataset(k, data=v, **({'compression': 'gzip', 'shuffle': True} if name.startswith('packed') else {}))
t = {'values': 'float64', 'indices_0': 'uint64', 'indices_1': 'uint64', 'pointers_to_1': 'uint64'}
u = lambda *a: np.array(a, dtype='uint64')
v = np.array([1.5, 2.5, 3.5])
d = dict(version='0.1', shape=[3, 4], number_of_stored_values=3, data_types=t)
write('cooc', dict(d, format='COOC'), indices_0=u(0, 3, 3), indices_1=u(1, 0, 2), values=v)
write('packed', dict(d, format='COOR'), indices_0=u(0, 1, 2), indices_1=u(3, 0, 3), values=v[[1, 0, 2]])
write('dcsc', dict(d, format='DCSC'), indices_0=u(0, 3), pointers_to_1=u(0, 1, 3), indices_1=u(1, 0, 2), values=v)
write('dcsr', dict(d, format='DCSR'), indices_0=u(0, 1, 2), pointers_to_1=u(0, 1, 2, 3), indices_1=u(3, 0, 3), values=v[[1, 0, 2]])
write('big-endian', dict(d, format='COOC'), indices_0=u(0, 3, 3).astype('>u4'), indices_1=u(1, 0, 2), values=v.astype('>f8'))
write('compound', dict(d, format='COOC', data_types=dict(t, values='complex[float64]')), indices_0=u(0, 3, 3), indices_1=u(1, 0, 2), values=v + 0j)
write('iso', dict(d, format='COOC', data_types=dict(t, values='iso[float64]')), indices_0=u(0, 3, 3), indices_1=u(1, 0, 2), values=np.array([1.5]))
write('upper', dict(d, shape=[3, 3], format='COOR', structure='skew_symmetric_upper'), indices_0=u(0, 0, 1), indices_1=u(1, 2, 2), values=v)
write('dmat', dict(format='DMAT', shape=[2, 3], data_types=dict(values='float64')), values=np.arange(6.0))
write('dmatc', dict(format='DMATC', shape=[2, 3], data_types=dict(values='float64')), values=np.arange(6.0))
write('dvec', dict(format='DVEC', shape=[3], data_types=dict(values='float64')), values=v)
write('cvec', dict(format='CVEC', shape=[9], data_types=t), indices_0=u(0, 3, 8), values=v)
# what contradicts itself
write('bad-index', dict(d, format='COOC'), indices_0=u(0, 3, 4), indices_1=u(1, 0, 2), values=v)
write('bad-count', dict(d, format='COOC'), indices_0=u(0, 3), indices_1=u(1, 0, 2), values=v)
write('bad-values', dict(d, format='COOC'), indices_0=u(0, 3, 3), indices_1=u(1, 0, 2), values=v[:2])
write('bad-pointers', dict(d, format='DCSC'), indices_0=u(0, 3), pointers_to_1=u(0, 3, 2), indices_1=u(1, 0, 2), values=v)
write('bad-triangle', dict(d, shape=[3, 3], format='COOR', structure='symmetric_lower'), indices_0=u(0, 0, 1), indices_1=u(1, 2, 2), values=v)
write('bad-nan', dict(d, format='COOC'), indices_0=u(0, 3, 3), indices_1=u(1, 0, 2), values=v * np.nan)
write('bad-format', dict(d, format='XYZ'), indices_0=u(0, 3, 3), indices_1=u(1, 0, 2), values=v)
write('bad-shape', dict(d, format='CSR', shape=[10**15, 10**15]), pointers_to_1=u(0, 3), indices_1=u(1, 0, 2), values=v)
write('bad-dense', dict(format='DMATC', shape=[10**9, 10**9], data_types=dict(values='float64')), values=np.arange(6.0))
h5py.File(sys.argv[1] + '/bad-empty', 'w').create_dataset('x', data=v)
f = h5py.File(sys.argv[1] + '/bad-json', 'w'); f.attrs['binsparse'] = '{"binsparse": '
PYTHON
    my $folder = scratch('made');
    mkdir $folder;
    python($make, $folder);
    my $sparse = "3 4 3\n2 1 1.5\n1 4 2.5\n3 4 3.5\n";
    my %want = (
        (map { $_ => $sparse } qw(cooc dcsc big-endian)),
        (map { $_ => "3 4 3\n1 4 2.5\n2 1 1.5\n3 4 3.5\n" } qw(packed dcsr)),
        compound => "3 4 3\n2 1 1.5 0\n1 4 2.5 0\n3 4 3.5 0\n",
        iso => "3 4 3\n2 1 1.5\n1 4 1.5\n3 4 1.5\n",
        upper => "3 3 3\n2 1 -1.5\n3 1 -2.5\n3 2 -3.5\n",
        dmat => "2 3\n0\n3\n1\n4\n2\n5\n", dmatc => "2 3\n0\n1\n2\n3\n4\n5\n",
        dvec => "3 1\n1.5\n2.5\n3.5\n", cvec => "9 1 3\n1 1 1.5\n4 1 2.5\n9 1 3.5\n",
    );
    for my $name (sort keys %want) {
        my $run = cat("$folder/$name");
        is(matrix($run->{out}) =~ s/^.*\n//r, $want{$name}, "$name of h5py") or diag $run->{err};
    }
    like(cat("$folder/cooc")->{out}, qr/^% title: T\n% id: 7$/m, 'what stands beside the descriptor becomes comments');
    for my $path (bsd_glob("$folder/bad-*")) {
        my $run = cat($path);
        my ($name) = $path =~ m{([^/]+)$};
        is("$run->{status}$run->{out}", '3', "$name is refused");
        like($run->{err}, qr{^mm-cat: \Q$path\E: record 1: .}, '... with file and record');
    }
}

# ---- SciPy and NumPy ----
SKIP: {
    skip 'Python has no SciPy', 1 unless $python;
    my $make = scratch('make-scipy.py');
    spew($make, <<'PYTHON');
import sys
import numpy as np, scipy.sparse as sp, scipy.io
d = sys.argv[1] + '/'
rng = np.random.default_rng(5)
for kind in ('f8', 'u2', 'c8', '?'):
    a = sp.random(6, 8, 0.3, random_state=3)
    a.data = (a.data * 100 - 50 if kind != '?' else a.data > 2).astype(kind) + (1j if kind[0] == 'c' else 0)
    a.data = np.ones_like(a.data) if kind == '?' else a.data
    for f in ('csr', 'csc', 'coo', 'dia', 'bsr'):
        if kind == '?' and f in ('dia', 'bsr'):
            continue
        b = a.tobsr((2, 4)) if f == 'bsr' else a.asformat(f)
        name = '%s-%s' % (f, kind.replace('?', 'bool'))
        (sp.save_npz if f != 'csc' else lambda n, m: sp.save_npz(n, m, compressed=False))(d + name + '.npz', b)
        c = sp.coo_matrix(b)
        scipy.io.mmwrite(d + name + '.mtx', c.astype('i8') if kind == 'u2' else c, precision=17) if kind != '?' else open(d + name + '.mtx', 'w').write(
            '%%%%MatrixMarket matrix coordinate pattern general\n6 8 %d\n' % c.nnz + ''.join('%d %d\n' % (i + 1, j + 1) for i, j in zip(c.row, c.col)))
for i, a in enumerate([np.arange(6).reshape(2, 3), np.arange(6.0).reshape(2, 3, order='F'), np.array([1.5, -2]), np.arange(4, dtype='>i2').reshape(2, 2),
                       np.array([[1 + 2j, 3]], dtype='c8'), np.array([[True, False]]), np.array([2**64 - 1, 1], dtype='u8')]):
    np.save(d + 'dense%d.npy' % i, a)
np.savez(d + 'several.npz', one=np.eye(2), two=np.arange(3), text=np.array('x'))
np.save(d + 'bad-object.npy', np.array([None, 1], dtype=object), allow_pickle=True)
np.save(d + 'bad-rank.npy', np.zeros((2, 2, 2)))
np.savez(d + 'bad-none.npz', text=np.array('x'))
e = dict(indices=np.array([0, 9]), indptr=np.array([0, 1, 2]), format=np.array('csr'.encode()), shape=np.array([2, 3]), data=np.array([1., 2.]))
np.savez(d + 'bad-index.npz', **e)
np.savez(d + 'bad-pointers.npz', **dict(e, indices=np.array([0, 1]), indptr=np.array([0, 2, 1])))
np.savez(d + 'bad-starts.npz', **dict(e, indices=np.array([0, 1]), indptr=np.array([0, 2])))
np.savez(d + 'bad-data.npz', **dict(e, indices=np.array([0, 1]), data=np.array([1.])))
np.savez(d + 'bad-nan.npz', **dict(e, indices=np.array([0, 1]), data=np.array([1., np.nan])))
m = sp.random(5, 7, 0.4, random_state=8, format='csc')
scipy.io.savemat(d + 'plain.mat', dict(S=m, F=np.arange(6.0).reshape(2, 3), C=m * 1j, I=np.array([[1, -2]], dtype='i4'), text='x', L=m > 0.5), do_compression=False)
scipy.io.savemat(d + 'packed.mat', dict(Problem=dict(A=m, name='Group/name', title='a title', b=np.ones(5))), do_compression=True)
scipy.io.mmwrite(d + 'S.mtx', m, precision=17)
PYTHON
    my $folder = scratch('scipy');
    mkdir $folder;
    python($make, $folder);
    for my $mtx (grep { m{/\w+-\w+\.mtx$} } bsd_glob("$folder/*.mtx")) {
        my $npz = $mtx =~ s/mtx$/npz/r;
        my $read = scratch('read.mtx');
        cat($npz, '-o', $read);
        same($read, $mtx, $npz =~ s{.*/}{}r . ' of SciPy');
        cat($npz, '--to', 'npz', '-o', scratch('again.npz'));
        my $again = cat(scratch('again.npz'))->{out};
        is($again, matrix(slurp($read)), '... comes back as it was');
        is(python($reader, scratch('again.npz')), python($reader, $npz), '... and SciPy reads it the same');
    }
    my @dense = ("integer 2 3 0 3 1 4 2 5", "real 2 3 0 1 2 3 4 5", "real 2 1 1.5 -2", "integer 2 2 0 2 1 3", "complex 1 2 1 2 3 0",
        "integer 1 2 1 0", "integer 2 1 18446744073709551615 1");
    for my $i (0 .. $#dense) {
        my ($field, @rest) = split ' ', matrix(cat("$folder/dense$i.npy")->{out}) =~ s/^\S+ matrix array //r =~ s/ general//r;
        is("$field @rest", $dense[$i], "dense$i.npy");
        cat("$folder/dense$i.npy", '--to', 'npy', '-o', scratch('again.npy'));
        my ($one, $other) = map { python($reader, $_) =~ /(\[.*)/ && $1 } "$folder/dense$i.npy", scratch('again.npy');
        $one = "[[18446744073709551615], [1]]\n" =~ s/\n//r if $i == 6;
        $one = '[[1.5], [-2.0]]' if $i == 2;
        $one = '[[1, 0]]' if $i == 5;
        is($other, $one, '... as NumPy reads what comes out');
    }
    is(join(' ', cat("$folder/several.npz")->{out} =~ /^% name: (\w+)/mg), 'one two', 'the matrices of an archive are records');
    for my $path (bsd_glob("$folder/bad-*")) {
        my $run = cat($path);
        like($run->{status}, qr/^[13]$/, $path =~ s{.*/}{}r . ' is refused');
        like($run->{err}, qr{^mm-cat: \Q$path\E: record 1: .}, '... with file and record');
    }
    for my $name (qw(csr-f8.npz dense0.npy)) {
        my $whole = slurp("$folder/$name");
        my @cut = grep { my $run = cat_text(substr $whole, 0, $_); $run->{status} != 3 || $run->{out} ne '' } 1 .. length($whole) - 1;
        # scipy's zip has its list of members at the end; the arrays in front of it are whole
        @cut = grep { $_ < index $whole, "PK\1\2" } @cut if $name =~ /npz/;
        is("@cut", '', "$name cut anywhere: refused");
    }

    # ---- MATLAB ----
    SKIP: {
        skip 'there is no library matio', 1 if $missing{mat};
        my $plain = cat("$folder/plain.mat")->{out};
        is(join(' ', $plain =~ /^% name: (\w+)/mg), 'S F C I L', 'the matrices among the variables of a .mat file');
        cat('-n', 'S', "$folder/plain.mat", '-o', scratch('S.mtx'));
        same(scratch('S.mtx'), "$folder/S.mtx", 'a sparse matrix of a .mat file');
        is(matrix(cat('-n', 'F', "$folder/plain.mat")->{out}), "%%MatrixMarket matrix array real general\n2 3\n0\n3\n1\n4\n2\n5\n", 'a full one');
        is(matrix(cat('-n', 'I', "$folder/plain.mat")->{out}), "%%MatrixMarket matrix array integer general\n1 2\n1\n-2\n", 'one of integers');
        like(cat('-n', 'L', "$folder/plain.mat")->{out}, qr/^%%MatrixMarket matrix coordinate pattern general/, 'a logical one is a pattern');
        my $problem = cat("$folder/packed.mat");
        like($problem->{out}, qr{^% name: Group/name\n% title: a title$}m, "the Collection's structure has a name and a title");
        spew(scratch('A.mtx'), $problem->{out});
        same(scratch('A.mtx'), "$folder/S.mtx", '... and a matrix');
        is(run(['sh', '-c', 'mm-cat <"$1"', 'sh', "$folder/packed.mat"])->{out}, $problem->{out}, '... from standard input');
        is(run(['sh', '-c', 'cat "$1" | mm-cat', 'sh', "$folder/packed.mat"])->{out}, $problem->{out}, '... and from a pipe');
        cat("$folder/plain.mat", '--to', 'mat', '-o', scratch('again.mat'));
        is(cat(scratch('again.mat'))->{out}, $plain, 'all of them come back');
        my @parts = map { [python($reader, $_) =~ /^([A-Z]) \((\d+), (\d+)\)/mg] } scratch('again.mat'), "$folder/plain.mat";
        is_deeply($parts[0], [@{ $parts[1] }], '... with the same names and sizes for SciPy');
        my $whole = slurp("$folder/plain.mat");
        my @cut = grep { my $run = cat_text(substr $whole, 0, $_); $run->{status} != 3 } map { 200 + 97 * $_ } 0 .. int((length($whole) - 300) / 97);
        is("@cut", '', 'a .mat file cut anywhere is refused');
        is(cat($probe, '--to', 'mat')->{out}, cat($probe, '--to', 'mat')->{out}, 'the same bytes again');
        is(cat($probe, '--to', 'mat')->{err}, '', '... and nothing to say');
        my $slash = cat('--rename', 'G/{name}{number}', $probe, $probe, '--to', 'mat', '-o', scratch('slash.mat'));
        is("$slash->{status} $slash->{err}", "0 mm-cat: --to mat: the name G/A1 is written as G_A1, others likewise\n", 'a name that MATLAB does not allow is told');
        is(join(' ', cat(scratch('slash.mat'))->{out} =~ /^% name: (\S+)/mg), 'G_A1 G_A2', '... as it is then');
    }
}

# A library that is not there
for my $case (['MMPIPE_LIBHDF5', 'binsparse', 'HDF5'], ['MMPIPE_LIBMATIO', 'mat', 'matio']) {
    my $run = run(['mm-cat', '--to', $case->[1], $probe], environment => { $case->[0] => '/nowhere.so' });
    is($run->{status}, 4, "without $case->[2]: status 4");
    like($run->{err}, qr/needs the library $case->[2], which cannot be loaded \(\/nowhere\.so not found\)/, '... and what is missing');
}

# ---- edge lists ----
sub edges { my ($text, $from) = @_; return cat_text($text, '--from', $from // 'edges') }
is(matrix(edges("# c\n1 2\n2 3\n\n3 1\n")->{out}), "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n3 1\n", 'an edge list');
is(matrix(edges("1,2,5\n3,\t1,-7\n")->{out}), "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 5\n3 1 -7\n", 'with whole weights');
is(matrix(edges("0 4 1\r\n1 0 0.5\r\n", 'edges0')->{out}), "%%MatrixMarket matrix coordinate real general\n5 5 2\n1 5 1\n2 1 0.5\n",
    'with real weights, from 0');
is(matrix(edges("% nothing\n")->{out}), "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n", 'without edges');
for my $case (["1 2\n0 1\n", 2, 'edges0'], ["1 2\n2 3 4\n", 2, '3 words where an edge has two'], ["1 2\n\n3\n", 3, '1 words'], ["1 2 x\n", 1, "'x'"], ["1 2 nan\n", 1, 'nan'],
    ["1 -2\n", 1, "'-2'"], ["1 2 3 4\n", 1, 'words'], ["1.5 2\n", 1, "'1.5'"], ["1 99999999999999999999\n", 1, 'vertex']) {
    my $run = edges($case->[0]);
    is("$run->{status}$run->{out}", '3', 'refused: ' . $case->[0] =~ s/\n/\\n/gr);
    like($run->{err}, qr/^mm-cat: standard input: record 1, line $case->[1]: .*\Q$case->[2]\E/, '... with its line');
}
my $graph = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 3 2\n";
is(cat_text($graph, '--to', 'edges')->{out}, "2 1 0.5\n1 2 0.5\n3 3 2\n", 'a symmetric matrix has edges both ways');
is(cat_text($graph, '--drop-values', '--to', 'edges0')->{out}, "1 0\n0 1\n2 2\n", '--drop-values drops weights');
like(cat_text("1 2\n2 3\n")->{err}, qr/no %%MatrixMarket banner/, 'an edge list is never guessed');

# ---- METIS: the graphs of the figures 2 and 3 of its manual ----
my $metis = "%% a comment\n7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n";
my $read = cat_text($metis, '--from', 'metis')->{out};
is(matrix($read), "%%MatrixMarket matrix coordinate pattern symmetric\n7 7 11\n2 1\n3 1\n5 1\n3 2\n4 2\n4 3\n5 3\n6 4\n7 4\n6 5\n7 6\n",
    'a METIS graph');
is(cat_text($read, '--to', 'metis')->{out}, "7 11\n2 3 5\n1 3 4\n1 2 4 5\n2 3 6 7\n1 3 6\n4 5 7\n4 6\n", '... and back, neighbours sorted');
my $weighted = "7 11 001\n5 1 3 2 2 1\n1 1 3 2 4 1\n5 3 4 2 2 2 1 2\n2 1 3 2 6 2 7 5\n1 1 3 3 6 2\n5 2 4 2 7 6\n6 6 4 5\n";
is(matrix(cat_text($weighted, '--from', 'metis')->{out}),
    "%%MatrixMarket matrix coordinate integer symmetric\n7 7 11\n2 1 1\n3 1 2\n5 1 1\n3 2 2\n4 2 1\n4 3 2\n5 3 3\n6 4 2\n7 4 5\n6 5 2\n7 6 6\n",
    'with weights of edges');
my $constrained = "3 2 011 2\n4 1 2 5\n1 0 1 5 3 1\n9 9 2 1\n";
like(cat_text($constrained, '--from', 'metis')->{out}, qr/^% metis.vertices: weights left out\n3 3 2\n2 1 5\n3 2 1\n\z/m, 'weights of vertices are told of');
is(cat_text("3 1\n2\n1\n\n", '--from', 'metis')->{status}, 0, 'a vertex without neighbours');
for my $case (["3 2\n2\n1\n\n", '2 ends'], ["2 1\n2\n\n", 'ends'], ["3 2\n2\n1 3\n1\n", 'both lines'], ["2 1\n1\n1\n", 'own neighbour'], ["2 1\n3\n1\n", 'neighbour 3'],
    ["2 1\n2\n", 'line for vertex 2'], ["x\n", "'x'"], ["2 1 001\n2\n1\n", 'without the weight'], ["2 1 001\n2 5\n1 6\n", 'one weight'], ["2 1 7\n2\n1\n", 'format 007'],
    ["2 2\n2 2\n1 1\n", 'twice'], ["2 1\n2\n1\n3\n", 'behind']) {
    my $run = cat_text($case->[0], '--from', 'metis');
    is("$run->{status}$run->{out}", '3', 'refused: ' . $case->[0] =~ s/\n/\\n/gr);
    like($run->{err}, qr/\Q$case->[1]\E/, '... for its reason');
}
is(cat_text($graph, '--to', 'metis')->{status}, 1, 'real weights are refused');
is(cat_text($graph, '--drop-values', '--to', 'metis')->{out}, "3 1\n2\n1\n\n", 'the pattern of a matrix is written, without its diagonal');
like(cat_text($graph, '--drop-values', '--to', 'metis')->{err}, qr/^mm-cat: --to metis: the diagonal of \S+ is left out \(1 entry\), others likewise$/m, '... which is told');
is(cat_text($read, '--to', 'metis')->{err}, '', 'a graph without loops is written without a remark');
is(cat($probe, '--to', 'metis')->{status}, 1, 'a matrix that is not symmetric is no graph');

# ---- CSV ----
my %csv = ("1,2\n3,4\n" => "integer general\n2 2\n1\n3\n2\n4\n", "1;2.5\r\n-3;4\r\n" => "real general\n2 2\n1\n-3\n2.5\n4\n",
    "1 2 3\n" => "integer general\n1 3\n1\n2\n3\n", "x,y\n1, 2\n" => "integer general\n1 2\n1\n2\n", "" => "integer general\n0 0\n");
for my $text (sort keys %csv) {
    is(matrix(cat_text($text, '--from', 'csv')->{out}), "%%MatrixMarket matrix array $csv{$text}", 'CSV ' . $text =~ s/\r?\n/\\n/gr);
}
like(cat_text("x,y\n1,2\n", '--from', 'csv')->{out}, qr/^% csv.columns: x,y$/m, 'names of columns are kept');
for my $case (["1,2\n3\n", 2], ["1,2\n3,x\n", 2], ["1,2\n3,,4\n", 2], ["x,1\n", 1], ["1,nan\n", 1]) {
    my $run = cat_text($case->[0], '--from', 'csv');
    is("$run->{status}$run->{out}", '3', 'refused: ' . $case->[0] =~ s/\n/\\n/gr);
    like($run->{err}, qr/line $case->[1]: /, '... with its line');
}
is(cat($probe, '--to', 'csv')->{out}, "7,0,0\n0,0,-8\n", 'a sparse matrix as CSV');
is(cat_text("%%MatrixMarket matrix array real general\n2 2\n1\n0.1\n1e300\n-2\n", '--to', 'csv')->{out}, "1,1e300\n0.1,-2\n", 'a dense one');

# ---- what no format holds ----
spew(scratch('h2'), run([qw(h2-build --leaf 4 --order 2)], input => run([qw(mm-gen points 20x2)])->{out})->{out});
for my $format (qw(binsparse npz npy mat edges metis csv)) {
    my $run = cat(scratch('h2'), '--to', $format, '-o', scratch("h2.$format"));
    is($run->{status}, 1, "an H2 matrix is refused: --to $format");
    like($run->{err}, qr/the format $format holds matrices only/, '... with the reason');
}

# ---- names of formats, one matrix a file, packed and in archives ----
like(cat($probe, '--to', 'boeing')->{err}, qr/--to: 'boeing' is none of binsparse, npz, npy, mat, edges, edges0, metis, csv$/m, 'a format that is only read');
is(cat($probe, '--from', 'nothing')->{status}, 2, 'an unknown format is wrong usage');
my $second = cat($probe, $probe, '--to', 'npz');
is("$second->{status}$second->{out}", '1', 'a second matrix does not fit into an .npz file');
like($second->{err}, qr/--split 'DIR\/\{name\}\.npz'/, '... and what to do');
spew(scratch('list.txt'), "1 2\n2 1\n");
system('gzip', '-kf', scratch('list.txt'));
like(cat('--from', 'edges', scratch('list.txt.gz'))->{out}, qr/^2 2 2$/m, 'a packed edge list');
cat($probe, '--to', 'npz', '-o', scratch('in.npz'));
system('tar', '-C', scratch(), '-cf', scratch('both.tar'), 'in.npz', 'probe.mtx', 'list.txt') == 0 or die;
is(scalar(() = cat(scratch('both.tar'))->{out} =~ /^2 3 2$/mg), 2, 'members of an archive are told by their bytes');

done_testing();
