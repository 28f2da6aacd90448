#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes the C file that puts device code into the library: embed.sh kernels/perm/dense/gpu.cu [FATBIN] defines
# perm_dense_gpu_fatbin (base/device/device.h), empty without a FATBIN. Words of 8 bytes give the alignment that the driver
# wants and compile faster than bytes.
set -eu
source=$1
symbol=$(echo "$source" | sed 's|^kernels/||; s|\.cu$||; s|[^A-Za-z0-9]|_|g')_fatbin
echo '#include "base/device/device.h"'
if [ $# -gt 1 ]; then
    bytes=$(($(wc -c <"$2")))
    echo 'static const uint64_t image[] = {'
    od -An -v -tx8 "$2" | sed 's| *\([0-9a-f]\{16\}\)|0x\1,|g'
    echo '};'
    echo "const base_device_fatbin $symbol = {\"$source\", image, $bytes};"
else
    echo "const base_device_fatbin $symbol = {\"$source\", NULL, 0};"
fi
