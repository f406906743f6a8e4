// Disks that fail when they are told to. For tests only.
//
// A VFS of SQLite over the default one. It takes part in what happens to files in folders that were made a disk; all
// other files never notice it. A disk knows, for each file, what was synced and which changes came since, so that it
// can say what a loss of power would leave.
#ifndef TIDEMARK_FAULT_VFS_H
#define TIDEMARK_FAULT_VFS_H

#include <stdint.h>

typedef struct fault_disk fault_disk;

enum fault_kind {
    FAULT_NONE = 0,
    // From the change on, every call fails, and the files stay as they were before it, in its middle, or after it.
    FAULT_STOP_BEFORE = 1,
    FAULT_STOP_WITHIN = 2,
    FAULT_STOP_AFTER = 3,
    // The change fails: an input/output error, or no room. A part of what was to be written may have been.
    FAULT_CHANGE_FAILS = 4,
    FAULT_CHANGE_FULL = 5,
    // The read fails, or gives too few bytes.
    FAULT_READ_FAILS = 6,
    FAULT_READ_SHORT = 7,
    // As the stops, but it is the process itself that ends there, at once and with `FAULT_EXIT_STATUS`.
    FAULT_EXIT_BEFORE = 8,
    FAULT_EXIT_WITHIN = 9,
    FAULT_EXIT_AFTER = 10
};

// How a process ends that a disk ended.
enum { FAULT_EXIT_STATUS = 99 };

// Registers the VFS as the default one; does nothing when that was done. Returns SQLite's result code.
int fault_vfs_register(void);

// The name of the default VFS that a SQLite of this process gives: says whether two libraries are one.
const char *fault_vfs_name(void);

// Makes a folder a disk. Its files count as synced as they are. Returns NULL when the folder cannot be found, or
// memory is short.
fault_disk *fault_disk_make(const char *folder);

// Ends that. Files that are open stay usable.
void fault_disk_release(fault_disk *disk);

// The calls number `first` to `last` (from 1 on, counted from the disk's beginning) fail so. A change is a write, a
// sync, a truncation, a deletion or another name; reads are counted apart. Replaces an earlier plan.
void fault_disk_plan(fault_disk *disk, enum fault_kind kind, int64_t first, int64_t last, uint64_t seed);

int64_t fault_disk_change_count(fault_disk *disk);
int64_t fault_disk_read_count(fault_disk *disk);
// Calls that failed by plan.
int64_t fault_disk_failure_count(fault_disk *disk);
int fault_disk_is_stopped(fault_disk *disk);

// What the call was that failed by plan last, as text of at most `byte_count` bytes with its end.
void fault_disk_describe(fault_disk *disk, char *text, int byte_count);

// Gives a file of the disk another name, as `rename` does: SQLite never does that, so it is not the VFS that sees it.
//
// A change like others; it is done or not, never in part. Until the folder is synced a loss of power may take it back.
//
// Returns 0 or an errno.
int fault_disk_rename(fault_disk *disk, const char *source, const char *target);

// Makes the names of the disk's files last; a change like others.
void fault_disk_sync_folder(fault_disk *disk);

// Writes what is on the disk into another folder: as it was when it stopped, else as it is now.
//
// Without a loss of power that is what the files hold, shared memory included. With it, of what was not synced some
// may be missing, torn at 512 bytes, or done in another order; the seed decides. Shared memory is gone then.
//
// Returns 0 or an errno.
int fault_disk_write_image(fault_disk *disk, int loses_power, uint64_t seed, const char *folder);

#endif
