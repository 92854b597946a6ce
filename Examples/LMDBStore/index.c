// The entries of indexes: their order, their updates, and searches.

#include "index.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// MARK: - Values in the order of their bytes

struct IndexValue index_reference(uint64_t number) {
  struct IndexValue value = {.count = 8};
  store_big(value.bytes, number);
  return value;
}

struct IndexValue index_whole(int64_t number) {
  // With the sign inverted, negative numbers come first.
  return index_reference((uint64_t)number ^ UINT64_C(1) << 63);
}

struct IndexValue index_number(double number) {
  uint64_t bits, sign = UINT64_C(1) << 63;
  // "Not a number" has no order. Both zeros are equal.
  if (isnan(number)) return (struct IndexValue){.count = 0};
  number += 0.0;
  memcpy(&bits, &number, sizeof bits);
  return index_reference(bits & sign ? ~bits : bits ^ sign);
}

struct IndexValue index_text(const uint8_t *text, size_t count, int is_whole) {
  struct IndexValue value = {.count = count < INDEX_TEXT_BYTES ? count : INDEX_TEXT_BYTES};
  memcpy(value.bytes, text, value.count);
  if (is_whole) value.bytes[value.count++] = 0;
  return value;
}

static struct IndexValue value_of(
    const struct Layout *layout, const MDB_val *record, const char *name) {
  struct IndexValue none = {.count = 0};
  int index = layout_index(layout, name);
  if (index < 0 || !record_has(record, (uint32_t)index)) return none;
  const struct Column *column = &layout->columns[index];
  const uint8_t *bytes = record_value(record, column);
  int16_t small;
  int32_t medium;
  int64_t large;
  float single;
  double number;
  uint64_t reference;
  uint32_t count;
  switch (column->format[0]) {
    case 'b': return index_whole(*bytes);
    case 's': memcpy(&small, bytes, sizeof small); return index_whole(small);
    case 'i': memcpy(&medium, bytes, sizeof medium); return index_whole(medium);
    case 'l': memcpy(&large, bytes, sizeof large); return index_whole(large);
    case 'f': memcpy(&single, bytes, sizeof single); return index_number(single);
    case 'g': memcpy(&number, bytes, sizeof number); return index_number(number);
    case 'L': memcpy(&reference, bytes, sizeof reference); return index_reference(reference);
    case 'u': bytes = record_text(layout, record, column, &count);
      return index_text(bytes, count, 1);
    default: return none;
  }
}

// MARK: - Entries

struct Entry {
  uint8_t bytes[2 + sizeof(((struct IndexValue *)0)->bytes) + 8];
  size_t count;
};

static struct Entry entry_of(uint16_t index, const struct IndexValue *value, uint64_t key) {
  struct Entry entry = {.bytes = {(uint8_t)(index >> 8), (uint8_t)index}};
  memcpy(entry.bytes + 2, value->bytes, value->count);
  store_big(entry.bytes + 2 + value->count, key);
  entry.count = 2 + value->count + 8;
  return entry;
}

static int put_entry(
    MDB_txn *transaction, const struct Environment *environment, struct Entry *entry) {
  MDB_val key = {entry->count, entry->bytes}, none = {0, ""};
  return mdb_put(transaction, environment->databases[INDEX], &key, &none, 0);
}

// A row without the column has the model's default, which the store does not know. An entry without a value tells
// that the index does not contain all rows.
static int mark_incomplete(
    MDB_txn *transaction, const struct Environment *environment, uint16_t index) {
  struct Entry entry = {.bytes = {(uint8_t)(index >> 8), (uint8_t)index}, .count = 2};
  return put_entry(transaction, environment, &entry);
}

static int remove_entry(
    MDB_txn *transaction, const struct Environment *environment, struct Entry *entry) {
  MDB_val key = {entry->count, entry->bytes};
  int result = mdb_del(transaction, environment->databases[INDEX], &key, NULL);
  return result == MDB_NOTFOUND ? 0 : result;
}

// Reads the record of a row, and its layout. 'has' shows whether there is one.
static int32_t read_former(
    MDB_txn *transaction, const struct Environment *environment, uint64_t key,
    struct Layout *layout, MDB_val *record, int *has, struct QuireError *error) {
  uint8_t place[8];
  MDB_val name = {sizeof place, place};
  struct RecordHeader header;
  store_big(place, key);
  int result = mdb_get(transaction, environment->databases[ROWS], &name, record);
  *has = result == 0;
  if (result == MDB_NOTFOUND) return QUIRE_OK;
  if (result != 0) return fail_lmdb(error, result, "read", environment->path);
  if (!record_header(record, &header)) {
    return fail(error, QUIRE_DAMAGED, "A record of '%s' is damaged.", environment->path);
  }
  int32_t code = layout_read(
      transaction, environment, (uint16_t)(key >> KEY_BITS), header.layout, layout, error);
  if (code != QUIRE_OK || record_check(layout, record)) return code;
  layout_end(layout);
  return fail(error, QUIRE_DAMAGED, "A record of '%s' is damaged.", environment->path);
}

