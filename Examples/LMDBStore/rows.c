// Reads the rows of a table: a walk through their records, in batches of rows with one layout.

#include <inttypes.h>
#include <stdlib.h>

#include "store.h"

enum { BATCH_ROWS = 4096, BATCH_BYTES = 1 << 25 };

// The state of a walk. No transaction is borrowed while the host takes a batch, so it also contains the place where
// the next batch begins.
struct Walk {
  const struct Table *table;
  uint16_t entity;
  int32_t kind;
  // The ranges of keys that were not read yet.
  const struct QuireKeyRange *ranges;
  uint64_t range_count;
  // In the lowest table: the lowest key that was not read yet.
  uint64_t lowest;
  // In another table: the place among the changed keys.
  size_t place;
  // The rows of the batch.
  size_t count;
  size_t byte_count;
  uint64_t keys[BATCH_ROWS];
  MDB_val records[BATCH_ROWS];
};

// Finds the next record of the lowest table. Returns MDB_NOTFOUND after the last one.
static int next_in_ranges(
    struct Walk *walk, MDB_cursor *cursor, MDB_val *record, uint64_t *found) {
  uint8_t place[8];
  MDB_val key;
  int is_behind = walk->count > 0; // Whether the cursor is at the record before.
  while (walk->range_count > 0) {
    if (walk->lowest < walk->ranges->lowest) {
      walk->lowest = walk->ranges->lowest;
      is_behind = 0;
    }
    uint64_t start = (uint64_t)walk->entity << KEY_BITS, highest = walk->ranges->highest;
    if (highest > HIGHEST_KEY) highest = HIGHEST_KEY;
    if (walk->lowest <= highest) {
      store_big(place, start | walk->lowest);
      key = (MDB_val){sizeof place, place};
      int result = mdb_cursor_get(cursor, &key, record, is_behind ? MDB_NEXT : MDB_SET_RANGE);
      if (result != 0) return result;
      if (key.mv_size != sizeof place) return MDB_CORRUPTED;
      *found = load_big(key.mv_data);
      if (*found <= (start | highest)) return 0;
    }
    walk->ranges++;
    walk->range_count--;
    is_behind = 0;
  }
  return MDB_NOTFOUND;
}

// Returns whether the ranges contain a key, and passes over the ranges below it.
static int is_wanted(struct Walk *walk, uint64_t key) {
  while (walk->range_count > 0 && walk->ranges->highest < key) {
    walk->ranges++;
    walk->range_count--;
  }
  return walk->range_count > 0 && walk->ranges->lowest <= key;
}

// Finds the next record of a table of changes. A removed row has none.
static int next_changed(
    struct Walk *walk, MDB_cursor *cursor, MDB_val *record, uint64_t *found) {
  const struct Table *table = walk->table;
  uint8_t place[8];
  for (; walk->place < table->key_count && table->keys[walk->place] >> KEY_BITS == walk->entity;
       walk->place++) {
    MDB_val key = {sizeof place, place};
    *found = table->keys[walk->place];
    if (!is_wanted(walk, *found & HIGHEST_KEY)) continue;
    store_big(place, *found);
    int result = mdb_cursor_get(cursor, &key, record, MDB_SET);
    if (result == (walk->kind == QUIRE_PUT ? 0 : MDB_NOTFOUND)) return 0;
    if (result != 0 && result != MDB_NOTFOUND) return result;
  }
  return MDB_NOTFOUND;
}

static int32_t damaged(
    const struct Environment *environment, uint64_t key, struct QuireError *error) {
  return fail(
      error, QUIRE_DAMAGED, "The record of row %" PRIu64 " of entity %" PRIu64 " in '%s' is damaged.",
      key & HIGHEST_KEY, key >> KEY_BITS, environment->path);
}

// Collects the records of a batch: rows with one layout, until there are many.
static int32_t collect(
    struct Walk *walk, MDB_txn *transaction, MDB_cursor *cursor, struct Layout *layout,
    struct QuireError *error) {
  const struct Environment *environment = view_environment(walk->table->view);
  walk->count = walk->byte_count = 0;
  while (walk->count < BATCH_ROWS && walk->byte_count < BATCH_BYTES) {
    MDB_val record = {0, NULL};
    uint64_t key = 0;
    struct RecordHeader header = {0};
    int result = walk->table->keys == NULL ? next_in_ranges(walk, cursor, &record, &key)
                                           : next_changed(walk, cursor, &record, &key);
    if (result == MDB_NOTFOUND) break;
    if (result != 0) return fail_lmdb(error, result, "read", environment->path);
    if (walk->kind == QUIRE_PUT) {
      if (!record_header(&record, &header)) return damaged(environment, key, error);
      if (walk->count > 0 && header.layout != layout->number) break;
      if (walk->count == 0) {
        int32_t code =
            layout_read(transaction, environment, walk->entity, header.layout, layout, error);
        if (code != QUIRE_OK) return code;
      }
      if (!record_check(layout, &record)) return damaged(environment, key, error);
    }
    walk->keys[walk->count] = key;
    walk->records[walk->count++] = record;
    walk->byte_count += record.mv_size;
    walk->lowest = (key & HIGHEST_KEY) + 1;
    walk->place++;
  }
  return QUIRE_OK;
}

