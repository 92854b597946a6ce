#ifndef LMDB_STORE_STORE_H
#define LMDB_STORE_STORE_H

// The parts of a store: the open store, its snapshots and their tables.

#include "environment.h"
#include "record.h"

// One table of a snapshot. Tables don't change, and snapshots share them.
//
// The lowest table contains all rows of a view. Each table above it contains the rows that later commits have
// changed. So after a commit the host reads only the changed rows.
struct Table {
  atomic_uint references;
  uint64_t id;
  int64_t version;
  struct View *view;
  // The keys of the changed rows, in ascending order; NULL for the lowest table.
  uint64_t *keys;
  size_t key_count;
};

// The number of tables after which a snapshot begins again with one table. Each table keeps its view, and LMDB
// can't use the pages again that the oldest view needs.
enum { TABLE_LIMIT = 32 };

struct QuireSnapshot {
  atomic_uint references;
  int64_t commit;
  struct View *view;
  uint32_t table_count;
  struct Table *tables[TABLE_LIMIT];
};

struct QuireStore {
  struct Environment *environment;
  int is_read_only;
  atomic_int is_closed;
  // The identity of the store in the file, which another process may replace.
  uint64_t identity;
  // Protects the members below, because the host calls from several threads.
  pthread_mutex_t lock;
  struct QuireSnapshot *newest;
  uint64_t last_table;
};

// --- Snapshots (snapshot.c)

struct QuireSnapshot *snapshot_retain(struct QuireSnapshot *snapshot);
void snapshot_release(struct QuireSnapshot *snapshot);
// Makes the snapshot of the store's first view, or of a view whose changes are not known.
struct QuireSnapshot *snapshot_begin(
    struct QuireStore *store, struct View *view, int64_t commit);
// Makes the snapshot after 'before', in which the rows with some keys were changed. Takes the keys, also on
// failure. NULL if memory runs out.
struct QuireSnapshot *snapshot_next(
    struct QuireStore *store, const struct QuireSnapshot *before, struct View *view, int64_t commit,
    uint64_t *keys, size_t key_count);
// Moves the store to the newest commit, which may be another process's. 'has_lock' shows whether the caller has locked
// the file.
int32_t store_refresh(struct QuireStore *store, int has_lock, struct QuireError *error);
int32_t store_snapshot(
    struct QuireStore *store, struct QuireSnapshot **snapshot, struct QuireError *error);
int64_t snapshot_commit(struct QuireSnapshot *snapshot);
int32_t snapshot_describe(
    struct QuireSnapshot *snapshot, int32_t what, struct QuireBytes *bytes,
    struct QuireError *error);
int32_t snapshot_tables(
    struct QuireSnapshot *snapshot,
    int32_t (*take)(void *context, const struct QuireTable *table), void *context,
    struct QuireError *error);

// --- Rows (rows.c)

typedef int32_t (*TakeRows)(void *context, struct ArrowSchema *schema, struct ArrowArray *array);

int32_t snapshot_rows(
    struct QuireSnapshot *snapshot, uint64_t table, uint16_t entity, int32_t kind, TakeRows take,
    void *context, struct QuireError *error);
int32_t snapshot_rows_between(
    struct QuireSnapshot *snapshot, uint64_t table, uint16_t entity, uint64_t lowest,
    uint64_t highest, int32_t *has, TakeRows take, void *context, struct QuireError *error);
int32_t snapshot_rows_in_ranges(
    struct QuireSnapshot *snapshot, uint64_t table, uint16_t entity,
    const struct QuireKeyRange *ranges, uint64_t range_count, int32_t *has, TakeRows take,
    void *context, struct QuireError *error);

// --- Requests (query.c)

int32_t snapshot_query(
    struct QuireSnapshot *snapshot, const struct QuireQuery *query, uint32_t *answered,
    int32_t (*take)(void *context, const struct QuireFound *found, uint64_t count), void *context,
    struct QuireError *error);

// --- Places (place.c)

// Returns the path by which LMDB finds a file that exists. The caller frees it.
int32_t real_path(
    const struct QuireHost *host, const char *path, char **real, struct QuireError *error);
// Checks that a file begins as LMDB's files do, because LMDB makes a database of an empty file.
int32_t has_lmdb_file(
    const struct QuireHost *host, const char *path, struct QuireError *error);
// Fails with the code that fits a result of the host's disk: the negative of a value of errno.
int32_t fail_disk(
    struct QuireError *error, int64_t result, const char *attempt, const char *path);

// --- Writing (keys.c, commit.c, create.c)

// Checks that the store is open and may be written, and locks it against other writers.
int32_t begin_writing(struct QuireStore *store, struct QuireError *error);
void end_writing(struct QuireStore *store);
// A commit may bring keys that were never leased. Keeps later leases from returning the sorted keys. Returns 0 or a
// result of LMDB.
int raise_next_keys(
    MDB_txn *transaction, const struct Environment *environment, const uint64_t *keys,
    size_t count);
int32_t store_commit(
    struct QuireStore *store, const struct QuireCommit *commit, struct QuireCommitted *committed,
    struct QuireError *error);
int32_t store_lease_keys(
    struct QuireStore *store, uint16_t entity, uint64_t count, uint64_t *first, uint64_t *leased,
    struct QuireError *error);
int32_t store_create(
    const struct QuireHost *host, const char *path, const struct QuireCreation *creation,
    struct QuireError *error);

#endif
