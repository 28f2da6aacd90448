#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Flips a second of one core at several ranks, and the time of searches to a rank, for several seeds:
# bench_flip.sh PROGRAM FOLDER SEEDS THREADS [cuda]; on devices only times of flipwalk. Schemes are what flipwalk finds here or found before
# (tests/data/schemes), and a published one where it is at hand (MMPIPE_SHARED).
set -e -o pipefail
program=$1 folder=$2 seeds=$3 threads=$4 device=${5:-cpu}
own=$(dirname "$0")/../tests/data/schemes
schemes=${MMPIPE_SHARED:-../shared}/data/schemes

# One scheme of a rank from a pool.
pick() {
    flip-check --export mm "$1" | awk -v rank="$2" '
        /^%%MatrixMarket/ { text = ""; size = 0 }
        /^%%End|^% record/ { next }
        { text = text $0 "\n" }
        /^%/ { next }
        !size { size = 1; left = $3; keep = $2 == rank; next }
        { left-- }
        keep && left == 0 && !done { printf "%s", text; done = 1 }'
}

# Seconds to reach a rank, each seed, the least, the median and the largest.
search() {
    local format=$1 rank=$2 limit=$3 seed seconds all=()
    shift 3
    for seed in $(seq "$seeds"); do
        local start=$EPOCHREALTIME
        if mm-gen scheme "$format" |
            flipwalk -q --device "$device" --target "$rank" --time-limit "$limit" --seed "$seed" -j "$threads" "$@" \
                -o /dev/null; then
            seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')
            all+=("$seconds")
        fi
    done
    printf '%s\n' "${all[@]}" | sort -g | awk -v format="$format" -v rank="$rank" -v limit="$limit" \
        -v seeds="$seeds" -v options="$*" 'NF { time[++n] = $1 }
        END { middle = int((seeds + 1) / 2)
              printf "%s\t%d\t%d of %d within %s\tmedian %s s\tall", format, rank, n, seeds, limit,
                  middle <= n ? time[middle] : "> " limit
              for (k = 1; k <= n; k++) printf " %s", time[k]
              print "\t" options }'
}

if [ "$device" != cpu ]; then
    printf 'format\trank\treached\ttime\toptions\n'
    search 4x4x4 47 60s
    search 3x4x5 47 60s --grow
    search 4x4x5 60 60s --grow
    search 5x5x5 97 90s --grow
    exit
fi

printf 'format\trank\tkernel\tsteps/s\tflips/s\tflips/step\n'
rm -f "$folder"/flip-*
mm-gen scheme 4x4x4 | flipwalk -q --device cpu --steps 150000000 --pool "$folder/flip-444" -o /dev/null
mm-gen scheme 5x5x5 >"$folder/flip-555-125"
mm-gen scheme 5x5x5 | flipwalk -q --device cpu --grow --target 103 --time-limit 60 -o "$folder/flip-555-103" || true
for rank in 64 53 49; do pick "$folder/flip-444" $rank >"$folder/flip-444-$rank"; done
files=("$folder"/flip-444-64 "$folder"/flip-444-53 "$folder"/flip-444-49 "$own"/4x4x4-47.mtx
    "$folder"/flip-555-125 "$folder"/flip-555-103 "$schemes"/kauers-moosbauer/555-97-mod0.exp "$own"/5x5x5-93.mtx)
for file in "${files[@]}"; do
    if [ -s "$file" ]; then "$program" "$file"; else echo "# no $file"; fi
done
printf 'format\trank\treached\ttime\toptions\n'
search 3x3x3 23 60s
search 4x4x4 47 120s
search 4x4x4 47 60s --grow
search 3x4x5 47 60s --grow
search 4x4x5 60 120s --grow --grow-steps 400000000
search 5x5x5 93 120s --cyclic
