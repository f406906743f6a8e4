// Where the chunks of a sealed file are on the disk.
#ifndef TIDEMARK_SEALED_LAYOUT_H
#define TIDEMARK_SEALED_LAYOUT_H

#include "sealed_vfs.h"

// A chunk: its number, where its content begins and how large it can be, and where it begins on the disk.
typedef struct {
    uint64_t number;
    int64_t start;
    int size;
    int64_t place;
} sealed_chunk;

// Returns the chunk with a byte of the content.
sealed_chunk sealed_chunk_at(int kind, int64_t offset);

// Returns the size of the content of a file with this size on the disk.
int64_t sealed_content_size(int kind, int64_t size);

#endif
