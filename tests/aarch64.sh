#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Configures this folder as a cross build for 64-bit Arm whose programs run in an emulator, on Debian. The
# libraries are the arm64 packages of this system's sources, unpacked into root-aarch64/; nothing is installed.
# Usage: tests/aarch64.sh [ARGUMENTS OF configure]
set -eu
cd "$(dirname "$0")/.."
for command in aarch64-linux-gnu-gcc qemu-aarch64-static apt-get dpkg; do
    command -v $command >/dev/null || {
        echo "tests/aarch64.sh: no $command; on Debian: apt-get install gcc-aarch64-linux-gnu qemu-user-static" >&2
        exit 1
    }
done
root=$PWD/root-aarch64
libraries=$root/usr/lib/aarch64-linux-gnu
# The libraries that bootstrap names, with what their headers and linker scripts need.
packages=$(sed -n 's/^need \(lib[^ ]*-dev\|zlib[^ ]*\) .*/\1/p' bootstrap)

if [ ! -f "$root/complete" ]; then
    apt=$root/var/apt
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    : >"$apt/status"
    get="apt-get -q -y -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Install-Recommends=false
        -o APT::Sandbox::User= -o Debug::NoLocking=1 -o Dir::State::Lists=$apt/lists -o Dir::State::status=$apt/status
        -o Dir::Cache=$apt/cache"
    # shellcheck disable=SC2086
    $get update && $get --download-only install libc6-dev libgomp1 $packages
    for package in "$apt"/cache/archives/*.deb; do
        dpkg -x "$package" "$root"
    done
    # What the packages' own scripts would link.
    ln -sf blas/libblas.so.3 lapack/liblapack.so.3 "$libraries"
    # Absolute links, such as libm.so's, would leave the root: the linker would take the static library instead.
    find "$root" -type l -lname '/*' | while read -r link; do
        ln -sf "$root$(readlink "$link")" "$link"
    done
    rm -r "$apt"
    touch "$root/complete"
fi
PKG_CONFIG_LIBDIR=$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root ./configure --quiet \
    --host=aarch64-linux-gnu --with-cuda=no CC="aarch64-linux-gnu-gcc --sysroot=$root" \
    EMULATOR="qemu-aarch64-static -L $root" "$@"
