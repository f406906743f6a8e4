#define _GNU_SOURCE

#include "spawned.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

int tidemark_spawned_pipe(int ends[2]) {
#if defined(__APPLE__)
    // POSIX_SPAWN_CLOEXEC_DEFAULT keeps the pipe from the children of tidemark_spawned_start.
    return pipe(ends) == 0 ? 0 : errno;
#else
    return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
#endif
}

int tidemark_spawned_start(const char *executable, char *const arguments[], char *const environment[],
                           const int streams[3], int *child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    short flags = POSIX_SPAWN_SETPGROUP;
#if defined(__APPLE__)
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
    error = posix_spawnattr_setflags(&attributes, flags);
    for (int number = 0; number < 3 && error == 0; number++) {
        error = posix_spawn_file_actions_adddup2(&actions, streams[number], number);
    }
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
    // Otherwise the child inherits pipes of other code in this process, which then do not end while the child lives.
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
    pid_t started = 0;
    if (error == 0) error = posix_spawn(&started, executable, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    *child = started;
    return error;
}
