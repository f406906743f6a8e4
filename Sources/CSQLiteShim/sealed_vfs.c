#include "sealed_file.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

// The VFS. Everything except opening a sealed file is forwarded to the default VFS, which is looked up for each call,
// since a test may replace it.

enum {
    // The space for a file that is passed on to the default VFS.
    OS_FILE_BYTE_COUNT = 4096
};

static tidemark_seal_port sealed_port;
static sqlite3_vfs sealed_vfs;
// The default VFS while this one has its place.
static sqlite3_vfs *earlier_default;

sqlite3_vfs *sealed_base(void) {
    sqlite3_vfs *found = sqlite3_vfs_find(NULL);
    return found == &sealed_vfs ? earlier_default : found;
}

// Opens the key of a database from its header; an empty file gets a key with its first page.
static int open_key(sealed_file *file, const void *owner) {
    sqlite3_int64 size = 0;
    int code = file->base->pMethods->xFileSize(file->base, &size);
    if (code != SQLITE_OK) return code;
    if (size == 0) return SQLITE_OK;
    unsigned char *header = sqlite3_malloc(TIDEMARK_SEAL_HEADER_BYTE_COUNT);
    if (!header) return SQLITE_NOMEM;
    code = file->base->pMethods->xRead(file->base, header, TIDEMARK_SEAL_HEADER_BYTE_COUNT, 0);
    if (code == SQLITE_IOERR_SHORT_READ) code = SQLITE_OK;
    if (code == SQLITE_OK) {
        file->key = sealed_port.read_key(owner, header, TIDEMARK_SEAL_HEADER_BYTE_COUNT);
        if (!file->key) code = SQLITE_NOTADB;
    }
    sqlite3_free(header);
    return code;
}

static int open_sealed(
    const char *name, sealed_file *file, const void *owner, sealed_file *database, int kind, int flags, int *out_flags
) {
    sqlite3_vfs *base = sealed_base();
    memset(file, 0, sizeof *file);
    file->port = &sealed_port;
    file->kind = kind;
    file->owner = owner;
    file->database = database;
    file->base = sqlite3_malloc(base->szOsFile);
    if (!file->base) {
        sealed_port.release(owner);
        return SQLITE_NOMEM;
    }
    memset(file->base, 0, (size_t)base->szOsFile);
    int code = base->xOpen(base, name, file->base, flags, out_flags);
    if (code == SQLITE_OK && kind == TIDEMARK_SEAL_DATABASE) code = open_key(file, owner);
    if (code == SQLITE_OK) {
        file->own.pMethods = &sealed_methods;
        return code;
    }
    if (file->base->pMethods) file->base->pMethods->xClose(file->base);
    sealed_file_free(file);
    return code;
}

static int sealed_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
    (void)vfs;
    sqlite3_vfs *base = sealed_base();
    file->pMethods = NULL;
    sealed_file *own = (sealed_file *)file;
    if (name && flags & SQLITE_OPEN_MAIN_DB) {
        const void *owner = sealed_port.owner(name);
        if (owner) return open_sealed(name, own, owner, NULL, TIDEMARK_SEAL_DATABASE, flags, out_flags);
    }
    if (name && flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) {
        sqlite3_file *database = sqlite3_database_file_object(name);
        if (database && database->pMethods == &sealed_methods) {
            int kind = flags & SQLITE_OPEN_WAL ? TIDEMARK_SEAL_LOG : TIDEMARK_SEAL_JOURNAL;
            return open_sealed(name, own, NULL, (sealed_file *)database, kind, flags, out_flags);
        }
    }
    // A database of somebody else. Sealed ones have no other files: their connections keep temporary data in memory.
    if (base->szOsFile > OS_FILE_BYTE_COUNT) return SQLITE_CANTOPEN;
    return base->xOpen(base, name, file, flags, out_flags);
}

static int sealed_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    (void)vfs;
    return sealed_base()->xDelete(sealed_base(), name, syncs);
}

static int sealed_access(sqlite3_vfs *vfs, const char *name, int flags, int *is_there) {
    (void)vfs;
    return sealed_base()->xAccess(sealed_base(), name, flags, is_there);
}

static int sealed_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
    (void)vfs;
    return sealed_base()->xFullPathname(sealed_base(), name, count, path);
}

static int sealed_random(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    return sealed_base()->xRandomness(sealed_base(), count, bytes);
}

static int sealed_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return sealed_base()->xSleep(sealed_base(), microseconds);
}

static int sealed_time(sqlite3_vfs *vfs, double *days) {
    (void)vfs;
    return sealed_base()->xCurrentTime(sealed_base(), days);
}

static int sealed_error(sqlite3_vfs *vfs, int count, char *text) {
    (void)vfs;
    return sealed_base()->xGetLastError(sealed_base(), count, text);
}

static sqlite3_vfs sealed_vfs = {
    .iVersion = 1,
    .szOsFile = OS_FILE_BYTE_COUNT,
    .mxPathname = 4096,
    .zName = TIDEMARK_SQLITE_SEALED_VFS,
    .xOpen = sealed_open,
    .xDelete = sealed_delete,
    .xAccess = sealed_access,
    .xFullPathname = sealed_path,
    .xRandomness = sealed_random,
    .xSleep = sealed_sleep,
    .xCurrentTime = sealed_time,
    .xGetLastError = sealed_error,
};

static pthread_once_t registration_once = PTHREAD_ONCE_INIT;
static const tidemark_seal_port *first_port;
static int registration;

static void register_once(void) {
    sealed_port = *first_port;
    registration = sqlite3_vfs_register(&sealed_vfs, 0);
}

int tidemark_sqlite_register_sealed_vfs(const tidemark_seal_port *port) {
    first_port = port;
    pthread_once(&registration_once, register_once);
    return registration;
}

void tidemark_sqlite_use_sealed_vfs(int is_default) {
    if (is_default) {
        earlier_default = sealed_base();
        sqlite3_vfs_register(&sealed_vfs, 1);
    } else {
        sqlite3_vfs_register(earlier_default, 1);
    }
}

// Returns the file of a connection's main database; NULL if it is not sealed.
static sealed_file *main_file(sqlite3 *connection) {
    sqlite3_file *file = NULL;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK || !file || file->pMethods != &sealed_methods) return NULL;
    return (sealed_file *)file;
}

int tidemark_sqlite_read_seal_header(sqlite3 *connection, unsigned char *header) {
    sealed_file *file = main_file(connection);
    if (!file) return SQLITE_NOTFOUND;
    int code = file->base->pMethods->xRead(file->base, header, TIDEMARK_SEAL_HEADER_BYTE_COUNT, 0);
    return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
}

int tidemark_sqlite_write_seal_header(sqlite3 *connection, const unsigned char *header) {
    sealed_file *file = main_file(connection);
    return file ? sealed_write_header(file, header) : SQLITE_NOTFOUND;
}
