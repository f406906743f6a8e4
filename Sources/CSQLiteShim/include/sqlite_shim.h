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

#endif
