// What a disk knows. Shared by the VFS, which changes it, and the images, which are made of it.
#ifndef TIDEMARK_FAULT_DISK_H
#define TIDEMARK_FAULT_DISK_H

#include "include/fault_vfs.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>

// One write or truncation that no sync followed.
typedef struct {
    int is_truncation;
    int64_t offset;
    int64_t byte_count;
    unsigned char *bytes;
} fault_change;

// A run of bytes that grows.
typedef struct {
    unsigned char *bytes;
    int64_t byte_count;
} fault_bytes;

// What one file holds: known by its inode, because files are renamed behind the VFS's back.
typedef struct fault_content {
    struct fault_content *next;
    dev_t device;
    ino_t inode;
    fault_bytes synced;
    fault_change *changes;
    int change_count;
    int change_capacity;
    // Whether the folder would still know of the file.
    int is_listed;
} fault_content;

// A file that was deleted while the folder was not synced: it may be there again.
typedef struct fault_ghost {
    struct fault_ghost *next;
    char *name;
    fault_content *content;
} fault_ghost;

// Another name that a file got while the folder was not synced: it may have the old one again.
typedef struct {
    char *source;
    char *target;
    // What had the new name before; nothing when `had_target` is 0.
    fault_bytes replaced;
    int had_target;
} fault_move;

// A file as it was when the disk stopped.
typedef struct fault_capture {
    struct fault_capture *next;
    char *name;
    fault_bytes found;
    // NULL when the VFS never opened it. Not owned.
    fault_content *content;
} fault_capture;

struct fault_disk {
    struct fault_disk *next;
    pthread_mutex_t lock;
    // One for who made it, one for each open file.
    int reference_count;
    char *folder;
    size_t folder_byte_count;
    fault_content *contents;
    fault_ghost *ghosts;
    // In the order they were made.
    fault_move *moves;
    int move_count;
    int move_capacity;
    fault_capture *captures;
    int is_stopped;
    // A stop is the process's end.
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

// All of these expect the disk's lock to be held.

// Counts a change, and says what is to become of it. A change may be planned to fail or to be the last one.
enum fault_kind fault_disk_next_change(fault_disk *disk, const char *what, const char *name);
// Stops the disk, and keeps what its files hold now; or ends the process.
void fault_disk_stop(fault_disk *disk);
// Frees what a capture keeps.
void fault_captures_free(fault_capture *captures);
// Reads the files of the folder; NULL when there are none.
fault_capture *fault_captures_take(fault_disk *disk);
// What is known of the file at a path; made when it is not, or not of this file.
fault_content *fault_content_at(fault_disk *disk, const char *path, int is_new);
fault_content *fault_content_find(fault_disk *disk, dev_t device, ino_t inode);
void fault_content_free(fault_content *content);
void fault_content_add(fault_content *content, int is_truncation, int64_t offset, const void *bytes, int64_t count);
// Takes all changes for synced; or, after a sync that failed, some, while the others will never be.
void fault_content_sync(fault_content *content, int fails, uint64_t *random);
// The folder itself is synced.
void fault_disk_list(fault_disk *disk);

void fault_bytes_apply(fault_bytes *target, const fault_change *change);
int fault_bytes_read(fault_bytes *target, const char *path);

#endif
