// Disks that fail on request, for tests only.
//
// This is a SQLite VFS over the default one. It handles the files in folders for which a disk was made; other files are
// not affected. For each file, a disk records the synced bytes and the changes since then, so that it can compute what
// a power loss would leave.
#ifndef TIDEMARK_FAULT_VFS_H
#define TIDEMARK_FAULT_VFS_H

#include <stdint.h>

typedef struct fault_disk fault_disk;

enum fault_kind {
    FAULT_NONE = 0,
    // From this change on, every call fails. The files stay as they were before the change, in the middle of it, or
    // after it.
    FAULT_STOP_BEFORE = 1,
    FAULT_STOP_WITHIN = 2,
    FAULT_STOP_AFTER = 3,
    // The change fails with an input/output error, or because the disk is full. A part of the bytes may have been
    // written.
    FAULT_CHANGE_FAILS = 4,
    FAULT_CHANGE_FULL = 5,
    // The read fails, or returns too few bytes.
    FAULT_READ_FAILS = 6,
    FAULT_READ_SHORT = 7,
    // Like the stops, but the process itself ends at once, with `FAULT_EXIT_STATUS`.
    FAULT_EXIT_BEFORE = 8,
    FAULT_EXIT_WITHIN = 9,
    FAULT_EXIT_AFTER = 10,
    // From this read on, every access to the files fails, as on a locked device that protects them. They stay as they
    // are. With an even seed the access fails with SQLITE_IOERR_AUTH, with an odd one with the error of the access and
    // the system's EPERM.
    FAULT_PROTECTED = 11
};

// The exit status of a process that a disk ends.
enum { FAULT_EXIT_STATUS = 99 };

// Registers the VFS as the default one, once. Returns SQLite's result code.
int fault_vfs_register(void);

// Returns the name of the default VFS of the SQLite in this library. It shows whether two libraries use the same
// SQLite.
const char *fault_vfs_name(void);

// Creates a disk for a folder. The present bytes of its files count as synced. Returns NULL when the folder cannot be
// found, or memory is short.
fault_disk *fault_disk_make(const char *folder);

// Releases a disk. Open files remain usable.
void fault_disk_release(fault_disk *disk);

// Makes the calls with the numbers `first` to `last` fail, counted from 1 since the disk was created. A change is a
// write, a sync, a truncation, a deletion or a rename; reads are counted separately. Replaces an earlier plan.
void fault_disk_plan(fault_disk *disk, enum fault_kind kind, int64_t first, int64_t last, uint64_t seed);

// Returns the number of changes so far, including failed ones.
int64_t fault_disk_change_count(fault_disk *disk);
// Returns the number of reads so far.
int64_t fault_disk_read_count(fault_disk *disk);
// Returns the number of calls that failed as planned.
int64_t fault_disk_failure_count(fault_disk *disk);
// Returns 1 once a planned stop has happened, else 0.
int fault_disk_is_stopped(fault_disk *disk);

// Describes the last call that failed as planned, as text of at most `byte_count` bytes including its terminator.
void fault_disk_describe(fault_disk *disk, char *text, int byte_count);

// Renames a file of the disk, as `rename` does. SQLite never renames files, so the VFS would not see it.
//
// It is a change like others, but is done completely or not at all. Until the folder is synced, a power loss may undo
// it.
//
// Returns 0 or an errno.
int fault_disk_rename(fault_disk *disk, const char *source, const char *target);

// Makes the names of the disk's files durable. It is a change like others.
void fault_disk_sync_folder(fault_disk *disk);

// Writes the files of the disk into another folder: as they were when the disk stopped, or as they are now.
//
// Without a power loss, these are the actual files, including shared memory. With a power loss, unsynced changes may be
// missing, torn at 512 bytes, or made in another order, as the seed decides, and shared memory is gone.
//
// Returns 0 or an errno.
int fault_disk_write_image(fault_disk *disk, int loses_power, uint64_t seed, const char *folder);

#endif
