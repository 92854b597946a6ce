// Makes records of the rows that a commit brings in Arrow arrays.

#include <string.h>

#include "record.h"

static int32_t refuse(
    const struct QuireBatch *batch, const char *name, const char *reason,
    struct QuireError *error) {
  return fail(
      error, QUIRE_BAD_CHANGE, "Can't take the rows of '%s': '%s' %s",
      batch->entity_name == NULL ? "" : batch->entity_name, name, reason);
}

// Returns the format with offsets of 32 bits, which records have. Other formats stay.
static const char *short_format(const char *format) {
  return strcmp(format, "U") == 0 ? "u" : strcmp(format, "Z") == 0 ? "z" : format;
}

static int is_wide(const char *format) { return format[0] == 'U' || format[0] == 'Z'; }

// MARK: - Checks

static int32_t check_child(
    const struct QuireBatch *batch, const struct ArrowSchema *schema,
    const struct ArrowArray *array, struct QuireError *error) {
  if (schema == NULL || array == NULL || schema->release == NULL || array->release == NULL) {
    return refuse(batch, "a child", "is missing.", error);
  }
  const char *name = schema->name;
  if (name == NULL || name[0] == 0) return refuse(batch, "a child", "has no name.", error);
  uint32_t width;
  if (schema->format == NULL || format_named(short_format(schema->format), &width) == NULL) {
    return refuse(batch, name, "has a format that objects don't have.", error);
  }
  if (schema->dictionary != NULL || array->dictionary != NULL) {
    return refuse(batch, name, "has a dictionary.", error);
  }
  int64_t needed = batch->array->offset + batch->array->length;
  if (array->offset < 0 || array->length < needed || array->length > INT64_MAX - array->offset) {
    return refuse(batch, name, "has too few values.", error);
  }
  int is_text = strchr("uzUZ", schema->format[0]) != NULL;
  if (array->n_buffers != (is_text ? 3 : 2) || array->buffers == NULL
      || (array->buffers[1] == NULL && batch->array->length > 0)) {
    return refuse(batch, name, "lacks a buffer.", error);
  }
  if (array->buffers[0] == NULL && array->null_count > 0) {
    return refuse(batch, name, "has nulls, and no bitmap says which.", error);
  }
  return QUIRE_OK;
}

static const struct ArrowArray *child_named(
    const struct QuireBatch *batch, const char *name, const char *format) {
  for (int64_t i = 0; i < batch->schema->n_children; i++) {
    const struct ArrowSchema *schema = batch->schema->children[i];
    if (strcmp(schema->name, name) == 0 && strcmp(schema->format, format) == 0) {
      return batch->array->children[i];
    }
  }
  return NULL;
}

static const struct ArrowArray *key_child(const struct QuireBatch *batch) {
  return child_named(batch, "#key", "L");
}

int32_t check_batch(const struct QuireBatch *batch, struct QuireError *error) {
  if (batch->kind != QUIRE_PUT && batch->kind != QUIRE_REMOVED) {
    return refuse(batch, "the batch", "has neither whole rows nor removals.", error);
  }
  const struct ArrowSchema *schema = batch->schema;
  const struct ArrowArray *array = batch->array;
  if (batch->entity == 0 || schema == NULL || array == NULL || schema->release == NULL
      || array->release == NULL || schema->format == NULL || strcmp(schema->format, "+s") != 0) {
    return refuse(batch, "the batch", "is not an array of structures.", error);
  }
  if (array->length < 0 || array->offset < 0 || array->length > INT64_MAX - array->offset
      || array->n_children != schema->n_children || schema->n_children < 1
      || array->children == NULL || schema->children == NULL) {
    return refuse(batch, "the batch", "contradicts its description.", error);
  }
  for (int64_t i = 0; i < schema->n_children; i++) {
    int32_t code = check_child(batch, schema->children[i], array->children[i], error);
    if (code != QUIRE_OK) return code;
  }
  if (key_child(batch) == NULL) return refuse(batch, "#key", "is missing.", error);
  for (int64_t row = 0; row < array->length; row++) {
    if ((batch_key(batch, row) & HIGHEST_KEY) == 0) {
      return refuse(batch, "#key", "holds a number that is not a key.", error);
    }
  }
  return QUIRE_OK;
}

// MARK: - Values

// Copies a number from a buffer that may be unaligned.
static void number_at(const void *buffer, uint64_t index, void *number, size_t width) {
  memcpy(number, (const char *)buffer + index * width, width);
}

static int bit_at(const void *bits, uint64_t index) {
  return ((const uint8_t *)bits)[index / 8] >> (index % 8) & 1;
}

uint64_t batch_key(const struct QuireBatch *batch, int64_t row) {
  const struct ArrowArray *keys = key_child(batch);
  uint64_t key;
  number_at(
      keys->buffers[1], (uint64_t)(batch->array->offset + keys->offset + row), &key, sizeof key);
  // 0 is not an object. It also stands for a number that is too high.
  return (key > HIGHEST_KEY ? 0 : key) | (uint64_t)batch->entity << KEY_BITS;
}

int64_t batch_basis(const struct QuireBatch *batch, int64_t row) {
  const struct ArrowArray *bases = child_named(batch, "#basis", "l");
  int64_t basis = 0;
  if (bases == NULL) return 0;
  uint64_t index = (uint64_t)(batch->array->offset + bases->offset + row);
  if (bases->buffers[0] == NULL || bit_at(bases->buffers[0], index)) {
    number_at(bases->buffers[1], index, &basis, sizeof basis);
  }
  return basis;
}

