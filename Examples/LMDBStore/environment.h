#ifndef LMDB_STORE_ENVIRONMENT_H
#define LMDB_STORE_ENVIRONMENT_H

// LMDB's environments, its transactions, and the records that describe a store.

#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "quire_store_plugin.h"

// The databases in a file. LMDB opens databases before the threads begin, so there is one database for each
// purpose, and keys contain the entity.
enum {
  STORE,   // The root, the descriptions, the layouts and the next keys, each under a name.
  ROWS,    // The record of each row, under the entity's number and the key.
  INDEX,   // The entries of the model's indexes: the index, a value, and the key of the row.
  CHANGES, // The keys of the rows that each of the last commits has changed, under its number.
  DATABASE_COUNT,
};

// An open file. LMDB must open a file only once in a process, so all stores of a file share the environment.
struct Environment {
  MDB_env *lmdb;
  MDB_dbi databases[DATABASE_COUNT];
  char *path;
  uint64_t device;
  uint64_t inode;
  int is_read_only;
  // The registry of environments has its own lock, which protects these two.
  unsigned references;
  struct Environment *next;
  // Makes the threads of this process write one at a time.
  pthread_mutex_t writing;
};

// The least number of bytes that a file has room for, before it has to be opened again. Tests set it.
extern uint64_t least_map_byte_count;

// Opens a file, or returns the environment that this process has for the file.
int32_t environment_open(
    const char *path, struct Environment **environment, struct QuireError *error);
// Makes the databases of an empty file, and opens it. No other thread knows the file.
int32_t environment_create(
    const char *path, struct Environment **environment, struct QuireError *error);
struct Environment *environment_retain(struct Environment *environment);
void environment_release(struct Environment *environment);
// Locks the file against other threads and processes that write.
int32_t environment_lock(struct Environment *environment, struct QuireError *error);
// Returns 0 if another thread or process has locked the file.
int environment_try_lock(struct Environment *environment);
void environment_unlock(struct Environment *environment);
// Shows the last commit of a process that was killed at the end of the commit. The caller has locked the file.
void environment_recover(struct Environment *environment);
// Begins a transaction that reads.
int begin_reading(struct Environment *environment, MDB_txn **transaction);

// --- Pages (pages.c)

// The length of a file, and the number of pages that it should have.
struct FileLength {
  int file;
  int64_t byte_count;
  size_t page_count;
  size_t needed_page_count;
  size_t page_byte_count;
  int is_whole;
};

// Returns 0 if the system does not tell the length.
int file_length(struct Environment *environment, struct FileLength *length);
// Makes the file as long as its pages require. Returns 0 or an error of the system.
int environment_pad(struct Environment *environment);
// Counts the pages that no commit needs, from a lowest page on.
size_t free_page_count(MDB_txn *transaction, size_t lowest);

// --- The root (root.c)

enum { FORMAT_VERSION = 1 };

// The record under "root". Numbers have the byte order of the machine, as in LMDB's own pages.
struct Root {
  uint32_t format_version;
  uint32_t reserved; // Written as 0 and ignored.
  uint8_t uuid[16];
  uint64_t identity; // A number that is another one for each creation of a store.
  int64_t commit;
  int64_t model_commit; // The commit that set the model.
  double time;          // Of the commit: seconds since the start of 2001 in UTC.
};

// A record under a commit's number in the database CHANGES. The keys of the changed rows follow.
struct ChangesHeader {
  int64_t previous; // The number of the commit before.
  int64_t has_schema; // Whether the commit brought a schema, by which all rows are read anew.
};

extern const char *const description_names[3];

// Reads and writes the records of the database STORE.
int get_named(
    MDB_txn *transaction, const struct Environment *environment, const char *name, MDB_val *value);
int put_named(
    MDB_txn *transaction, const struct Environment *environment, const char *name,
    const void *bytes, size_t count);
int32_t read_root(
    MDB_txn *transaction, const struct Environment *environment, struct Root *root,
    struct QuireError *error);
double time_now(void);

// --- Keys

enum { KEY_BITS = 48 };
#define HIGHEST_KEY ((UINT64_C(1) << KEY_BITS) - 1)

// Numbers in keys are big-endian, so that LMDB sorts them.
void store_big(uint8_t *bytes, uint64_t number);
uint64_t load_big(const uint8_t *bytes);

// --- Views (view.c)

// The content of a file at one moment. LMDB keeps it unchanged while a transaction reads it.
//
// A transaction serves one thread at a time. While the view is the newest one, another thread gets another
// transaction with the same content; later it waits.
struct View;

// Makes a view of the newest content.
int32_t view_new(
    struct Environment *environment, struct View **view, struct QuireError *error);
// Makes a view whose transaction is begun later, by 'view_renew', which needs no memory.
int32_t view_prepare(
    struct Environment *environment, struct View **view, struct QuireError *error);
int view_renew(struct View *view);
struct View *view_retain(struct View *view);
void view_release(struct View *view);
struct Environment *view_environment(const struct View *view);
// The number of the transaction that wrote the content.
size_t view_number(const struct View *view);
MDB_txn *view_borrow(struct View *view);
void view_return(struct View *view, MDB_txn *transaction);

// --- Errors (errors.c)

// Fills the error, unless it is NULL, and returns the code.
int32_t fail(struct QuireError *error, int32_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int32_t fail_memory(struct QuireError *error);
// Fails with the code that fits a result of LMDB. 'attempt' completes "Can't ... 'path'".
int32_t fail_lmdb(struct QuireError *error, int result, const char *attempt, const char *path);

#endif
