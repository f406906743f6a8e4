// SQL functions and a table over a data file, for the sqlite3 shell. See docs/data-file.md, looking inside.
#ifndef TIDEMARK_EXTENSION_H
#define TIDEMARK_EXTENSION_H

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3;
struct sqlite3_api_routines;

/// The entry point that `.load` of the sqlite3 shell calls. SQLite derives its name from that of the library.
int sqlite3_tidemarksqlite_init(struct sqlite3 *connection, char **message, const struct sqlite3_api_routines *api);

/// Returns the entry point in the form that `sqlite3_auto_extension` accepts, for programs that link the extension.
void (*tidemark_extension_entry(void))(void);

#ifdef __cplusplus
}
#endif

#endif
