// Decides how changes fail, and makes the changes that SQLite never makes: renames.
#include "fault_disk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum fault_kind fault_disk_next_change(fault_disk *disk, const char *what, const char *name) {
    disk->change_count++;
    int is_due = disk->kind >= FAULT_STOP_BEFORE && disk->kind <= FAULT_CHANGE_FULL
        && disk->change_count >= disk->first && disk->change_count <= disk->last;
    if (!is_due) return FAULT_NONE;
    disk->failure_count++;
    snprintf(
        disk->place, sizeof disk->place, "change %lld, %s of %s", (long long)disk->change_count, what, name);
    if (disk->kind == FAULT_STOP_BEFORE) fault_disk_stop(disk);
    return disk->kind;
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int moved(fault_disk *disk, const char *source, const char *target) {
    if (disk->move_count == disk->move_capacity) {
        int capacity = disk->move_capacity * 2 + 8;
        fault_move *moves = realloc(disk->moves, (size_t)capacity * sizeof(fault_move));
        // A test cannot go on without memory.
        if (!moves) abort();
        disk->moves = moves;
        disk->move_capacity = capacity;
    }
    fault_move move = {strdup(last_part(source)), strdup(last_part(target)), {NULL, 0}, 0};
    move.had_target = fault_bytes_read(&move.replaced, target);
    if (rename(source, target) != 0) {
        int failure = errno;
        free(move.source);
        free(move.target);
        free(move.replaced.bytes);
        return failure;
    }
    disk->moves[disk->move_count++] = move;
    return 0;
}

int fault_disk_rename(fault_disk *disk, const char *source, const char *target) {
    pthread_mutex_lock(&disk->lock);
    int failure = EIO;
    if (!disk->is_stopped) {
        enum fault_kind kind = fault_disk_next_change(disk, "another name", last_part(source));
        if (kind == FAULT_CHANGE_FULL) failure = ENOSPC;
        // A stop within a rename leaves it done or not done, at random.
        int is_done = kind == FAULT_NONE || kind == FAULT_STOP_AFTER
            || (kind == FAULT_STOP_WITHIN && fault_random(&disk->random) & 1);
        if (!disk->is_stopped && is_done) {
            int result = moved(disk, source, target);
            if (kind == FAULT_NONE) failure = result;
        }
        if (!disk->is_stopped && (kind == FAULT_STOP_WITHIN || kind == FAULT_STOP_AFTER)) fault_disk_stop(disk);
    }
    pthread_mutex_unlock(&disk->lock);
    return failure;
}

void fault_disk_sync_folder(fault_disk *disk) {
    pthread_mutex_lock(&disk->lock);
    if (!disk->is_stopped) {
        enum fault_kind kind = fault_disk_next_change(disk, "sync", "the folder");
        if (kind == FAULT_NONE || kind == FAULT_STOP_AFTER) fault_disk_list(disk);
        if (kind == FAULT_STOP_WITHIN || kind == FAULT_STOP_AFTER) fault_disk_stop(disk);
    }
    pthread_mutex_unlock(&disk->lock);
}
