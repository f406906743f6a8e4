// The references of the figures: the least work that the same bytes can cost.
#ifndef TIDEMARK_REFERENCE_H
#define TIDEMARK_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads every line of NDJSON with simdjson's on-demand parser: envelope fields, type, id and the raw resource. It does
// not validate the parts that it skips. `bytes` has 64 readable bytes after `count`. Returns a sum of everything that
// it read.
uint64_t reference_on_demand(const uint8_t *bytes, size_t count);

// Reads lines as `reference_on_demand` does, and calls `visit` for each resource, with its id and its bytes; both are
// valid only during the call.
typedef void (*reference_visit)(void *context, const char *id, size_t id_count, const char *resource,
                                size_t resource_count);
uint64_t reference_walk(const uint8_t *bytes, size_t count, void *context, reference_visit visit);

// Parses every line whole with simdjson's DOM parser, which validates everything. `spans` holds offset and count of
// each line, alternating; the bytes after the last line are readable. Returns a sum.
uint64_t reference_dom(const uint8_t *bytes, const uint32_t *spans, size_t line_count);

// Copies payloads to the places of their entities: for each i, counts[i] bytes from source + offsets[i] to the block
// of entity entities[i]. Returns a sum.
uint64_t reference_copy(const uint8_t *source, const uint32_t *entities, const uint64_t *offsets, const uint32_t *counts,
                        size_t count, uint8_t *const *blocks);

// Finds the end of every line. Returns the number of lines.
uint64_t reference_lines(const uint8_t *bytes, size_t count);

// Compresses payloads (zstd, level 1, with a dictionary of 16 KB that is trained from the first ones) and stores them
// in a new SQLite file at `path`, under ascending integers, 50,000 in a transaction, durable at the end, on one thread.
// Returns the number of stored bytes; 0 when it failed.
uint64_t reference_store(const char *path, const uint8_t *source, const uint64_t *offsets, const uint32_t *counts,
                         size_t count);

// Reads all rows of a statement that returns a number and a blob. Returns a sum of them.
uint64_t reference_select(const char *path, const char *sql);

// Payloads in memory, compressed as `reference_store` does.
typedef struct reference_compressed reference_compressed;

reference_compressed *reference_compress(const uint8_t *source, const uint64_t *offsets, const uint32_t *counts,
                                         size_t count);

// Decompresses the payloads with these indexes one after the other into the same buffer. Returns a sum.
uint64_t reference_decompress(reference_compressed *compressed, const uint32_t *indexes, size_t count);

void reference_compressed_free(reference_compressed *compressed);

// A RocksDB database: zstd, a Bloom filter of 10 bits a key, two background threads, everything else its default. Only
// where Debian's librocksdb-dev was installed when this was built; the library is loaded when a database is opened.
typedef struct reference_rocks reference_rocks;

// Opens a database in the folder `path`, or creates it. Returns NULL when RocksDB is not there, or cannot open it; then
// `problem`, of `room` bytes, has the reason.
reference_rocks *reference_rocks_open(const char *path, char *problem, size_t room);

// Reads the lines as `reference_on_demand` does and writes each resource under the 16 bytes of its id, `batch` lines to
// a batch, each batch synced. Returns the number of resources; less than there are when a write failed.
uint64_t reference_rocks_feed(reference_rocks *rocks, const uint8_t *bytes, size_t count, uint64_t batch);

// Reads the entity with this id of 36 characters. Returns the size of its value; 0 when there is none.
uint64_t reference_rocks_get(reference_rocks *rocks, const char *id);

// Waits until no compaction and no flush runs or waits.
void reference_rocks_settle(reference_rocks *rocks);

void reference_rocks_close(reference_rocks *rocks);

// Returns the bytes that are allocated at present, as far as the allocator reports them; 0 when it does not.
uint64_t reference_heap_byte_count(void);

// Begins to count calls of the allocator on all threads; returns false when the platform cannot count.
bool reference_allocations_begin(void);

// Ends counting. Returns the number of calls.
uint64_t reference_allocations_end(void);

// Begins to measure the bytes that are allocated from now on, on all threads; returns false when the platform cannot
// measure.
bool reference_peak_begin(void);

// Ends measuring. Returns the maximum number of bytes that were allocated at once.
uint64_t reference_peak_end(void);

#ifdef __cplusplus
}
#endif

#endif
