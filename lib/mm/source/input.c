/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/source/input.h"
#include "base/core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

void mm_input_init(mm_input *input, const void *data, size_t size, int descriptor) {
    *input = (mm_input){.data = data, .size = size, .descriptor = descriptor, .wake = {-1, -1}};
}

int mm_input_make_interruptible(mm_input *input) {
    if (pipe(input->wake) != 0) {
        input->wake[0] = input->wake[1] = -1;
        return -1;
    }
    fcntl(input->wake[0], F_SETFD, FD_CLOEXEC);
    fcntl(input->wake[1], F_SETFD, FD_CLOEXEC);
    return 0;
}

void mm_input_interrupt(mm_input *input) {
    if (input->wake[1] >= 0)
        close(input->wake[1]);
    input->wake[1] = -1;
}

void mm_input_close(mm_input *input) {
    mm_input_interrupt(input);
    if (input->wake[0] >= 0)
        close(input->wake[0]);
    input->wake[0] = -1;
}

/* Waits until the descriptor has something to say. */
static int wait_readable(mm_input *input) {
    struct pollfd waiting[2] = {{.fd = input->descriptor, .events = POLLIN},
                                {.fd = input->wake[0], .events = POLLIN}};
    int count;
    do
        count = poll(waiting, 2, -1);
    while (count < 0 && errno == EINTR);
    if (count >= 0 && waiting[1].revents != 0) {
        errno = ECANCELED;
        return -1;
    }
    return count < 0 ? -1 : 0;
}

static ssize_t read_bytes(void *self, void *buffer, size_t size, const char **damage) {
    mm_input *input = self;
    *damage = NULL;
    if (input->size > 0) {
        size_t count = size < input->size ? size : input->size;
        memcpy(buffer, input->data, count);
        input->data += count;
        input->size -= count;
        return (ssize_t)count;
    }
    if (input->descriptor < 0 || input->at_end) {
        input->at_end = true;
        return 0;
    }
    if (input->wake[0] >= 0 && wait_readable(input) != 0)
        return -1;
    ssize_t count = base_read(input->descriptor, buffer, size);
    input->at_end = count == 0;
    return count;
}

mm_bytes mm_input_bytes(mm_input *input) {
    return (mm_bytes){read_bytes, input};
}
