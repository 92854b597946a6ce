#ifndef LMDB_STORE_INDEX_H
#define LMDB_STORE_INDEX_H

// The indexes of the model: entries of the database INDEX, sorted by the value of the first column of an index.
//
//     u16 index, value, u16 entity, 48 bits key     all big-endian
//
// An entry of a text contains its beginning and a zero byte. So a search finds every row in a range, and some
// other rows: the caller compares the values of the rows. Rows without a value have no entry.

#include "record.h"

// The first column of an index of an entity.
struct Index {
  uint16_t number;
  uint16_t entity;
  uint8_t kind; // Of the column (spec §3.3.2).
  char *column;
};

// The indexes, and all entities and link tables of a schema.
struct Indexes {
  struct Index *all;
  size_t count;
  uint16_t *entities;
  size_t entity_count;
};

// Reads the indexes of the store's schema (spec §4.6.3). A schema of another form has none.
int32_t indexes_read(
    MDB_txn *transaction, const struct Environment *environment, struct Indexes *indexes,
    struct QuireError *error);
void indexes_end(struct Indexes *indexes);

enum { INDEX_TEXT_BYTES = 64 };

// A value in an entry. 'count' is 0 for values without entries.
struct IndexValue {
  uint8_t bytes[INDEX_TEXT_BYTES + 1];
  size_t count;
};

struct IndexValue index_whole(int64_t number);
struct IndexValue index_reference(uint64_t number);
struct IndexValue index_number(double number);
// 'is_whole' adds the zero byte.
struct IndexValue index_text(const uint8_t *text, size_t count, int is_whole);

// Updates the entries of a row. 'layout' and 'record' are the new ones; NULL if the row is removed. Call this while
// the database contains the former record.
int32_t index_update(
    MDB_txn *transaction, const struct Environment *environment, const struct Indexes *indexes,
    uint64_t key, const struct Layout *layout, const MDB_val *record, struct QuireError *error);
// Makes all entries again, and removes the rows of entities that the schema no longer has.
int32_t index_rebuild(
    MDB_txn *transaction, const struct Environment *environment, const struct Indexes *indexes,
    struct QuireError *error);

// A search that finds rows with values from 'lower' to 'upper'; a 'count' of 0 is not a bound. Values that begin with
// 'upper' are found too.
struct IndexRange {
  uint16_t index;
  struct IndexValue lower;
  struct IndexValue upper;
};

// Finds the keys of rows. Returns 0 or a result of LMDB. 'is_many' tells that there are more keys than 'most', or that
// the index does not contain all rows.
int index_search(
    MDB_txn *transaction, const struct Environment *environment, const struct IndexRange *range,
    size_t most, struct Bytes *keys, int *is_many);

#endif
