// Snapshots: a view of the file, and the tables whose rows the view contains.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

// MARK: - Tables

static void table_release(struct Table *table) {
  if (table == NULL || atomic_fetch_sub(&table->references, 1) > 1) return;
  view_release(table->view);
  free(table->keys);
  free(table);
}

// Makes a table, which takes the keys, also on failure.
static struct Table *table_new(
    struct QuireStore *store, struct View *view, int64_t commit, uint64_t *keys,
    size_t key_count) {
  struct Table *table = calloc(1, sizeof *table);
  if (table == NULL) {
    free(keys);
    return NULL;
  }
  table->references = 1;
  table->id = ++store->last_table;
  table->version = commit;
  table->view = view_retain(view);
  table->keys = keys;
  table->key_count = key_count;
  return table;
}

// MARK: - Snapshots

struct QuireSnapshot *snapshot_retain(struct QuireSnapshot *snapshot) {
  atomic_fetch_add(&snapshot->references, 1);
  return snapshot;
}

void snapshot_release(struct QuireSnapshot *snapshot) {
  if (snapshot == NULL || atomic_fetch_sub(&snapshot->references, 1) > 1) return;
  for (uint32_t i = 0; i < snapshot->table_count; i++) table_release(snapshot->tables[i]);
  view_release(snapshot->view);
  free(snapshot);
}

struct QuireSnapshot *snapshot_begin(
    struct QuireStore *store, struct View *view, int64_t commit) {
  struct QuireSnapshot *snapshot = calloc(1, sizeof *snapshot);
  if (snapshot == NULL) return NULL;
  snapshot->references = 1;
  snapshot->commit = commit;
  snapshot->view = view_retain(view);
  snapshot->tables[0] = table_new(store, view, commit, NULL, 0);
  snapshot->table_count = snapshot->tables[0] != NULL;
  if (snapshot->table_count == 1) return snapshot;
  snapshot_release(snapshot);
  return NULL;
}

struct QuireSnapshot *snapshot_next(
    struct QuireStore *store, const struct QuireSnapshot *before, struct View *view, int64_t commit,
    uint64_t *keys, size_t key_count) {
  if (keys == NULL || before->table_count == TABLE_LIMIT) {
    free(keys);
    return snapshot_begin(store, view, commit);
  }
  struct Table *table = table_new(store, view, commit, keys, key_count);
  struct QuireSnapshot *snapshot = table == NULL ? NULL : calloc(1, sizeof *snapshot);
  if (snapshot == NULL) {
    table_release(table);
    return NULL;
  }
  snapshot->references = 1;
  snapshot->commit = commit;
  snapshot->view = view_retain(view);
  snapshot->table_count = before->table_count + 1;
  for (uint32_t i = 0; i < before->table_count; i++) {
    snapshot->tables[i] = before->tables[i];
    atomic_fetch_add(&before->tables[i]->references, 1);
  }
  snapshot->tables[before->table_count] = table;
  return snapshot;
}

// MARK: - The newest snapshot

