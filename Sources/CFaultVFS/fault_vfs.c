// The VFS, which forwards calls to the default VFS and lets them fail as planned.
#include "fault_disk.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An open file of a disk; the file of the default VFS follows it in memory.
typedef struct {
    sqlite3_file base;
    fault_disk *disk;
    // NULL for a file that cannot be read. Images then contain its actual bytes.
    fault_content *content;
    char name[64];
} fault_file;

static sqlite3_vfs *default_vfs;
static sqlite3_vfs fault_vfs;
static pthread_mutex_t disks_lock = PTHREAD_MUTEX_INITIALIZER;
static fault_disk *disks;

static sqlite3_file *inner(sqlite3_file *file) { return (sqlite3_file *)((fault_file *)file + 1); }

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Disks

static void release(fault_disk *disk) {
    pthread_mutex_lock(&disk->lock);
    int count = --disk->reference_count;
    pthread_mutex_unlock(&disk->lock);
    if (count > 0) return;
    fault_disk_list(disk);
    while (disk->contents) {
        fault_content *next = disk->contents->next;
        fault_content_free(disk->contents);
        disk->contents = next;
    }
    fault_captures_free(disk->captures);
    free(disk->moves);
    pthread_mutex_destroy(&disk->lock);
    free(disk->folder);
    free(disk);
}

// Returns the disk of a path, with a reference that the caller must release; NULL if the path is on none.
static fault_disk *disk_of(const char *path) {
    if (!path) return NULL;
    pthread_mutex_lock(&disks_lock);
    fault_disk *disk = disks;
    while (disk && (strncmp(path, disk->folder, disk->folder_byte_count) || path[disk->folder_byte_count] != '/'))
        disk = disk->next;
    if (disk) {
        pthread_mutex_lock(&disk->lock);
        disk->reference_count++;
        pthread_mutex_unlock(&disk->lock);
    }
    pthread_mutex_unlock(&disks_lock);
    return disk;
}

fault_disk *fault_disk_make(const char *folder) {
    fault_disk *disk = calloc(1, sizeof *disk);
    if (!disk) return NULL;
    disk->folder = realpath(folder, NULL);
    if (!disk->folder) {
        free(disk);
        return NULL;
    }
    disk->folder_byte_count = strlen(disk->folder);
    disk->reference_count = 1;
    pthread_mutex_init(&disk->lock, NULL);
    pthread_mutex_lock(&disks_lock);
    disk->next = disks;
    disks = disk;
    pthread_mutex_unlock(&disks_lock);
    return disk;
}

void fault_disk_release(fault_disk *disk) {
    pthread_mutex_lock(&disks_lock);
    for (fault_disk **place = &disks; *place; place = &(*place)->next) {
        if (*place == disk) {
            *place = disk->next;
            break;
        }
    }
    pthread_mutex_unlock(&disks_lock);
    release(disk);
}

void fault_disk_plan(fault_disk *disk, enum fault_kind kind, int64_t first, int64_t last, uint64_t seed) {
    pthread_mutex_lock(&disk->lock);
    disk->ends_process = kind >= FAULT_EXIT_BEFORE && kind <= FAULT_EXIT_AFTER;
    disk->kind = disk->ends_process ? kind - FAULT_EXIT_BEFORE + FAULT_STOP_BEFORE : kind;
    disk->first = first;
    disk->last = last;
    disk->random = seed;
    pthread_mutex_unlock(&disk->lock);
}

static int64_t locked(fault_disk *disk, const int64_t *value) {
    pthread_mutex_lock(&disk->lock);
    int64_t result = *value;
    pthread_mutex_unlock(&disk->lock);
    return result;
}

int64_t fault_disk_change_count(fault_disk *disk) { return locked(disk, &disk->change_count); }
int64_t fault_disk_read_count(fault_disk *disk) { return locked(disk, &disk->read_count); }
int64_t fault_disk_failure_count(fault_disk *disk) { return locked(disk, &disk->failure_count); }

int fault_disk_is_stopped(fault_disk *disk) {
    pthread_mutex_lock(&disk->lock);
    int result = disk->is_stopped;
    pthread_mutex_unlock(&disk->lock);
    return result;
}

void fault_disk_describe(fault_disk *disk, char *text, int byte_count) {
    pthread_mutex_lock(&disk->lock);
    snprintf(text, (size_t)byte_count, "%s", disk->place);
    pthread_mutex_unlock(&disk->lock);
}

