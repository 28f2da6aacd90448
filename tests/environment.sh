# SPDX-License-Identifier: BSD-3-Clause
# Sourced before every test with the absolute source and build folders: . environment.sh SRCDIR BUILDDIR
PATH=$2/bin:$PATH
LC_ALL=C
MMPIPE_SOURCE=$1
MMPIPE_BUILD=$2
if [ -z "${MMPIPE_SHARED-}" ] && [ -d "$1/../shared" ]; then
    MMPIPE_SHARED=$1/../shared
fi
[ -n "${MMPIPE_SHARED-}" ] && export MMPIPE_SHARED
# What programs remember must not come from, or go to, the cache of the person who runs the tests.
MMPIPE_CACHE=$2/tests/cache
# ... nor may device code that a package has installed. That of this build has its place in the folder.
MMPIPE_KERNEL_FILES=$2
# Choices between processor and device must not follow what other tests have measured.
MMPIPE_DEVICE_COSTS=0.25:12e9:12e9
# Tests count threads.
unset OMP_THREAD_LIMIT OMP_DYNAMIC
export MMPIPE_DEVICE_COSTS MMPIPE_CACHE MMPIPE_KERNEL_FILES PATH LC_ALL MMPIPE_SOURCE MMPIPE_BUILD
