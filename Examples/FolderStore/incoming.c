// Converts rows in Arrow arrays into the texts of files.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

static int32_t refuse(
    const struct QuireBatch *batch, const char *name, const char *reason,
    struct QuireError *error) {
  return fail(
      error, QUIRE_BAD_CHANGE, "Can't take the rows of '%s': '%s' %s",
      batch->entity_name == NULL ? "" : batch->entity_name, name, reason);
}

// Returns the letter for a format in files. Files do not distinguish the lengths of offsets; arrays do.
static char letter_of(const char *format) {
  if (strcmp(format, "U") == 0) return 'u';
  if (strcmp(format, "Z") == 0) return 'z';
  const char *known = format_of(format[0]);
  return known != NULL && strcmp(format, known) == 0 ? format[0] : 0;
}

static int is_bytes(char letter) { return letter == 'u' || letter == 'z'; }

// MARK: - Checks

static int32_t check_child(
    const struct QuireBatch *batch, const struct ArrowSchema *schema,
    const struct ArrowArray *array, struct QuireError *error) {
  if (schema == NULL || array == NULL || schema->release == NULL || array->release == NULL) {
    return refuse(batch, "a child", "is missing.", error);
  }
  const char *name = schema->name;
  if (name == NULL || name[0] == 0) return refuse(batch, "a child", "has no name.", error);
  char letter = schema->format == NULL ? 0 : letter_of(schema->format);
  if (letter == 0) return refuse(batch, name, "has a format that objects don't have.", error);
  if (schema->dictionary != NULL || array->dictionary != NULL) {
    return refuse(batch, name, "has a dictionary.", error);
  }
  int64_t needed = batch->array->offset + batch->array->length;
  if (array->offset < 0 || array->length < needed || array->length > INT64_MAX - array->offset) {
    return refuse(batch, name, "has too few values.", error);
  }
  if (array->n_buffers != (is_bytes(letter) ? 3 : 2) || array->buffers == NULL
      || (array->buffers[1] == NULL && batch->array->length > 0)) {
    return refuse(batch, name, "lacks a buffer.", error);
  }
  if (array->buffers[0] == NULL && array->null_count > 0) {
    return refuse(batch, name, "has nulls, and no bitmap says which.", error);
  }
  return QUIRE_OK;
}

