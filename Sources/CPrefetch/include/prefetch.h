// Swift has no way to ask the processor for a cache line ahead of its use; this is one.
#ifndef TIDEMARK_PREFETCH_H
#define TIDEMARK_PREFETCH_H

// Asks for the line that holds `address`, which may be any address at all.
static inline void tidemark_prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }

// The same, for a line that will be written.
static inline void tidemark_prefetch_for_write(const void *address) { __builtin_prefetch(address, 1, 3); }

#endif
