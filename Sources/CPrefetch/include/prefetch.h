// Swift cannot ask the processor for a cache line before its use; these functions can.
#ifndef TIDEMARK_PREFETCH_H
#define TIDEMARK_PREFETCH_H

// Prefetches the cache line of `address`, which may be any address.
static inline void tidemark_prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }

// Prefetches the cache line of `address`, which will be written.
static inline void tidemark_prefetch_for_write(const void *address) { __builtin_prefetch(address, 1, 3); }

#endif