static const struct ArrowArray *key_child(const struct QuireBatch *batch) {
  for (int64_t i = 0; i < batch->schema->n_children; i++) {
    const struct ArrowSchema *schema = batch->schema->children[i];
    if (strcmp(schema->name, "#key") == 0
        && (schema->format[0] == 'L' || schema->format[0] == 'l')) {
      return batch->array->children[i];
    }
  }
  return NULL;
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

static int bit_at(const void *bits, uint64_t index) {
  return ((const uint8_t *)bits)[index / 8] >> (index % 8) & 1;
}

// Copies a number from a buffer that may be unaligned.
static void number_at(const void *buffer, uint64_t index, void *number, size_t width) {
  memcpy(number, (const char *)buffer + index * width, width);
}

uint64_t batch_key(const struct QuireBatch *batch, int64_t row) {
  const struct ArrowArray *keys = key_child(batch);
  uint64_t key;
  number_at(
      keys->buffers[1], (uint64_t)(batch->array->offset + keys->offset + row), &key, sizeof key);
  // 0 is not an object. It also stands for a number that is too high.
  return (key > HIGHEST_KEY ? 0 : key) | (uint64_t)batch->entity << KEY_BITS;
}

static void text_signed(struct Text *text, const void *buffer, uint64_t index, char letter) {
  int16_t small = 0;
  int32_t medium = 0;
  int64_t large = 0;
  if (letter == 's') number_at(buffer, index, &small, sizeof small);
  if (letter == 'i') number_at(buffer, index, &medium, sizeof medium);
  if (letter == 'l') number_at(buffer, index, &large, sizeof large);
  text_format(text, "%" PRId64, letter == 's' ? small : letter == 'i' ? medium : large);
}

// The program reads the bits, because only bits preserve every value. The number behind them is for people.
static void text_real(struct Text *text, const void *buffer, uint64_t index, char letter) {
  if (letter == 'f') {
    uint32_t bits;
    float value;
    number_at(buffer, index, &bits, sizeof bits);
    memcpy(&value, &bits, sizeof value);
    text_format(text, "%08" PRIx32 " %.9g", bits, (double)value);
  } else {
    uint64_t bits;
    double value;
    number_at(buffer, index, &bits, sizeof bits);
    memcpy(&value, &bits, sizeof value);
    text_format(text, "%016" PRIx64 " %.17g", bits, value);
  }
}

// Returns 0 if the offsets are not valid, or if the text is too long for the offsets of an array.
static int text_bytes(
    struct Text *text, const struct ArrowArray *array, uint64_t index, const char *format) {
  int64_t start, end;
  if (format[0] == 'U' || format[0] == 'Z') {
    number_at(array->buffers[1], index, &start, sizeof start);
    number_at(array->buffers[1], index + 1, &end, sizeof end);
  } else {
    int32_t short_start, short_end;
    number_at(array->buffers[1], index, &short_start, sizeof short_start);
    number_at(array->buffers[1], index + 1, &short_end, sizeof short_end);
    start = short_start;
    end = short_end;
  }
  if (start < 0 || end < start || end - start > INT32_MAX / 2) return 0;
  if (end == start) return 1;
  const char *heap = array->buffers[2];
  if (heap == NULL) return 0;
  if (format[0] == 'u' || format[0] == 'U') {
    text_escape(text, heap + start, (size_t)(end - start), 0);
  } else {
    text_hex(text, (const uint8_t *)heap + start, (size_t)(end - start));
  }
  return 1;
}

static int text_value(
    struct Text *text, const struct ArrowArray *array, uint64_t index, const char *format) {
  if (array->buffers[0] != NULL && !bit_at(array->buffers[0], index)) {
    text_format(text, "null");
    return 1;
  }
  uint64_t reference;
  text_add(text, "=", 1);
  switch (letter_of(format)) {
    case 'b':
      text_format(text, bit_at(array->buffers[1], index) ? "true" : "false");
      return 1;
    case 'L':
      number_at(array->buffers[1], index, &reference, sizeof reference);
      text_format(text, "%" PRIu64, reference);
      return 1;
    case 'f': case 'g':
      text_real(text, array->buffers[1], index, format[0]);
      return 1;
    case 'w':
      text_hex(text, (const uint8_t *)array->buffers[1] + index * 16, 16);
      return 1;
    case 'u': case 'z':
      return text_bytes(text, array, index, format);
    default:
      text_signed(text, array->buffers[1], index, format[0]);
      return 1;
  }
}

// MARK: - Objects

// Reads one length and as many bytes. Metadata do not contain their total length, so the lengths are not
// checked.
static struct Piece take_metadata(const char **at) {
  int32_t count;
  memcpy(&count, *at, sizeof count);
  struct Piece piece = {*at + sizeof count, count < 0 ? 0 : (size_t)count};
  *at = piece.start + piece.count;
  return piece;
}

static struct Piece extension_of(const struct ArrowSchema *schema) {
  struct Piece none = {"-", 1};
  const char *at = schema->metadata;
  if (at == NULL) return none;
  int32_t count;
  memcpy(&count, at, sizeof count);
  at += sizeof count;
  for (int32_t i = 0; i < count; i++) {
    struct Piece name = take_metadata(&at), value = take_metadata(&at);
    if (piece_is(name, "ARROW:extension:name") && value.count > 0) return value;
  }
  return none;
}

static int32_t text_child(
    const struct QuireBatch *batch, int64_t row, const struct ArrowSchema *schema,
    const struct ArrowArray *array, struct Text *text, struct QuireError *error) {
  struct Piece extension = extension_of(schema);
  uint64_t index = (uint64_t)(batch->array->offset + array->offset + row);
  text_escape(text, schema->name, strlen(schema->name), 1);
  text_format(text, " %s ", format_of(letter_of(schema->format)));
  text_escape(text, extension.start, extension.count, 1);
  text_add(text, " ", 1);
  if (!text_value(text, array, index, schema->format)) {
    return refuse(batch, schema->name, "has offsets that make no sense.", error);
  }
  text_add(text, "\n", 1);
  return QUIRE_OK;
}

int32_t object_text(
    const struct QuireBatch *batch, int64_t row, int64_t commit, struct Text *text,
    struct QuireError *error) {
  const char *name = batch->entity_name == NULL ? "" : batch->entity_name;
  text_format(
      text, "object %u %" PRIu64 " %" PRId64 " ", (unsigned)batch->entity,
      batch_key(batch, row) & HIGHEST_KEY, commit);
  text_escape(text, name, strlen(name), 0);
  text_add(text, "\n", 1);
  for (int64_t i = 0; i < batch->schema->n_children; i++) {
    const struct ArrowSchema *schema = batch->schema->children[i];
    // The key and the basis belong to the row and are not values.
    if (schema->name[0] == '#') continue;
    int32_t code = text_child(batch, row, schema, batch->array->children[i], text, error);
    if (code != QUIRE_OK) return code;
  }
  return text->failed ? fail_memory(error) : QUIRE_OK;
}
