// An open file whose content is sealed.
#ifndef TIDEMARK_SEALED_FILE_H
#define TIDEMARK_SEALED_FILE_H

#include "sealed_layout.h"

#include <sqlite3.h>

typedef struct sealed_file {
    sqlite3_file own;
    const tidemark_seal_port *port;
    // The file of the default VFS. Owned.
    sqlite3_file *base;
    int kind;
    // The owner of a database; NULL for a log or journal.
    const void *owner;
    // The database of a log or journal, which SQLite closes after them; NULL for a database.
    struct sealed_file *database;
    // The key of a database; NULL while it is empty.
    const void *key;
    // Space for one chunk, and for one sealed chunk.
    unsigned char *content;
    unsigned char *sealed;
} sealed_file;

extern const sqlite3_io_methods sealed_methods;

// Returns the VFS below.
sqlite3_vfs *sealed_base(void);

// Frees what a file has; its base must be closed.
void sealed_file_free(sealed_file *file);

// Writes and syncs both copies of a database's header, the second one first.
int sealed_write_header(sealed_file *file, const unsigned char *header);

#endif
