// The SQL functions tidemark_resource and zstd_decompress. docs/data-file.md describes the form of a body; a value that
// does not have this form, or fails its check, gives NULL. Nothing is written, and at most 16 MiB are unpacked for one
// value.

#include "tidemark_extension.h"

#include <sqlite3ext.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "xxh64.h"

SQLITE_EXTENSION_INIT1

enum {
    payload_max = 16 << 20,
    window_max = 1 << 23,
    block_max = 128 << 10,
    dictionary_max = 64,
    padding_count = 4,
    uuid_count = 16,
    uuid_text_count = 36,
};

typedef struct {
    sqlite3_int64 number;
    ZSTD_DDict *dictionary;
} Dictionary;

// The state of one connection, which uses it from one thread at a time.
typedef struct {
    ZSTD_DCtx *context;
    // The dictionaries that were needed so far. A number always names the same dictionary.
    Dictionary dictionaries[dictionary_max];
    int dictionary_count;
    int users;
} Reader;

static void release(void *pointer) {
    Reader *reader = pointer;
    if (--reader->users > 0) return;
    for (int index = 0; index < reader->dictionary_count; index++)
        ZSTD_freeDDict(reader->dictionaries[index].dictionary);
    ZSTD_freeDCtx(reader->context);
    sqlite3_free(reader);
}

// Returns a dictionary; NULL when there is none, or when its row fails its check.
static const ZSTD_DDict *dictionary(Reader *reader, sqlite3 *connection, sqlite3_int64 number) {
    for (int index = 0; index < reader->dictionary_count; index++)
        if (reader->dictionaries[index].number == number) return reader->dictionaries[index].dictionary;
    if (reader->dictionary_count == dictionary_max) return NULL;
    sqlite3_stmt *statement = NULL;
    const char *sql = "SELECT type, checksum, body FROM main.dictionaries WHERE dictionary = ?";
    ZSTD_DDict *found = NULL;
    if (sqlite3_prepare_v2(connection, sql, -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, number);
        if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 2) == SQLITE_BLOB) {
            const uint8_t *bytes = sqlite3_column_blob(statement, 2);
            size_t count = (size_t)sqlite3_column_bytes(statement, 2);
            uint64_t seed = (uint64_t)number << 16 | (uint64_t)sqlite3_column_int64(statement, 0);
            if (count > 0 && (sqlite3_int64)xxh64(bytes, count, seed) == sqlite3_column_int64(statement, 1))
                found = ZSTD_createDDict(bytes, count);
        }
    }
    sqlite3_finalize(statement);
    if (found == NULL) return NULL;
    reader->dictionaries[reader->dictionary_count++] = (Dictionary){.number = number, .dictionary = found};
    return found;
}

typedef struct {
    const uint8_t *at;
    const uint8_t *end;
} Bytes;

// Reads a number. Returns 0 when the bytes end within it, or when it has more than five bytes.
static int read_number(Bytes *bytes, uint64_t *value) {
    *value = 0;
    for (int index = 0; index < 5 && bytes->at < bytes->end; index++) {
        uint8_t byte = *bytes->at++;
        *value |= (uint64_t)(byte & 0x7F) << 7 * index;
        if (byte < 0x80) return 1;
    }
    return 0;
}

static size_t write_frame_header(uint8_t *at, size_t content_count, size_t block_count) {
    size_t count = 0, wide = 0, value = content_count;
    if (content_count < 256) {
        at[count++] = 0x20;
        wide = 1;
    } else if (content_count < 65536 + 256) {
        at[count++] = 0x60;
        value -= 256;
        wide = 2;
    } else {
        at[count++] = 0xA0;
        wide = 4;
    }
    for (size_t index = 0; index < wide; index++) at[count++] = (uint8_t)(value >> 8 * index);
    size_t block = block_count << 3 | 5;
    for (int index = 0; index < 3; index++) at[count++] = (uint8_t)(block >> 8 * index);
    return count;
}

