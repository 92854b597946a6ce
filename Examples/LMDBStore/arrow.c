// Makes Arrow arrays of records, one column after another.

#include <stdlib.h>
#include <string.h>

#include "record.h"

// Arrow releases each structure on its own, because the receiver may move a child elsewhere. So each owns its
// memory: one block with the children, the list of children, and the buffers or texts.

// MARK: - Schemas

struct SchemaBlock {
  struct ArrowSchema *places;
  struct ArrowSchema **children;
  char *name;
  char *metadata;
};

static void schema_release(struct ArrowSchema *schema) {
  struct SchemaBlock *block = schema->private_data;
  for (int64_t i = 0; i < schema->n_children; i++) {
    // A child that was moved elsewhere has a NULL release here.
    if (block->places[i].release != NULL) block->places[i].release(&block->places[i]);
  }
  free(block->places);
  free(block->children);
  free(block->name);
  free(block->metadata);
  free(block);
  schema->release = NULL;
}

// Makes the metadata with one pair, or none if the value is empty.
static char *make_metadata(const char *key, const char *value) {
  int32_t one = 1, key_count = (int32_t)strlen(key), value_count = (int32_t)strlen(value);
  char *metadata = malloc(12 + strlen(key) + strlen(value)), *at = metadata;
  if (metadata == NULL) return NULL;
  memcpy(at, &one, 4);
  memcpy(at + 4, &key_count, 4);
  memcpy(at + 8, key, strlen(key));
  at += 8 + key_count;
  memcpy(at, &value_count, 4);
  memcpy(at + 4, value, strlen(value));
  return metadata;
}

static int schema_make(
    struct ArrowSchema *schema, const char *format, const char *name, const char *key,
    const char *value, size_t child_count) {
  struct SchemaBlock *block = calloc(1, sizeof *block);
  *schema = (struct ArrowSchema){0};
  if (block == NULL) return 0;
  block->places = calloc(child_count + 1, sizeof *block->places);
  block->children = calloc(child_count + 1, sizeof *block->children);
  block->name = malloc(strlen(name) + 1);
  if (block->name != NULL) strcpy(block->name, name);
  block->metadata = value[0] == 0 ? NULL : make_metadata(key, value);
  *schema = (struct ArrowSchema){
      .format = format, .name = block->name, .metadata = block->metadata,
      .flags = ARROW_FLAG_NULLABLE, .release = schema_release, .private_data = block};
  if (block->places == NULL || block->children == NULL || block->name == NULL
      || (value[0] != 0 && block->metadata == NULL)) {
    schema_release(schema);
    return 0;
  }
  for (size_t i = 0; i < child_count; i++) block->children[i] = &block->places[i];
  schema->n_children = (int64_t)child_count;
  schema->children = block->children;
  return 1;
}

// MARK: - Arrays

struct ArrayBlock {
  struct ArrowArray *places;
  struct ArrowArray **children;
  void *buffers[3];
};

static void array_release(struct ArrowArray *array) {
  struct ArrayBlock *block = array->private_data;
  for (int64_t i = 0; i < array->n_children; i++) {
    if (block->places[i].release != NULL) block->places[i].release(&block->places[i]);
  }
  for (int i = 0; i < 3; i++) free(block->buffers[i]);
  free(block->places);
  free(block->children);
  free(block);
  array->release = NULL;
}

// Makes an array with zeroed buffers of the given sizes. Each has an address, because readers take NULL for a
// missing buffer. A size of 0 for the bitmap stands for no bitmap.
static int array_make(
    struct ArrowArray *array, size_t length, int buffer_count, const size_t *sizes,
    size_t child_count) {
  struct ArrayBlock *block = calloc(1, sizeof *block);
  *array = (struct ArrowArray){0};
  if (block == NULL) return 0;
  block->places = calloc(child_count + 1, sizeof *block->places);
  block->children = calloc(child_count + 1, sizeof *block->children);
  int is_whole = block->places != NULL && block->children != NULL;
  for (int i = 0; i < buffer_count; i++) {
    if (i > 0 || sizes[i] > 0) {
      block->buffers[i] = calloc(1, sizes[i] + 1);
      is_whole &= block->buffers[i] != NULL;
    }
  }
  *array = (struct ArrowArray){
      .length = (int64_t)length, .n_buffers = buffer_count,
      .buffers = (const void **)block->buffers, .release = array_release, .private_data = block};
  if (!is_whole) {
    array_release(array);
    return 0;
  }
  for (size_t i = 0; i < child_count; i++) block->children[i] = &block->places[i];
  array->n_children = (int64_t)child_count;
  array->children = block->children;
  return 1;
}