int32_t index_update(
    MDB_txn *transaction, const struct Environment *environment, const struct Indexes *indexes,
    uint64_t key, const struct Layout *layout, const MDB_val *record, struct QuireError *error) {
  for (size_t i = 0; i < indexes->count; i++) {
    const struct Index *index = &indexes->all[i];
    struct IndexValue before = {.count = 0}, after = {.count = 0};
    struct Layout former = {0};
    MDB_val former_record;
    int has, result = 0;
    if (index->entity != key >> KEY_BITS) continue;
    // LMDB may move the record with each write, so it is read for each index.
    int32_t code = read_former(transaction, environment, key, &former, &former_record, &has, error);
    if (code != QUIRE_OK) return code;
    if (has) before = value_of(&former, &former_record, index->column);
    layout_end(&former);
    if (record != NULL) after = value_of(layout, record, index->column);
    if (record != NULL && layout_index(layout, index->column) < 0) {
      result = mark_incomplete(transaction, environment, index->number);
    }
    if (result != 0) return fail_lmdb(error, result, "write an index of", environment->path);
    if (before.count == after.count && memcmp(before.bytes, after.bytes, after.count) == 0) continue;
    struct Entry old = entry_of(index->number, &before, key);
    struct Entry new = entry_of(index->number, &after, key);
    if (before.count > 0) result = remove_entry(transaction, environment, &old);
    if (result == 0 && after.count > 0) result = put_entry(transaction, environment, &new);
    if (result != 0) return fail_lmdb(error, result, "write an index of", environment->path);
  }
  return QUIRE_OK;
}

// MARK: - Rebuilding

static int has_entity(const struct Indexes *indexes, uint64_t entity) {
  if (indexes->entity_count == 0) return 1;
  for (size_t i = 0; i < indexes->entity_count; i++) {
    if (indexes->entities[i] == entity) return 1;
  }
  return 0;
}

static int32_t add_row(
    MDB_txn *transaction, const struct Environment *environment, const struct Indexes *indexes,
    uint64_t key, struct QuireError *error) {
  for (size_t i = 0; i < indexes->count; i++) {
    const struct Index *index = &indexes->all[i];
    struct Layout layout = {0};
    MDB_val record;
    int has, result = 0;
    if (index->entity != key >> KEY_BITS) continue;
    int32_t code = read_former(transaction, environment, key, &layout, &record, &has, error);
    if (code != QUIRE_OK) return code;
    struct IndexValue value = value_of(&layout, &record, index->column);
    if (layout_index(&layout, index->column) < 0) {
      result = mark_incomplete(transaction, environment, index->number);
    }
    layout_end(&layout);
    struct Entry entry = entry_of(index->number, &value, key);
    if (result == 0 && value.count > 0) result = put_entry(transaction, environment, &entry);
    if (result != 0) return fail_lmdb(error, result, "write an index of", environment->path);
  }
  return QUIRE_OK;
}

int32_t index_rebuild(
    MDB_txn *transaction, const struct Environment *environment, const struct Indexes *indexes,
    struct QuireError *error) {
  MDB_cursor *cursor;
  MDB_val key, record;
  int32_t code = QUIRE_OK;
  int result = mdb_drop(transaction, environment->databases[INDEX], 0);
  if (result == 0) result = mdb_cursor_open(transaction, environment->databases[ROWS], &cursor);
  if (result != 0) return fail_lmdb(error, result, "write an index of", environment->path);
  while ((result = mdb_cursor_get(cursor, &key, &record, MDB_NEXT)) == 0 && code == QUIRE_OK) {
    uint64_t row = key.mv_size == 8 ? load_big(key.mv_data) : 0;
    if (has_entity(indexes, row >> KEY_BITS)) {
      code = add_row(transaction, environment, indexes, row, error);
    } else if ((result = mdb_cursor_del(cursor, 0)) != 0) {
      break;
    }
  }
  mdb_cursor_close(cursor);
  if (code != QUIRE_OK || result == MDB_NOTFOUND) return code;
  return fail_lmdb(error, result, "write an index of", environment->path);
}

// MARK: - Searches

int index_search(
    MDB_txn *transaction, const struct Environment *environment, const struct IndexRange *range,
    size_t most, struct Bytes *keys, int *is_many) {
  const struct IndexValue *upper = &range->upper;
  struct Entry from = entry_of(range->index, &range->lower, 0);
  MDB_val key = {2, from.bytes}, none;
  MDB_cursor *cursor;
  *is_many = mdb_get(transaction, environment->databases[INDEX], &key, &none) == 0;
  if (*is_many) return 0;
  key.mv_size = 2 + range->lower.count;
  int result = mdb_cursor_open(transaction, environment->databases[INDEX], &cursor);
  if (result != 0) return result;
  MDB_cursor_op step = MDB_SET_RANGE;
  while ((result = mdb_cursor_get(cursor, &key, &none, step)) == 0) {
    const uint8_t *bytes = key.mv_data;
    size_t value_count = key.mv_size < 10 ? 0 : key.mv_size - 10;
    size_t compared = value_count < upper->count ? value_count : upper->count;
    if (memcmp(bytes, from.bytes, 2) != 0 || memcmp(bytes + 2, upper->bytes, compared) > 0) break;
    if (keys->count / sizeof(uint64_t) == most) {
      *is_many = 1;
      break;
    }
    uint8_t *place = bytes_grow(keys, sizeof(uint64_t));
    if (place == NULL) {
      result = ENOMEM;
      break;
    }
    uint64_t found = load_big(bytes + 2 + value_count);
    memcpy(place, &found, sizeof found);
    step = MDB_NEXT;
  }
  mdb_cursor_close(cursor);
  return result == MDB_NOTFOUND ? 0 : result;
}
