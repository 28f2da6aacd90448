/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/resident/resident.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'m', 'm', 'p', 'i', 'p', 'e', 'R', '1'};

bool base_resident_find_pipe(int descriptor, base_resident_name *name) {
    struct stat about;
    if (descriptor < 0 || fstat(descriptor, &about) != 0 || !S_ISFIFO(about.st_mode))
        return false;
    name->device = (uint64_t)about.st_dev;
    name->inode = (uint64_t)about.st_ino;
    return true;
}

socklen_t base_resident_address(const base_resident_name *name, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    /* A first byte of 0 makes it abstract: it is no file. */
    const int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "mmpipe:%llx:%llx",
                                (unsigned long long)name->device, (unsigned long long)name->inode);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

bool base_resident_is_same_user(int socket) {
    struct ucred other;
    socklen_t size = sizeof other;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 && other.uid == geteuid();
}

void base_resident_fill_packet(base_resident_packet *packet, const base_resident_name *name,
                               const base_resident_gift *gift) {
    memcpy(packet->magic, magic, sizeof magic);
    memcpy(packet->token, name->token, sizeof packet->token);
    packet->number = (uint64_t)gift->number;
    packet->bytes = (uint64_t)gift->bytes;
    packet->device_bytes = (uint64_t)gift->device_bytes;
}

bool base_resident_is_packet(const base_resident_packet *packet, const base_resident_name *name,
                             const base_resident_gift *gift) {
    base_resident_packet due;
    base_resident_fill_packet(&due, name, gift);
    return memcmp(packet, &due, sizeof due) == 0;
}
