#include "reference.h"

#include <cstring>
#include <string>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#if TIDEMARK_SIMDJSON

#include "line_walk.hpp"

using namespace simdjson;

extern "C" uint64_t reference_on_demand(const uint8_t *bytes, size_t count) {
    ondemand::parser parser;
    return walk_lines(parser, bytes, count, [](std::string_view, std::string_view) {});
}

extern "C" uint64_t reference_walk(const uint8_t *bytes, size_t count, void *context, reference_visit visit) {
    // Kept between calls, as RocksDB's reference keeps its own.
    static ondemand::parser parser;
    return walk_lines(parser, bytes, count, [&](std::string_view id, std::string_view resource) {
        visit(context, id.data(), id.size(), resource.data(), resource.size());
    });
}

extern "C" uint64_t reference_dom(const uint8_t *bytes, const uint32_t *spans, size_t line_count) {
    // The parser is kept between calls, like the decoder that is compared with it.
    static dom::parser parser;
    uint64_t sum = 0;
    for (size_t line = 0; line < line_count; line++) {
        dom::element element;
        // The bytes after the line are readable, so no copy is needed for padding.
        if (parser.parse(bytes + spans[2 * line], spans[2 * line + 1], false).get(element) == SUCCESS) {
            int64_t number;
            if (element["sequence"].get_int64().get(number) == SUCCESS) sum += uint64_t(number);
        }
    }
    return sum;
}

#else

// A build without simdjson has no references that need it.
extern "C" uint64_t reference_on_demand(const uint8_t *, size_t) { return 0; }
extern "C" uint64_t reference_walk(const uint8_t *, size_t, void *, reference_visit) { return 0; }
extern "C" uint64_t reference_dom(const uint8_t *, const uint32_t *, size_t) { return 0; }

#endif

extern "C" uint64_t reference_copy(const uint8_t *source, const uint32_t *entities, const uint64_t *offsets,
                                   const uint32_t *counts, size_t count, uint8_t *const *blocks) {
    uint64_t sum = 0;
    for (size_t index = 0; index < count; index++) {
        uint8_t *block = blocks[entities[index]];
        std::memcpy(block, source + offsets[index], counts[index]);
        sum += block[counts[index] - 1];
    }
    return sum;
}

extern "C" uint64_t reference_lines(const uint8_t *bytes, size_t count) {
    uint64_t lines = 0;
    const uint8_t *next = bytes, *const end = bytes + count;
    while (const void *found = std::memchr(next, '\n', size_t(end - next))) {
        lines++;
        next = static_cast<const uint8_t *>(found) + 1;
    }
    return lines;
}

extern "C" uint64_t reference_heap_byte_count(void) {
#if defined(__GLIBC__)
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}
