// Finds the newest version of each key in a file of blocks: from the stored segments, and from the directories of the
// blocks that these do not include. docs/decisions/0020-past-memory.md describes both.
//
// A segment that is missing or damaged includes no block, so the directories of all blocks are read instead. A block
// whose directory is damaged adds nothing. Memory: 16 bytes for each key of a segment, and as much for each entry of
// the blocks that its segment does not include.

#include <stdlib.h>
#include <string.h>

#include "tidemark_internal.h"
#include "xxh64.h"

SQLITE_EXTENSION_INIT3

enum {
    segment_head_count = 12,
    slot_count = 14,
    position_bits = 7,
};

__extension__ typedef unsigned __int128 Wide;

// A key and one of its positions. The bits of `place`, from the highest: 1 if the segment does not include the block,
// the number of the block, 7 of the position, and 1 for a removal. So the highest place of a key is its newest version.
typedef struct {
    uint64_t tag;
    uint64_t place;
} Slot;

static const uint64_t unknown_place = (uint64_t)1 << 63;

typedef struct {
    Slot *slots;
    size_t count;
    size_t room;
    // The last block that the segment includes.
    sqlite3_int64 through;
} Segment;

struct Index {
    uint64_t seed;
    Segment segments[segment_count];
};

void tidemark_free_index(Index *index) {
    if (index == NULL) return;
    for (int number = 0; number < segment_count; number++) sqlite3_free(index->segments[number].slots);
    sqlite3_free(index);
}

static uint64_t fold(uint64_t left, uint64_t right) {
    Wide product = (Wide)left * right;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

// Hashes a key, and returns its segment.
static size_t hash(const Index *index, const Entry *entry, uint64_t *tag) {
    const Seal *seal = &entry->seal;
    uint64_t place = seal->library << 32 | seal->type << 1 | (uint64_t)seal->is_uuid;
    const uint8_t *at = seal->id.at, *end = seal->id.end;
    *tag = xxh64(at, (size_t)(end - at), index->seed ^ place * 0x9E3779B97F4A7C15u);
    uint64_t high = fold(*tag ^ index->seed, place ^ 0xA0761D6478BD642Fu);
    while (at < end) {
        uint64_t value = 0;
        if (end - at >= 8) {
            value = word(at, 8);
            at += 8;
        } else {
            while (at < end) value = value << 8 | *at++;
        }
        high = fold(high ^ value, index->seed | 1) ^ 0xE7037ED1A0B428DBu;
    }
    return (size_t)(fold(high ^ index->seed, 0x8EBC6AF09C88C6E3u) >> 52);
}

static int compare(const void *left, const void *right) {
    const Slot *first = left, *second = right;
    if (first->tag != second->tag) return first->tag < second->tag ? -1 : 1;
    return first->place < second->place ? -1 : first->place > second->place;
}

static void sort(Segment *segment) {
    if (segment->count > 1) qsort(segment->slots, segment->count, sizeof(Slot), compare);
}

// Reserves room for more slots. Returns 0 when memory is short.
static int reserve(Segment *segment, size_t count) {
    if (segment->count + count <= segment->room) return 1;
    size_t room = segment->room * 2;
    if (room < segment->count + count) room = segment->count + count;
    Slot *slots = sqlite3_realloc64(segment->slots, room * sizeof(Slot));
    if (slots == NULL) return 0;
    segment->slots = slots;
    segment->room = room;
    return 1;
}

// Parses a stored segment. A damaged one has no keys and includes no block. Returns 0 when memory is short.
static int read_segment(Index *index, sqlite3_int64 number, sqlite3_int64 through, Bytes bytes) {
    size_t byte_count = (size_t)(bytes.end - bytes.at);
    if (number < 0 || number >= segment_count || through < 0 || through > number_max) return 1;
    if (byte_count < segment_head_count) return 1;
    uint64_t count = word(bytes.at + 8, 4);
    if (byte_count != segment_head_count + count * slot_count) return 1;
    uint64_t seed = (uint64_t)number ^ (index->seed ^ (uint64_t)through * prime2) * prime1;
    if (word(bytes.at, 8) != xxh64(bytes.at + 8, byte_count - 8, seed)) return 1;
    Segment *segment = &index->segments[number];
    // Only a damaged table has a row twice.
    segment->count = 0;
    segment->through = 0;
    if (!reserve(segment, count)) return 0;
    const uint8_t *at = bytes.at + segment_head_count;
    for (uint64_t slot = 0; slot < count; slot++, at += slot_count)
        segment->slots[slot] = (Slot){.tag = word(at, 8), .place = word(at + 8, 6) << 1};
    segment->count = count;
    sort(segment);
    int is_sound = 1;
    for (size_t slot = 0; slot < count; slot++) {
        if (slot > 0 && segment->slots[slot].tag == segment->slots[slot - 1].tag) is_sound = 0;
        if (segment->slots[slot].place >> (position_bits + 1) == 0) is_sound = 0;
    }
    if (is_sound) {
        segment->through = through;
    } else {
        segment->count = 0;
    }
    return 1;
}

static int read_segments(Index *index, sqlite3 *connection) {
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(
        connection, "SELECT segment, through, body FROM main.segments", -1, &statement, NULL);
    if (status != SQLITE_OK) return status;
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        if (sqlite3_column_type(statement, 1) != SQLITE_INTEGER) continue;
        if (sqlite3_column_type(statement, 2) != SQLITE_BLOB) continue;
        const uint8_t *bytes = sqlite3_column_blob(statement, 2);
        if (bytes == NULL) continue;
        Bytes body = {bytes, bytes + sqlite3_column_bytes(statement, 2)};
        sqlite3_int64 number = sqlite3_column_int64(statement, 0), through = sqlite3_column_int64(statement, 1);
        if (!read_segment(index, number, through, body)) {
            sqlite3_finalize(statement);
            return SQLITE_NOMEM;
        }
    }
    return sqlite3_finalize(statement);
}

