// The table tidemark_entities: every entity of `main`, in files of rows and of blocks. docs/data-file.md has its
// columns.
//
// A file of rows is read by a join of its tables. A file of blocks is read in the order of its blocks, one block at a
// time; an index of all keys shows which entities are the newest versions.

#include <string.h>

#include "tidemark_internal.h"
#include "xxh64.h"

SQLITE_EXTENSION_INIT3

enum { format_rows = 7, format_blocks = 8, format_newest = 9 };

enum {
    column_library,
    column_type,
    column_id,
    column_sequence,
    column_generation,
    column_written_at,
    column_resource,
    column_row,
};

typedef struct {
    sqlite3_vtab base;
    sqlite3 *connection;
    Reader *reader;
} Table;

typedef struct {
    sqlite3_vtab_cursor base;
    // The rows of a join, or blocks. While it is on a row, every other statement sees the same state of the file.
    sqlite3_stmt *statement;
    int is_end;
    // NULL for a file of rows.
    Index *index;
    // The parsed block of the current row. Its bytes belong to the statement.
    Block block;
    int position;
    // The unpacked data of the block; NULL if it cannot be unpacked, is not unpacked yet, or is stored uncompressed.
    uint8_t *unpacked;
    int was_unpacked;
} Cursor;

static int connect_table(
    sqlite3 *connection, void *reader, int count, const char *const *values, sqlite3_vtab **result, char **message) {
    (void)count, (void)values, (void)message;
    int status = sqlite3_declare_vtab(
        connection,
        "CREATE TABLE tidemark_entities (library INTEGER, type INTEGER, id, sequence INTEGER, generation INTEGER, "
        "written_at INTEGER, resource TEXT)");
    if (status != SQLITE_OK) return status;
#ifdef SQLITE_VTAB_INNOCUOUS
    sqlite3_vtab_config(connection, SQLITE_VTAB_INNOCUOUS);
#endif
    Table *table = sqlite3_malloc64(sizeof *table);
    if (table == NULL) return SQLITE_NOMEM;
    *table = (Table){.connection = connection, .reader = reader};
    *result = &table->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *table) {
    sqlite3_free(table);
    return SQLITE_OK;
}

// A query scans everything; a high cost makes it the outermost loop of a join, so that it does so once.
static int plan(sqlite3_vtab *table, sqlite3_index_info *info) {
    (void)table;
    info->idxNum = (int)(info->colUsed >> column_resource & 1);
    info->estimatedCost = 1e9;
    info->estimatedRows = 1000000;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **result) {
    (void)table;
    Cursor *cursor = sqlite3_malloc64(sizeof *cursor);
    if (cursor == NULL) return SQLITE_NOMEM;
    memset(cursor, 0, sizeof *cursor);
    *result = &cursor->base;
    return SQLITE_OK;
}

static void forget_data(Cursor *cursor) {
    sqlite3_free(cursor->unpacked);
    cursor->unpacked = NULL;
    cursor->was_unpacked = 0;
}

static void reset_cursor(Cursor *cursor) {
    forget_data(cursor);
    tidemark_free_index(cursor->index);
    cursor->index = NULL;
    sqlite3_finalize(cursor->statement);
    cursor->statement = NULL;
    cursor->block.count = 0;
    cursor->position = 0;
    cursor->is_end = 1;
}