// Makes the arrays of the next batch. Leaves 'count' at 0 after the last row.
static int32_t make_batch(
    struct Walk *walk, struct ArrowSchema *schema, struct ArrowArray *array,
    struct QuireError *error) {
  struct View *view = walk->table->view;
  struct Environment *environment = view_environment(view);
  struct Layout layout = {0};
  MDB_cursor *cursor;
  MDB_txn *transaction = view_borrow(view);
  int result = mdb_cursor_open(transaction, environment->databases[ROWS], &cursor);
  int32_t code = result == 0 ? collect(walk, transaction, cursor, &layout, error)
                             : fail_lmdb(error, result, "read", environment->path);
  if (result == 0) mdb_cursor_close(cursor);
  if (code == QUIRE_OK && walk->count > 0
      && !arrow_make(
          walk->kind == QUIRE_PUT ? &layout : NULL, walk->keys, walk->records, walk->count, schema,
          array)) {
    code = fail_memory(error);
  }
  layout_end(&layout);
  view_return(view, transaction);
  return code;
}

static int32_t give(
    struct Walk *walk, TakeRows take, void *context, struct QuireError *error) {
  for (;;) {
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    int32_t code = make_batch(walk, &schema, &array, error);
    if (code != QUIRE_OK || walk->count == 0) return code;
    code = take(context, &schema, &array);
    if (schema.release != NULL) schema.release(&schema);
    if (array.release != NULL) array.release(&array);
    if (code != QUIRE_OK) return fail(error, code, "The host refused the rows.");
  }
}

static const struct Table *find_table(
    const struct QuireSnapshot *snapshot, uint64_t id, struct QuireError *error) {
  for (uint32_t i = 0; i < snapshot->table_count; i++) {
    if (snapshot->tables[i]->id == id) return snapshot->tables[i];
  }
  fail(error, QUIRE_FAILED, "The snapshot has no table %" PRIu64 ".", id);
  return NULL;
}

// Gives the rows of a table in some ranges of keys.
static int32_t walk_table(
    const struct Table *table, uint16_t entity, int32_t kind, const struct QuireKeyRange *ranges,
    uint64_t range_count, TakeRows take, void *context, struct QuireError *error) {
  if (kind == QUIRE_CHANGED || (kind == QUIRE_REMOVED && table->keys == NULL)) return QUIRE_OK;
  struct Walk *walk = malloc(sizeof *walk);
  if (walk == NULL) return fail_memory(error);
  walk->table = table;
  walk->entity = entity;
  walk->kind = kind;
  walk->ranges = ranges;
  walk->range_count = range_count;
  walk->lowest = 0;
  walk->count = 0;
  size_t low = 0, high = table->key_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (table->keys[middle] >> KEY_BITS < entity) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  walk->place = low;
  int32_t code = give(walk, take, context, error);
  free(walk);
  return code;
}

int32_t snapshot_rows(
    struct QuireSnapshot *snapshot, uint64_t table, uint16_t entity, int32_t kind, TakeRows take,
    void *context, struct QuireError *error) {
  const struct QuireKeyRange all = {1, HIGHEST_KEY};
  const struct Table *found = find_table(snapshot, table, error);
  if (found == NULL) return QUIRE_FAILED;
  return walk_table(found, entity, kind, &all, 1, take, context, error);
}

int32_t snapshot_rows_in_ranges(
    struct QuireSnapshot *snapshot, uint64_t table, uint16_t entity,
    const struct QuireKeyRange *ranges, uint64_t range_count, int32_t *has, TakeRows take,
    void *context, struct QuireError *error) {
  const struct Table *found = find_table(snapshot, table, error);
  if (found == NULL) return QUIRE_FAILED;
  // A table of changes also has removed rows. The host asks snapshot_rows for them.
  *has = 1;
  return walk_table(found, entity, QUIRE_PUT, ranges, range_count, take, context, error);
}

int32_t snapshot_rows_between(
    struct QuireSnapshot *snapshot, uint64_t table, uint16_t entity, uint64_t lowest,
    uint64_t highest, int32_t *has, TakeRows take, void *context, struct QuireError *error) {
  const struct QuireKeyRange range = {lowest, highest};
  return snapshot_rows_in_ranges(
      snapshot, table, entity, &range, 1, has, take, context, error);
}