// Adds the entries of a block to the segments that do not include it. Returns 0 when memory is short.
static int add_block(Index *index, const Block *block) {
    for (int position = 0; position < block->count; position++) {
        const Entry *entry = &block->entries[position];
        uint64_t tag;
        Segment *segment = &index->segments[hash(index, entry, &tag)];
        if (block->number <= segment->through) continue;
        if (!reserve(segment, 1)) return 0;
        uint64_t place = (uint64_t)block->number << position_bits | (uint64_t)position;
        uint64_t removal = entry->flags & flag_removal ? 1 : 0;
        segment->slots[segment->count++] = (Slot){.tag = tag, .place = unknown_place | place << 1 | removal};
    }
    return 1;
}

static int read_directories(Index *index, sqlite3 *connection, Block *block) {
    sqlite3_int64 through = index->segments[0].through;
    for (int number = 1; number < segment_count; number++)
        if (index->segments[number].through < through) through = index->segments[number].through;
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(
        connection, "SELECT number, body FROM main.blocks WHERE number > ?", -1, &statement, NULL);
    if (status != SQLITE_OK) return status;
    sqlite3_bind_int64(statement, 1, through);
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        if (sqlite3_column_type(statement, 1) != SQLITE_BLOB) continue;
        const uint8_t *bytes = sqlite3_column_blob(statement, 1);
        if (bytes == NULL) continue;
        Bytes body = {bytes, bytes + sqlite3_column_bytes(statement, 1)};
        if (!tidemark_read_block(block, body, sqlite3_column_int64(statement, 0))) continue;
        if (!add_block(index, block)) {
            sqlite3_finalize(statement);
            return SQLITE_NOMEM;
        }
    }
    return sqlite3_finalize(statement);
}

// Keeps only the newest position of each key, and no key that was removed.
static void settle(Segment *segment) {
    sort(segment);
    size_t count = 0;
    for (size_t slot = 0; slot < segment->count; slot++) {
        Slot last = segment->slots[slot];
        if (slot + 1 < segment->count && segment->slots[slot + 1].tag == last.tag) continue;
        if (last.place & 1) continue;
        last.place = (last.place & ~unknown_place) >> 1;
        segment->slots[count++] = last;
    }
    segment->count = count;
}

int tidemark_read_index(sqlite3 *connection, Index **result) {
    Index *index = sqlite3_malloc64(sizeof *index);
    Block *block = sqlite3_malloc64(sizeof *block);
    sqlite3_stmt *statement = NULL;
    int status = index == NULL || block == NULL ? SQLITE_NOMEM : SQLITE_OK;
    if (index != NULL) memset(index, 0, sizeof *index);
    const char *sql = "SELECT value FROM main.counters WHERE name = 'identity'";
    if (status == SQLITE_OK) status = sqlite3_prepare_v2(connection, sql, -1, &statement, NULL);
    if (status == SQLITE_OK) {
        if (sqlite3_step(statement) == SQLITE_ROW) index->seed = (uint64_t)sqlite3_column_int64(statement, 0);
        status = sqlite3_finalize(statement);
    }
    if (status == SQLITE_OK) status = read_segments(index, connection);
    if (status == SQLITE_OK) status = read_directories(index, connection, block);
    sqlite3_free(block);
    if (status != SQLITE_OK) {
        tidemark_free_index(index);
        return status;
    }
    for (int number = 0; number < segment_count; number++) settle(&index->segments[number]);
    *result = index;
    return SQLITE_OK;
}

int tidemark_is_newest(const Index *index, const Block *block, int position) {
    uint64_t tag, place = (uint64_t)block->number << position_bits | (uint64_t)position;
    const Segment *segment = &index->segments[hash(index, &block->entries[position], &tag)];
    size_t low = 0, high = segment->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (segment->slots[middle].tag < tag) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < segment->count && segment->slots[low].tag == tag && segment->slots[low].place == place;
}
