#include <inttypes.h>
#include <stdlib.h>

#include "store.h"

static void table_release(struct Table *table) {
  if (table == NULL || --table->references > 0) return;
  rows_release(table->put);
  rows_release(table->removed);
  free(table);
}

// Makes a table that retains the given rows. 'removed' may be NULL.
static struct Table *table_new(
    struct QuireStore *store, int64_t version, struct Rows *put, struct Rows *removed) {
  struct Table *table = calloc(1, sizeof *table);
  if (table == NULL) return NULL;
  *table = (struct Table){1, ++store->next_table, version, rows_retain(put), NULL};
  if (removed != NULL) table->removed = rows_retain(removed);
  return table;
}

struct QuireSnapshot *snapshot_retain(struct QuireSnapshot *snapshot) {
  snapshot->references++;
  return snapshot;
}

void snapshot_release(struct QuireSnapshot *snapshot) {
  if (snapshot == NULL || --snapshot->references > 0) return;
  for (uint32_t i = 0; i < snapshot->table_count; i++) table_release(snapshot->tables[i]);
  rows_release(snapshot->living);
  if (snapshot->before != NULL) {
    snapshot->before->after = snapshot->after;
  } else {
    snapshot->store->snapshots = snapshot->after;
  }
  if (snapshot->after != NULL) snapshot->after->before = snapshot->before;
  free(snapshot);
}

// Makes a snapshot without tables, which takes ownership of the objects.
static struct QuireSnapshot *snapshot_new(
    struct QuireStore *store, const struct Record *record, struct Rows *living) {
  struct QuireSnapshot *snapshot = calloc(1, sizeof *snapshot);
  if (snapshot == NULL || living == NULL) {
    rows_release(living);
    free(snapshot);
    return NULL;
  }
  snapshot->references = 1;
  snapshot->store = store;
  snapshot->after = store->snapshots;
  if (store->snapshots != NULL) store->snapshots->before = snapshot;
  store->snapshots = snapshot;
  snapshot->commit = record->number;
  snapshot->living = living;
  for (int what = 0; what < 3; what++) snapshot->described[what] = record->described[what];
  return snapshot;
}

static struct QuireSnapshot *with_table(
    struct QuireSnapshot *snapshot, struct Rows *put, struct Rows *removed) {
  struct Table *table = table_new(snapshot->store, snapshot->commit, put, removed);
  if (table != NULL) {
    snapshot->tables[snapshot->table_count++] = table;
    return snapshot;
  }
  snapshot_release(snapshot);
  return NULL;
}

struct QuireSnapshot *snapshot_begin(struct QuireStore *store, const struct Record *record) {
  struct QuireSnapshot *snapshot = snapshot_new(store, record, rows_retain(record->living));
  return snapshot == NULL ? NULL : with_table(snapshot, snapshot->living, NULL);
}

struct QuireSnapshot *snapshot_next(
    const struct QuireSnapshot *before, const struct Record *record, int is_continuing) {
  struct QuireSnapshot *snapshot = snapshot_new(
      before->store, record, rows_merge(before->living, record->put, record->removed));
  if (snapshot == NULL) return NULL;
  snapshot->records_since_full =
      record->living == NULL ? before->records_since_full + 1 : 0;
  // The children of arrays are found by name, so earlier tables must not be read by another schema.
  int has_schema = record->described[QUIRE_SCHEMA].commit == record->number;
  if (!is_continuing || has_schema || before->table_count == TABLE_LIMIT) {
    return with_table(snapshot, snapshot->living, NULL);
  }
  for (uint32_t i = 0; i < before->table_count; i++) {
    snapshot->tables[i] = before->tables[i];
    snapshot->tables[i]->references++;
  }
  snapshot->table_count = before->table_count;
  return with_table(snapshot, record->put, record->removed);
}

// MARK: - The content of a snapshot

struct Path description_path(const struct Folder *folder, int32_t what, int64_t commit) {
  return beneath(
      &folder->content, "descriptions/%s-%" PRId64, description_names[what], commit);
}

static void release_bytes(struct QuireBytes *bytes) { free(bytes->private_data); }

int32_t snapshot_describe(
    struct QuireSnapshot *snapshot, int32_t what, struct QuireBytes *bytes,
    struct QuireError *error) {
  if (what < QUIRE_MODEL || what > QUIRE_METADATA) {
    return fail(error, QUIRE_NOT_SUPPORTED, "There is no description of kind %" PRId32 ".", what);
  }
  const struct Folder *folder = &snapshot->store->folder;
  struct Path path = description_path(folder, what, snapshot->described[what].commit);
  struct Text text;
  int32_t code = read_file(folder->host, &path, &text, error);
  if (code != QUIRE_OK) return code;
  if (checksum(text.bytes, text.count) != snapshot->described[what].checksum) {
    text_free(&text);
    return fail(
        error, QUIRE_DAMAGED, "'%s' is damaged: its checksum differs from the one in commit %" PRId64
        ".", path.text, snapshot->commit);
  }
  *bytes = (struct QuireBytes){
      (const uint8_t *)text.bytes, text.count, release_bytes, text.bytes};
  return QUIRE_OK;
}

int32_t snapshot_tables(
    struct QuireSnapshot *snapshot,
    int32_t (*take)(void *context, const struct QuireTable *table), void *context,
    struct QuireError *error) {
  for (uint32_t i = 0; i < snapshot->table_count; i++) {
    const struct Table *table = snapshot->tables[i];
    uint64_t row_count = table->put->count;
    if (table->removed != NULL) row_count += table->removed->count;
    struct QuireTable told = {table->id, table->version, row_count};
    int32_t code = take(context, &told);
    if (code != QUIRE_OK) return fail(error, code, "The host refused the list of tables.");
  }
  return QUIRE_OK;
}

int32_t snapshot_rows(
    struct QuireSnapshot *snapshot, uint64_t table, uint16_t entity, int32_t kind,
    int32_t (*take)(void *context, struct ArrowSchema *schema, struct ArrowArray *array),
    void *context, struct QuireError *error) {
  uint32_t index = 0;
  while (index < snapshot->table_count && snapshot->tables[index]->id != table) index++;
  if (index == snapshot->table_count) {
    return fail(error, QUIRE_FAILED, "The snapshot has no table %" PRIu64 ".", table);
  }
  const struct Table *found = snapshot->tables[index];
  const struct Rows *rows = kind == QUIRE_PUT       ? found->put
                            : kind == QUIRE_REMOVED ? found->removed
                                                    : NULL;
  if (rows == NULL) return QUIRE_OK;
  size_t first = rows_search(rows, (uint64_t)entity << KEY_BITS);
  size_t end = entity == UINT16_MAX ? rows->count
                                    : rows_search(rows, ((uint64_t)entity + 1) << KEY_BITS);
  struct Taker taker = {take, context};
  if (first == end) return QUIRE_OK;
  if (kind == QUIRE_REMOVED) return give_removed(rows->rows + first, end - first, taker, error);
  return give_objects(
      &snapshot->store->folder, rows->rows + first, end - first, taker, error);
}
