// Counts the calls of the allocator and measures its bytes: the executable's own malloc comes before the system's. A
// sanitizer has a malloc of its own, which would call this one before it is set up; with a sanitizer nothing is
// counted.
#include "reference.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HAS_SANITIZER
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_SANITIZER)

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static _Atomic bool isCounting;
static _Atomic uint64_t allocationCount;

static _Atomic bool isWeighing;
// Below 0 when more of the earlier memory was freed than new memory was allocated.
static _Atomic int64_t liveByteCount;
static _Atomic int64_t peakByteCount;

static inline void *weighed(void *block) {
    if (__builtin_expect(atomic_load_explicit(&isWeighing, memory_order_relaxed), 0) && block) {
        int64_t size = (int64_t)malloc_usable_size(block);
        int64_t live = atomic_fetch_add_explicit(&liveByteCount, size, memory_order_relaxed) + size;
        int64_t peak = atomic_load_explicit(&peakByteCount, memory_order_relaxed);
        while (live > peak && !atomic_compare_exchange_weak(&peakByteCount, &peak, live)) {}
    }
    return block;
}

static inline void unweigh(void *block) {
    if (__builtin_expect(atomic_load_explicit(&isWeighing, memory_order_relaxed), 0) && block) {
        atomic_fetch_sub_explicit(&liveByteCount, (int64_t)malloc_usable_size(block), memory_order_relaxed);
    }
}

static inline void noteAllocation(void) {
    if (__builtin_expect(atomic_load_explicit(&isCounting, memory_order_relaxed), 0)) {
        atomic_fetch_add_explicit(&allocationCount, 1, memory_order_relaxed);
    }
}

void *malloc(size_t size) {
    noteAllocation();
    return weighed(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
    noteAllocation();
    return weighed(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size) {
    noteAllocation();
    unweigh(block);
    return weighed(__libc_realloc(block, size));
}

void free(void *block) {
    unweigh(block);
    __libc_free(block);
}

void *aligned_alloc(size_t alignment, size_t size) {
    noteAllocation();
    return weighed(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    noteAllocation();
    void *found = weighed(__libc_memalign(alignment, size));
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

bool reference_peak_begin(void) {
    atomic_store(&liveByteCount, 0);
    atomic_store(&peakByteCount, 0);
    atomic_store(&isWeighing, true);
    return true;
}

uint64_t reference_peak_end(void) {
    atomic_store(&isWeighing, false);
    return (uint64_t)atomic_load(&peakByteCount);
}

#else

bool reference_allocations_begin(void) { return false; }

uint64_t reference_allocations_end(void) { return 0; }

bool reference_peak_begin(void) { return false; }

uint64_t reference_peak_end(void) { return 0; }

#endif