static void set_bit(void *bits, size_t index) {
  ((uint8_t *)bits)[index / 8] |= (uint8_t)(1 << index % 8);
}

// MARK: - Columns

static int make_texts(
    const struct Layout *layout, uint32_t index, const MDB_val *records, size_t count,
    struct ArrowArray *array) {
  const struct Column *column = &layout->columns[index];
  size_t heap_count = 0;
  uint32_t text_count;
  for (size_t row = 0; row < count; row++) {
    record_text(layout, &records[row], column, &text_count);
    heap_count += text_count;
  }
  const size_t sizes[3] = {(count + 7) / 8, (count + 1) * sizeof(int32_t), heap_count};
  if (!array_make(array, count, 3, sizes, 0)) return 0;
  struct ArrayBlock *block = array->private_data;
  int32_t *ends = block->buffers[1];
  for (size_t row = 0; row < count; row++) {
    const uint8_t *text = record_text(layout, &records[row], column, &text_count);
    memcpy((uint8_t *)block->buffers[2] + ends[row], text, text_count);
    ends[row + 1] = ends[row] + (int32_t)text_count;
  }
  return 1;
}

static int make_column(
    const struct Layout *layout, uint32_t index, const MDB_val *records, size_t count,
    struct ArrowArray *array) {
  const struct Column *column = &layout->columns[index];
  int is_bit = column->format[0] == 'b';
  if (has_heap(column)) {
    if (!make_texts(layout, index, records, count, array)) return 0;
  } else {
    const size_t sizes[2] = {(count + 7) / 8, is_bit ? (count + 7) / 8 : count * column->width};
    if (!array_make(array, count, 2, sizes, 0)) return 0;
  }
  struct ArrayBlock *block = array->private_data;
  for (size_t row = 0; row < count; row++) {
    const uint8_t *value = record_value(&records[row], column);
    if (!record_has(&records[row], index)) {
      array->null_count++;
      continue;
    }
    set_bit(block->buffers[0], row);
    if (is_bit && *value != 0) set_bit(block->buffers[1], row);
    if (!is_bit && !has_heap(column)) {
      memcpy((uint8_t *)block->buffers[1] + row * column->width, value, column->width);
    }
  }
  return 1;
}

static int make_numbers(
    struct ArrowSchema *schema, struct ArrowArray *array, const char *name, const char *format,
    size_t count) {
  const size_t sizes[2] = {0, count * sizeof(uint64_t)};
  return schema_make(schema, format, name, "", "", 0) && array_make(array, count, 2, sizes, 0);
}

static int make_children(
    const struct Layout *layout, const uint64_t *keys, const MDB_val *records, size_t count,
    struct ArrowSchema *schema, struct ArrowArray *array) {
  if (!make_numbers(schema->children[0], array->children[0], "#key", "L", count)) return 0;
  uint64_t *numbers = ((struct ArrayBlock *)array->children[0]->private_data)->buffers[1];
  for (size_t row = 0; row < count; row++) numbers[row] = keys[row] & HIGHEST_KEY;
  if (layout == NULL) return 1;
  if (!make_numbers(schema->children[1], array->children[1], "#version", "l", count)) return 0;
  int64_t *versions = ((struct ArrayBlock *)array->children[1]->private_data)->buffers[1];
  for (size_t row = 0; row < count; row++) {
    struct RecordHeader header = {0};
    record_header(&records[row], &header);
    versions[row] = header.version;
  }
  for (uint32_t i = 0; i < layout->column_count; i++) {
    const struct Column *column = &layout->columns[i];
    if (!schema_make(
            schema->children[i + 2], column->format, column->name, "ARROW:extension:name",
            column->extension, 0)
        || !make_column(layout, i, records, count, array->children[i + 2])) {
      return 0;
    }
  }
  return 1;
}

int arrow_make(
    const struct Layout *layout, const uint64_t *keys, const MDB_val *records, size_t count,
    struct ArrowSchema *schema, struct ArrowArray *array) {
  size_t child_count = layout == NULL ? 1 : layout->column_count + 2;
  const size_t no_bitmap = 0;
  *array = (struct ArrowArray){0};
  if (schema_make(
          schema, "+s", layout == NULL ? "" : layout->entity_name, "quire.rows",
          layout == NULL ? "removed" : "put", child_count)
      && array_make(array, count, 1, &no_bitmap, child_count)
      && make_children(layout, keys, records, count, schema, array)) {
    return 1;
  }
  if (schema->release != NULL) schema->release(schema);
  if (array->release != NULL) array->release(array);
  return 0;
}
