#include "sealed_file.h"

#include <string.h>

enum {
    SEAL = TIDEMARK_SEAL_BYTE_COUNT,
    CHUNK_MAX = TIDEMARK_SEAL_PAGE_BYTE_COUNT,
    HEADER = TIDEMARK_SEAL_HEADER_BYTE_COUNT,
    PREFIX = TIDEMARK_SEAL_PREFIX_BYTE_COUNT
};

static int base_read(sealed_file *file, void *bytes, int count, sqlite3_int64 place) {
    return file->base->pMethods->xRead(file->base, bytes, count, place);
}

static int base_write(sealed_file *file, const void *bytes, int count, sqlite3_int64 place) {
    return file->base->pMethods->xWrite(file->base, bytes, count, place);
}

static int base_size(sealed_file *file, sqlite3_int64 *size) {
    return file->base->pMethods->xFileSize(file->base, size);
}

static const void *key_of(sealed_file *file) { return file->database ? file->database->key : file->key; }

void sealed_file_free(sealed_file *file) {
    if (file->key) file->port->release(file->key);
    if (file->owner) file->port->release(file->owner);
    sqlite3_free(file->base);
    if (file->content) {
        // Memory that is freed must not keep the content.
        memset(file->content, 0, CHUNK_MAX);
        sqlite3_free(file->content);
    }
    sqlite3_free(file->sealed);
    memset(file, 0, sizeof *file);
}

// Allocates the space for a chunk with the first use.
static int has_space(sealed_file *file) {
    if (!file->content) file->content = sqlite3_malloc(CHUNK_MAX);
    if (!file->sealed) file->sealed = sqlite3_malloc(CHUNK_MAX + SEAL + PREFIX);
    return file->content && file->sealed;
}

// Reading

static int is_zero(const unsigned char *bytes, int count) {
    for (int index = 0; index < count; index++)
        if (bytes[index]) return 0;
    return 1;
}

// Reads the content of a chunk into the file's space, zeros past its end.
//
// `count` becomes the number of bytes that the chunk has. A chunk of zeros was never written, as a free page in the
// middle of a database. Returns SQLITE_CORRUPT for a chunk that is not genuine.
static int read_chunk(sealed_file *file, sealed_chunk chunk, unsigned char *content, int *count) {
    sqlite3_int64 size = 0;
    *count = 0;
    const void *key = key_of(file);
    int wanted = chunk.size + SEAL;
    int code = base_read(file, file->sealed, wanted, chunk.place);
    if (code == SQLITE_IOERR_SHORT_READ) {
        code = base_size(file, &size);
        if (code != SQLITE_OK) return code;
        wanted = size > chunk.place ? (int)(size - chunk.place < wanted ? size - chunk.place : wanted) : 0;
    } else if (code != SQLITE_OK) {
        return code;
    }
    if (wanted < chunk.size + SEAL) memset(content, 0, (size_t)chunk.size);
    if (wanted == 0) return SQLITE_OK;
    if (wanted <= SEAL || !key) return SQLITE_CORRUPT;
    int found = wanted - SEAL;
    if (!file->port->open(key, file->kind, chunk.number, file->sealed, found, content)) {
        if (file->kind != TIDEMARK_SEAL_DATABASE || !is_zero(file->sealed, wanted)) return SQLITE_CORRUPT;
        memset(content, 0, (size_t)chunk.size);
    }
    *count = found;
    return SQLITE_OK;
}

// The end of a log is where a frame is not complete: what cannot be opened looks like one to SQLite. Reads of a page
// alone come after SQLite has chosen the frame, so they report the damage.
static int is_end_of_log(sealed_file *file, int count) {
    return file->kind == TIDEMARK_SEAL_LOG && count != TIDEMARK_SEAL_PAGE_BYTE_COUNT;
}

static int sealed_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    sealed_file *file = (sealed_file *)base;
    unsigned char *target = bytes;
    if (!has_space(file)) return SQLITE_IOERR_NOMEM;
    int whole = count;
    int is_short = 0;
    while (count > 0) {
        sealed_chunk chunk = sealed_chunk_at(file->kind, offset);
        int skipped = (int)(offset - chunk.start);
        int part = chunk.size - skipped < count ? chunk.size - skipped : count;
        // A whole chunk needs no copy.
        int is_direct = skipped == 0 && part == chunk.size;
        unsigned char *content = is_direct ? target : file->content;
        int found = 0;
        int code = read_chunk(file, chunk, content, &found);
        if (code == SQLITE_CORRUPT && is_end_of_log(file, whole)) {
            memset(content, 0, (size_t)chunk.size);
            found = chunk.size;
        } else if (code != SQLITE_OK) {
            return code;
        }
        if (!is_direct) memcpy(target, file->content + skipped, (size_t)part);
        if (found < skipped + part) is_short = 1;
        target += part;
        offset += part;
        count -= part;
    }
    return is_short ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

