/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/identity.h"
#include "base/core/control.h"
#include "base/core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Texts are hashed with their final NUL: "a", "bc" and "ab", "c" differ. */
static void extend_hash(base_identity *identity, const char *option, const char *argument) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, identity->hash, sizeof identity->hash);
    XXH3_128bits_update(&state, option, strlen(option) + 1);
    if (argument != NULL)
        XXH3_128bits_update(&state, argument, strlen(argument) + 1);
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
    base_hash_digits(canonical.digest, identity->hash);
}

static base_status append(base_context *context, base_identity *identity, const char *before,
                          const char *text) {
    const size_t old = identity->text != NULL ? strlen(identity->text) : 0,
                 bytes = old + strlen(before) + strlen(text) + 1;
    const base_status status = base_resize(context, &identity->text, (int64_t)bytes, 1);
    if (status != BASE_OK)
        return status;
    snprintf(identity->text + old, bytes - old, "%s%s", before, text);
    base_control_flatten(identity->text + old);
    return BASE_OK;
}

base_status base_identity_start(base_context *context, base_identity *identity, const char *program,
                                const char *version) {
    base_status status;
    *identity = (base_identity){.text = NULL};
    BASE_TRY(append(context, identity, "", program));
    BASE_TRY(append(context, identity, " ", version));
    extend_hash(identity, program, version);
done:
    return status;
}

void base_identity_free(base_identity *identity) {
    if (identity == NULL)
        return;
    free(identity->text);
    *identity = (base_identity){.text = NULL};
}

base_status base_identity_copy(base_context *context, base_identity *to, const base_identity *from) {
    *to = *from;
    to->text = base_copy_text(context, from->text, (int64_t)strlen(from->text));
    return to->text != NULL ? BASE_OK : BASE_MACHINE;
}

base_status base_identity_add(base_context *context, base_identity *identity, const char *option,
                              const char *argument) {
    base_status status;
    BASE_TRY(append(context, identity, " --", option));
    if (argument != NULL)
        BASE_TRY(append(context, identity, " ", argument));
    extend_hash(identity, option, argument);
done:
    return status;
}

base_status base_identity_copy_part(base_context *context, base_identity *to, const base_identity *from,
                                    int64_t index, int64_t count) {
    base_status status;
    char part[48];
    BASE_TRY(base_identity_copy(context, to, from));
    snprintf(part, sizeof part, "%lld/%lld", (long long)index, (long long)count);
    if (count > 0)
        BASE_TRY(base_identity_add(context, to, "part", part));
done:
    return status;
}

void base_identity_excerpts(const char *one, const char *other, char excerpt[2][BASE_EXCERPT]) {
    enum { BEFORE = 40, DOTS = 3, ROOM = BASE_EXCERPT - 1 - 2 * DOTS };
    const char *const text[] = {one, other};
    size_t same = 0;
    while (one[same] != '\0' && one[same] == other[same])
        same++;
    const bool is_short = strlen(one) < BASE_EXCERPT && strlen(other) < BASE_EXCERPT;
    const size_t begin = is_short || same < BEFORE ? 0 : same - BEFORE;
    for (int i = 0; i < 2; i++) {
        const size_t left = strlen(text[i]) - begin;
        const bool is_cut = !is_short && left > ROOM;
        snprintf(excerpt[i], BASE_EXCERPT, "%s%.*s%s", begin > 0 ? "..." : "",
                 is_short ? BASE_EXCERPT - 1 : (int)ROOM, text[i] + begin, is_cut ? "..." : "");
    }
}