// Unpacks a frame without a magic number, or a bare block, to exactly `count` bytes. Returns 0 when it is neither.
static int unpack(Reader *reader, Bytes data, int is_bare, const ZSTD_DDict *dictionary, uint8_t *target, size_t count) {
    size_t data_count = (size_t)(data.end - data.at);
    uint8_t *frame = NULL;
    if (is_bare) {
        if (count > block_max || data_count > block_max) return 0;
        frame = sqlite3_malloc64(data_count + 8);
        if (frame == NULL) return 0;
        size_t head = write_frame_header(frame, count, data_count);
        memcpy(frame + head, data.at, data_count);
        data = (Bytes){frame, frame + head + data_count};
    } else {
        ZSTD_frameHeader header;
        if (ZSTD_getFrameHeader_advanced(&header, data.at, data_count, ZSTD_f_zstd1_magicless) != 0) return 0;
        if (header.windowSize > window_max) return 0;
        if (header.frameContentSize != ZSTD_CONTENTSIZE_UNKNOWN && header.frameContentSize != count) return 0;
    }
    ZSTD_DCtx_reset(reader->context, ZSTD_reset_session_and_parameters);
    ZSTD_DCtx_setParameter(reader->context, ZSTD_d_format, ZSTD_f_zstd1_magicless);
    ZSTD_DCtx_refDDict(reader->context, dictionary);
    size_t result = ZSTD_decompressDCtx(reader->context, target, count, data.at, (size_t)(data.end - data.at));
    sqlite3_free(frame);
    return !ZSTD_isError(result) && result == count;
}

static void put(uint8_t *at, uint64_t value) {
    for (int index = 0; index < 8; index++) at[index] = (uint8_t)(value >> 8 * index);
}

static void write_uuid(uint8_t *text, const uint8_t *id) {
    for (int index = 0; index < uuid_count; index++) {
        if (index == 4 || index == 6 || index == 8 || index == 10) *text++ = '-';
        *text++ = (uint8_t)"0123456789abcdef"[id[index] >> 4];
        *text++ = (uint8_t)"0123456789abcdef"[id[index] & 15];
    }
}

// tidemark_resource(library, type, id, sequence, generation, written_at, body): JSON, or NULL.
static void resource(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    Reader *reader = sqlite3_user_data(context);
    int numbers[] = {0, 1, 4, 5};
    for (int index = 0; index < 4; index++)
        if (sqlite3_value_type(values[numbers[index]]) != SQLITE_INTEGER) return;
    int id_type = sqlite3_value_type(values[2]), sequence_type = sqlite3_value_type(values[3]);
    if (sequence_type != SQLITE_INTEGER && sequence_type != SQLITE_NULL) return;
    if (sqlite3_value_type(values[6]) != SQLITE_BLOB) return;

    int is_uuid = id_type == SQLITE_BLOB;
    if (!is_uuid && id_type != SQLITE_TEXT) return;
    const uint8_t *id = is_uuid ? sqlite3_value_blob(values[2]) : sqlite3_value_text(values[2]);
    size_t id_count = (size_t)sqlite3_value_bytes(values[2]);
    if (id == NULL || (is_uuid && id_count != uuid_count)) return;
    uint8_t uuid[uuid_text_count];
    if (is_uuid) write_uuid(uuid, id);

    const uint8_t *body = sqlite3_value_blob(values[6]);
    size_t body_count = (size_t)sqlite3_value_bytes(values[6]);
    if (body == NULL || body_count < 5) return;
    uint64_t sequence = sequence_type == SQLITE_NULL ? UINT64_MAX : (uint64_t)sqlite3_value_int64(values[3]);
    uint8_t seal[24];
    put(seal, (uint64_t)sqlite3_value_int64(values[0]) << 48 | (uint64_t)sqlite3_value_int64(values[1]) << 32
                  | (uint32_t)sqlite3_value_int64(values[4]));
    put(seal + 8, sequence);
    put(seal + 16, (uint64_t)sqlite3_value_int64(values[5]) << 1 | (uint64_t)is_uuid);
    uint64_t seed = xxh64(id, id_count, xxh64(seal, sizeof seal, 0));
    if (word(body, 4) != (uint32_t)xxh64(body + 4, body_count - 4, seed)) return;

    uint8_t header = body[4];
    int codec = header & 3, format = header >> 5;
    Bytes bytes = {body + 5, body + body_count};
    if (header & 16) {
        if (bytes.end - bytes.at < padding_count) return;
        bytes.end -= padding_count;
    }
    if (codec == 3 || (format != 1 && format != 2)) return;
    uint64_t fields = 0, number = 0, content = 0, id_offset = 0;
    if (format == 2) {
        if (!read_number(&bytes, &fields) || fields > (uint64_t)(bytes.end - bytes.at)) return;
        bytes.end -= fields;
    }
    if (codec == 2 && !read_number(&bytes, &number)) return;
    if (codec != 0 && !read_number(&bytes, &content)) return;
    if ((header & 8) && !read_number(&bytes, &id_offset)) return;
    if (codec == 0) content = (uint64_t)(bytes.end - bytes.at);
    size_t text_count = !(header & 8) ? 0 : is_uuid ? uuid_text_count : id_count;
    if (content + text_count > payload_max || id_offset > content) return;

    const ZSTD_DDict *own = NULL;
    if (codec == 2) {
        own = dictionary(reader, sqlite3_context_db_handle(context), (sqlite3_int64)number);
        if (own == NULL) return;
    }
    uint8_t *target = sqlite3_malloc64(content + text_count + 1);
    if (target == NULL) return sqlite3_result_error_nomem(context);
    if (codec == 0) {
        memcpy(target, bytes.at, content);
    } else if (!unpack(reader, bytes, header & 4, own, target, content)) {
        return sqlite3_free(target);
    }
    memmove(target + id_offset + text_count, target + id_offset, content - id_offset);
    memcpy(target + id_offset, is_uuid ? uuid : id, text_count);
    sqlite3_result_text64(context, (char *)target, content + text_count, sqlite3_free, SQLITE_UTF8);
}

