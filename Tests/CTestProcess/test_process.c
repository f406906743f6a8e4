#include "test_process.h"

#include <sqlite_shim.h>

// Before everything else: SQLite takes the setting only while nothing uses it.
__attribute__((constructor)) static void skip_accounting(void) { tidemark_sqlite_skip_accounting(); }