// Writing

// Seals and writes a chunk. The first chunk of a log is written with the bytes before it.
static int write_chunk(sealed_file *file, sealed_chunk chunk, const unsigned char *content, int count) {
    const void *key = key_of(file);
    if (!key) return SQLITE_IOERR_WRITE;
    int has_prefix = file->kind == TIDEMARK_SEAL_LOG && chunk.number == 0;
    unsigned char *sealed = file->sealed + (has_prefix ? PREFIX : 0);
    if (!file->port->seal(key, file->kind, chunk.number, content, count, sealed)) return SQLITE_IOERR_WRITE;
    if (!has_prefix) return base_write(file, sealed, count + SEAL, chunk.place);
    file->port->write_prefix(key, file->sealed);
    return base_write(file, file->sealed, PREFIX + count + SEAL, 0);
}

// Gives an empty database its key, before its journal is written. The key is not used before its header is written.
static int make_key(sealed_file *file) {
    if (file->key) return SQLITE_OK;
    unsigned char *header = sqlite3_malloc(HEADER);
    if (!header) return SQLITE_IOERR_NOMEM;
    const void *key = file->port->make_key(file->owner, header);
    int code = key ? base_write(file, header, HEADER, 0) : SQLITE_IOERR_WRITE;
    sqlite3_free(header);
    if (code == SQLITE_OK) file->key = key;
    else if (key) file->port->release(key);
    return code;
}

static int sealed_size(sqlite3_file *base, sqlite3_int64 *size) {
    sealed_file *file = (sealed_file *)base;
    int code = base_size(file, size);
    if (code == SQLITE_OK) *size = sealed_content_size(file->kind, *size);
    return code;
}

static int write_part(sealed_file *file, const unsigned char *source, int count, sqlite3_int64 offset) {
    while (count > 0) {
        sealed_chunk chunk = sealed_chunk_at(file->kind, offset);
        int skipped = (int)(offset - chunk.start);
        int part = chunk.size - skipped < count ? chunk.size - skipped : count;
        int code, found = part;
        if (skipped == 0 && part == chunk.size) {
            code = write_chunk(file, chunk, source, part);
        } else {
            code = read_chunk(file, chunk, file->content, &found);
            // The rest of a log may be what a crash left; it is overwritten before it is used.
            if (code == SQLITE_CORRUPT && file->kind == TIDEMARK_SEAL_LOG) {
                memset(file->content, 0, (size_t)chunk.size);
                code = SQLITE_OK;
            }
            if (code != SQLITE_OK) return code;
            memcpy(file->content + skipped, source, (size_t)part);
            code = write_chunk(file, chunk, file->content, found > skipped + part ? found : skipped + part);
        }
        if (code != SQLITE_OK) return code;
        source += part;
        offset += part;
        count -= part;
    }
    return SQLITE_OK;
}

// Fills a journal with zeros up to an offset: a chunk that is not its last one has no gap.
static int fill_to(sealed_file *file, sqlite3_int64 offset) {
    static const unsigned char zeros[512];
    sqlite3_int64 size = 0;
    int code = sealed_size(&file->own, &size);
    while (code == SQLITE_OK && size < offset) {
        int part = offset - size < (int)sizeof zeros ? (int)(offset - size) : (int)sizeof zeros;
        code = write_part(file, zeros, part, size);
        size += part;
    }
    return code;
}

static int sealed_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    sealed_file *file = (sealed_file *)base;
    if (!has_space(file)) return SQLITE_IOERR_NOMEM;
    int code = make_key(file->database ? file->database : file);
    if (code == SQLITE_OK && file->kind == TIDEMARK_SEAL_JOURNAL) code = fill_to(file, offset);
    return code == SQLITE_OK ? write_part(file, bytes, count, offset) : code;
}

