// Calls of SQLite that Swift cannot make, because they are variadic, and a VFS for reading damaged files.
#ifndef TIDEMARK_SQLITE_SHIM_H
#define TIDEMARK_SQLITE_SHIM_H

#include "sealed_vfs.h"

struct sqlite3;

// Makes a connection distrust its file, whoever wrote the file's schema:
// * no statement can write the schema itself or a page by number, or switch the journal off (DEFENSIVE);
// * triggers do not run, and views cannot be read; no Tidemark file has any;
// * the schema cannot call functions that have side effects (TRUSTED_SCHEMA off).
//
// Call it before the first statement. Returns SQLite's result code.
int tidemark_sqlite_defend(struct sqlite3 *connection);

// Turns off SQLite's memory accounting for the whole process. Returns SQLite's result code; SQLITE_MISUSE if SQLite is
// already in use.
int tidemark_sqlite_skip_accounting(void);

// The name of the VFS that reads a database with other first bytes than its file has: those of the parameter `header`
// of its URI, 100 bytes in hexadecimal digits. It writes nothing to the database.
#define TIDEMARK_SQLITE_HEADER_VFS "tidemark-header"

// Registers the VFS with SQLite. Call it once, before the VFS is used. Returns SQLite's result code.
int tidemark_sqlite_register_header_vfs(void);

#endif
