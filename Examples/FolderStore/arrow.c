#include "arrow.h"

#include <stdlib.h>
#include <string.h>

struct ArrayParts {
  const void *buffers[3];
  struct ArrowArray **children;
  struct ArrowArray *places;
};

static void array_release(struct ArrowArray *array) {
  struct ArrayParts *parts = array->private_data;
  for (int64_t i = 0; i < array->n_children; i++) {
    // A child that was moved elsewhere has a NULL release here.
    if (parts->places[i].release != NULL) parts->places[i].release(&parts->places[i]);
  }
  for (int i = 0; i < 3; i++) free((void *)(uintptr_t)parts->buffers[i]);
  free(parts->children);
  free(parts->places);
  free(parts);
  array->release = NULL;
}

// Every buffer has an address, even a buffer without bytes. Readers take NULL for a missing buffer.
static int take_buffers(struct ArrayParts *parts, struct Text *buffers, int64_t count) {
  int failed = 0;
  for (int64_t i = 0; i < count; i++) {
    if (buffers[i].bytes == NULL && i > 0) text_add(&buffers[i], "", 0);
    failed |= buffers[i].failed;
    if (parts != NULL) {
      parts->buffers[i] = buffers[i].bytes;
      buffers[i] = (struct Text){0};
    } else {
      text_free(&buffers[i]);
    }
  }
  return !failed;
}

int array_make(
    struct ArrowArray *array, int64_t length, int64_t null_count, struct Text *buffers,
    int64_t buffer_count, int64_t child_count) {
  struct ArrayParts *parts = calloc(1, sizeof *parts);
  int is_whole = take_buffers(parts, buffers, buffer_count);
  *array = (struct ArrowArray){0};
  if (parts == NULL) return 0;
  *array = (struct ArrowArray){
      .length = length, .null_count = null_count, .n_buffers = buffer_count,
      .buffers = parts->buffers, .release = array_release, .private_data = parts};
  parts->children = calloc((size_t)child_count + 1, sizeof *parts->children);
  parts->places = calloc((size_t)child_count + 1, sizeof *parts->places);
  if (!is_whole || parts->children == NULL || parts->places == NULL) {
    array_release(array);
    return 0;
  }
  for (int64_t i = 0; i < child_count; i++) parts->children[i] = &parts->places[i];
  array->n_children = child_count;
  array->children = parts->children;
  return 1;
}

struct SchemaParts {
  struct Text name;
  struct Text metadata;
  struct ArrowSchema **children;
  struct ArrowSchema *places;
};

static void schema_release(struct ArrowSchema *schema) {
  struct SchemaParts *parts = schema->private_data;
  for (int64_t i = 0; i < schema->n_children; i++) {
    if (parts->places[i].release != NULL) parts->places[i].release(&parts->places[i]);
  }
  text_free(&parts->name);
  text_free(&parts->metadata);
  free(parts->children);
  free(parts->places);
  free(parts);
  schema->release = NULL;
}

// Metadata in the form of the interface: counts and lengths as integers of 32 bits in native byte order.
static void add_counted(struct Text *text, const char *bytes, size_t count) {
  int32_t number = (int32_t)count;
  text_add(text, &number, sizeof number);
  text_add(text, bytes, count);
}

int schema_make(
    struct ArrowSchema *schema, const char *format, const struct Text *name, const char *key,
    const struct Text *value, int64_t child_count) {
  *schema = (struct ArrowSchema){0};
  struct SchemaParts *parts = calloc(1, sizeof *parts);
  if (parts == NULL) return 0;
  *schema = (struct ArrowSchema){
      .format = format, .flags = ARROW_FLAG_NULLABLE, .release = schema_release,
      .private_data = parts};
  text_add(&parts->name, name->bytes, name->count);
  if (key != NULL) {
    int32_t pair_count = 1;
    text_add(&parts->metadata, &pair_count, sizeof pair_count);
    add_counted(&parts->metadata, key, strlen(key));
    add_counted(&parts->metadata, value->bytes, value->count);
  }
  parts->children = calloc((size_t)child_count + 1, sizeof *parts->children);
  parts->places = calloc((size_t)child_count + 1, sizeof *parts->places);
  if (parts->name.failed || parts->metadata.failed || parts->children == NULL
      || parts->places == NULL) {
    schema_release(schema);
    return 0;
  }
  schema->name = parts->name.bytes;
  schema->metadata = parts->metadata.bytes;
  for (int64_t i = 0; i < child_count; i++) parts->children[i] = &parts->places[i];
  schema->n_children = child_count;
  schema->children = parts->children;
  return 1;
}