static int sealed_truncate(sqlite3_file *base, sqlite3_int64 size) {
    sealed_file *file = (sealed_file *)base;
    sealed_chunk chunk = sealed_chunk_at(file->kind, size);
    int rest = (int)(size - chunk.start);
    // An empty log has no prefix, and a database keeps its header.
    sqlite3_int64 place = size == 0 && file->kind == TIDEMARK_SEAL_LOG ? 0 : chunk.place;
    if (rest == 0) return file->base->pMethods->xTruncate(file->base, place);
    if (!has_space(file)) return SQLITE_IOERR_NOMEM;
    int found = 0;
    int code = read_chunk(file, chunk, file->content, &found);
    // What is cut off from a log is not in use, nor is the rest of a frame.
    if (file->kind == TIDEMARK_SEAL_LOG) return file->base->pMethods->xTruncate(file->base, place);
    if (code != SQLITE_OK) return code;
    code = file->base->pMethods->xTruncate(file->base, place);
    return code == SQLITE_OK ? write_chunk(file, chunk, file->content, rest) : code;
}

int sealed_write_header(sealed_file *file, const unsigned char *header) {
    for (int copy = 1; copy >= 0; copy--) {
        int code = base_write(file, header + copy * (HEADER / 2), HEADER / 2, copy * (HEADER / 2));
        if (code == SQLITE_OK) code = file->base->pMethods->xSync(file->base, SQLITE_SYNC_FULL);
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}

// Everything else

static int sealed_close(sqlite3_file *base) {
    sealed_file *file = (sealed_file *)base;
    int code = file->base->pMethods->xClose(file->base);
    sealed_file_free(file);
    return code;
}

#define BASE ((sealed_file *)file)->base

static int sealed_sync(sqlite3_file *file, int flags) { return BASE->pMethods->xSync(BASE, flags); }

static int sealed_lock(sqlite3_file *file, int level) { return BASE->pMethods->xLock(BASE, level); }

static int sealed_unlock(sqlite3_file *file, int level) { return BASE->pMethods->xUnlock(BASE, level); }

static int sealed_check_lock(sqlite3_file *file, int *is_reserved) {
    return BASE->pMethods->xCheckReservedLock(BASE, is_reserved);
}

// Sizes are those of the content, and there are no memory maps.
static int sealed_control(sqlite3_file *file, int operation, void *argument) {
    switch (operation) {
    case SQLITE_FCNTL_SIZE_HINT:
    case SQLITE_FCNTL_CHUNK_SIZE: return SQLITE_OK;
    case SQLITE_FCNTL_MMAP_SIZE:
        *(sqlite3_int64 *)argument = 0;
        return SQLITE_OK;
    default: return BASE->pMethods->xFileControl(BASE, operation, argument);
    }
}

static int sealed_sector_size(sqlite3_file *file) { return BASE->pMethods->xSectorSize(BASE); }

// A write of a page is more than one block of the disk, so it is never atomic.
static int sealed_characteristics(sqlite3_file *file) {
    return BASE->pMethods->xDeviceCharacteristics(BASE) & (SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_IMMUTABLE);
}

static int sealed_map(sqlite3_file *file, int region, int size, int extends, void volatile **place) {
    return BASE->pMethods->xShmMap(BASE, region, size, extends, place);
}

static int sealed_map_lock(sqlite3_file *file, int offset, int count, int flags) {
    return BASE->pMethods->xShmLock(BASE, offset, count, flags);
}

static void sealed_barrier(sqlite3_file *file) { BASE->pMethods->xShmBarrier(BASE); }

static int sealed_unmap(sqlite3_file *file, int deletes) { return BASE->pMethods->xShmUnmap(BASE, deletes); }

// Version 2: with shared memory, and without mapped pages.
const sqlite3_io_methods sealed_methods = {
    .iVersion = 2,
    .xClose = sealed_close,
    .xRead = sealed_read,
    .xWrite = sealed_write,
    .xTruncate = sealed_truncate,
    .xSync = sealed_sync,
    .xFileSize = sealed_size,
    .xLock = sealed_lock,
    .xUnlock = sealed_unlock,
    .xCheckReservedLock = sealed_check_lock,
    .xFileControl = sealed_control,
    .xSectorSize = sealed_sector_size,
    .xDeviceCharacteristics = sealed_characteristics,
    .xShmMap = sealed_map,
    .xShmLock = sealed_map_lock,
    .xShmBarrier = sealed_barrier,
    .xShmUnmap = sealed_unmap,
};
