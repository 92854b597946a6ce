#include "object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct Path object_path(const struct Folder *folder, uint64_t key, int64_t commit) {
  return beneath(
      &folder->content, "objects/%" PRIu64 "/%" PRIu64 ".%" PRId64, key >> KEY_BITS,
      key & HIGHEST_KEY, commit);
}

const char *format_of(char letter) {
  switch (letter) {
    case 'b': return "b";
    case 's': return "s";
    case 'i': return "i";
    case 'l': return "l";
    case 'L': return "L";
    case 'f': return "f";
    case 'g': return "g";
    case 'u': return "u";
    case 'z': return "z";
    case 'w': return "w:16";
  }
  return NULL;
}

void object_end(struct Object *object) {
  text_free(&object->text);
  free(object->values);
  *object = (struct Object){0};
}

// Parses "object ENTITY KEY COMMIT NAME". The numbers must agree with the file's name.
static int read_heading(struct Piece line, struct Row row, struct Piece *name) {
  struct Piece word;
  uint64_t entity, key;
  int64_t commit;
  if (!take_word(&line, &word) || !piece_is(word, "object")) return 0;
  if (!take_word(&line, &word) || !piece_number(word, &entity)) return 0;
  if (!take_word(&line, &word) || !piece_number(word, &key)) return 0;
  if (!take_word(&line, &word) || !piece_signed(word, &commit)) return 0;
  *name = line;
  return entity == row.key >> KEY_BITS && key == (row.key & HIGHEST_KEY) && commit == row.commit;
}

// Parses "NAME FORMAT EXTENSION null" or "NAME FORMAT EXTENSION =VALUE".
static int read_value(struct Piece line, struct Value *value) {
  struct Piece format;
  if (!take_word(&line, &value->name) || !take_word(&line, &format)) return 0;
  if (!take_word(&line, &value->extension) || line.count == 0) return 0;
  value->format = format.start[0];
  const char *whole = format_of(value->format);
  if (whole == NULL || !piece_is(format, whole)) return 0;
  value->is_null = piece_is(line, "null");
  if (!value->is_null && line.start[0] != '=') return 0;
  value->text = (struct Piece){line.start + 1, line.count - 1};
  return 1;
}

static size_t line_count(struct Piece text) {
  size_t count = 0;
  struct Piece line;
  while (take_line(&text, &line)) count++;
  return count;
}

// Returns 0, or the number of the invalid line.
static size_t read_values(struct Object *object, struct Piece rest) {
  struct Piece line;
  while (rest.count > 0) {
    if (!take_line(&rest, &line) || !read_value(line, &object->values[object->count])) {
      return object->count + 2;
    }
    object->count++;
  }
  return 0;
}

int32_t read_object(
    const struct Folder *folder, struct Row row, struct Object *object, struct QuireError *error) {
  struct Path path = object_path(folder, row.key, row.commit);
  *object = (struct Object){0};
  int32_t code = read_sealed(folder->host, &path, &object->text, error);
  if (code != QUIRE_OK) return code;
  struct Piece rest = {object->text.bytes, object->text.count}, heading;
  object->values = calloc(line_count(rest) + 1, sizeof *object->values);
  size_t line = 1;
  if (object->values == NULL) {
    code = fail_memory(error);
  } else if (!take_line(&rest, &heading) || !read_heading(heading, row, &object->entity_name)
             || (line = read_values(object, rest)) != 0) {
    code = fail(error, QUIRE_DAMAGED, "'%s' is damaged in line %zu.", path.text, line);
  }
  if (code != QUIRE_OK) object_end(object);
  return code;
}
