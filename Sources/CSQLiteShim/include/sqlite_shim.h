// Calls that Swift cannot make: they take a variable number of arguments.
#ifndef TIDEMARK_SQLITE_SHIM_H
#define TIDEMARK_SQLITE_SHIM_H

struct sqlite3;

// Makes a connection distrust its file, whoever wrote the file's schema:
// * no statement can write the schema itself or a page by number, or switch the journal off (DEFENSIVE);
// * triggers do not run, and views cannot be read; no Tidemark file has any;
// * the schema cannot call functions that have side effects (TRUSTED_SCHEMA off).
//
// To be called before the first statement. Returns SQLite's result code.
int tidemark_sqlite_defend(struct sqlite3 *connection);

// Turns off SQLite's accounting of memory for the whole process. Returns SQLite's result code: SQLITE_MISUSE where
// SQLite was used before.
int tidemark_sqlite_skip_accounting(void);

// The name of the VFS under which a database is read with other first bytes than its file has: those of the parameter
// `header` of its URI, 100 bytes in hexadecimal digits. It is for reading: it writes nothing to the database.
#define TIDEMARK_SQLITE_HEADER_VFS "tidemark-header"

// Makes the VFS known to SQLite. To be called once, before it is used. Returns SQLite's result code.
int tidemark_sqlite_register_header_vfs(void);

#endif
