#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run by conda-build in the folder of the sources.
set -eu
autoreconf -i
./configure --quiet --prefix="$PREFIX" --with-cuda=no
make -j"$CPU_COUNT"
make install
cp -R lib/python/mmpipe "$SP_DIR"
