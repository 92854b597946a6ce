// Makes changes durable, all of them or none: one transaction of LMDB for each commit.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "store.h"

// The number of commits with their changed keys in the file. Other open stores make their tables from these keys.
enum { KEPT_CHANGES = 2 * TABLE_LIMIT };

// The state of a running commit.
struct Writing {
  struct QuireStore *store;
  struct Environment *environment;
  const struct QuireCommit *commit;
  MDB_txn *transaction;
  struct Root root;
  struct Indexes indexes;
  int has_schema;
  // The keys of the changed rows.
  struct Bytes keys;
  struct Bytes record;
};

// MARK: - Rows

// With a new schema, the host gives all rows again that have other columns, and they keep their versions. Changes that
// were made before are refused as a whole, so no conflict is overlooked.
static int64_t version_of(
    const struct Writing *writing, const struct QuireBatch *batch, int64_t row) {
  int64_t basis = writing->has_schema ? batch_basis(batch, row) : 0;
  return basis != 0 ? basis : writing->root.commit;
}

static int32_t write_row(
    struct Writing *writing, const struct QuireBatch *batch, const struct Layout *layout,
    int64_t row, struct QuireError *error) {
  const struct Environment *environment = writing->environment;
  MDB_txn *transaction = writing->transaction;
  uint64_t key = batch_key(batch, row);
  uint8_t place[8];
  MDB_val name = {sizeof place, place}, record = {0, NULL};
  int32_t code = QUIRE_OK;
  int result;
  void *kept = bytes_grow(&writing->keys, sizeof key);
  if (kept == NULL) return fail_memory(error);
  memcpy(kept, &key, sizeof key);
  store_big(place, key);
  if (layout != NULL) {
    code = batch_record(batch, layout, row, version_of(writing, batch, row), &writing->record, error);
    if (code != QUIRE_OK) return code;
    record = (MDB_val){writing->record.count, writing->record.start};
  }
  // With a new schema all entries are made again at the end.
  if (!writing->has_schema) {
    code = index_update(
        transaction, environment, &writing->indexes, key, layout, layout == NULL ? NULL : &record,
        error);
    if (code != QUIRE_OK) return code;
  }
  if (layout != NULL) {
    result = mdb_put(transaction, environment->databases[ROWS], &name, &record, 0);
  } else {
    result = mdb_del(transaction, environment->databases[ROWS], &name, NULL);
    if (result == MDB_NOTFOUND) result = 0;
  }
  return result == 0 ? QUIRE_OK : fail_lmdb(error, result, "write", environment->path);
}

static int32_t write_batch(
    struct Writing *writing, const struct QuireBatch *batch, struct QuireError *error) {
  struct Layout layout = {0};
  struct Bytes texts = {0};
  int32_t code = check_batch(batch, error);
  int is_put = batch->kind == QUIRE_PUT;
  if (code == QUIRE_OK && is_put) {
    code = !batch_layout(batch, &texts)
               ? fail_memory(error)
               : layout_find(
                     writing->transaction, writing->environment, batch->entity, &texts, &layout,
                     error);
  }
  for (int64_t row = 0; code == QUIRE_OK && row < batch->array->length; row++) {
    code = write_row(writing, batch, is_put ? &layout : NULL, row, error);
  }
  layout_end(&layout);
  free(texts.start);
  return code;
}