static int fails(enum fault_kind kind) { return kind == FAULT_CHANGE_FAILS || kind == FAULT_CHANGE_FULL; }

// Returns 1 if the disk is protected now. The caller holds its lock.
static int is_protected(fault_disk *disk, const char *what, const char *name) {
    if (disk->kind != FAULT_PROTECTED || disk->read_count < disk->first) return 0;
    if (!disk->failure_count++)
        snprintf(disk->place, sizeof disk->place, "%s of %s, which is protected", what, name);
    return 1;
}

// Returns the result code of an access to a protected file, which would otherwise fail with `code`.
static int protected_code(const fault_disk *disk, int code) {
    if (disk->random % 2 == 0) return SQLITE_IOERR_AUTH;
    errno = EPERM;
    return code;
}

// Files

static int fault_close(sqlite3_file *file) {
    fault_file *own = (fault_file *)file;
    int code = inner(file)->pMethods->xClose(inner(file));
    release(own->disk);
    return code;
}

static int fault_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    fault_file *own = (fault_file *)file;
    fault_disk *disk = own->disk;
    int code = SQLITE_OK, is_short = 0;
    pthread_mutex_lock(&disk->lock);
    if (disk->is_stopped) {
        code = SQLITE_IOERR_READ;
    } else {
        disk->read_count++;
        if (is_protected(disk, "read", own->name)) {
            pthread_mutex_unlock(&disk->lock);
            return protected_code(disk, SQLITE_IOERR_READ);
        }
        int isPlanned = disk->kind == FAULT_READ_FAILS || disk->kind == FAULT_READ_SHORT;
        if (isPlanned && disk->read_count >= disk->first && disk->read_count <= disk->last) {
            disk->failure_count++;
            snprintf(
                disk->place, sizeof disk->place, "read %lld, of %s", (long long)disk->read_count, own->name);
            if (disk->kind == FAULT_READ_FAILS) code = SQLITE_IOERR_READ;
            is_short = (int)(fault_random(&disk->random) % (uint64_t)(count > 0 ? count : 1));
            if (disk->kind == FAULT_READ_SHORT) code = SQLITE_IOERR_SHORT_READ;
        }
    }
    pthread_mutex_unlock(&disk->lock);
    if (code == SQLITE_IOERR_READ) return code;
    int found = inner(file)->pMethods->xRead(inner(file), bytes, count, offset);
    if (code == SQLITE_OK || found != SQLITE_OK) return found;
    memset((char *)bytes + is_short, 0, (size_t)(count - is_short));
    return code;
}

static int fault_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    fault_file *own = (fault_file *)file;
    fault_disk *disk = own->disk;
    pthread_mutex_lock(&disk->lock);
    int code = SQLITE_IOERR_WRITE;
    if (is_protected(disk, "write", own->name)) {
        code = protected_code(disk, code);
    } else if (!disk->is_stopped) {
        enum fault_kind kind = fault_disk_next_change(disk, "write", own->name);
        if (!disk->is_stopped) {
            int is_part = kind == FAULT_STOP_WITHIN || fails(kind);
            int part = is_part && count > 0 ? (int)(fault_random(&disk->random) % (uint64_t)count) : count;
            int written = part ? inner(file)->pMethods->xWrite(inner(file), bytes, part, offset) : SQLITE_OK;
            if (written == SQLITE_OK && part && own->content) fault_content_add(own->content, 0, offset, bytes, part);
            if (kind == FAULT_STOP_WITHIN || kind == FAULT_STOP_AFTER) fault_disk_stop(disk);
            if (kind == FAULT_NONE) code = written;
            if (kind == FAULT_CHANGE_FULL) code = SQLITE_FULL;
        }
    }
    pthread_mutex_unlock(&disk->lock);
    return code;
}

static int fault_truncate(sqlite3_file *file, sqlite3_int64 size) {
    fault_file *own = (fault_file *)file;
    fault_disk *disk = own->disk;
    pthread_mutex_lock(&disk->lock);
    int code = SQLITE_IOERR_TRUNCATE;
    if (is_protected(disk, "truncation", own->name)) {
        code = protected_code(disk, code);
    } else if (!disk->is_stopped) {
        enum fault_kind kind = fault_disk_next_change(disk, "truncation", own->name);
        if (!disk->is_stopped && !fails(kind)) {
            int done = inner(file)->pMethods->xTruncate(inner(file), size);
            if (done == SQLITE_OK && own->content) fault_content_add(own->content, 1, size, NULL, 0);
            if (kind == FAULT_NONE) code = done; else fault_disk_stop(disk);
        }
    }
    pthread_mutex_unlock(&disk->lock);
    return code;
}

