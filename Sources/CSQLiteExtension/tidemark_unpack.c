// Checks and decompression, for files of rows and of blocks. See docs/data-file.md.

#include <string.h>
#include <zlib.h>

#include "tidemark_internal.h"
#include "xxh64.h"

SQLITE_EXTENSION_INIT3

enum {
    // The most bytes of a zstd block.
    block_max = 128 << 10,
    // How far raw deflate looks back.
    deflate_window = 32 << 10,
};

void tidemark_release(void *pointer) {
    Reader *reader = pointer;
    if (--reader->users > 0) return;
    for (int index = 0; index < reader->dictionary_count; index++) {
        sqlite3_free(reader->dictionaries[index].bytes);
#if TIDEMARK_ZSTD
        ZSTD_freeDDict(reader->dictionaries[index].zstd);
#endif
    }
#if TIDEMARK_ZSTD
    ZSTD_freeDCtx(reader->context);
#endif
    sqlite3_free(reader);
}

static int copy_dictionary(Dictionary *dictionary, const uint8_t *bytes, size_t count) {
    dictionary->bytes = sqlite3_malloc64(count);
    if (dictionary->bytes == NULL) return 0;
    memcpy(dictionary->bytes, bytes, count);
    dictionary->count = count;
#if TIDEMARK_ZSTD
    dictionary->zstd = ZSTD_createDDict(bytes, count);
#endif
    return 1;
}

const Dictionary *tidemark_dictionary(Reader *reader, sqlite3 *connection, sqlite3_int64 number) {
    for (int index = 0; index < reader->dictionary_count; index++)
        if (reader->dictionaries[index].number == number) return &reader->dictionaries[index];
    if (reader->dictionary_count == dictionary_max) return NULL;
    sqlite3_stmt *statement = NULL;
    const char *sql = "SELECT type, checksum, body FROM main.dictionaries WHERE dictionary = ?";
    Dictionary found = {.number = number};
    int is_found = 0;
    if (sqlite3_prepare_v2(connection, sql, -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, number);
        if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 2) == SQLITE_BLOB) {
            const uint8_t *bytes = sqlite3_column_blob(statement, 2);
            size_t count = (size_t)sqlite3_column_bytes(statement, 2);
            uint64_t seed = (uint64_t)number << 16 | (uint64_t)sqlite3_column_int64(statement, 0);
            if (count > 0 && (sqlite3_int64)xxh64(bytes, count, seed) == sqlite3_column_int64(statement, 1))
                is_found = copy_dictionary(&found, bytes, count);
        }
    }
    sqlite3_finalize(statement);
    if (!is_found) return NULL;
    reader->dictionaries[reader->dictionary_count++] = found;
    return &reader->dictionaries[reader->dictionary_count - 1];
}

int tidemark_names_dictionary(int codec) { return codec == codec_zstd_dictionary || codec == codec_deflate; }

int tidemark_read_number(Bytes *bytes, uint64_t *value) {
    *value = 0;
    for (int index = 0; index < 5 && bytes->at < bytes->end; index++) {
        uint8_t byte = *bytes->at++;
        *value |= (uint64_t)(byte & 0x7F) << 7 * index;
        if (byte < 0x80) return 1;
    }
    return 0;
}

#if TIDEMARK_ZSTD
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

static int unpack_zstd(
    Reader *reader, Bytes data, int is_bare, const ZSTD_DDict *dictionary, uint8_t *target, size_t count) {
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
#endif

static int unpack_deflate(Bytes data, const Dictionary *dictionary, uint8_t *target, size_t count) {
    z_stream stream = {.next_in = (Bytef *)data.at, .next_out = target};
    stream.avail_in = (uInt)(data.end - data.at);
    stream.avail_out = (uInt)count;
    if (inflateInit2(&stream, -15) != Z_OK) return 0;
    int status = Z_OK;
    if (dictionary != NULL) {
        size_t last = dictionary->count < deflate_window ? dictionary->count : deflate_window;
        status = inflateSetDictionary(&stream, dictionary->bytes + dictionary->count - last, (uInt)last);
    }
    if (status == Z_OK) status = inflate(&stream, Z_FINISH);
    int is_whole = status == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
    inflateEnd(&stream);
    return is_whole;
}

int tidemark_unpack(
    Reader *reader, Bytes data, int codec, int is_bare, const Dictionary *dictionary, uint8_t *target, size_t count) {
    if (codec == codec_deflate) return !is_bare && unpack_deflate(data, dictionary, target, count);
#if TIDEMARK_ZSTD
    if (codec == codec_zstd_dictionary && (dictionary == NULL || dictionary->zstd == NULL)) return 0;
    return unpack_zstd(reader, data, is_bare, dictionary ? dictionary->zstd : NULL, target, count);
#else
    (void)reader;
    return 0;
#endif
}

static void put(uint8_t *at, uint64_t value) {
    for (int index = 0; index < 8; index++) at[index] = (uint8_t)(value >> 8 * index);
}

uint64_t tidemark_seed(const Seal *seal) {
    uint8_t stamps[24];
    put(stamps, seal->library << 48 | seal->type << 32 | seal->generation);
    put(stamps + 8, (uint64_t)seal->sequence);
    put(stamps + 16, (uint64_t)seal->written_at << 1 | (uint64_t)seal->is_uuid);
    size_t id_count = (size_t)(seal->id.end - seal->id.at);
    return xxh64(seal->id.at, id_count, xxh64(stamps, sizeof stamps, 0));
}

void tidemark_write_uuid(uint8_t *text, const uint8_t *id) {
    for (int index = 0; index < uuid_count; index++) {
        if (index == 4 || index == 6 || index == 8 || index == 10) *text++ = '-';
        *text++ = (uint8_t)"0123456789abcdef"[id[index] >> 4];
        *text++ = (uint8_t)"0123456789abcdef"[id[index] & 15];
    }
}
