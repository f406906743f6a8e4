// Counts what goes through the allocator: the executable's own malloc stands before the system's.
// A sanitizer has one of its own, which this would be called by before it is set up; then nothing is counted.
#include "reference.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HAS_SANITIZER
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_SANITIZER)

#include <errno.h>
#include <stdatomic.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic bool isCounting;
static _Atomic uint64_t allocationCount;

static inline void noteAllocation(void) {
    if (__builtin_expect(atomic_load_explicit(&isCounting, memory_order_relaxed), 0)) {
        atomic_fetch_add_explicit(&allocationCount, 1, memory_order_relaxed);
    }
}

void *malloc(size_t size) {
    noteAllocation();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    noteAllocation();
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    noteAllocation();
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    noteAllocation();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    noteAllocation();
    void *found = __libc_memalign(alignment, size);
    if (!found) return ENOMEM;
    *block = found;
    return 0;
}

bool reference_allocations_begin(void) {
    atomic_store(&allocationCount, 0);
    atomic_store(&isCounting, true);
    return true;
}

uint64_t reference_allocations_end(void) {
    atomic_store(&isCounting, false);
    return atomic_load(&allocationCount);
}

#else

bool reference_allocations_begin(void) { return false; }

uint64_t reference_allocations_end(void) { return 0; }

#endif
