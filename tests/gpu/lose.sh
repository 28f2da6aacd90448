#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Loses a real GPU in the middle of each program: lose.sh LOSE.SO [DEVICE...], with the programs in PATH. A run must end with the
# bytes of an undisturbed one, or with status 4 and no output. Prints a line for each program and way: tried, the same, refused, wrong.
set -u
lose=$1
shift
[ $# -gt 0 ] || set -- cuda auto
devices=$*
work=$(mktemp -d) && cd "$work" || exit 1
trap 'rm -rf "$work"' EXIT
export MMPIPE_CACHE="$work/cache" MMPIPE_DEVICE_SECONDS=2
mm-gen er 34 -p 0.3 --diagonal --field real --values uniform:0:1 --seed 6 >sparse.mtx
mm-gen dense 33 --values uniform:-1:1 --seed 7 >dense.mtx
mm-gen er 50 -p 0.08 --diagonal --seed 8 >frontier.mtx
mm-gen points --grid 24x24x24 --perturb 0.4 >points.mtx
h2-build --device cpu --form bin points.mtx >built.mtx
h2-orthog --device cpu --form bin built.mtx >orthogonal.mtx
mm-gen er 4000 -p 0.002 --field real --values uniform:0:1 --seed 9 >a.mtx
mm-gen dense 4000x64 --values uniform:0:1 --seed 10 >b.mtx
mm-gen scheme 4x4x4 >scheme.mtx

# A bit is flipped where a program computes shares again.
run() { # NAME COMMAND...
    name=$1
    shift
    "$@" >whole 2>whole.err || { echo "$name: undisturbed: status $?: $(head -c 200 whole.err)"; return; }
    for way in $ways; do
        tried=0 same=0 refused=0 wrong=0
        for call in 1 2 5; do
            MMPIPE_LIBCUDA=$lose MMPIPE_LOSE=$way:$call timeout 30 "$@" >out 2>err
            status=$?
            tried=$((tried + 1))
            if [ $status -eq 0 ] && cmp -s out whole; then
                same=$((same + 1))
            elif [ $status -eq 4 ] && [ ! -s out ]; then
                refused=$((refused + 1))
            else
                wrong=$((wrong + 1))
                echo "# $name $way:$call: status $status, $(wc -c <out) of $(wc -c <whole) bytes: $(grep -v '^#' err | head -c 300)"
            fi
        done
        echo "$name $way: tried $tried, the same $same, refused $refused, wrong $wrong"
    done
}
for device in $devices; do
    ways="write loop bit"
    run "perm-gpu sparse, $device" perm-gpu --raw --device $device --kernel sparse-cuda --verify-share 1 sparse.mtx
    run "perm-gpu dense, $device" perm-gpu --raw --device $device --kernel dense-cuda --verify-share 1 dense.mtx
    ways="write loop"
    run "perm-gpu frontier, $device" perm-gpu --device $device --kernel frontier-cuda frontier.mtx
    run "h2-build, $device" h2-build --device $device --form bin points.mtx
    run "h2-orthog, $device" h2-orthog --device $device --form bin built.mtx
    run "h2-compress, $device" h2-compress --device $device --form bin --tol 1e-4 orthogonal.mtx
    run "h2-mv, $device" h2-mv --device $device --form bin -n 4 built.mtx
    run "spmm-tc, $device" spmm-tc --device $device --form bin -B b.mtx a.mtx
done
run "flipwalk, cuda" flipwalk --device cuda --target 60 --seed 1 scheme.mtx
