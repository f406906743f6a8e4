// The state of a disk. The VFS changes it, and images are written from it.
#ifndef TIDEMARK_FAULT_DISK_H
#define TIDEMARK_FAULT_DISK_H

#include "include/fault_vfs.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>

// A write or truncation that was not synced.
typedef struct {
    int is_truncation;
    int64_t offset;
    int64_t byte_count;
    unsigned char *bytes;
} fault_change;

// A growing run of bytes.
typedef struct {
    unsigned char *bytes;
    int64_t byte_count;
} fault_bytes;

// The content of a file. The file is identified by its inode, because files are renamed without the VFS.
typedef struct fault_content {
    struct fault_content *next;
    dev_t device;
    ino_t inode;
    fault_bytes synced;
    fault_change *changes;
    int change_count;
    int change_capacity;
    // 1 if the folder would still list the file after a power loss.
    int is_listed;
} fault_content;

// A file that was deleted and whose folder was not synced since. It may exist again after a power loss.
typedef struct fault_ghost {
    struct fault_ghost *next;
    char *name;
    fault_content *content;
} fault_ghost;

// A rename after which the folder was not synced. The file may have its old name again after a power loss.
typedef struct {
    char *source;
    char *target;
    // The content of the file that had the new name before; empty when `had_target` is 0.
    fault_bytes replaced;
    int had_target;
} fault_move;

// A file in its state when the disk stopped.
typedef struct fault_capture {
    struct fault_capture *next;
    char *name;
    fault_bytes found;
    // NULL when the VFS never opened the file. Not owned.
    fault_content *content;
} fault_capture;

struct fault_disk {
    struct fault_disk *next;
    pthread_mutex_t lock;
    // One reference for the owner, and one for each open file.
    int reference_count;
    char *folder;
    size_t folder_byte_count;
    fault_content *contents;
    fault_ghost *ghosts;
    // The renames in the order in which they were made.
    fault_move *moves;
    int move_count;
    int move_capacity;
    fault_capture *captures;
    int is_stopped;
    // 1 if a stop ends the process.
    int ends_process;
    int64_t change_count;
    int64_t read_count;
    int64_t failure_count;
    enum fault_kind kind;
    int64_t first;
    int64_t last;
    uint64_t random;
    char place[200];
};

uint64_t fault_random(uint64_t *state);

// All of these functions expect the caller to hold the disk's lock.

// Counts a change, and returns how it fails as planned; FAULT_NONE if it does not.
enum fault_kind fault_disk_next_change(fault_disk *disk, const char *what, const char *name);
// Stops the disk and captures the contents of its files, or ends the process.
void fault_disk_stop(fault_disk *disk);
// Frees captures.
void fault_captures_free(fault_capture *captures);
// Reads the files of the folder; returns NULL when there are none.
fault_capture *fault_captures_take(fault_disk *disk);
// Returns the content of the file at a path. It is created if there is none, or if the known one belongs to another
// file.
fault_content *fault_content_at(fault_disk *disk, const char *path, int is_new);
fault_content *fault_content_find(fault_disk *disk, dev_t device, ino_t inode);
void fault_content_free(fault_content *content);
void fault_content_add(fault_content *content, int is_truncation, int64_t offset, const void *bytes, int64_t count);
// Marks all changes as synced. If the sync fails, only some of them are synced, and the others are lost.
void fault_content_sync(fault_content *content, int fails, uint64_t *random);
// Marks the folder itself as synced.
void fault_disk_list(fault_disk *disk);

void fault_bytes_apply(fault_bytes *target, const fault_change *change);
int fault_bytes_read(fault_bytes *target, const char *path);

#endif
