/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/resident/giver.h"
#include "base/core/memory.h"
#include "base/core/thread.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

struct base_giver {
    int pipe, socket; /* the socket is -1 until it is connected */
    base_resident_name name;
    int64_t pending[BASE_GIVER_PENDING]; /* bytes of each record that was not taken, oldest first */
    int pending_count;
    int64_t pending_bytes;
};

base_status base_giver_open(base_context *context, int pipe, base_giver **result) {
    base_status status = BASE_OK;
    base_giver *giver = base_alloc_zero(context, 1, sizeof *giver);
    if (giver == NULL)
        BASE_TRY(BASE_MACHINE);
    giver->pipe = pipe;
    giver->socket = -1;
    if (!base_resident_find_pipe(pipe, &giver->name))
        BASE_TRY(base_fail(context, BASE_FAILED,
                           "--form resident: the output is no pipe; only a program of mmpipe behind a pipe "
                           "can take what stays in memory (--form bin can be stored)"));
    if (getrandom(giver->name.token, sizeof giver->name.token, 0) != (ssize_t)sizeof giver->name.token)
        BASE_TRY(base_fail_errno(context, BASE_MACHINE, "no random numbers"));
done:
    if (status != BASE_OK) {
        free(giver);
        giver = NULL;
    }
    *result = giver;
    return status;
}

void base_giver_close(base_giver *giver) {
    if (giver == NULL)
        return;
    if (giver->socket >= 0)
        close(giver->socket);
    free(giver);
}

const base_resident_name *base_giver_name(const base_giver *giver) {
    return &giver->name;
}

/* ---- connecting ---- */

/* A socket that is connected; -1 with errno. */
static int try_connect(const base_resident_name *name) {
    struct sockaddr_un address;
    const socklen_t size = base_resident_address(name, &address);
    const int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    int result;
    if (made < 0)
        return -1;
    do
        result = connect(made, (struct sockaddr *)&address, size);
    while (result != 0 && errno == EINTR);
    if (result == 0)
        return made;
    const int number = errno;
    close(made);
    errno = number;
    return -1;
}

/* Waits a while, or until nobody reads the pipe. */
static bool is_deserted(int pipe, int milliseconds) {
    struct pollfd state = {.fd = pipe};
    return poll(&state, 1, milliseconds) > 0 && (state.revents & POLLERR) != 0;
}

/* Whether all that was written to the pipe was read. */
static bool is_drained(int pipe) {
    int unread = 1;
    return ioctl(pipe, FIONREAD, &unread) == 0 && unread == 0;
}

base_status base_giver_connect(base_context *context, base_giver *giver, bool *gone) {
    bool was_drained = false;
    *gone = false;
    for (int wait = 0; giver->socket < 0; wait = wait < 16 ? wait + 1 : wait) {
        /* A taker listens before it reads: so look at the pipe first, then connect. */
        const bool drained = is_drained(giver->pipe);
        giver->socket = try_connect(&giver->name);
        if (giver->socket >= 0)
            break;
        if (errno != ECONNREFUSED)
            return base_fail_errno(context, BASE_MACHINE, "--form resident: no socket");
        *gone = is_deserted(giver->pipe, drained ? 0 : wait);
        if (*gone)
            return BASE_OK;
        if (drained && was_drained)
            return base_fail(context, BASE_FAILED,
                             "--form resident: the program behind the pipe is none of mmpipe's, which could "
                             "take memory over (--form bin goes through any program)");
        was_drained = drained;
    }
    if (base_resident_is_same_user(giver->socket))
        return BASE_OK;
    return base_fail(context, BASE_FAILED,
                     "--form resident: the program behind the pipe belongs to another user");
}

bool base_giver_is_connected(const base_giver *giver) {
    return giver->socket >= 0;
}

/* ---- handing over ---- */

static base_status refuse(base_context *context) {
    return base_fail(context, BASE_FAILED,
                     "--form resident: the program behind the pipe has ended or takes no more");
}

/* Takes note of one record that was taken, waiting for it if asked to; *found false: there is none. */
static base_status take_note(base_context *context, base_giver *giver, bool waiting, bool *found) {
    uint64_t number;
    ssize_t count;
    do
        count = recv(giver->socket, &number, sizeof number, waiting ? 0 : MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    *found = count == (ssize_t)sizeof number && giver->pending_count > 0;
    if (!*found)
        return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? BASE_OK : refuse(context);
    giver->pending_bytes -= giver->pending[0];
    giver->pending_count--;
    memmove(giver->pending, giver->pending + 1, (size_t)giver->pending_count * sizeof *giver->pending);
    return BASE_OK;
}

base_status base_giver_wait(base_context *context, base_giver *giver, int64_t bytes) {
    base_status status = BASE_OK;
    const int64_t most = context->memory_bytes / 4;
    bool found = true;
    while (giver->pending_count > 0 && found)
        BASE_TRY(take_note(context, giver, false, &found));
    while (giver->pending_count == BASE_GIVER_PENDING ||
           (giver->pending_count > 0 && bytes > most - giver->pending_bytes))
        BASE_TRY(take_note(context, giver, true, &found));
done:
    return status;
}

base_status base_giver_give(base_context *context, base_giver *giver, const base_resident_gift *gift) {
    enum { LARGE_BYTES = 64 << 20 }; /* work on them takes the taker longer than the start of threads */
    const int descriptors[2] = {gift->descriptor, gift->device_descriptor};
    const size_t size = sizeof(int) * (gift->device_descriptor >= 0 ? 2 : 1);
    base_resident_packet packet;
    union {
        char room[CMSG_SPACE(sizeof descriptors)];
        struct cmsghdr alignment;
    } control = {.room = {0}};
    struct iovec data = {&packet, sizeof packet};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = CMSG_SPACE(size)};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    if (gift->bytes >= LARGE_BYTES)
        base_threads_rest();
    base_resident_fill_packet(&packet, &giver->name, gift);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(rights), descriptors, size);
    ssize_t count;
    do
        count = sendmsg(giver->socket, &message, MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return refuse(context);
    giver->pending[giver->pending_count++] = gift->bytes;
    giver->pending_bytes += gift->bytes;
    return BASE_OK;
}
