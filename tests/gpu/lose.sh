#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Loses a real GPU in the middle of each program: lose.sh LOSE.SO [DEVICE...], with the programs in PATH. A run must end with the
# bytes of an undisturbed one, or with status 4 and no output, or say that the processor does
# the work. Prints a line for each program and way: tried, the same, refused, by the processor, wrong.
# LOSE_CALLS: the calls that go wrong, LOSE_WAYS: only these ways. LOSE_FILL: fill, the program; another process then takes the
# memory but for some MiB, or takes it again and again.
set -u
lose=$1
shift
[ $# -gt 0 ] || set -- cuda auto
devices=$*
work=$(mktemp -d) && cd "$work" || exit 1
filler=
trap '[ -z "$filler" ] || kill $filler 2>/dev/null; [ ! -f results ] || sort results | uniq -c; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
export MMPIPE_CACHE="$work/cache" MMPIPE_DEVICE_SECONDS="${MMPIPE_DEVICE_SECONDS:-2}"
mm-gen er 34 -p 0.3 --diagonal --field real --values uniform:0:1 --seed 6 >sparse.mtx
mm-gen dense 33 --values uniform:-1:1 --seed 7 >dense.mtx
mm-gen er 50 -p 0.08 --diagonal --seed 8 >frontier.mtx
mm-gen points --grid 24x24x24 --perturb 0.4 >points.mtx
h2-build --device cpu --form bin points.mtx >built.mtx
h2-orthog --device cpu --form bin built.mtx >orthogonal.mtx
mm-gen er 4000 -p 0.002 --field real --values uniform:0:1 --seed 9 >a.mtx
mm-gen dense 4000x64 --values uniform:0:1 --seed 10 >b.mtx
mm-gen scheme 4x4x4 >scheme.mtx

# Runs a command and says in `result`: same, refused, processor or wrong. `disturbance` is for the remark.
judge() { # NAME COMMAND...
    name=$1
    shift
    timeout -s KILL "${LOSE_SECONDS:-45}" "$@" >out 2>err
    status=$?
    if [ $status -eq 0 ] && cmp -s out "whole.$name"; then
        result=same
    elif [ $status -eq 4 ] && [ ! -s out ]; then
        result=refused
    elif [ $status -eq 0 ] && grep -q 'the CPU does' err; then
        result=processor # it rounds otherwise: the bytes are not compared
    else
        result=wrong
        echo "# $name, $disturbance: status $status, $(wc -c <out) of $(wc -c <"whole.$name") bytes: $(grep -v '^#' err | head -c 300)"
    fi
}

undisturbed() { # WAYS NAME COMMAND...
    name=$2
    shift 2
    "$@" >"whole.$name" 2>err || { echo "$name: undisturbed: status $?: $(head -c 200 err)"; rm "whole.$name"; }
}

lost() { # WAYS NAME COMMAND...
    ways=$1 name=$2
    shift 2
    [ -f "whole.$name" ] || return
    for way in $ways; do
        case " ${LOSE_WAYS:-$ways} " in *" $way "*) ;; *) continue ;; esac
        tried=0 same=0 refused=0 processor=0 wrong=0
        for call in ${LOSE_CALLS:-1 2 5}; do
            disturbance=$way:$call
            MMPIPE_LIBCUDA=$lose MMPIPE_LOSE=$way:$call judge "$name" "$@"
            tried=$((tried + 1))
            eval "$result=\$(($result + 1))"
        done
        echo "$name, $way: tried $tried, the same $same, refused $refused, by the processor $processor, wrong $wrong"
    done
}

crowded() { # WAYS NAME COMMAND...
    shift
    [ -f "whole.$1" ] || return
    judge "$@"
    echo "$name, $disturbance: $result" >>results
}

# A bit is flipped where a program computes shares again.
each() { # ACTION
    for device in $devices; do
        $1 "write loop bit" "perm-gpu sparse, $device" perm-gpu --raw --device $device --kernel sparse-cuda --verify-share 1 sparse.mtx
        $1 "write loop bit" "perm-gpu dense, $device" perm-gpu --raw --device $device --kernel dense-cuda --verify-share 1 dense.mtx
        $1 "write loop" "perm-gpu frontier, $device" perm-gpu --device $device --kernel frontier-cuda frontier.mtx
        $1 "write loop" "h2-build, $device" h2-build --device $device --form bin points.mtx
        $1 "write loop" "h2-orthog, $device" h2-orthog --device $device --form bin built.mtx
        $1 "write loop" "h2-compress, $device" h2-compress --device $device --form bin --tol 1e-4 orthogonal.mtx
        $1 "write loop" "h2-mv, $device" h2-mv --device $device --form bin -n 4 built.mtx
        $1 "write loop" "spmm-tc, $device" spmm-tc --device $device --form bin -B b.mtx a.mtx
    done
    $1 "write loop" "flipwalk, cuda" flipwalk --device cuda --target 60 --seed 1 scheme.mtx
}

each undisturbed
each lost
[ -n "${LOSE_FILL:-}" ] || exit 0
: >results
for rest in ${LOSE_RESTS:-0 300 500 600 800 1200 0/7 0/31}; do
    disturbance="full but for $rest MiB" period=
    case $rest in */*) period=${rest#*/} disturbance="full for ${rest#*/} ms at a time" ;; esac
    : >full
    $LOSE_FILL ${rest%/*} $period >full 2>&1 &
    filler=$!
    until [ -s full ]; do sleep 0.05; done
    grep -q full full || { echo "fill: $(head -c 200 full)"; break; }
    each crowded
    kill $filler
    wait $filler 2>/dev/null
    filler=
done