// The default VFS is not called, because only the disk's record of synced bytes matters.
static int fault_sync(sqlite3_file *file, int flags) {
    (void)flags;
    fault_file *own = (fault_file *)file;
    fault_disk *disk = own->disk;
    pthread_mutex_lock(&disk->lock);
    int code = SQLITE_IOERR_FSYNC;
    if (is_protected(disk, "sync", own->name)) {
        code = protected_code(disk, code);
    } else if (!disk->is_stopped) {
        enum fault_kind kind = fault_disk_next_change(disk, "sync", own->name);
        if (kind == FAULT_STOP_WITHIN) {
            // The sync may have covered any part of the file. The changes stay unsynced, so an image selects a part of
            // them.
            fault_disk_stop(disk);
        } else if (!disk->is_stopped && own->content) {
            fault_content_sync(own->content, fails(kind), &disk->random);
            if (!fails(kind) && !own->content->is_listed) fault_disk_list(disk);
        }
        if (kind == FAULT_STOP_AFTER) fault_disk_stop(disk);
        if (kind == FAULT_NONE) code = SQLITE_OK;
    }
    pthread_mutex_unlock(&disk->lock);
    return code;
}

static int is_stopped(sqlite3_file *file) { return fault_disk_is_stopped(((fault_file *)file)->disk); }

static int fault_size(sqlite3_file *file, sqlite3_int64 *size) {
    return is_stopped(file) ? SQLITE_IOERR_FSTAT : inner(file)->pMethods->xFileSize(inner(file), size);
}

static int fault_lock(sqlite3_file *file, int level) {
    return is_stopped(file) ? SQLITE_IOERR_LOCK : inner(file)->pMethods->xLock(inner(file), level);
}

static int fault_unlock(sqlite3_file *file, int level) {
    return inner(file)->pMethods->xUnlock(inner(file), level);
}

static int fault_check_lock(sqlite3_file *file, int *result) {
    return is_stopped(file) ? SQLITE_IOERR_CHECKRESERVEDLOCK
                            : inner(file)->pMethods->xCheckReservedLock(inner(file), result);
}

// A size hint is ignored, because it would change the file without a recorded change.
static int fault_control(sqlite3_file *file, int operation, void *argument) {
    if (operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_CHUNK_SIZE) return SQLITE_OK;
    if (is_stopped(file)) return SQLITE_NOTFOUND;
    return inner(file)->pMethods->xFileControl(inner(file), operation, argument);
}

static int fault_sector_size(sqlite3_file *file) { return inner(file)->pMethods->xSectorSize(inner(file)); }

static int fault_characteristics(sqlite3_file *file) {
    return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}

static int fault_map(sqlite3_file *file, int page, int size, int extend, void volatile **address) {
    return is_stopped(file) ? SQLITE_IOERR_SHMMAP
                            : inner(file)->pMethods->xShmMap(inner(file), page, size, extend, address);
}

static int fault_map_lock(sqlite3_file *file, int offset, int count, int flags) {
    if (flags & SQLITE_SHM_LOCK && is_stopped(file)) return SQLITE_IOERR_SHMLOCK;
    return inner(file)->pMethods->xShmLock(inner(file), offset, count, flags);
}

static void fault_barrier(sqlite3_file *file) { inner(file)->pMethods->xShmBarrier(inner(file)); }

static int fault_unmap(sqlite3_file *file, int deletes) {
    return inner(file)->pMethods->xShmUnmap(inner(file), deletes && !is_stopped(file));
}

// Version 2 has no reads through memory maps, which would bypass the plan.
static const sqlite3_io_methods methods = {
    2, fault_close, fault_read, fault_write, fault_truncate, fault_sync, fault_size, fault_lock, fault_unlock,
    fault_check_lock, fault_control, fault_sector_size, fault_characteristics, fault_map, fault_map_lock,
    fault_barrier, fault_unmap, NULL, NULL,
};

// The VFS

