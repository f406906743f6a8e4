// A VFS that seals databases, their logs and their journals.
//
// SQLite sees a plain database. On the disk, a header is followed by the chunks of the file, each sealed on its own:
// a page of the database, the header of a log, the header of a frame, the page of a frame, or 4 KiB of a journal. A
// chunk takes TIDEMARK_SEAL_BYTE_COUNT more bytes than its content.
//
// Databases that the port does not know are passed on to the default VFS.
#ifndef TIDEMARK_SEALED_VFS_H
#define TIDEMARK_SEALED_VFS_H

#include <stdint.h>

struct sqlite3;

// The name of the VFS.
#define TIDEMARK_SQLITE_SEALED_VFS "tidemark-sealed"

enum {
    // The bytes that sealing adds to a chunk: a nonce of 12 and a tag of 16.
    TIDEMARK_SEAL_BYTE_COUNT = 28,
    // The bytes before the first page of a database: two copies of the wrapped key, 4,096 bytes each.
    TIDEMARK_SEAL_HEADER_BYTE_COUNT = 8192,
    // The bytes before the header of a log: a mark and the identity of its database.
    TIDEMARK_SEAL_PREFIX_BYTE_COUNT = 32,
    // The bytes of a page of the database and of the log.
    TIDEMARK_SEAL_PAGE_BYTE_COUNT = 8192
};

// What a chunk is part of. The number is bound to the seal, with the identity of the database and the chunk's number.
enum tidemark_seal_kind { TIDEMARK_SEAL_DATABASE = 0, TIDEMARK_SEAL_LOG = 1, TIDEMARK_SEAL_JOURNAL = 2 };

// The functions that know the keys. Objects are retained when they are returned.
typedef struct {
    // Returns the owner of a database with this path; NULL if it is not sealed.
    const void *(*owner)(const char *path);
    // Creates the key of a new database, and writes its header; NULL when that fails.
    const void *(*make_key)(const void *owner, unsigned char *header);
    // Reads the key of a database from its header; NULL when that fails.
    const void *(*read_key)(const void *owner, const unsigned char *header, int count);
    // Writes the bytes before the header of a log.
    void (*write_prefix)(const void *key, unsigned char *prefix);
    // Seals a chunk of `count` bytes. Returns 1 if that succeeds.
    int (*seal)(const void *key, int kind, uint64_t chunk, const unsigned char *bytes, int count, unsigned char *sealed);
    // Opens a chunk with a content of `count` bytes. Returns 1 if it is genuine.
    int (*open)(const void *key, int kind, uint64_t chunk, const unsigned char *sealed, int count, unsigned char *bytes);
    void (*release)(const void *object);
} tidemark_seal_port;

// Registers the VFS with SQLite, once, with copies of the port's functions. Returns SQLite's result code.
int tidemark_sqlite_register_sealed_vfs(const tidemark_seal_port *port);

// Makes the VFS the default one (1), or the earlier one again (0). Call it in pairs, from one thread at a time.
void tidemark_sqlite_use_sealed_vfs(int is_default);

// Reads the header of a connection's main database from the disk; bytes past the end of the file become zeros.
//
// Returns SQLite's result code; SQLITE_NOTFOUND if the database is not sealed.
int tidemark_sqlite_read_seal_header(struct sqlite3 *connection, unsigned char *header);

// Replaces the header of a connection's main database on the disk: first the second copy, then the first one.
//
// Returns SQLite's result code; SQLITE_NOTFOUND if the database is not sealed.
int tidemark_sqlite_write_seal_header(struct sqlite3 *connection, const unsigned char *header);

// Returns the place of a sealed file's page in bytes, and the size of a database with this size on the disk.
int64_t tidemark_seal_page_offset(int64_t page);
int64_t tidemark_seal_database_size(int64_t size);

#endif
