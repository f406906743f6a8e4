#include "heap.h"

#if defined(__APPLE__)
#include <malloc/malloc.h>
#elif defined(__linux__)
#include <malloc.h>
#endif

void tidemark_heap_share(void) {
#if defined(__GLIBC__)
    mallopt(M_ARENA_MAX, 1);
#endif
}

void tidemark_heap_trim(void) {
#if defined(__APPLE__)
    malloc_zone_pressure_relief(0, 0);
#elif defined(__GLIBC__)
    malloc_trim(0);
#endif
}

unsigned long tidemark_heap_used(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}