static int fault_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *flags_out) {
    (void)vfs;
    fault_disk *disk = disk_of(path);
    if (!disk) return default_vfs->xOpen(default_vfs, path, file, flags, flags_out);
    file->pMethods = NULL;
    int code = SQLITE_IOERR;
    pthread_mutex_lock(&disk->lock);
    if (is_protected(disk, "opening", last_part(path))) {
        code = protected_code(disk, SQLITE_CANTOPEN);
    } else if (!disk->is_stopped) {
        int is_there = 0;
        default_vfs->xAccess(default_vfs, path, SQLITE_ACCESS_EXISTS, &is_there);
        memset(file, 0, sizeof(fault_file));
        code = default_vfs->xOpen(default_vfs, path, inner(file), flags, flags_out);
        if (code == SQLITE_OK) {
            fault_file *own = (fault_file *)file;
            own->base.pMethods = &methods;
            own->disk = disk;
            own->content = fault_content_at(disk, path, !is_there);
            snprintf(own->name, sizeof own->name, "%s", last_part(path));
        }
    }
    pthread_mutex_unlock(&disk->lock);
    if (code != SQLITE_OK) release(disk);
    return code;
}

// Removes the content of a deleted file. The file may return after a power loss until the folder is synced.
static void forget(fault_disk *disk, fault_content *content, const char *name) {
    fault_content **place = &disk->contents;
    while (*place && *place != content) place = &(*place)->next;
    if (*place) *place = content->next;
    fault_ghost *ghost = content->is_listed ? calloc(1, sizeof *ghost) : NULL;
    if (!ghost) {
        fault_content_free(content);
        return;
    }
    ghost->name = strdup(name);
    ghost->content = content;
    ghost->next = disk->ghosts;
    disk->ghosts = ghost;
}

static int fault_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
    (void)vfs;
    fault_disk *disk = disk_of(path);
    if (!disk) return default_vfs->xDelete(default_vfs, path, syncs_folder);
    pthread_mutex_lock(&disk->lock);
    int code = SQLITE_IOERR_DELETE;
    if (is_protected(disk, "deletion", last_part(path))) {
        int is_odd = disk->random % 2 != 0;
        pthread_mutex_unlock(&disk->lock);
        release(disk);
        if (!is_odd) return SQLITE_IOERR_AUTH;
        errno = EPERM;
        return code;
    }
    int is_there = 0;
    default_vfs->xAccess(default_vfs, path, SQLITE_ACCESS_EXISTS, &is_there);
    if (!disk->is_stopped && !is_there) {
        code = SQLITE_IOERR_DELETE_NOENT;
    } else if (!disk->is_stopped) {
        enum fault_kind kind = fault_disk_next_change(disk, "deletion", last_part(path));
        if (!disk->is_stopped && !fails(kind)) {
            fault_content *content = fault_content_at(disk, path, 0);
            int done = default_vfs->xDelete(default_vfs, path, 0);
            if (done == SQLITE_OK && content) forget(disk, content, last_part(path));
            if (done == SQLITE_OK && syncs_folder) fault_disk_list(disk);
            if (kind == FAULT_NONE) code = done; else fault_disk_stop(disk);
        }
    }
    pthread_mutex_unlock(&disk->lock);
    release(disk);
    return code;
}

static int fault_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs;
    fault_disk *disk = disk_of(path);
    if (disk) {
        int stopped = fault_disk_is_stopped(disk);
        release(disk);
        if (stopped) return SQLITE_IOERR_ACCESS;
    }
    return default_vfs->xAccess(default_vfs, path, flags, result);
}

static int registration;

static void register_once(void) {
    default_vfs = sqlite3_vfs_find(NULL);
    if (!default_vfs) {
        registration = SQLITE_ERROR;
        return;
    }
    // Everything except file access is copied from the default VFS.
    fault_vfs = *default_vfs;
    fault_vfs.pNext = NULL;
    fault_vfs.zName = "tidemark-fault";
    fault_vfs.szOsFile = (int)sizeof(fault_file) + default_vfs->szOsFile;
    fault_vfs.xOpen = fault_open;
    fault_vfs.xDelete = fault_delete;
    fault_vfs.xAccess = fault_access;
    registration = sqlite3_vfs_register(&fault_vfs, 1);
}

int fault_vfs_register(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_once);
    return registration;
}

const char *fault_vfs_name(void) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    return vfs ? vfs->zName : "";
}
