/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/matrix/phases.h"
#include "base/run/progress.h"

#include <string.h>

/* The phase, a new one if it is not there; NULL where there is no room. */
static h2_phase *find(h2_phases *phases, const char *name, int64_t level) {
    const int room = (int)(sizeof phases->phase / sizeof *phases->phase);
    for (int k = 0; k < phases->count; k++)
        if (phases->phase[k].level == level && strcmp(phases->phase[k].name, name) == 0)
            return &phases->phase[k];
    if (phases->count == room)
        return NULL;
    phases->phase[phases->count] = (h2_phase){.name = name, .level = level};
    return &phases->phase[phases->count++];
}

void h2_phases_begin(h2_phases *phases) {
    if (phases != NULL)
        phases->since = base_clock_seconds();
}

void h2_phases_add(h2_phases *phases, const char *name, int64_t level, double seconds) {
    h2_phase *phase = phases != NULL ? find(phases, name, level) : NULL;
    if (phase != NULL)
        phase->seconds += seconds;
}

void h2_phases_end(h2_phases *phases, const char *name, int64_t level) {
    if (phases == NULL)
        return;
    const double now = base_clock_seconds();
    h2_phases_add(phases, name, level, now - phases->since);
    phases->since = now;
}

void h2_phases_count(h2_phases *phases, const char *name, int64_t level, double bytes, double flop) {
    h2_phase *phase = phases != NULL ? find(phases, name, level) : NULL;
    if (phase != NULL) {
        phase->bytes += bytes;
        phase->flop += flop;
    }
}

h2_phase h2_phases_sum(const h2_phases *phases) {
    h2_phase sum = {.name = "all", .level = -1};
    bool known = true;
    for (int k = 0; k < phases->count; k++) {
        sum.seconds += phases->phase[k].seconds;
        sum.bytes += phases->phase[k].bytes;
        sum.flop += phases->phase[k].flop;
        known = known && (phases->phase[k].level >= 0 || phases->phase[k].flop > 0);
    }
    if (!known)
        sum.flop = sum.bytes = 0;
    return sum;
}
