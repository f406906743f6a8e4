// The state of a disk: the bytes that were synced, and the changes since then.
#include "fault_disk.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t fault_random(uint64_t *state) {
    uint64_t value = *state += 0x9E3779B97F4A7C15u;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

// Aborts when there is no memory, because a test cannot go on without it.
static void *resized(void *old, size_t count) {
    void *bytes = realloc(old, count ? count : 1);
    if (!bytes) abort();
    return bytes;
}

static void set_size(fault_bytes *target, int64_t count) {
    target->bytes = resized(target->bytes, (size_t)count);
    if (count > target->byte_count) memset(target->bytes + target->byte_count, 0, (size_t)(count - target->byte_count));
    target->byte_count = count;
}

void fault_bytes_apply(fault_bytes *target, const fault_change *change) {
    if (change->is_truncation) {
        set_size(target, change->offset);
        return;
    }
    int64_t end = change->offset + change->byte_count;
    if (end > target->byte_count) set_size(target, end);
    memcpy(target->bytes + change->offset, change->bytes, (size_t)change->byte_count);
}

int fault_bytes_read(fault_bytes *target, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    unsigned char part[65536];
    size_t count;
    while ((count = fread(part, 1, sizeof part, file)) > 0) {
        target->bytes = resized(target->bytes, (size_t)target->byte_count + count);
        memcpy(target->bytes + target->byte_count, part, count);
        target->byte_count += (int64_t)count;
    }
    fclose(file);
    return 1;
}

static void drop_changes(fault_content *content) {
    for (int index = 0; index < content->change_count; index++) free(content->changes[index].bytes);
    content->change_count = 0;
}

void fault_content_free(fault_content *content) {
    drop_changes(content);
    free(content->changes);
    free(content->synced.bytes);
    free(content);
}

fault_content *fault_content_find(fault_disk *disk, dev_t device, ino_t inode) {
    for (fault_content *content = disk->contents; content; content = content->next)
        if (content->device == device && content->inode == inode) return content;
    return NULL;
}

// Returns 1 if the changes of a content lead to the bytes that were found. The inode of a deleted file is reused, so a
// content counts only if it leads to the actual bytes.
static int leads_to(const fault_content *content, const fault_bytes *found) {
    fault_bytes whole = {NULL, 0};
    set_size(&whole, content->synced.byte_count);
    if (whole.byte_count) memcpy(whole.bytes, content->synced.bytes, (size_t)whole.byte_count);
    for (int index = 0; index < content->change_count; index++) fault_bytes_apply(&whole, &content->changes[index]);
    int is_same = whole.byte_count == found->byte_count
        && (found->byte_count == 0 || !memcmp(whole.bytes, found->bytes, (size_t)found->byte_count));
    free(whole.bytes);
    return is_same;
}

fault_content *fault_content_at(fault_disk *disk, const char *path, int is_new) {
    struct stat status;
    if (stat(path, &status) != 0) return NULL;
    fault_bytes found = {NULL, 0};
    fault_bytes_read(&found, path);
    fault_content *content = fault_content_find(disk, status.st_dev, status.st_ino);
    if (content && !is_new && leads_to(content, &found)) {
        free(found.bytes);
        return content;
    }
    if (!content) {
        content = resized(NULL, sizeof *content);
        memset(content, 0, sizeof *content);
        content->device = status.st_dev;
        content->inode = status.st_ino;
        content->next = disk->contents;
        disk->contents = content;
    }
    drop_changes(content);
    free(content->synced.bytes);
    content->synced = found;
    content->is_listed = !is_new;
    return content;
}

void fault_content_add(fault_content *content, int is_truncation, int64_t offset, const void *bytes, int64_t count) {
    if (content->change_count == content->change_capacity) {
        content->change_capacity = content->change_capacity * 2 + 8;
        content->changes = resized(content->changes, (size_t)content->change_capacity * sizeof(fault_change));
    }
    fault_change *change = &content->changes[content->change_count++];
    change->is_truncation = is_truncation;
    change->offset = offset;
    change->byte_count = count;
    change->bytes = NULL;
    if (count > 0) {
        change->bytes = resized(NULL, (size_t)count);
        memcpy(change->bytes, bytes, (size_t)count);
    }
}

void fault_content_sync(fault_content *content, int fails, uint64_t *random) {
    for (int index = 0; index < content->change_count; index++)
        if (!fails || fault_random(random) & 1) fault_bytes_apply(&content->synced, &content->changes[index]);
    drop_changes(content);
}

void fault_disk_list(fault_disk *disk) {
    for (int index = 0; index < disk->move_count; index++) {
        free(disk->moves[index].source);
        free(disk->moves[index].target);
        free(disk->moves[index].replaced.bytes);
    }
    disk->move_count = 0;
    for (fault_content *content = disk->contents; content; content = content->next) content->is_listed = 1;
    while (disk->ghosts) {
        fault_ghost *ghost = disk->ghosts;
        disk->ghosts = ghost->next;
        fault_content_free(ghost->content);
        free(ghost->name);
        free(ghost);
    }
}

fault_capture *fault_captures_take(fault_disk *disk) {
    fault_capture *captures = NULL;
    DIR *folder = opendir(disk->folder);
    if (!folder) return NULL;
    struct dirent *entry;
    while ((entry = readdir(folder))) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", disk->folder, entry->d_name);
        struct stat status;
        if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) continue;
        fault_capture *capture = resized(NULL, sizeof *capture);
        memset(capture, 0, sizeof *capture);
        capture->name = strdup(entry->d_name);
        fault_bytes_read(&capture->found, path);
        capture->content = fault_content_find(disk, status.st_dev, status.st_ino);
        if (capture->content && !leads_to(capture->content, &capture->found)) capture->content = NULL;
        capture->next = captures;
        captures = capture;
    }
    closedir(folder);
    return captures;
}

void fault_captures_free(fault_capture *captures) {
    while (captures) {
        fault_capture *next = captures->next;
        free(captures->found.bytes);
        free(captures->name);
        free(captures);
        captures = next;
    }
}

void fault_disk_stop(fault_disk *disk) {
    // `_exit`, not `exit`: nothing may be cleaned up.
    if (disk->ends_process) _exit(FAULT_EXIT_STATUS);
    disk->is_stopped = 1;
    disk->captures = fault_captures_take(disk);
}
