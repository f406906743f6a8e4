// The cost of zstd and SQLite by themselves, on one thread.
#include "reference.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#if TIDEMARK_ZSTD

#include <zdict.h>
#include <zstd.h>

enum { dictionaryByteCount = 16 << 10, sampleCountMax = 4000, rowsPerTransaction = 50000, compressionLevel = 1 };

// Trains a dictionary from the first payloads. Returns its size; 0 when there is none.
static size_t train(void *dictionary, const uint8_t *source, const uint64_t *offsets, const uint32_t *counts,
                    size_t count) {
    const size_t sampleCount = count < sampleCountMax ? count : sampleCountMax;
    size_t *sizes = malloc(sampleCount * sizeof(size_t));
    size_t byteCount = 0;
    for (size_t index = 0; index < sampleCount; index++) byteCount += sizes[index] = counts[index];
    uint8_t *samples = malloc(byteCount);
    size_t end = 0;
    for (size_t index = 0; index < sampleCount; index++) {
        memcpy(samples + end, source + offsets[index], counts[index]);
        end += counts[index];
    }
    const size_t size = ZDICT_trainFromBuffer(dictionary, dictionaryByteCount, samples, sizes, (unsigned)sampleCount);
    free(samples);
    free(sizes);
    return ZDICT_isError(size) ? 0 : size;
}

static bool run(sqlite3 *database, const char *sql) { return sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK; }

uint64_t reference_store(const char *path, const uint8_t *source, const uint64_t *offsets, const uint32_t *counts,
                         size_t count) {
    uint8_t dictionary[dictionaryByteCount];
    const size_t dictionarySize = train(dictionary, source, offsets, counts, count);
    ZSTD_CDict *prepared = ZSTD_createCDict(dictionary, dictionarySize, compressionLevel);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    sqlite3 *database = NULL;
    sqlite3_stmt *insert = NULL;
    size_t room = 0;
    uint8_t *body = NULL;
    uint64_t sum = 0;
    bool isGood = sqlite3_open(path, &database) == SQLITE_OK &&
                  run(database, "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                                "PRAGMA wal_autocheckpoint = 16384; PRAGMA cache_size = -65536;"
                                "CREATE TABLE entities (\"row\" INTEGER PRIMARY KEY, body BLOB)") &&
                  sqlite3_prepare_v2(database, "INSERT INTO entities VALUES (?, ?)", -1, &insert, NULL) == SQLITE_OK;
    for (size_t index = 0; index < count && isGood; index++) {
        if (index % rowsPerTransaction == 0) isGood = (index == 0 || run(database, "COMMIT")) && run(database, "BEGIN");
        const size_t bound = ZSTD_compressBound(counts[index]);
        if (bound > room) body = realloc(body, room = bound);
        const size_t size =
            ZSTD_compress_usingCDict(context, body, room, source + offsets[index], counts[index], prepared);
        isGood = isGood && !ZSTD_isError(size);
        sqlite3_bind_int64(insert, 1, (sqlite3_int64)index + 1);
        sqlite3_bind_blob(insert, 2, body, (int)size, SQLITE_STATIC);
        isGood = isGood && sqlite3_step(insert) == SQLITE_DONE;
        sqlite3_reset(insert);
        sum += size;
    }
    isGood = isGood && run(database, "COMMIT") && run(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    sqlite3_finalize(insert);
    sqlite3_close(database);
    free(body);
    ZSTD_freeCCtx(context);
    ZSTD_freeCDict(prepared);
    return isGood ? sum : 0;
}

struct reference_compressed {
    ZSTD_DDict *dictionary;
    ZSTD_DCtx *context;
    uint8_t *bytes;
    size_t *offsets;  // the start of each payload, and the end of the last one
    size_t count;
    size_t byteCountMax;
    uint8_t *room;
};

reference_compressed *reference_compress(const uint8_t *source, const uint64_t *offsets, const uint32_t *counts,
                                         size_t count) {
    uint8_t dictionary[dictionaryByteCount];
    const size_t dictionarySize = train(dictionary, source, offsets, counts, count);
    ZSTD_CDict *prepared = ZSTD_createCDict(dictionary, dictionarySize, compressionLevel);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    reference_compressed *compressed = calloc(1, sizeof(reference_compressed));
    size_t bound = 0;
    for (size_t index = 0; index < count; index++) {
        bound += ZSTD_compressBound(counts[index]);
        if (counts[index] > compressed->byteCountMax) compressed->byteCountMax = counts[index];
    }
    compressed->bytes = malloc(bound);
    compressed->offsets = malloc((count + 1) * sizeof(size_t));
    compressed->count = count;
    compressed->room = malloc(compressed->byteCountMax);
    size_t end = 0;
    for (size_t index = 0; index < count; index++) {
        compressed->offsets[index] = end;
        const size_t size = ZSTD_compress_usingCDict(context, compressed->bytes + end, bound - end,
                                                     source + offsets[index], counts[index], prepared);
        if (!ZSTD_isError(size)) end += size;
    }
    compressed->offsets[count] = end;
    compressed->dictionary = ZSTD_createDDict(dictionary, dictionarySize);
    compressed->context = ZSTD_createDCtx();
    ZSTD_freeCCtx(context);
    ZSTD_freeCDict(prepared);
    return compressed;
}

uint64_t reference_decompress(reference_compressed *compressed, const uint32_t *indexes, size_t count) {
    uint64_t sum = 0;
    for (size_t number = 0; number < count; number++) {
        const size_t start = compressed->offsets[indexes[number]], end = compressed->offsets[indexes[number] + 1];
        const size_t size =
            ZSTD_decompress_usingDDict(compressed->context, compressed->room, compressed->byteCountMax,
                                       compressed->bytes + start, end - start, compressed->dictionary);
        if (!ZSTD_isError(size) && size > 0) sum += size + compressed->room[size - 1];
    }
    return sum;
}

void reference_compressed_free(reference_compressed *compressed) {
    ZSTD_freeDDict(compressed->dictionary);
    ZSTD_freeDCtx(compressed->context);
    free(compressed->bytes);
    free(compressed->offsets);
    free(compressed->room);
    free(compressed);
}

#else

// A build without zstd has no references that need it.
uint64_t reference_store(const char *path, const uint8_t *source, const uint64_t *offsets, const uint32_t *counts,
                         size_t count) {
    (void)path, (void)source, (void)offsets, (void)counts, (void)count;
    return 0;
}

reference_compressed *reference_compress(const uint8_t *source, const uint64_t *offsets, const uint32_t *counts,
                                         size_t count) {
    (void)source, (void)offsets, (void)counts, (void)count;
    return NULL;
}

uint64_t reference_decompress(reference_compressed *compressed, const uint32_t *indexes, size_t count) {
    (void)compressed, (void)indexes, (void)count;
    return 0;
}

void reference_compressed_free(reference_compressed *compressed) { (void)compressed; }

#endif

uint64_t reference_select(const char *path, const char *sql) {
    sqlite3 *database = NULL;
    sqlite3_stmt *select = NULL;
    uint64_t sum = 0;
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(database, sql, -1, &select, NULL) == SQLITE_OK) {
        while (sqlite3_step(select) == SQLITE_ROW) {
            const uint8_t *body = sqlite3_column_blob(select, 1);
            const int size = sqlite3_column_bytes(select, 1);
            sum += (uint64_t)sqlite3_column_int64(select, 0) + (uint64_t)size + (size > 0 ? body[size - 1] : 0);
        }
    }
    sqlite3_finalize(select);
    sqlite3_close(database);
    return sum;
}
