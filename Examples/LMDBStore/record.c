// Layouts, and the values of records in place.

#include "record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *bytes_grow(struct Bytes *bytes, size_t count) {
  if (count > SIZE_MAX / 4 - bytes->count) return NULL;
  if (bytes->count + count > bytes->capacity) {
    size_t capacity = (bytes->count + count) * 2;
    uint8_t *grown = realloc(bytes->start, capacity);
    if (grown == NULL) return NULL;
    bytes->start = grown;
    bytes->capacity = capacity;
  }
  void *place = bytes->start + bytes->count;
  bytes->count += count;
  return place;
}

// MARK: - Layouts

static const struct {
  const char *format;
  uint32_t width;
} formats[] = {
    {"b", 1}, {"s", 2}, {"i", 4}, {"l", 8}, {"L", 8},
    {"f", 4}, {"g", 8}, {"u", 4}, {"z", 4}, {"w:16", 16},
};

const char *format_named(const char *name, uint32_t *width) {
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    if (strcmp(name, formats[i].format) != 0) continue;
    *width = formats[i].width;
    return formats[i].format;
  }
  return NULL;
}

// Takes a text that ends with a zero byte. Returns NULL if there is none.
static const char *take_text(const char **at, const char *end) {
  const char *text = *at, *zero = text == end ? NULL : memchr(text, 0, (size_t)(end - text));
  if (zero != NULL) *at = zero + 1;
  return zero == NULL ? NULL : text;
}

// Finds the columns of the texts, and their places in records. Returns 0 if the texts are not valid.
static int parse(const MDB_val *texts, struct Layout *layout) {
  const char *at = texts->mv_data, *end = at + texts->mv_size;
  uint32_t count = 0;
  for (const char *byte = at; byte < end; byte++) count += *byte == 0;
  layout->entity_name = take_text(&at, end);
  layout->column_count = count / 3;
  layout->columns = calloc(layout->column_count + 1, sizeof *layout->columns);
  if (layout->entity_name == NULL || count % 3 != 1 || layout->columns == NULL) return 0;
  uint32_t place = RECORD_HEADER + (layout->column_count + 7) / 8, former = 0;
  for (uint32_t i = 0; i < layout->column_count; i++) {
    struct Column *column = &layout->columns[i];
    column->name = take_text(&at, end);
    const char *format = take_text(&at, end);
    column->extension = take_text(&at, end);
    if (column->extension == NULL) return 0;
    column->format = format_named(format, &column->width);
    if (column->format == NULL) return 0;
    column->place = place;
    column->former = former;
    place += column->width;
    if (has_heap(column)) former = column->place;
  }
  layout->heap = place;
  return at == end;
}

static void name_layout(char name[32], uint16_t entity, uint32_t number) {
  snprintf(name, 32, "layout %u %" PRIu32, (unsigned)entity, number);
}

int32_t layout_read(
    MDB_txn *transaction, const struct Environment *environment, uint16_t entity, uint32_t number,
    struct Layout *layout, struct QuireError *error) {
  char name[32];
  MDB_val texts;
  name_layout(name, entity, number);
  *layout = (struct Layout){.entity = entity, .number = number};
  int result = get_named(transaction, environment, name, &texts);
  if (result != 0) return fail_lmdb(error, result, "read a layout of", environment->path);
  if (parse(&texts, layout)) return QUIRE_OK;
  layout_end(layout);
  return fail(error, QUIRE_DAMAGED, "The %s of '%s' is damaged.", name, environment->path);
}

int32_t layout_find(
    MDB_txn *transaction, const struct Environment *environment, uint16_t entity,
    const struct Bytes *texts, struct Layout *layout, struct QuireError *error) {
  for (uint32_t number = 1;; number++) {
    char name[32];
    MDB_val known;
    name_layout(name, entity, number);
    int result = get_named(transaction, environment, name, &known);
    if (result == MDB_NOTFOUND) {
      result = put_named(transaction, environment, name, texts->start, texts->count);
      known = (MDB_val){texts->count, texts->start};
    }
    if (result != 0) return fail_lmdb(error, result, "write a layout of", environment->path);
    if (known.mv_size != texts->count || memcmp(known.mv_data, texts->start, texts->count) != 0) {
      continue;
    }
    // LMDB moves its copy when it writes, so the layout keeps the texts of the caller.
    known.mv_data = texts->start;
    *layout = (struct Layout){.entity = entity, .number = number};
    if (parse(&known, layout)) return QUIRE_OK;
    layout_end(layout);
    return fail(error, QUIRE_BAD_CHANGE, "The columns of entity %u can't be kept.", (unsigned)entity);
  }
}

void layout_end(struct Layout *layout) {
  free(layout->columns);
  *layout = (struct Layout){0};
}

int layout_index(const struct Layout *layout, const char *name) {
  for (uint32_t i = 0; i < layout->column_count; i++) {
    if (strcmp(layout->columns[i].name, name) == 0) return (int)i;
  }
  return -1;
}

// MARK: - Values in place

// Records lie at any address, so numbers are copied out of them.
static uint32_t load_u32(const uint8_t *bytes) {
  uint32_t number;
  memcpy(&number, bytes, sizeof number);
  return number;
}

int record_header(const MDB_val *record, struct RecordHeader *header) {
  if (record->mv_size < RECORD_HEADER) return 0;
  memcpy(header, record->mv_data, sizeof *header);
  return 1;
}

int record_check(const struct Layout *layout, const MDB_val *record) {
  uint32_t end = 0;
  if (record->mv_size < layout->heap) return 0;
  for (uint32_t i = 0; i < layout->column_count; i++) {
    if (!has_heap(&layout->columns[i])) continue;
    uint32_t next = load_u32(record_value(record, &layout->columns[i]));
    if (next < end) return 0;
    end = next;
  }
  return record->mv_size - layout->heap == end;
}

const uint8_t *record_text(
    const struct Layout *layout, const MDB_val *record, const struct Column *column,
    uint32_t *count) {
  const uint8_t *bytes = record->mv_data;
  uint32_t start = column->former == 0 ? 0 : load_u32(bytes + column->former);
  *count = load_u32(bytes + column->place) - start;
  return bytes + layout->heap + start;
}
