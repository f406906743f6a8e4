#ifndef TIDEMARK_SPAWNED_H
#define TIDEMARK_SPAWNED_H

/* Creates a pipe that no child inherits: ends[0] reads, ends[1] writes. Returns 0, or an errno. */
int tidemark_spawned_pipe(int ends[2]);

/* Starts a child process in a process group of its own. Its only descriptors are 0, 1 and 2, which are streams[0..2].
   `arguments` and `environment` end with NULL. Returns 0 and sets `child` to its process id, or returns an errno. */
int tidemark_spawned_start(const char *executable, char *const arguments[], char *const environment[],
                           const int streams[3], int *child);

#endif
