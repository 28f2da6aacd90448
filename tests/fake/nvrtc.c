/* SPDX-License-Identifier: BSD-3-Clause */
/* The fake NVRTC (cuda.c). */
#include "tests/fake/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fake_program {
    char *text, *image;
} fake_program;

static int compilations;

/* How often a program was compiled; tests call it. */
int fake_compilations(void) {
    return compilations;
}

const char *nvrtcGetErrorString(int result) {
    return result == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR";
}

int nvrtcVersion(int *major, int *minor) {
    *major = (int)fake_environment("MMPIPE_FAKE_NVRTC", 13);
    *minor = 0;
    return 0;
}

int nvrtcGetNumSupportedArchs(int *count) {
    *count = 3;
    return 0;
}

int nvrtcGetSupportedArchs(int *architectures) {
    const int known[] = {80, 86, 90};
    memcpy(architectures, known, sizeof known);
    return 0;
}

int nvrtcCreateProgram(fake_program **program, const char *text, const char *name, int headers,
                       const char *const *header, const char *const *header_name) {
    (void)name;
    (void)header;
    (void)header_name;
    *program = calloc(1, sizeof **program);
    (*program)->text = strdup(text);
    return headers;
}

int nvrtcDestroyProgram(fake_program **program) {
    free((*program)->text);
    free((*program)->image);
    free(*program);
    *program = NULL;
    return 0;
}

int nvrtcCompileProgram(fake_program *program, int options, const char *const *option) {
    size_t size = strlen(program->text) + 16;
    compilations++;
    if (strstr(program->text, "#error") != NULL)
        return 6;
    for (int i = 0; i < options; i++)
        size += strlen(option[i]) + 1;
    program->image = malloc(size);
    sprintf(program->image, "FAKE %s\n//", program->text);
    for (int i = 0; i < options; i++)
        strcat(strcat(program->image, " "), option[i]);
    return 0;
}

static const char fake_log[] = "warning: first\nfake.cu(3): error: #error here\n";

int nvrtcGetProgramLogSize(fake_program *program, size_t *bytes) {
    (void)program;
    *bytes = sizeof fake_log;
    return 0;
}

int nvrtcGetProgramLog(fake_program *program, char *log) {
    (void)program;
    memcpy(log, fake_log, sizeof fake_log);
    return 0;
}

int nvrtcGetCUBINSize(fake_program *program, size_t *bytes) {
    *bytes = strlen(program->image) + 1;
    return 0;
}

int nvrtcGetCUBIN(fake_program *program, char *image) {
    strcpy(image, program->image);
    return 0;
}

int nvrtcGetPTXSize(fake_program *program, size_t *bytes) {
    return nvrtcGetCUBINSize(program, bytes);
}

int nvrtcGetPTX(fake_program *program, char *image) {
    return nvrtcGetCUBIN(program, image);
}
