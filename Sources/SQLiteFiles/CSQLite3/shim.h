#include <sqlite3.h>

// Swift sees no functions with variable arguments.
static inline int quire_sqlite3_configure(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}
