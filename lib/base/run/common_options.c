/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/common_options.h"

#include <stddef.h>

typedef struct common_option {
    unsigned needs; /* base_common flag, 0: everyone */
    base_option option;
} common_option;

void base_common_options_make(base_run *run) {
    const common_option all[] = {
        {0,
         {"output", 'o', BASE_TEXT, "FILE", "write to FILE, which appears when it is complete",
          &run->output_path}},
        {0, {"threads", 'j', BASE_INTEGER, "N", "use N threads (default: all processors)", &run->threads}},
        {BASE_HAS_FORM | BASE_HAS_FORM_ALONE,
         {"form", 0, BASE_CHOICE, "text|bin|resident",
          "form of the output stream; resident: left in memory\nfor the next program of the pipe",
          &run->form}},
        {BASE_HAS_FORM,
         {"level", 0, BASE_INTEGER, "N", "zstd level of --form bin; 0 stores (default: 1)", &run->level}},
        {BASE_HAS_SEED, {"seed", 0, BASE_INTEGER, "N", "seed of everything random (default: 1)", &run->seed}},
        {BASE_HAS_PART,
         {"part", 0, BASE_PART, "R/M",
          "do part R of M of the work; rank: this process of mpirun;\narray: this task of a Slurm array",
          &run->part}},
        {BASE_HAS_DEVICE | BASE_HAS_PLACE,
         {"device", 0, BASE_TEXT, "auto|cpu|cuda[:N,...]", "where to compute (default: auto)",
          &run->device_text}},
        {BASE_HAS_DEVICE,
         {"kernel", 0, BASE_TEXT, "NAME|list", "use this kernel, or list them", &run->kernel}},
        {0,
         {"memory", 0, BASE_BYTES, "BYTES",
          "refuse work that needs more, e.g. 8G\n(default: half of the memory)", &run->memory_bytes}},
        {BASE_HAS_CHECKPOINT,
         {"checkpoint", 0, BASE_TEXT, "FILE", "save the state there, and go on from it", &run->checkpoint}},
        {BASE_HAS_CHECKPOINT | BASE_HAS_TIME_LIMIT,
         {"time-limit", 0, BASE_SECONDS, "TIME", "stop with a checkpoint after TIME (s, m, h, d)",
          &run->time_limit_seconds}},
        {BASE_HAS_MAX_TIME,
         {"max-time", 0, BASE_SECONDS, "TIME",
          "refuse work that is expected to take longer,\nand stop what does", &run->max_time_seconds}},
        {BASE_HAS_FORM | BASE_HAS_FORM_ALONE | BASE_HAS_VERIFY,
         {"verify", 0, BASE_FLAG, NULL,
          "check a sample of the work again,\nand what --form resident hands over", &run->verify}},
        {BASE_HAS_VERIFY,
         {"verify-share", 0, BASE_REAL, "SHARE", "recompute this share, 1 for everything",
          &run->verify_share}},
        {BASE_HAS_EXPLAIN, {"explain", 0, BASE_FLAG, NULL, "say what was weighed and chosen", &run->explain}},
        {BASE_HAS_PHASES,
         {"phases", 0, BASE_TEXT, "FILE", "write there what each phase and level took", &run->phases}},
        {BASE_HAS_JSON, {"json", 0, BASE_FLAG, NULL, "one JSON object a line", &run->json}},
        {BASE_HAS_KEEP_GOING,
         {"keep-going", 'k', BASE_FLAG, NULL, "go on after a record that failed; exit 1 in the end",
          &run->keep_going}},
        {BASE_HAS_PROGRESS,
         {"progress", 0, BASE_FLAG, NULL, "show progress even if stderr is no terminal",
          &run->show_progress}},
        {0, {"quiet", 'q', BASE_FLAG, NULL, "no remarks, errors only", &run->quiet}},
        {0, {"verbose", 'v', BASE_FLAG, NULL, "more remarks", &run->verbose}},
        {0, {"help", 'h', BASE_FLAG, NULL, "print this help", &run->show_help}},
        {0, {"version", 'V', BASE_FLAG, NULL, "print the version", &run->show_version}},
    };
    base_option *next = run->common_options;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].needs == 0 || (all[i].needs & run->program->common) != 0)
            *next++ = all[i].option;
    *next = (base_option)BASE_OPTIONS_END;
}