static int compare_keys(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

// Returns the keys of the rows that the commits after a snapshot have changed, sorted. Returns NULL if they are not
// known: a commit brought another schema, or its keys were removed already.
static uint64_t *changes_since(
    MDB_txn *transaction, const struct Environment *environment, int64_t commit, int64_t newest,
    size_t *key_count) {
  struct Bytes keys = {0};
  MDB_cursor *cursor;
  uint8_t place[8];
  MDB_val key = {sizeof place, place}, value;
  int is_known = mdb_cursor_open(transaction, environment->databases[CHANGES], &cursor) == 0;
  if (!is_known) return NULL;
  store_big(place, (uint64_t)commit + 1);
  int result = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
  while (is_known && commit < newest) {
    struct ChangesHeader header = {0};
    is_known = result == 0 && key.mv_size == sizeof place && value.mv_size >= sizeof header;
    if (!is_known) break;
    memcpy(&header, value.mv_data, sizeof header);
    size_t count = value.mv_size - sizeof header;
    uint8_t *added = bytes_grow(&keys, count);
    is_known = header.previous == commit && !header.has_schema && added != NULL;
    if (!is_known) break;
    memcpy(added, (const uint8_t *)value.mv_data + sizeof header, count);
    commit = (int64_t)load_big(key.mv_data);
    result = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
  }
  mdb_cursor_close(cursor);
  // A commit without rows, such as one of metadata, gives no keys.
  if (is_known && keys.start == NULL) is_known = (keys.start = malloc(1)) != NULL;
  if (!is_known) {
    free(keys.start);
    return NULL;
  }
  uint64_t *sorted = (uint64_t *)(void *)keys.start;
  size_t all = keys.count / sizeof *sorted, count = 0;
  qsort(sorted, all, sizeof *sorted, compare_keys);
  for (size_t i = 0; i < all; i++) {
    if (i == 0 || sorted[i] != sorted[i - 1]) sorted[count++] = sorted[i];
  }
  *key_count = count;
  return sorted;
}

static int32_t move_to(
    struct QuireStore *store, struct View *view, struct QuireError *error) {
  struct Environment *environment = store->environment;
  struct Root root;
  MDB_txn *transaction = view_borrow(view);
  int32_t code = read_root(transaction, environment, &root, error);
  if (code == QUIRE_OK && store->newest != NULL && root.identity != store->identity) {
    code = fail(
        error, QUIRE_NOT_FOUND, "The store in '%s' was replaced by another one. Open it again.",
        environment->path);
  }
  struct QuireSnapshot *before = store->newest, *next = before;
  if (code == QUIRE_OK && before == NULL) {
    store->identity = root.identity;
    next = snapshot_begin(store, view, root.commit);
  } else if (code == QUIRE_OK && before->commit != root.commit) {
    size_t count = 0;
    uint64_t *keys =
        changes_since(transaction, environment, before->commit, root.commit, &count);
    next = snapshot_next(store, before, view, root.commit, keys, count);
  }
  view_return(view, transaction);
  if (code == QUIRE_OK && next == NULL) code = fail_memory(error);
  if (code == QUIRE_OK && next != before) {
    snapshot_release(before);
    store->newest = next;
  }
  return code;
}

// Call this with the store's lock. Tells whether the view is behind the commits in the file: a process is at the end
// of a commit, or was killed there.
static int32_t refresh(struct QuireStore *store, int *is_behind, struct QuireError *error) {
  MDB_envinfo info;
  struct View *view;
  *is_behind = 0;
  if (store->is_closed) return fail(error, QUIRE_CLOSED, "The store was closed.");
  mdb_env_info(store->environment->lmdb, &info);
  if (store->newest != NULL && info.me_last_txnid == view_number(store->newest->view)) {
    return QUIRE_OK;
  }
  int32_t code = view_new(store->environment, &view, error);
  if (code != QUIRE_OK) return code;
  *is_behind = view_number(view) < info.me_last_txnid;
  code = move_to(store, view, error);
  view_release(view);
  return code;
}

int32_t store_refresh(struct QuireStore *store, int has_lock, struct QuireError *error) {
  int is_behind;
  struct Environment *environment = store->environment;
  pthread_mutex_lock(&store->lock);
  int32_t code = refresh(store, &is_behind, error);
  pthread_mutex_unlock(&store->lock);
  if (code != QUIRE_OK || !is_behind) return code;
  // A commit that another process is about to end counts when it has ended.
  if (!has_lock && !environment_try_lock(environment)) return QUIRE_OK;
  environment_recover(environment);
  if (!has_lock) environment_unlock(environment);
  pthread_mutex_lock(&store->lock);
  code = refresh(store, &is_behind, error);
  pthread_mutex_unlock(&store->lock);
  return code;
}

int32_t store_snapshot(
    struct QuireStore *store, struct QuireSnapshot **snapshot, struct QuireError *error) {
  int32_t code = store_refresh(store, 0, error);
  if (code != QUIRE_OK) return code;
  pthread_mutex_lock(&store->lock);
  if (store->newest == NULL) {
    code = fail(error, QUIRE_CLOSED, "The store was closed.");
  } else {
    *snapshot = snapshot_retain(store->newest);
  }
  pthread_mutex_unlock(&store->lock);
  return code;
}

// MARK: - The content of a snapshot

int64_t snapshot_commit(struct QuireSnapshot *snapshot) { return snapshot->commit; }

int32_t snapshot_describe(
    struct QuireSnapshot *snapshot, int32_t what, struct QuireBytes *bytes,
    struct QuireError *error) {
  if (what < QUIRE_MODEL || what > QUIRE_METADATA) {
    return fail(error, QUIRE_NOT_SUPPORTED, "There is no description of kind %" PRId32 ".", what);
  }
  struct Environment *environment = view_environment(snapshot->view);
  MDB_txn *transaction = view_borrow(snapshot->view);
  MDB_val value;
  int result = get_named(transaction, environment, description_names[what], &value);
  view_return(snapshot->view, transaction);
  if (result != 0) return fail_lmdb(error, result, "read a description of", environment->path);
  // LMDB keeps the bytes in their place as long as the view.
  *bytes = (struct QuireBytes){value.mv_data, value.mv_size, NULL, NULL};
  return QUIRE_OK;
}

int32_t snapshot_tables(
    struct QuireSnapshot *snapshot,
    int32_t (*take)(void *context, const struct QuireTable *table), void *context,
    struct QuireError *error) {
  for (uint32_t i = 0; i < snapshot->table_count; i++) {
    const struct Table *table = snapshot->tables[i];
    struct QuireTable told = {table->id, table->version, table->key_count};
    if (table->keys == NULL) {
      MDB_stat stat;
      MDB_txn *transaction = view_borrow(table->view);
      mdb_stat(transaction, view_environment(table->view)->databases[ROWS], &stat);
      view_return(table->view, transaction);
      told.row_count = stat.ms_entries;
    }
    int32_t code = take(context, &told);
    if (code != QUIRE_OK) return fail(error, code, "The host refused the list of tables.");
  }
  return QUIRE_OK;
}
