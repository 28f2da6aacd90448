/* SPDX-License-Identifier: BSD-3-Clause */
#include "order/child.h"
#include "base/core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Signals are put off since before the fork, so that none comes to a handler of the parent, or to one that
 * the library installs. The parent may have ended before it could be watched. */
static void work_in_child(pid_t parent, int to, bool (*work)(void *data), void *data, const void *result,
                          size_t bytes) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    _exit(work(data) && base_write(to, result, bytes) == 0 ? 0 : 1);
}

base_status order_in_child(base_context *context, const char *what, bool (*work)(void *data), void *data,
                           void *result, size_t bytes) {
    int ends[2], ended = 0;
    sigset_t all, before;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return base_fail_errno(context, BASE_MACHINE, "%s: cannot make a pipe", what);
    const pid_t parent = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const pid_t child = fork();
    const int error = errno;
    if (child == 0) {
        close(ends[0]);
        work_in_child(parent, ends[1], work, data, result, bytes);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    const bool is_whole = child > 0 && base_read_all(ends[0], result, bytes) == (ssize_t)bytes;
    close(ends[0]);
    errno = error;
    if (child < 0)
        return base_fail_errno(context, BASE_MACHINE, "%s: cannot start a process", what);
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(ended))
        return base_fail(context, BASE_MACHINE, "%s was ended by signal %d", what, WTERMSIG(ended));
    return is_whole && WEXITSTATUS(ended) == 0 ? BASE_OK
                                               : base_fail(context, BASE_MACHINE, "%s failed", what);
}
