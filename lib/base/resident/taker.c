/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/resident/taker.h"
#include "base/core/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct base_taker {
    int listener, socket; /* the latter -1: no giver yet */
    bool has_met;         /* the stream has said who gives */
    base_resident_name name;
};

base_taker *base_taker_open(int pipe) {
    struct sockaddr_un address;
    base_resident_name name = {.token = {0}};
    if (!base_resident_find_pipe(pipe, &name))
        return NULL;
    base_taker *taker = base_alloc_silent(1, sizeof *taker);
    if (taker == NULL)
        return NULL;
    *taker = (base_taker){.socket = -1, .name = name};
    const socklen_t size = base_resident_address(&name, &address);
    taker->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (taker->listener >= 0 && bind(taker->listener, (struct sockaddr *)&address, size) == 0 &&
        listen(taker->listener, 8) == 0)
        return taker;
    base_taker_close(taker);
    return NULL;
}

static void close_socket(base_taker *taker) {
    if (taker->socket >= 0)
        close(taker->socket);
    taker->socket = -1;
}

void base_taker_close(base_taker *taker) {
    if (taker == NULL)
        return;
    close_socket(taker);
    if (taker->listener >= 0)
        close(taker->listener);
    free(taker);
}

base_status base_taker_meet(base_context *context, base_taker *taker, const base_resident_name *name) {
    if (name->device != taker->name.device || name->inode != taker->name.inode)
        return base_fail(context, BASE_DAMAGED,
                         "the stream is resident and came by way of another program, to which it was given");
    close_socket(taker);
    taker->name = *name;
    taker->has_met = true;
    return BASE_OK;
}

static void close_both(base_resident_gift *gift) {
    if (gift->descriptor >= 0)
        close(gift->descriptor);
    if (gift->device_descriptor >= 0)
        close(gift->device_descriptor);
    gift->descriptor = gift->device_descriptor = -1;
}

/* The packet that waits in the socket, and its descriptors; false: there is none. */
static bool receive(int socket, base_resident_packet *packet, base_resident_gift *gift) {
    int descriptors[2] = {-1, -1};
    union {
        char room[CMSG_SPACE(sizeof descriptors)];
        struct cmsghdr alignment;
    } control;
    struct iovec data = {packet, sizeof *packet};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    ssize_t count;
    /* A giver that ended with thanks unread leaves a reset, once, in front of its packets. */
    do
        count = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (count < 0 && (errno == EINTR || errno == ECONNRESET));
    if (count < 0)
        return false;
    const struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    if (rights != NULL && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS &&
        rights->cmsg_len <= CMSG_LEN(sizeof descriptors))
        memcpy(descriptors, CMSG_DATA(rights), rights->cmsg_len - CMSG_LEN(0));
    gift->descriptor = descriptors[0];
    gift->device_descriptor = descriptors[1];
    return count == (ssize_t)sizeof *packet && descriptors[0] >= 0 &&
           (descriptors[1] >= 0) == (packet->device_bytes > 0);
}

base_status base_taker_take(base_context *context, base_taker *taker, base_resident_gift *gift) {
    base_resident_packet packet;
    gift->descriptor = gift->device_descriptor = -1;
    while (taker->has_met) {
        if (taker->socket < 0) {
            taker->socket = accept4(taker->listener, NULL, NULL, SOCK_CLOEXEC);
            if (taker->socket < 0 && (errno == EINTR || errno == ECONNABORTED))
                continue;
            if (taker->socket < 0)
                break;
        }
        if (base_resident_is_same_user(taker->socket) && receive(taker->socket, &packet, gift) &&
            base_resident_is_packet(&packet, &taker->name, gift))
            return BASE_OK;
        /* Not the giver of this stream, but there may be another. */
        close_both(gift);
        close_socket(taker);
    }
    return base_fail(context, BASE_DAMAGED, "the memory of record %lld was not handed over",
                     (long long)gift->number);
}

void base_taker_thank(base_taker *taker, int64_t number) {
    const uint64_t word = (uint64_t)number;
    ssize_t count;
    do
        count = send(taker->socket, &word, sizeof word, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
}
