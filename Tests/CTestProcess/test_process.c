#include "test_process.h"

#include <sqlite3.h>

// Before everything else: SQLite takes the setting only while nothing uses it.
__attribute__((constructor)) static void skip_accounting(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
