// Prefetch instructions, which Swift cannot emit: they load a cache line before its use.
#ifndef TIDEMARK_PREFETCH_H
#define TIDEMARK_PREFETCH_H

// Prefetches the cache line of `address` for reading. Any address is allowed.
static inline void tidemark_prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }

// Prefetches the cache line of `address` for writing. Any address is allowed.
static inline void tidemark_prefetch_for_write(const void *address) { __builtin_prefetch(address, 1, 3); }

#endif
