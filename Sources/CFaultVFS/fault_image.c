// Writes the files that a crash would leave into a folder.
#include "fault_disk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What happens to unsynced changes. The seed selects one for each image.
enum loss { LOSES_ALL, LOSES_NOTHING, LOSES_CHANGES, LOSES_SECTORS, REORDERS, LOSS_COUNT };

enum { SECTOR = 512 };

static void apply_sectors(fault_bytes *target, const fault_change *change, uint64_t *random) {
    int64_t start = change->offset, end = change->offset + change->byte_count;
    while (start < end) {
        int64_t next = (start / SECTOR + 1) * SECTOR;
        if (next > end) next = end;
        fault_change sector = {0, start, next - start, change->bytes + (start - change->offset)};
        if (fault_random(random) & 1) fault_bytes_apply(target, &sector);
        start = next;
    }
}

static fault_bytes after_loss(const fault_content *content, enum loss loss, uint64_t *random) {
    fault_change start = {0, 0, content->synced.byte_count, content->synced.bytes};
    fault_bytes bytes = {NULL, 0};
    if (start.byte_count) fault_bytes_apply(&bytes, &start);
    int count = content->change_count;
    int *order = malloc((size_t)(count ? count : 1) * sizeof(int));
    if (!order) abort();
    for (int index = 0; index < count; index++) order[index] = index;
    if (loss == REORDERS) {
        for (int index = count - 1; index > 0; index--) {
            int other = (int)(fault_random(random) % (uint64_t)(index + 1));
            int held = order[index];
            order[index] = order[other];
            order[other] = held;
        }
    }
    for (int index = 0; index < count; index++) {
        const fault_change *change = &content->changes[order[index]];
        if (loss == LOSES_ALL) continue;
        if (loss == LOSES_SECTORS && !change->is_truncation) {
            apply_sectors(&bytes, change, random);
            continue;
        }
        if (loss != LOSES_NOTHING && !(fault_random(random) & 1)) continue;
        fault_bytes_apply(&bytes, change);
    }
    free(order);
    return bytes;
}

static int write_file(const char *folder, const char *name, const fault_bytes *bytes) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) return errno;
    size_t count = (size_t)bytes->byte_count;
    int failure = count && fwrite(bytes->bytes, 1, count, file) != count ? EIO : 0;
    if (fclose(file) != 0 && !failure) failure = errno;
    return failure;
}

// Returns the name that a file had before the moves from `kept` up to `end`, `end` excluded.
static const char *name_before(const fault_disk *disk, int kept, int end, const char *name) {
    for (int index = end - 1; index >= kept; index--)
        if (!strcmp(disk->moves[index].target, name)) name = disk->moves[index].source;
    return name;
}

// Returns how many moves remain. The moves after them are undone.
static int kept_moves(const fault_disk *disk, enum loss loss, uint64_t *random) {
    if (loss == LOSES_ALL) return 0;
    if (loss == LOSES_NOTHING || disk->move_count == 0) return disk->move_count;
    return (int)(fault_random(random) % (uint64_t)(disk->move_count + 1));
}

static int is_shared_memory(const char *name) {
    size_t count = strlen(name);
    return count >= 4 && !strcmp(name + count - 4, "-shm");
}

static int is_captured(const fault_capture *captures, const char *name) {
    for (; captures; captures = captures->next)
        if (!strcmp(captures->name, name)) return 1;
    return 0;
}

int fault_disk_write_image(fault_disk *disk, int loses_power, uint64_t seed, const char *folder) {
    pthread_mutex_lock(&disk->lock);
    fault_capture *captures = disk->is_stopped ? disk->captures : fault_captures_take(disk);
    uint64_t random = seed;
    enum loss loss = (enum loss)(fault_random(&random) % LOSS_COUNT);
    int kept = loses_power ? kept_moves(disk, loss, &random) : disk->move_count;
    int failure = 0;
    for (fault_capture *capture = captures; capture && !failure; capture = capture->next) {
        const char *name = name_before(disk, kept, disk->move_count, capture->name);
        if (!loses_power || !capture->content) {
            if (loses_power && is_shared_memory(name)) continue;
            failure = write_file(folder, name, &capture->found);
            continue;
        }
        if (!capture->content->is_listed && (loss == LOSES_ALL || !(fault_random(&random) & 3))) continue;
        fault_bytes bytes = after_loss(capture->content, loss, &random);
        failure = write_file(folder, name, &bytes);
        free(bytes.bytes);
    }
    for (int index = kept; index < disk->move_count && !failure; index++) {
        if (!disk->moves[index].had_target) continue;
        const char *name = name_before(disk, kept, index, disk->moves[index].target);
        failure = write_file(folder, name, &disk->moves[index].replaced);
    }
    for (fault_ghost *ghost = disk->ghosts; loses_power && ghost && !failure; ghost = ghost->next) {
        if (is_captured(captures, ghost->name) || !(fault_random(&random) & 1)) continue;
        fault_bytes bytes = after_loss(ghost->content, loss, &random);
        failure = write_file(folder, ghost->name, &bytes);
        free(bytes.bytes);
    }
    if (!disk->is_stopped) fault_captures_free(captures);
    pthread_mutex_unlock(&disk->lock);
    return failure;
}