// Finds the bytes of a text. Returns 0 if the offsets make no sense, or if the text is too long for a record.
static int text_at(
    const struct ArrowArray *array, uint64_t index, int has_wide_offsets, const uint8_t **text,
    uint64_t *count) {
  int64_t ends[2];
  if (has_wide_offsets) {
    number_at(array->buffers[1], index, &ends[0], sizeof ends[0]);
    number_at(array->buffers[1], index + 1, &ends[1], sizeof ends[1]);
  } else {
    int32_t short_ends[2];
    number_at(array->buffers[1], index, &short_ends[0], sizeof short_ends[0]);
    number_at(array->buffers[1], index + 1, &short_ends[1], sizeof short_ends[1]);
    ends[0] = short_ends[0];
    ends[1] = short_ends[1];
  }
  if (ends[0] < 0 || ends[1] < ends[0] || ends[1] - ends[0] > INT32_MAX / 2) return 0;
  *count = (uint64_t)(ends[1] - ends[0]);
  if (*count > 0 && array->buffers[2] == NULL) return 0;
  *text = *count == 0 ? (const uint8_t *)"" : (const uint8_t *)array->buffers[2] + ends[0];
  return 1;
}

// MARK: - Layouts and records

// Returns the name of the extension in a schema's metadata; NULL if there is none. Metadata do not contain
// their length, so the lengths in them are trusted.
static const char *extension_of(const struct ArrowSchema *schema, int32_t *count) {
  static const char name[] = "ARROW:extension:name";
  const char *at = schema->metadata;
  int32_t pair_count = 0, length;
  if (at == NULL) return NULL;
  memcpy(&pair_count, at, 4);
  at += 4;
  for (int32_t i = 0; i < pair_count; i++) {
    memcpy(&length, at, 4);
    int is_name = length == sizeof name - 1 && memcmp(at + 4, name, sizeof name - 1) == 0;
    at += 4 + length;
    memcpy(count, at, 4);
    if (is_name) return at + 4;
    at += 4 + *count;
  }
  return NULL;
}

static int add_text(struct Bytes *texts, const char *text, size_t count) {
  uint8_t *place = bytes_grow(texts, count + 1);
  if (place == NULL) return 0;
  memcpy(place, text, count);
  place[count] = 0;
  return 1;
}

int batch_layout(const struct QuireBatch *batch, struct Bytes *texts) {
  const char *name = batch->entity_name == NULL ? "" : batch->entity_name;
  int is_added = add_text(texts, name, strlen(name));
  for (int64_t i = 0; i < batch->schema->n_children && is_added; i++) {
    const struct ArrowSchema *schema = batch->schema->children[i];
    int32_t count = 0;
    // The key and the basis belong to the row and are not values.
    if (schema->name[0] == '#') continue;
    const char *format = short_format(schema->format), *extension = extension_of(schema, &count);
    is_added = add_text(texts, schema->name, strlen(schema->name))
               && add_text(texts, format, strlen(format))
               && add_text(texts, extension == NULL ? "" : extension, (size_t)count);
  }
  return is_added;
}

// Adds the bytes of a text to the heap. The record may move.
static int32_t add_heap(
    const struct QuireBatch *batch, const struct Layout *layout, const struct Column *column,
    const struct ArrowArray *array, uint64_t index, int has_wide_offsets, int has_value,
    struct Bytes *record, struct QuireError *error) {
  const uint8_t *text = NULL;
  uint64_t count = 0;
  if (has_value && !text_at(array, index, has_wide_offsets, &text, &count)) {
    return refuse(batch, column->name, "has offsets that make no sense.", error);
  }
  if (record->count + count > INT32_MAX) {
    return refuse(batch, column->name, "is too long for the record of a row.", error);
  }
  uint8_t *place = bytes_grow(record, count);
  if (place == NULL) return fail_memory(error);
  if (count > 0) memcpy(place, text, count);
  uint32_t end = (uint32_t)(record->count - layout->heap);
  memcpy(record->start + column->place, &end, sizeof end);
  return QUIRE_OK;
}

int32_t batch_record(
    const struct QuireBatch *batch, const struct Layout *layout, int64_t row, int64_t version,
    struct Bytes *record, struct QuireError *error) {
  struct RecordHeader header = {.layout = layout->number, .version = version};
  record->count = 0;
  uint8_t *start = bytes_grow(record, layout->heap);
  if (start == NULL) return fail_memory(error);
  memset(start, 0, layout->heap);
  memcpy(start, &header, sizeof header);
  uint32_t column_index = 0;
  for (int64_t i = 0; i < batch->schema->n_children; i++) {
    const struct ArrowSchema *schema = batch->schema->children[i];
    const struct ArrowArray *array = batch->array->children[i];
    if (schema->name[0] == '#') continue;
    const struct Column *column = &layout->columns[column_index];
    uint64_t index = (uint64_t)(batch->array->offset + array->offset + row);
    int has_value = array->buffers[0] == NULL || bit_at(array->buffers[0], index);
    if (has_value) record->start[RECORD_HEADER + column_index / 8] |= 1 << column_index % 8;
    column_index++;
    if (has_heap(column)) {
      int32_t code = add_heap(
          batch, layout, column, array, index, is_wide(schema->format), has_value, record, error);
      if (code != QUIRE_OK) return code;
    } else if (has_value && column->format[0] == 'b') {
      record->start[column->place] = (uint8_t)bit_at(array->buffers[1], index);
    } else if (has_value) {
      number_at(array->buffers[1], index, record->start + column->place, column->width);
    }
  }
  return QUIRE_OK;
}
