/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that one program hands to the next in a pipe, instead of writing its bytes.
 *
 * The memory is a file without a name (memfd_create(2)), sealed, so that nobody can shorten it any more, nor
 * change it unless it becomes the taker's own: memory.h. Its descriptor travels by SCM_RIGHTS (unix(7))
 * through a socket beside the pipe. The program that reads a pipe, the taker (taker.h), listens before its
 * first read at an abstract address that is made of the pipe's number. The one that writes it, the giver
 * (giver.h), connects there. Three things follow. Neither side creates a file, so none is left behind,
 * however they end. Only the program at the other end of this very pipe can take the memory. And once the
 * giver's first bytes have left the pipe and nobody listens, whoever read them is no taker, which needs no
 * waiting time.
 *
 * A packet of the socket is a base_resident_packet. The giver's packets have a descriptor; it sends one
 * before the frame of the same record enters the pipe, so a taker that has read the frame finds the packet
 * waiting, whether or not the giver still lives. The taker sends the number back when it owns the memory.
 * Both sides ask the kernel for the other's user (SO_PEERCRED) and refuse any but their own. */
#ifndef BASE_RESIDENT_RESIDENT_H
#define BASE_RESIDENT_RESIDENT_H

#include "base/core/context.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { BASE_RESIDENT_TOKEN_BYTES = 16 };

/* What a stream says of its giver: the pipe's device and number, which make the address, and a random token
 * that each packet repeats. */
typedef struct base_resident_name {
    unsigned char token[BASE_RESIDENT_TOKEN_BYTES];
    uint64_t device, inode;
} base_resident_name;

typedef struct base_resident_packet {
    char magic[8]; /* "mmpipeR1" */
    unsigned char token[BASE_RESIDENT_TOKEN_BYTES];
    uint64_t number;       /* of the record in its stream, from 1 */
    uint64_t bytes;        /* of the memory */
    uint64_t device_bytes; /* of memory of a device, whose descriptor comes second; 0: there is none */
} base_resident_packet;

/* What is handed over for a record. */
typedef struct base_resident_gift {
    int64_t number;
    int64_t bytes, device_bytes;
    int descriptor, device_descriptor; /* the latter -1: none */
} base_resident_gift;

/* The device and number of the pipe behind a descriptor; false: it is none. */
bool base_resident_find_pipe(int descriptor, base_resident_name *name);

/* The address of a pipe's taker. */
socklen_t base_resident_address(const base_resident_name *name, struct sockaddr_un *address);

/* Whether the program at the other end of a socket has this program's user. */
bool base_resident_is_same_user(int socket);

void base_resident_fill_packet(base_resident_packet *packet, const base_resident_name *name,
                               const base_resident_gift *gift);
bool base_resident_is_packet(const base_resident_packet *packet, const base_resident_name *name,
                             const base_resident_gift *gift);

#endif
