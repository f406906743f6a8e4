#include "sqlite_shim.h"

#include <sqlite3.h>

int tidemark_sqlite_defend(struct sqlite3 *connection) {
    static const struct {
        int option;
        int value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    };
    for (unsigned index = 0; index < sizeof settings / sizeof settings[0]; index++) {
        int now = -1;
        int code = sqlite3_db_config(connection, settings[index].option, settings[index].value, &now);
        if (code != SQLITE_OK) return code;
        if (now != settings[index].value) return SQLITE_MISUSE;
    }
    return SQLITE_OK;
}

int tidemark_sqlite_skip_accounting(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