static int close_cursor(sqlite3_vtab_cursor *base) {
    reset_cursor((Cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

static Table *table_of(Cursor *cursor) { return (Table *)cursor->base.pVtab; }

static int fail(Cursor *cursor, int status) {
    sqlite3_vtab *table = cursor->base.pVtab;
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", sqlite3_errmsg(table_of(cursor)->connection));
    return status;
}

// Moves to the next row of the statement. A row of `blocks` with a damaged directory has no entities.
static int step(Cursor *cursor, int is_blocks) {
    forget_data(cursor);
    int status = sqlite3_step(cursor->statement);
    if (status == SQLITE_DONE) cursor->is_end = 1;
    if (status != SQLITE_ROW) return status == SQLITE_DONE ? SQLITE_OK : fail(cursor, status);
    if (!is_blocks) return SQLITE_OK;
    cursor->block.count = 0;
    cursor->position = -1;
    if (sqlite3_column_type(cursor->statement, 1) != SQLITE_BLOB) return SQLITE_OK;
    const uint8_t *bytes = sqlite3_column_blob(cursor->statement, 1);
    if (bytes == NULL) return SQLITE_OK;
    Bytes body = {bytes, bytes + sqlite3_column_bytes(cursor->statement, 1)};
    if (!tidemark_read_block(&cursor->block, body, sqlite3_column_int64(cursor->statement, 0))) cursor->block.count = 0;
    return SQLITE_OK;
}

// Moves to the next entity that is the newest version of its key.
static int next(sqlite3_vtab_cursor *base) {
    Cursor *cursor = (Cursor *)base;
    if (cursor->index == NULL) return step(cursor, 0);
    while (!cursor->is_end) {
        while (++cursor->position < cursor->block.count) {
            if (cursor->block.entries[cursor->position].flags & flag_removal) continue;
            if (tidemark_is_newest(cursor->index, &cursor->block, cursor->position)) return SQLITE_OK;
        }
        int status = step(cursor, 1);
        if (status != SQLITE_OK) return status;
    }
    return SQLITE_OK;
}

// Returns the number of a format without the marks of a file with raw deflate.
static int without_marks(int version) {
    int marks = version & 0xF0, format = version - marks;
    int has_marks = (marks == 0x30 || marks == 0xF0) && format >= format_rows && format <= format_newest;
    return has_marks ? format : version;
}

// Reads the format of `main`. While entities are being moved into blocks, the file counts as one of rows.
static int read_format(sqlite3 *connection, int *format) {
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(connection, "PRAGMA main.user_version", -1, &statement, NULL);
    if (status != SQLITE_OK) return status;
    if (sqlite3_step(statement) == SQLITE_ROW) *format = without_marks(sqlite3_column_int(statement, 0));
    status = sqlite3_finalize(statement);
    if (status != SQLITE_OK || *format < format_blocks) return status;
    const char *moved = "SELECT 1 FROM main.counters WHERE name = 'moved_rows'";
    status = sqlite3_prepare_v2(connection, moved, -1, &statement, NULL);
    if (status != SQLITE_OK) return status;
    if (sqlite3_step(statement) == SQLITE_ROW) *format = format_rows;
    return sqlite3_finalize(statement);
}

static int filter(sqlite3_vtab_cursor *base, int has_resource, const char *text, int count, sqlite3_value **values) {
    (void)text, (void)count, (void)values;
    Cursor *cursor = (Cursor *)base;
    sqlite3 *connection = table_of(cursor)->connection;
    int format = 0;
    reset_cursor(cursor);
    int status = read_format(connection, &format);
    if (status != SQLITE_OK) return fail(cursor, status);
    if (format > format_newest) {
        sqlite3_free(base->pVtab->zErrMsg);
        base->pVtab->zErrMsg = sqlite3_mprintf(
            "the file has format %d, and this extension knows %d: build a newer one", format, format_newest);
        return SQLITE_ERROR;
    }
    const char *sql = "SELECT number, body FROM main.blocks ORDER BY number";
    if (format <= format_rows) {
        sql = has_resource
                  ? "SELECT k.library, k.type, k.id, e.sequence, e.generation, e.written_at, "
                    "tidemark_resource(k.library, k.type, k.id, e.sequence, e.generation, e.written_at, e.body), "
                    "e.\"row\" FROM main.keys AS k JOIN main.entities AS e USING (\"row\")"
                  : "SELECT k.library, k.type, k.id, e.sequence, e.generation, e.written_at, NULL, e.\"row\" "
                    "FROM main.keys AS k JOIN main.entities AS e USING (\"row\")";
    }
    status = sqlite3_prepare_v2(connection, sql, -1, &cursor->statement, NULL);
    if (status != SQLITE_OK) return fail(cursor, status);
    cursor->is_end = 0;
    status = step(cursor, format >= format_blocks);
    if (status != SQLITE_OK || format <= format_rows || cursor->is_end) return status;
    status = tidemark_read_index(connection, &cursor->index);
    return status == SQLITE_OK ? next(base) : fail(cursor, status);
}

static int is_at_end(sqlite3_vtab_cursor *base) { return ((Cursor *)base)->is_end; }

// Unpacks the current block, once. If the data cannot be unpacked, `unpacked` stays NULL. Returns a status of SQLite.
static int unpack_block(Cursor *cursor) {
    const Block *block = &cursor->block;
    if (cursor->was_unpacked) return SQLITE_OK;
    cursor->was_unpacked = 1;
    Table *table = table_of(cursor);
    const Dictionary *dictionary = NULL;
    if (block->codec == codec_zstd_dictionary || block->dictionary != 0) {
        dictionary = tidemark_dictionary(table->reader, table->connection, (sqlite3_int64)block->dictionary);
        if (dictionary == NULL) return SQLITE_OK;
    }
    uint8_t *target = sqlite3_malloc64(block->unpacked_count + 1);
    if (target == NULL) return SQLITE_NOMEM;
    if (tidemark_unpack(
            table->reader, block->data, block->codec, 0, dictionary, target, block->unpacked_count)) {
        cursor->unpacked = target;
    } else {
        sqlite3_free(target);
    }
    return SQLITE_OK;
}

// Sets the result to the JSON of the current entity, or leaves NULL. Returns a status of SQLite.
static int give_resource(Cursor *cursor, sqlite3_context *context) {
    const Entry *entry = &cursor->block.entries[cursor->position];
    // An evicted entity of which only some fields are left has no JSON, as in a file of rows.
    if (entry->flags & flag_reduced) return SQLITE_OK;
    const uint8_t *bytes = cursor->block.data.at;
    if (cursor->block.codec != 0) {
        int status = unpack_block(cursor);
        if (status != SQLITE_OK || cursor->unpacked == NULL) return status;
        bytes = cursor->unpacked;
    }
    bytes += entry->data_offset;
    uint64_t check = xxh64(bytes, entry->fields_count + entry->payload_count, tidemark_entry_seed(entry));
    if (entry->check != (uint32_t)check) return SQLITE_OK;
    bytes += entry->fields_count;
    const uint8_t *id = entry->seal.id.at;
    uint8_t uuid[uuid_text_count];
    if (entry->seal.is_uuid) tidemark_write_uuid(uuid, id);
    size_t text_count = entry->seal.is_uuid ? uuid_text_count : (size_t)(entry->seal.id.end - id);
    if (!(entry->flags & flag_without_id)) text_count = 0;
    uint64_t count = entry->payload_count + text_count;
    if (count > payload_max) return SQLITE_OK;
    uint8_t *target = sqlite3_malloc64(count + 1);
    if (target == NULL) return SQLITE_NOMEM;
    memcpy(target, bytes, entry->id_offset);
    memcpy(target + entry->id_offset, entry->seal.is_uuid ? uuid : id, text_count);
    memcpy(target + entry->id_offset + text_count, bytes + entry->id_offset, entry->payload_count - entry->id_offset);
    sqlite3_result_text64(context, (char *)target, count, sqlite3_free, SQLITE_UTF8);
    return SQLITE_OK;
}

static int give_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    Cursor *cursor = (Cursor *)base;
    if (cursor->index == NULL) {
        sqlite3_result_value(context, sqlite3_column_value(cursor->statement, column));
        return SQLITE_OK;
    }
    const Seal *seal = &cursor->block.entries[cursor->position].seal;
    uint64_t id_count = (uint64_t)(seal->id.end - seal->id.at);
    switch (column) {
    case column_library: sqlite3_result_int64(context, (sqlite3_int64)seal->library); break;
    case column_type: sqlite3_result_int64(context, (sqlite3_int64)seal->type); break;
    case column_id:
        if (seal->is_uuid) {
            sqlite3_result_blob64(context, seal->id.at, id_count, SQLITE_TRANSIENT);
        } else {
            sqlite3_result_text64(context, (const char *)seal->id.at, id_count, SQLITE_TRANSIENT, SQLITE_UTF8);
        }
        break;
    case column_sequence:
        if (seal->sequence >= 0) sqlite3_result_int64(context, seal->sequence);
        break;
    case column_generation: sqlite3_result_int64(context, seal->generation); break;
    case column_written_at: sqlite3_result_int64(context, seal->written_at); break;
    case column_resource: return give_resource(cursor, context);
    }
    return SQLITE_OK;
}

// Sets the row id: the number of the entity's row, or in blocks a number from its block and position.
static int give_row(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
    Cursor *cursor = (Cursor *)base;
    *row = cursor->index == NULL ? sqlite3_column_int64(cursor->statement, column_row)
                                 : cursor->block.number << 7 | cursor->position;
    return SQLITE_OK;
}

// Without `xCreate` the table exists in every connection under its own name, and cannot be created under another.
const sqlite3_module tidemark_entities_module = {
    .xConnect = connect_table,
    .xBestIndex = plan,
    .xDisconnect = disconnect_table,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = is_at_end,
    .xColumn = give_column,
    .xRowid = give_row,
};
