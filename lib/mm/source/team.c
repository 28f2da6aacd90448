/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/source/team.h"
#include "base/core/memory.h"
#include "base/core/thread.h"

#include <stdlib.h>

struct mm_team {
    pthread_mutex_t lock;
    pthread_cond_t started, finished;
    mm_team_loop *loop; /* NULL: none is under way */
    bool is_closing;
    int helpers;
    pthread_t helper[];
};

/* Does calls of the loop until none is left to begin. The lock is held, but not during the calls. */
static void do_calls(mm_team *team, mm_team_loop *loop) {
    while (loop->next < loop->count) {
        const int i = loop->next++;
        loop->running++;
        pthread_mutex_unlock(&team->lock);
        loop->work(loop->data, i);
        pthread_mutex_lock(&team->lock);
        if (--loop->running == 0 && loop->next == loop->count)
            pthread_cond_signal(&team->finished);
    }
}

static void *help(void *data) {
    mm_team *team = data;
    pthread_mutex_lock(&team->lock);
    while (!team->is_closing) {
        if (team->loop != NULL && team->loop->next < team->loop->count)
            do_calls(team, team->loop);
        else
            pthread_cond_wait(&team->started, &team->lock);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

mm_team *mm_team_open(int threads) {
    /* OpenMP has taken what threads there are. */
    if (threads < 2 || base_threads_are_scarce())
        return NULL;
    mm_team *team = base_alloc_silent(1, (int64_t)(sizeof *team + (size_t)threads * sizeof *team->helper));
    if (team == NULL)
        return NULL;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->started, NULL);
    pthread_cond_init(&team->finished, NULL);
    team->loop = NULL;
    team->is_closing = false;
    team->helpers = 0;
    while (team->helpers < threads - 1 && base_thread_start(&team->helper[team->helpers], help, team) == 0)
        team->helpers++;
    if (team->helpers > 0)
        return team;
    mm_team_close(team);
    return NULL;
}

void mm_team_close(mm_team *team) {
    if (team == NULL)
        return;
    pthread_mutex_lock(&team->lock);
    team->is_closing = true;
    pthread_cond_broadcast(&team->started);
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < team->helpers; i++)
        pthread_join(team->helper[i], NULL);
    pthread_cond_destroy(&team->started);
    pthread_cond_destroy(&team->finished);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

void mm_team_start(mm_team *team, mm_team_loop *loop) {
    loop->next = loop->running = 0;
    if (team == NULL)
        return;
    pthread_mutex_lock(&team->lock);
    team->loop = loop;
    for (int i = 0; i < team->helpers && i < loop->count; i++)
        pthread_cond_signal(&team->started);
    pthread_mutex_unlock(&team->lock);
}

void mm_team_wait(mm_team *team, mm_team_loop *loop) {
    if (team == NULL) {
        while (loop->next < loop->count)
            loop->work(loop->data, loop->next++);
        return;
    }
    pthread_mutex_lock(&team->lock);
    do_calls(team, loop);
    while (loop->running > 0)
        pthread_cond_wait(&team->finished, &team->lock);
    team->loop = NULL;
    pthread_mutex_unlock(&team->lock);
}
