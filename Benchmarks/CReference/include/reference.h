// What the figures are compared with: the least work that the same bytes can cost.
#ifndef TIDEMARK_REFERENCE_H
#define TIDEMARK_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Walks every line of NDJSON with simdjson's on-demand parser: envelope fields, type, id and the raw resource. It does
// not validate what it skips. `bytes` has 64 readable bytes behind `count`. Returns a sum of what it read.
uint64_t reference_on_demand(const uint8_t *bytes, size_t count);

// Parses every line whole with simdjson's DOM parser, which validates everything. `spans` are offset and count of each
// line, in turns; the bytes behind the last line are readable. Returns a sum.
uint64_t reference_dom(const uint8_t *bytes, const uint32_t *spans, size_t line_count);

// Copies payloads to the places of their entities: for each i, counts[i] bytes from source + offsets[i] to the block
// of entity entities[i]. Returns a sum.
uint64_t reference_copy(const uint8_t *source, const uint32_t *entities, const uint64_t *offsets, const uint32_t *counts,
                        size_t count, uint8_t *const *blocks);

// Bytes that the allocator has given out, as far as it tells; 0 where it does not.
uint64_t reference_heap_byte_count(void);

#ifdef __cplusplus
}
#endif

#endif
