// The directories of blocks, see docs/decisions/0020-past-memory.md. Every length is checked against the available
// bytes before it is used, because a checksum can be forged.

#include "tidemark_internal.h"
#include "xxh64.h"

enum {
    check_count = 4,
    index_max = 0xFFFF,
    ordinal_max = (1 << 25) - 1,
    // The most bytes that data of more than one entity unpacks to.
    shared_max = 256 << 10,
    flags_known = 63,
};

// Sequences are not negative, and times are between -2^60 and 2^60.
static const sqlite3_int64 moment_max = (sqlite3_int64)1 << 60;

static size_t left(const Bytes *bytes) { return (size_t)(bytes->end - bytes->at); }

// Adds the difference of a stamp to the previous one. Returns 0 if the bytes end within it, or it has more than 64
// bits.
static int add_difference(Bytes *bytes, sqlite3_int64 *value) {
    uint64_t bits = 0;
    for (int shift = 0; shift < 70 && bytes->at < bytes->end; shift += 7) {
        uint8_t byte = *bytes->at++;
        if (shift == 63 && byte > 1) return 0;
        bits |= (uint64_t)(byte & 0x7F) << shift;
        if (byte >= 0x80) continue;
        *value = (sqlite3_int64)((uint64_t)*value + (bits >> 1 ^ (0 - (bits & 1))));
        return 1;
    }
    return 0;
}

// Parses the head, after the check. Returns 0 if it is damaged.
static int read_head(Block *block, Bytes *bytes) {
    uint64_t ordinal, count, packed;
    if (left(bytes) <= check_count) return 0;
    bytes->at += check_count;
    uint8_t header = *bytes->at++;
    block->codec = header & 3;
    if (header >> 5 != 1 || (header & 0x1C) != 0) return 0;
    if (!tidemark_read_number(bytes, &ordinal) || !tidemark_read_number(bytes, &block->library)) return 0;
    if (!tidemark_read_number(bytes, &block->type)) return 0;
    block->dictionary = 0;
    if (tidemark_names_dictionary(block->codec) && !tidemark_read_number(bytes, &block->dictionary)) return 0;
    if (!tidemark_read_number(bytes, &count) || !tidemark_read_number(bytes, &block->unpacked_count)) return 0;
    if (!tidemark_read_number(bytes, &packed)) return 0;
    if (ordinal < 1 || ordinal > ordinal_max || block->library > index_max || block->type > index_max) return 0;
    if (count < 1 || count > entity_max || block->unpacked_count > payload_max + fields_max) return 0;
    if (count > 1 && block->unpacked_count > shared_max) return 0;
    if (packed > left(bytes) || (block->codec == 0 && packed != block->unpacked_count)) return 0;
    block->count = (int)count;
    block->data = (Bytes){bytes->end - packed, bytes->end};
    return 1;
}

// Parses an entry. `entry` has the stamps of the previous one, and the end of its data as its offset. Returns 0 if the
// entry is damaged.
static int read_entry(Entry *entry, sqlite3_int64 *sequence, Bytes *bytes) {
    uint64_t id_count = uuid_count, generation;
    if (left(bytes) == 0) return 0;
    uint8_t flags = *bytes->at++;
    if (flags & ~flags_known) return 0;
    if ((flags & flag_removal) && (flags & (flag_fields | flag_reduced | flag_without_id))) return 0;
    entry->flags = flags;
    entry->seal.is_uuid = flags & flag_uuid;
    if (!(flags & flag_uuid) && !tidemark_read_number(bytes, &id_count)) return 0;
    if (id_count > left(bytes)) return 0;
    entry->seal.id = (Bytes){bytes->at, bytes->at + id_count};
    bytes->at += id_count;
    if (flags & flag_sequenced) {
        if (!add_difference(bytes, sequence) || *sequence < 0) return 0;
    }
    entry->seal.sequence = flags & flag_sequenced ? *sequence : -1;
    if (!tidemark_read_number(bytes, &generation) || generation > UINT32_MAX) return 0;
    entry->seal.generation = (uint32_t)generation;
    if (!add_difference(bytes, &entry->seal.written_at)) return 0;
    if (entry->seal.written_at < -moment_max || entry->seal.written_at > moment_max) return 0;
    entry->id_offset = entry->fields_count = entry->payload_count = 0;
    if ((flags & flag_without_id) && !tidemark_read_number(bytes, &entry->id_offset)) return 0;
    if (flags & flag_fields) {
        if (!tidemark_read_number(bytes, &entry->fields_count)) return 0;
        if (entry->fields_count < 1 || entry->fields_count > fields_max) return 0;
    }
    if (!(flags & flag_removal)) {
        if (!tidemark_read_number(bytes, &entry->payload_count)) return 0;
        if (entry->payload_count > payload_max || entry->id_offset > entry->payload_count) return 0;
    }
    if (left(bytes) < check_count) return 0;
    entry->check = (uint32_t)word(bytes->at, check_count);
    bytes->at += check_count;
    return 1;
}

int tidemark_read_block(Block *block, Bytes bytes, sqlite3_int64 number) {
    const uint8_t *start = bytes.at;
    if (number < 1 || number > number_max || !read_head(block, &bytes)) return 0;
    block->number = number;
    bytes.end = block->data.at;
    size_t checked_count = (size_t)(bytes.end - start) - check_count;
    if (word(start, check_count) != (uint32_t)xxh64(start + check_count, checked_count, (uint64_t)number)) return 0;
    Entry entry = {.seal = {.library = block->library, .type = block->type}};
    sqlite3_int64 sequence = 0;
    for (int position = 0; position < block->count; position++) {
        if (!read_entry(&entry, &sequence, &bytes)) return 0;
        block->entries[position] = entry;
        entry.data_offset += entry.fields_count + entry.payload_count;
    }
    return left(&bytes) == 0 && entry.data_offset == block->unpacked_count;
}

uint64_t tidemark_entry_seed(const Entry *entry) {
    uint64_t shape = (uint64_t)entry->flags | entry->id_offset << 8 | entry->fields_count << 36;
    return tidemark_seed(&entry->seal) ^ shape * prime1;
}