// zstd_decompress(blob [, dictionary]): the content of one frame, with its magic number or without, or NULL.
static void decompress(sqlite3_context *context, int count, sqlite3_value **values) {
    Reader *reader = sqlite3_user_data(context);
    for (int index = 0; index < count; index++)
        if (sqlite3_value_type(values[index]) != SQLITE_BLOB) return;
    const uint8_t *bytes = sqlite3_value_blob(values[0]);
    size_t byte_count = (size_t)sqlite3_value_bytes(values[0]);
    if (bytes == NULL) return;
    uint64_t magic = byte_count >= 4 ? word(bytes, 4) : 0;
    // A skippable frame has no content, and would be taken for an empty frame.
    if ((magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START) return;
    ZSTD_format_e format = magic == ZSTD_MAGICNUMBER ? ZSTD_f_zstd1 : ZSTD_f_zstd1_magicless;
    ZSTD_frameHeader header;
    if (ZSTD_getFrameHeader_advanced(&header, bytes, byte_count, format) != 0) return;
    if (header.frameType != ZSTD_frame || header.windowSize > window_max) return;
    int is_known = header.frameContentSize != ZSTD_CONTENTSIZE_UNKNOWN;
    if (is_known && header.frameContentSize > payload_max) return;
    size_t room = is_known ? (size_t)header.frameContentSize : payload_max;
    uint8_t *target = sqlite3_malloc64(room + 1);
    if (target == NULL) return sqlite3_result_error_nomem(context);
    ZSTD_DCtx_reset(reader->context, ZSTD_reset_session_and_parameters);
    ZSTD_DCtx_setParameter(reader->context, ZSTD_d_format, format);
    if (count == 2)
        ZSTD_DCtx_loadDictionary(reader->context, sqlite3_value_blob(values[1]), (size_t)sqlite3_value_bytes(values[1]));
    size_t result = ZSTD_decompressDCtx(reader->context, target, room, bytes, byte_count);
    if (ZSTD_isError(result)) return sqlite3_free(target);
    sqlite3_result_blob64(context, target, result, sqlite3_free);
}

int sqlite3_tidemarksqlite_init(sqlite3 *connection, char **message, const sqlite3_api_routines *api) {
    SQLITE_EXTENSION_INIT2(api);
    Reader *reader = sqlite3_malloc64(sizeof *reader);
    if (reader == NULL) return SQLITE_NOMEM;
    memset(reader, 0, sizeof *reader);
    reader->context = ZSTD_createDCtx();
    // SQLite calls `release` once for each function, even when the function cannot be created.
    reader->users = 3;
    if (reader->context == NULL) {
        sqlite3_free(reader);
        if (message != NULL) *message = sqlite3_mprintf("no memory for zstd");
        return SQLITE_NOMEM;
    }
    int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;
    // A dictionary is read from the connection, so the result is only the same for one file.
    int status =
        sqlite3_create_function_v2(connection, "tidemark_resource", 7, flags, reader, resource, NULL, NULL, release);
    int pure = flags | SQLITE_DETERMINISTIC;
    for (int count = 1; count <= 2; count++) {
        int other = sqlite3_create_function_v2(
            connection, "zstd_decompress", count, pure, reader, decompress, NULL, NULL, release);
        if (status == SQLITE_OK) status = other;
    }
    return status;
}

void (*tidemark_extension_entry(void))(void) { return (void (*)(void))sqlite3_tidemarksqlite_init; }
