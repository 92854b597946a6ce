#ifndef LMDB_STORE_RECORD_H
#define LMDB_STORE_RECORD_H

// The records of rows. A record is read in place, in LMDB's memory:
//
//     u32 layout, u32 zero, i64 version     the header
//     bits                                  one for each column: whether the row has a value
//     values                                of each column, one behind another, each as wide as its type
//     heap                                  the bytes of texts and data
//
// The value of a text is a u32: the end of its bytes in the heap, which begin where those of the text before
// end. A layout names the columns. All rows that were written with the same columns share a layout.

#include "environment.h"

enum { RECORD_HEADER = 16 };

struct Column {
  const char *name;
  const char *format; // Arrow's format, with offsets of 32 bits.
  const char *extension; // "" if there is none.
  uint32_t width;
  uint32_t place; // In the record.
  uint32_t former; // The place of the text before; 0 for the first text.
};

// The texts of a layout lie in the memory of LMDB, or of the caller.
struct Layout {
  uint16_t entity;
  uint32_t number;
  const char *entity_name;
  uint32_t column_count;
  struct Column *columns;
  uint32_t heap; // The place of the heap in the record.
};

// Bytes that grow. Initialize the structure with zeros.
struct Bytes {
  uint8_t *start;
  size_t count;
  size_t capacity;
};

// Returns the place of 'count' more bytes; NULL if memory runs out.
void *bytes_grow(struct Bytes *bytes, size_t count);

// --- Layouts

// Returns the constant text of a format, and the width of its values in a record; NULL for a format that objects
// don't have. For texts and data the width is that of the end.
const char *format_named(const char *name, uint32_t *width);
static inline int has_heap(const struct Column *column) {
  return column->format[0] == 'u' || column->format[0] == 'z';
}
int32_t layout_read(
    MDB_txn *transaction, const struct Environment *environment, uint16_t entity, uint32_t number,
    struct Layout *layout, struct QuireError *error);
// Reads the layout with the given texts, and adds it if the entity does not have it.
int32_t layout_find(
    MDB_txn *transaction, const struct Environment *environment, uint16_t entity,
    const struct Bytes *texts, struct Layout *layout, struct QuireError *error);
void layout_end(struct Layout *layout);
// Returns the index of a column; -1 if there is none.
int layout_index(const struct Layout *layout, const char *name);

// --- Values in place

struct RecordHeader {
  uint32_t layout;
  uint32_t reserved;
  int64_t version;
};

// Reads the header. Returns 0 if the record is too short.
int record_header(const MDB_val *record, struct RecordHeader *header);
// Checks the size and the ends of texts, which the functions below rely on.
int record_check(const struct Layout *layout, const MDB_val *record);
static inline int record_has(const MDB_val *record, uint32_t column) {
  const uint8_t *bits = (const uint8_t *)record->mv_data + RECORD_HEADER;
  return bits[column / 8] >> column % 8 & 1;
}
static inline const uint8_t *record_value(const MDB_val *record, const struct Column *column) {
  return (const uint8_t *)record->mv_data + column->place;
}
// Returns the bytes of a text, and their number.
const uint8_t *record_text(
    const struct Layout *layout, const MDB_val *record, const struct Column *column,
    uint32_t *count);

// --- Rows of commits (incoming.c)

// Checks a batch against the rules for Arrow arrays. Call this before any other function for the batch.
int32_t check_batch(const struct QuireBatch *batch, struct QuireError *error);
// Returns the key of a row, with the entity in the upper bits.
uint64_t batch_key(const struct QuireBatch *batch, int64_t row);
// Makes the texts of the layout for a batch.
int batch_layout(const struct QuireBatch *batch, struct Bytes *texts);
// Returns the version that the writer of a row has read; 0 for a new row.
int64_t batch_basis(const struct QuireBatch *batch, int64_t row);
// Makes the record of a row.
int32_t batch_record(
    const struct QuireBatch *batch, const struct Layout *layout, int64_t row, int64_t version,
    struct Bytes *record, struct QuireError *error);

// --- Rows for the host (arrow.c)

// Makes Arrow arrays of rows with one layout; without a layout, of keys alone. Returns 0 if memory runs out.
int arrow_make(
    const struct Layout *layout, const uint64_t *keys, const MDB_val *records, size_t count,
    struct ArrowSchema *schema, struct ArrowArray *array);

#endif
