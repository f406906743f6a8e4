#include "sealed_layout.h"

enum {
    SEAL = TIDEMARK_SEAL_BYTE_COUNT,
    PAGE = TIDEMARK_SEAL_PAGE_BYTE_COUNT,
    JOURNAL_CHUNK = 4096,
    // The parts of a log, as in SQLite's description of its file format, section 4.1.
    LOG_HEADER = 32,
    FRAME_HEADER = 24,
    FRAME = FRAME_HEADER + PAGE,
    SEALED_FRAME = FRAME + 2 * SEAL
};

static sealed_chunk even_chunk(int64_t offset, int size, int64_t first) {
    int64_t number = offset / size;
    return (sealed_chunk){(uint64_t)number, number * size, size, first + number * (size + SEAL)};
}

static sealed_chunk log_chunk(int64_t offset) {
    int64_t first = TIDEMARK_SEAL_PREFIX_BYTE_COUNT;
    if (offset < LOG_HEADER) return (sealed_chunk){0, 0, LOG_HEADER, first};
    int64_t frame = (offset - LOG_HEADER) / FRAME;
    int64_t start = LOG_HEADER + frame * FRAME;
    int64_t place = first + LOG_HEADER + SEAL + frame * SEALED_FRAME;
    if (offset < start + FRAME_HEADER) return (sealed_chunk){(uint64_t)(1 + 2 * frame), start, FRAME_HEADER, place};
    return (sealed_chunk){
        (uint64_t)(2 + 2 * frame), start + FRAME_HEADER, PAGE, place + FRAME_HEADER + SEAL};
}

sealed_chunk sealed_chunk_at(int kind, int64_t offset) {
    switch (kind) {
    case TIDEMARK_SEAL_DATABASE: return even_chunk(offset, PAGE, TIDEMARK_SEAL_HEADER_BYTE_COUNT);
    case TIDEMARK_SEAL_LOG: return log_chunk(offset);
    default: return even_chunk(offset, JOURNAL_CHUNK, 0);
    }
}

static int64_t content(int64_t size) { return size > SEAL ? size - SEAL : 0; }

static int64_t even_size(int64_t size, int chunk) {
    if (size <= 0) return 0;
    return size / (chunk + SEAL) * chunk + content(size % (chunk + SEAL));
}

static int64_t log_size(int64_t size) {
    size -= TIDEMARK_SEAL_PREFIX_BYTE_COUNT;
    if (size < LOG_HEADER + SEAL) return content(size);
    size -= LOG_HEADER + SEAL;
    int64_t rest = size % SEALED_FRAME;
    int64_t part = rest < FRAME_HEADER + SEAL ? content(rest) : FRAME_HEADER + content(rest - FRAME_HEADER - SEAL);
    return LOG_HEADER + size / SEALED_FRAME * FRAME + part;
}

int64_t sealed_content_size(int kind, int64_t size) {
    switch (kind) {
    case TIDEMARK_SEAL_DATABASE: return even_size(size - TIDEMARK_SEAL_HEADER_BYTE_COUNT, PAGE);
    case TIDEMARK_SEAL_LOG: return log_size(size);
    default: return even_size(size, JOURNAL_CHUNK);
    }
}

int64_t tidemark_seal_page_offset(int64_t page) {
    return sealed_chunk_at(TIDEMARK_SEAL_DATABASE, (page - 1) * PAGE).place;
}

int64_t tidemark_seal_database_size(int64_t size) { return sealed_content_size(TIDEMARK_SEAL_DATABASE, size); }
