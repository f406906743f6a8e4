#include "sqlite_shim.h"

#include <sqlite3.h>
#include <string.h>

// A VFS that replaces the first bytes of a database. Everything else is forwarded to the default VFS, which is looked
// up for each call, since a test may replace it.

enum {
    HEADER_BYTE_COUNT = 100,
    // The space for the file of the default VFS.
    BASE_FILE_BYTE_COUNT = 4096
};

typedef struct {
    sqlite3_file own;
    unsigned char header[HEADER_BYTE_COUNT];
    // Aligned like memory from the allocator.
    _Alignas(16) char base[BASE_FILE_BYTE_COUNT];
} header_file;

static sqlite3_file *base_file(sqlite3_file *file) { return (sqlite3_file *)((header_file *)file)->base; }

static sqlite3_vfs *base_vfs(void) { return sqlite3_vfs_find(NULL); }

static int header_close(sqlite3_file *file) { return base_file(file)->pMethods->xClose(base_file(file)); }

static int header_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int status = base_file(file)->pMethods->xRead(base_file(file), bytes, count, offset);
    if (offset >= HEADER_BYTE_COUNT || (status != SQLITE_OK && status != SQLITE_IOERR_SHORT_READ)) return status;
    int header_count = HEADER_BYTE_COUNT - (int)offset;
    memcpy(bytes, ((header_file *)file)->header + offset, (size_t)(count < header_count ? count : header_count));
    return status;
}

static int header_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    (void)file, (void)bytes, (void)count, (void)offset;
    return SQLITE_READONLY;
}

static int header_truncate(sqlite3_file *file, sqlite3_int64 size) {
    (void)file, (void)size;
    return SQLITE_READONLY;
}

static int header_sync(sqlite3_file *file, int flags) {
    return base_file(file)->pMethods->xSync(base_file(file), flags);
}

static int header_size(sqlite3_file *file, sqlite3_int64 *size) {
    return base_file(file)->pMethods->xFileSize(base_file(file), size);
}

static int header_lock(sqlite3_file *file, int level) {
    return base_file(file)->pMethods->xLock(base_file(file), level);
}

static int header_unlock(sqlite3_file *file, int level) {
    return base_file(file)->pMethods->xUnlock(base_file(file), level);
}

static int header_check_lock(sqlite3_file *file, int *is_reserved) {
    return base_file(file)->pMethods->xCheckReservedLock(base_file(file), is_reserved);
}

static int header_control(sqlite3_file *file, int operation, void *argument) {
    return base_file(file)->pMethods->xFileControl(base_file(file), operation, argument);
}

static int header_sector_size(sqlite3_file *file) {
    return base_file(file)->pMethods->xSectorSize(base_file(file));
}

static int header_characteristics(sqlite3_file *file) {
    return base_file(file)->pMethods->xDeviceCharacteristics(base_file(file));
}

static int header_map(sqlite3_file *file, int region, int size, int extends, void volatile **place) {
    return base_file(file)->pMethods->xShmMap(base_file(file), region, size, extends, place);
}

static int header_shared_lock(sqlite3_file *file, int offset, int count, int flags) {
    return base_file(file)->pMethods->xShmLock(base_file(file), offset, count, flags);
}

static void header_barrier(sqlite3_file *file) { base_file(file)->pMethods->xShmBarrier(base_file(file)); }

static int header_unmap(sqlite3_file *file, int deletes) {
    return base_file(file)->pMethods->xShmUnmap(base_file(file), deletes);
}

// Version 2: with shared memory, and without mapped pages, whose first bytes could not be replaced.
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = header_close,
    .xRead = header_read,
    .xWrite = header_write,
    .xTruncate = header_truncate,
    .xSync = header_sync,
    .xFileSize = header_size,
    .xLock = header_lock,
    .xUnlock = header_unlock,
    .xCheckReservedLock = header_check_lock,
    .xFileControl = header_control,
    .xSectorSize = header_sector_size,
    .xDeviceCharacteristics = header_characteristics,
    .xShmMap = header_map,
    .xShmLock = header_shared_lock,
    .xShmBarrier = header_barrier,
    .xShmUnmap = header_unmap,
};

static int digit(char character) {
    if (character >= '0' && character <= '9') return character - '0';
    return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

// Parses a header in hexadecimal digits. Returns 0 when the text is none.
static int read_header(const char *text, unsigned char *header) {
    if (!text || strlen(text) != 2 * HEADER_BYTE_COUNT) return 0;
    for (int index = 0; index < HEADER_BYTE_COUNT; index++) {
        int high = digit(text[2 * index]), low = digit(text[2 * index + 1]);
        if (high < 0 || low < 0) return 0;
        header[index] = (unsigned char)(high << 4 | low);
    }
    return 1;
}

static int header_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
    (void)vfs;
    file->pMethods = NULL;
    sqlite3_vfs *base = base_vfs();
    if (base->szOsFile > BASE_FILE_BYTE_COUNT) return SQLITE_CANTOPEN;
    // Logs and other files are opened unchanged.
    if (!(flags & SQLITE_OPEN_MAIN_DB)) return base->xOpen(base, name, file, flags, out_flags);
    if (!read_header(sqlite3_uri_parameter(name, "header"), ((header_file *)file)->header)) return SQLITE_CANTOPEN;
    memset(((header_file *)file)->base, 0, BASE_FILE_BYTE_COUNT);
    int status = base->xOpen(base, name, base_file(file), flags, out_flags);
    // SQLite closes a file whose methods are set, whatever the status, so they are set only if those of the base file
    // are.
    if (base_file(file)->pMethods) file->pMethods = &methods;
    return status;
}

static int header_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    (void)vfs;
    return base_vfs()->xDelete(base_vfs(), name, syncs);
}

static int header_access(sqlite3_vfs *vfs, const char *name, int flags, int *is_there) {
    (void)vfs;
    return base_vfs()->xAccess(base_vfs(), name, flags, is_there);
}

static int header_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
    (void)vfs;
    return base_vfs()->xFullPathname(base_vfs(), name, count, path);
}

static int header_random(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    return base_vfs()->xRandomness(base_vfs(), count, bytes);
}

static int header_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return base_vfs()->xSleep(base_vfs(), microseconds);
}

static int header_time(sqlite3_vfs *vfs, double *days) {
    (void)vfs;
    return base_vfs()->xCurrentTime(base_vfs(), days);
}

static int header_error(sqlite3_vfs *vfs, int count, char *text) {
    (void)vfs;
    return base_vfs()->xGetLastError(base_vfs(), count, text);
}

static sqlite3_vfs header_vfs = {
    .iVersion = 1,
    .szOsFile = sizeof(header_file),
    .mxPathname = 4096,
    .zName = TIDEMARK_SQLITE_HEADER_VFS,
    .xOpen = header_open,
    .xDelete = header_delete,
    .xAccess = header_access,
    .xFullPathname = header_path,
    .xRandomness = header_random,
    .xSleep = header_sleep,
    .xCurrentTime = header_time,
    .xGetLastError = header_error,
};

int tidemark_sqlite_register_header_vfs(void) { return sqlite3_vfs_register(&header_vfs, 0); }
