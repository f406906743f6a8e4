// Declarations that the files of the extension share. Programs that link it do not use them.
#ifndef TIDEMARK_INTERNAL_H
#define TIDEMARK_INTERNAL_H

#include <sqlite3ext.h>
#include <stddef.h>
#include <stdint.h>

#if TIDEMARK_ZSTD
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#endif

enum {
    payload_max = 16 << 20,
    fields_max = 16 << 20,
    window_max = 1 << 23,
    dictionary_max = 64,
    padding_count = 4,
    uuid_count = 16,
    uuid_text_count = 36,
    entity_max = 127,
    segment_count = 1 << 12,
};

// No block has a higher number.
static const sqlite3_int64 number_max = ((sqlite3_int64)1 << 41) - 1;

// Bytes that may be damaged or forged. Reading them advances `at`.
typedef struct {
    const uint8_t *at;
    const uint8_t *end;
} Bytes;

// tidemark_unpack.c: checks and decompression, for both forms of a file.

// How the data of a body or a block is compressed.
enum { codec_raw, codec_zstd, codec_zstd_dictionary, codec_deflate };

typedef struct {
    sqlite3_int64 number;
    uint8_t *bytes;
    size_t count;
#if TIDEMARK_ZSTD
    ZSTD_DDict *zstd;
#endif
} Dictionary;

// The state of one connection, which uses it from one thread at a time.
typedef struct {
#if TIDEMARK_ZSTD
    ZSTD_DCtx *context;
#endif
    // The dictionaries loaded so far. A number always names the same dictionary.
    Dictionary dictionaries[dictionary_max];
    int dictionary_count;
    int users;
} Reader;

// The key and the stamps that a check covers beside the data.
typedef struct {
    uint64_t library;
    uint64_t type;
    // -1 for none.
    sqlite3_int64 sequence;
    uint32_t generation;
    sqlite3_int64 written_at;
    int is_uuid;
    // The 16 bytes of a UUID, or a text.
    Bytes id;
} Seal;

// Releases one use of a reader, and frees the reader after the last one.
void tidemark_release(void *reader);

// Returns a dictionary of `main`; NULL if there is none, or its row fails its check.
const Dictionary *tidemark_dictionary(Reader *reader, sqlite3 *connection, sqlite3_int64 number);

// Reads an integer. Returns 0 if the bytes end within it, or it has more than five bytes.
int tidemark_read_number(Bytes *bytes, uint64_t *value);

// Returns 1 if the number of a dictionary follows in the head.
int tidemark_names_dictionary(int codec);

// Unpacks raw deflate, a zstd frame without a magic number, or a bare block of one, to exactly `count` bytes. Returns 0
// if that fails, or this build does not have the codec. `dictionary` is NULL for none.
int tidemark_unpack(
    Reader *reader, Bytes data, int codec, int is_bare, const Dictionary *dictionary, uint8_t *target, size_t count);

// Returns the seed of the check of an entity.
uint64_t tidemark_seed(const Seal *seal);

// Writes the 36 characters of a UUID.
void tidemark_write_uuid(uint8_t *text, const uint8_t *id);

// tidemark_blocks.c: the directories of blocks.

// One entity in the directory of a block. Its lengths were checked against those of the block.
typedef struct {
    Seal seal;
    uint8_t flags;
    // The offset of the id in the payload; 0 if it is not left out.
    uint64_t id_offset;
    // Where the fields and the payload are in the unpacked data.
    uint64_t data_offset;
    uint64_t fields_count;
    uint64_t payload_count;
    uint32_t check;
} Entry;

enum {
    flag_uuid = 1,
    flag_sequenced = 2,
    flag_removal = 4,
    flag_fields = 8,
    flag_reduced = 16,
    flag_without_id = 32,
};

typedef struct {
    sqlite3_int64 number;
    int codec;
    uint64_t library;
    uint64_t type;
    // 0 for none.
    uint64_t dictionary;
    uint64_t unpacked_count;
    Bytes data;
    int count;
    Entry entries[entity_max];
} Block;

// Parses the head and the directory of a block, which then refers to the bytes. Returns 0 if they are damaged.
int tidemark_read_block(Block *block, Bytes bytes, sqlite3_int64 number);

// Returns the seed of the check of an entity in a block.
uint64_t tidemark_entry_seed(const Entry *entry);

// tidemark_index.c: the newest version of each key.

typedef struct Index Index;

// Reads the positions of all keys in the current transaction. Returns a status of SQLite.
int tidemark_read_index(sqlite3 *connection, Index **index);

// Returns 1 if an entity of a block is the newest version of its key, and the key was not removed.
int tidemark_is_newest(const Index *index, const Block *block, int position);

void tidemark_free_index(Index *index);

// tidemark_entities.c: the table.

extern const sqlite3_module tidemark_entities_module;

#endif
