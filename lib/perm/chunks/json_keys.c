/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/chunks/json_keys.h"

#include <string.h>

json_t *perm_json_write(base_context *context, const perm_json_group *groups, int count) {
    json_t *object = json_object();
    for (int g = 0; g < count; g++)
        for (const perm_json_key *key = groups[g].keys; object != NULL && key->name != NULL; key++)
            /* Without memory `write` gives NULL, which is not set either. */
            if (json_object_set_new(
                    object, key->name,
                    key->type->write(context, (const char *)groups[g].object + key->offset))) {
                json_decref(object);
                object = NULL;
            }
    return object;
}

static bool is_known(const perm_json_group *groups, int count, const char *name) {
    for (int g = 0; g < count; g++)
        for (const perm_json_key *key = groups[g].keys; key->name != NULL; key++)
            if (strcmp(key->name, name) == 0)
                return true;
    return false;
}

/* All keys of the groups are there: one more is unknown. */
static base_status refuse_unknown(base_context *context, const json_t *json, const perm_json_group *groups,
                                  int count) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)json, name, value) {
        if (!is_known(groups, count, name))
            return base_fail(context, BASE_DAMAGED, "the key '%.40s' is unknown", name);
    }
    return BASE_OK;
}

static base_status read_key(base_context *context, const json_t *json, const perm_json_key *key,
                            void *object) {
    const json_t *value = json_object_get(json, key->name);
    if (value == NULL)
        return base_fail(context, BASE_DAMAGED, "the key '%s' is missing", key->name);
    base_status status = key->type->read(context, value, (char *)object + key->offset);
    if (status == BASE_FAILED)
        status =
            base_fail(context, BASE_DAMAGED, "the key '%s' has another type or is out of range", key->name);
    return status;
}

base_status perm_json_read(base_context *context, const json_t *json, const perm_json_group *groups,
                           int count) {
    base_status status = BASE_OK;
    size_t known = 0;
    if (!json_is_object(json))
        return base_fail(context, BASE_DAMAGED, "no JSON object");
    for (int g = 0; g < count; g++)
        for (const perm_json_key *key = groups[g].keys; key->name != NULL; key++, known++)
            BASE_TRY(read_key(context, json, key, groups[g].object));
    if (json_object_size(json) != known)
        status = refuse_unknown(context, json, groups, count);
done:
    return status;
}