static int compare_keys(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

// Sorts the keys. Refuses a commit that contains a row twice.
static int32_t sort_keys(struct Bytes *bytes, struct QuireError *error) {
  uint64_t *keys = (uint64_t *)(void *)bytes->start;
  size_t count = bytes->count / sizeof *keys;
  if (count > 1) qsort(keys, count, sizeof *keys, compare_keys);
  for (size_t i = 1; i < count; i++) {
    if (keys[i] == keys[i - 1]) {
      return fail(error, QUIRE_BAD_CHANGE, "The commit contains an object twice.");
    }
  }
  return QUIRE_OK;
}

// MARK: - The commit

static int32_t begin_commit(struct Writing *writing, struct QuireError *error) {
  const struct QuireCommit *commit = writing->commit;
  struct Root *root = &writing->root;
  const char *path = writing->environment->path;
  int32_t code = read_root(writing->transaction, writing->environment, root, error);
  if (code != QUIRE_OK) return code;
  if (root->commit != commit->after) {
    return fail(
        error, QUIRE_OVERTAKEN, "The newest commit of '%s' is %" PRId64 ", not %" PRId64 ".", path,
        root->commit, commit->after);
  }
  if (commit->base < root->model_commit) {
    return fail(
        error, QUIRE_INCOMPATIBLE_MODEL,
        "Commit %" PRId64 " has changed the model of '%s'. The changes were made for the model before.",
        root->model_commit, path);
  }
  int64_t number = commit->number != 0 ? commit->number : root->commit + 1;
  if (number <= root->commit) {
    return fail(
        error, QUIRE_EXISTS, "'%s' has commit %" PRId64 " or a later one already.", path, number);
  }
  writing->has_schema = commit->schema.count > 0;
  root->commit = number;
  root->time = time_now();
  if (commit->model.count > 0) root->model_commit = number;
  return QUIRE_OK;
}

static int write_descriptions(struct Writing *writing) {
  const struct QuireCommit *commit = writing->commit;
  const struct QuireBytes *all[3] = {&commit->model, &commit->schema, &commit->metadata};
  int result = 0;
  for (int what = 0; what < 3 && result == 0; what++) {
    if (all[what]->count == 0) continue;
    result = put_named(
        writing->transaction, writing->environment, description_names[what], all[what]->start,
        all[what]->count);
  }
  return result;
}

// Writes the keys of the changed rows, and removes those of old commits.
static int write_changes(struct Writing *writing) {
  MDB_dbi changes = writing->environment->databases[CHANGES];
  struct ChangesHeader header = {writing->commit->after, writing->has_schema};
  uint8_t place[8];
  MDB_val key = {sizeof place, place}, value = {sizeof header + writing->keys.count, NULL};
  MDB_stat stat;
  store_big(place, (uint64_t)writing->root.commit);
  int result = mdb_put(writing->transaction, changes, &key, &value, MDB_RESERVE);
  if (result != 0) return result;
  memcpy(value.mv_data, &header, sizeof header);
  if (writing->keys.count > 0) {
    memcpy((uint8_t *)value.mv_data + sizeof header, writing->keys.start, writing->keys.count);
  }
  result = mdb_stat(writing->transaction, changes, &stat);
  if (result != 0 || stat.ms_entries <= KEPT_CHANGES) return result;
  MDB_cursor *cursor;
  result = mdb_cursor_open(writing->transaction, changes, &cursor);
  if (result != 0) return result;
  result = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
  if (result == 0) result = mdb_cursor_del(cursor, 0);
  mdb_cursor_close(cursor);
  return result;
}

static int32_t write_all(struct Writing *writing, struct QuireError *error) {
  const struct QuireCommit *commit = writing->commit;
  int32_t code = begin_commit(writing, error);
  if (code != QUIRE_OK) return code;
  int result = write_descriptions(writing);
  if (result != 0) return fail_lmdb(error, result, "write", writing->environment->path);
  code = indexes_read(writing->transaction, writing->environment, &writing->indexes, error);
  for (uint32_t i = 0; i < commit->batch_count && code == QUIRE_OK; i++) {
    code = write_batch(writing, commit->batches[i], error);
  }
  if (code == QUIRE_OK) code = sort_keys(&writing->keys, error);
  if (code == QUIRE_OK && writing->has_schema) {
    code = index_rebuild(writing->transaction, writing->environment, &writing->indexes, error);
  }
  if (code != QUIRE_OK) return code;
  result = raise_next_keys(
      writing->transaction, writing->environment, (const uint64_t *)(const void *)writing->keys.start,
      writing->keys.count / sizeof(uint64_t));
  if (result == 0) result = write_changes(writing);
  if (result == 0) {
    result = put_named(
        writing->transaction, writing->environment, "root", &writing->root, sizeof writing->root);
  }
  return result == 0 ? QUIRE_OK : fail_lmdb(error, result, "write", writing->environment->path);
}

// Makes the snapshot after the commit, which is not valid before the commit. So nothing needs memory afterwards.
static int32_t prepare_snapshot(
    struct Writing *writing, struct View **view, struct QuireSnapshot **next,
    struct QuireError *error) {
  struct QuireStore *store = writing->store;
  uint64_t *keys = NULL;
  size_t count = writing->keys.count;
  int32_t code = view_prepare(writing->environment, view, error);
  if (code != QUIRE_OK) return code;
  // With a new schema the tables begin again, because the host reads all rows by the new schema.
  if (!writing->has_schema && (keys = malloc(count + 1)) == NULL) return fail_memory(error);
  if (keys != NULL && count > 0) memcpy(keys, writing->keys.start, count);
  pthread_mutex_lock(&store->lock);
  *next = snapshot_next(
      store, store->newest, *view, writing->root.commit, keys, count / sizeof *keys);
  pthread_mutex_unlock(&store->lock);
  return *next == NULL ? fail_memory(error) : QUIRE_OK;
}

// Commits the transaction, after which the commit counts, and shows it in the store.
static int32_t finish(
    struct Writing *writing, struct View *view, struct QuireSnapshot *next,
    struct QuireError *error) {
  struct QuireStore *store = writing->store;
  int result = mdb_txn_commit(writing->transaction);
  writing->transaction = NULL;
  if (result != 0) return fail_lmdb(error, result, "write", writing->environment->path);
  // The file has room for these pages, or the next commit adds them.
  (void)environment_pad(writing->environment);
  // The lock of the file keeps other processes from committing before the view exists.
  result = view_renew(view);
  if (result != 0) return fail_lmdb(error, result, "read", writing->environment->path);
  pthread_mutex_lock(&store->lock);
  snapshot_release(store->newest);
  store->newest = snapshot_retain(next);
  pthread_mutex_unlock(&store->lock);
  return QUIRE_OK;
}

static int32_t commit_locked(
    struct Writing *writing, struct QuireCommitted *committed, struct QuireError *error) {
  struct View *view = NULL;
  struct QuireSnapshot *next = NULL;
  int result = mdb_txn_begin(writing->environment->lmdb, NULL, 0, &writing->transaction);
  if (result != 0) return fail_lmdb(error, result, "write", writing->environment->path);
  int32_t code = write_all(writing, error);
  if (code == QUIRE_OK) code = prepare_snapshot(writing, &view, &next, error);
  if (code == QUIRE_OK) code = finish(writing, view, next, error);
  if (writing->transaction != NULL) mdb_txn_abort(writing->transaction);
  if (code == QUIRE_OK) {
    committed->snapshot = snapshot_retain(next);
    committed->table = next->table_count > 1 ? next->tables[next->table_count - 1]->id : 0;
  }
  snapshot_release(next);
  view_release(view);
  return code;
}

int32_t store_commit(
    struct QuireStore *store, const struct QuireCommit *commit, struct QuireCommitted *committed,
    struct QuireError *error) {
  if (commit->path != NULL || commit->confirm != NULL) {
    return fail(
        error, QUIRE_NOT_SUPPORTED,
        "An LMDB store can't wait for a confirmation, and can't write its commits to another path.");
  }
  int32_t code = begin_writing(store, error);
  if (code != QUIRE_OK) return code;
  struct Writing writing = {.store = store, .environment = store->environment, .commit = commit};
  code = commit_locked(&writing, committed, error);
  end_writing(store);
  indexes_end(&writing.indexes);
  free(writing.keys.start);
  free(writing.record.start);
  return code;
}
