// The SQL functions tidemark_resource and zstd_decompress, and the entry point. docs/data-file.md describes the format
// of a body. A value that does not have this format, or fails its check, gives NULL. Nothing is written, and at most 16
// MiB are unpacked for one value.

#include "tidemark_extension.h"

#include <string.h>

#include "tidemark_internal.h"
#include "xxh64.h"

SQLITE_EXTENSION_INIT1

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
    if (is_uuid) tidemark_write_uuid(uuid, id);

    const uint8_t *body = sqlite3_value_blob(values[6]);
    size_t body_count = (size_t)sqlite3_value_bytes(values[6]);
    if (body == NULL || body_count < 5) return;
    Seal seal = {
        .library = (uint64_t)sqlite3_value_int64(values[0]),
        .type = (uint64_t)sqlite3_value_int64(values[1]),
        .sequence = sequence_type == SQLITE_NULL ? -1 : sqlite3_value_int64(values[3]),
        .generation = (uint32_t)sqlite3_value_int64(values[4]),
        .written_at = sqlite3_value_int64(values[5]),
        .is_uuid = is_uuid,
        .id = {id, id + id_count},
    };
    uint64_t seed = tidemark_seed(&seal);
    if (word(body, 4) != (uint32_t)xxh64(body + 4, body_count - 4, seed)) return;

    uint8_t header = body[4];
    int codec = header & 3, format = header >> 5;
    Bytes bytes = {body + 5, body + body_count};
    if (header & 16) {
        if (bytes.end - bytes.at < padding_count) return;
        bytes.end -= padding_count;
    }
    if (format != 1 && format != 2) return;
    uint64_t fields = 0, number = 0, content = 0, id_offset = 0;
    if (format == 2) {
        if (!tidemark_read_number(&bytes, &fields) || fields > (uint64_t)(bytes.end - bytes.at)) return;
        bytes.end -= fields;
    }
    if (tidemark_names_dictionary(codec) && !tidemark_read_number(&bytes, &number)) return;
    if (codec != 0 && !tidemark_read_number(&bytes, &content)) return;
    if ((header & 8) && !tidemark_read_number(&bytes, &id_offset)) return;
    if (codec == 0) content = (uint64_t)(bytes.end - bytes.at);
    size_t text_count = !(header & 8) ? 0 : is_uuid ? uuid_text_count : id_count;
    if (content + text_count > payload_max || id_offset > content) return;

    const Dictionary *own = NULL;
    if (codec == codec_zstd_dictionary || number != 0) {
        own = tidemark_dictionary(reader, sqlite3_context_db_handle(context), (sqlite3_int64)number);
        if (own == NULL) return;
    }
    uint8_t *target = sqlite3_malloc64(content + text_count + 1);
    if (target == NULL) return sqlite3_result_error_nomem(context);
    if (codec == 0) {
        memcpy(target, bytes.at, content);
    } else if (!tidemark_unpack(reader, bytes, codec, header & 4, own, target, content)) {
        return sqlite3_free(target);
    }
    memmove(target + id_offset + text_count, target + id_offset, content - id_offset);
    memcpy(target + id_offset, is_uuid ? uuid : id, text_count);
    sqlite3_result_text64(context, (char *)target, content + text_count, sqlite3_free, SQLITE_UTF8);
}

#if TIDEMARK_ZSTD
// zstd_decompress(blob [, dictionary]): the content of one frame, with its magic number or without, or NULL.
static void decompress(sqlite3_context *context, int count, sqlite3_value **values) {
    Reader *reader = sqlite3_user_data(context);
    for (int index = 0; index < count; index++)
        if (sqlite3_value_type(values[index]) != SQLITE_BLOB) return;
    const uint8_t *bytes = sqlite3_value_blob(values[0]);
    size_t byte_count = (size_t)sqlite3_value_bytes(values[0]);
    if (bytes == NULL) return;
    uint64_t magic = byte_count >= 4 ? word(bytes, 4) : 0;
    // A skippable frame has no content, and would be taken for an empty one.
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
#endif

int sqlite3_tidemarksqlite_init(sqlite3 *connection, char **message, const sqlite3_api_routines *api) {
    SQLITE_EXTENSION_INIT2(api);
    Reader *reader = sqlite3_malloc64(sizeof *reader);
    if (reader == NULL) return SQLITE_NOMEM;
    memset(reader, 0, sizeof *reader);
    // SQLite calls `tidemark_release` once for each function and for the table, even when it cannot be created.
#if !TIDEMARK_ZSTD
    (void)message;
    reader->users = 2;
#else
    reader->users = 4;
    reader->context = ZSTD_createDCtx();
    if (reader->context == NULL) {
        sqlite3_free(reader);
        if (message != NULL) *message = sqlite3_mprintf("no memory for zstd");
        return SQLITE_NOMEM;
    }
#endif
    int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;
    // Dictionaries are read from the connection, so the result is the same only for one file.
    int status = sqlite3_create_function_v2(
        connection, "tidemark_resource", 7, flags, reader, resource, NULL, NULL, tidemark_release);
#if TIDEMARK_ZSTD
    int pure = flags | SQLITE_DETERMINISTIC;
    for (int count = 1; count <= 2; count++) {
        int other = sqlite3_create_function_v2(
            connection, "zstd_decompress", count, pure, reader, decompress, NULL, NULL, tidemark_release);
        if (status == SQLITE_OK) status = other;
    }
#endif
    int table = sqlite3_create_module_v2(
        connection, "tidemark_entities", &tidemark_entities_module, reader, tidemark_release);
    return status == SQLITE_OK ? table : status;
}

void (*tidemark_extension_entry(void))(void) { return (void (*)(void))sqlite3_tidemarksqlite_init; }
