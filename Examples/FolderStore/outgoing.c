// Converts the texts of files into rows in Arrow arrays.

#include <stdlib.h>
#include <string.h>

#include "arrow.h"
#include "object.h"

enum { BATCH_ROWS = 4096, BATCH_BYTES = 1 << 25 };

// A child of an unfinished batch.
struct Column {
  struct Text name;
  struct Text extension;
  char format;
  int64_t null_count;
  // The bitmap, the values or offsets, and the heap.
  struct Text buffers[3];
};

// An unfinished batch: the keys, versions and columns of the rows so far.
struct Building {
  struct Text entity_name;
  int64_t row_count;
  size_t byte_count;
  size_t column_count;
  struct Column *columns;
};

enum { KEY_COLUMN, VERSION_COLUMN, OWN_COLUMNS };

static void building_end(struct Building *building) {
  for (size_t i = 0; i < building->column_count; i++) {
    struct Column *column = &building->columns[i];
    text_free(&column->name);
    text_free(&column->extension);
    for (int buffer = 0; buffer < 3; buffer++) text_free(&column->buffers[buffer]);
  }
  free(building->columns);
  text_free(&building->entity_name);
  *building = (struct Building){0};
}

static int has_heap(char format) { return format == 'u' || format == 'z'; }

static int begin_column(
    struct Column *column, struct Piece name, char format, struct Piece extension) {
  int32_t first = 0;
  column->format = format;
  if (has_heap(format)) text_add(&column->buffers[1], &first, sizeof first);
  return piece_unescape(name, &column->name)
         && (piece_is(extension, "-") || piece_unescape(extension, &column->extension));
}

// Begins a batch of rows with the columns of the given object; 'object' is NULL for a batch of keys.
static int building_begin(struct Building *building, const struct Object *object) {
  size_t value_count = object == NULL ? 0 : object->count;
  struct Piece none = {"-", 1};
  *building = (struct Building){0};
  building->columns = calloc(OWN_COLUMNS + value_count, sizeof *building->columns);
  if (building->columns == NULL) return 0;
  building->column_count = OWN_COLUMNS + value_count;
  int begun = begin_column(&building->columns[KEY_COLUMN], (struct Piece){"#key", 4}, 'L', none);
  begun &= begin_column(
      &building->columns[VERSION_COLUMN], (struct Piece){"#version", 8}, 'l', none);
  for (size_t i = 0; i < value_count; i++) {
    const struct Value *value = &object->values[i];
    begun &= begin_column(
        &building->columns[OWN_COLUMNS + i], value->name, value->format, value->extension);
  }
  struct Piece name = object == NULL ? (struct Piece){"", 0} : object->entity_name;
  return begun & piece_unescape(name, &building->entity_name);
}

// Compares the escaped names. Each name has only one escaped form.
static int same(struct Piece left, struct Piece right) {
  return left.count == right.count && memcmp(left.start, right.start, left.count) == 0;
}

static int have_same_columns(const struct Object *left, const struct Object *right) {
  if (left->count != right->count || !same(left->entity_name, right->entity_name)) return 0;
  for (size_t i = 0; i < left->count; i++) {
    const struct Value *a = &left->values[i], *b = &right->values[i];
    if (a->format != b->format || !same(a->name, b->name) || !same(a->extension, b->extension)) {
      return 0;
    }
  }
  return 1;
}

// MARK: - Values

static void add_bit(struct Text *bits, int64_t row, int is_set) {
  if (row % 8 == 0) text_add(bits, "", 1);
  if (is_set && !bits->failed) bits->bytes[row / 8] |= (char)(1 << row % 8);
}

static int add_signed(struct Text *buffer, const struct Value *value) {
  int64_t number = 0;
  if (!value->is_null && !piece_signed(value->text, &number)) return 0;
  int16_t small = (int16_t)number;
  int32_t medium = (int32_t)number;
  if (value->format == 's') text_add(buffer, &small, sizeof small);
  if (value->format == 'i') text_add(buffer, &medium, sizeof medium);
  if (value->format == 'l') text_add(buffer, &number, sizeof number);
  return value->format == 's' ? number == small : value->format == 'l' || number == medium;
}

static int add_real(struct Text *buffer, const struct Value *value) {
  size_t width = value->format == 'f' ? 4 : 8;
  uint64_t bits = 0;
  struct Piece text = value->text, word = {"", 0};
  if (!value->is_null && (!take_word(&text, &word) || !piece_bits(word, width, &bits))) return 0;
  uint32_t short_bits = (uint32_t)bits;
  text_add(buffer, width == 4 ? (void *)&short_bits : (void *)&bits, width);
  return 1;
}

static int add_uuid(struct Text *buffer, const struct Value *value) {
  uint8_t bytes[16] = {0};
  if (!value->is_null && !piece_hex(value->text, bytes, sizeof bytes)) return 0;
  text_add(buffer, bytes, sizeof bytes);
  return 1;
}

static int add_hex(struct Text *heap, struct Piece text) {
  size_t start = heap->count, count = text.count / 2;
  uint8_t piece[256];
  if (text.count % 2 != 0) return 0;
  for (size_t done = 0; done < count;) {
    size_t some = count - done < sizeof piece ? count - done : sizeof piece;
    if (!piece_hex((struct Piece){text.start + 2 * done, 2 * some}, piece, some)) return 0;
    text_add(heap, piece, some);
    done += some;
  }
  return heap->failed || heap->count == start + count;
}

static int add_bytes(struct Column *column, const struct Value *value) {
  struct Text *heap = &column->buffers[2];
  if (!value->is_null
      && !(value->format == 'u' ? piece_unescape(value->text, heap)
                                : add_hex(heap, value->text))) {
    return 0;
  }
  int32_t end = (int32_t)heap->count;
  text_add(&column->buffers[1], &end, sizeof end);
  return heap->count <= INT32_MAX;
}

// Returns 0 if the text is not a value of the column.
static int add_value(struct Column *column, const struct Value *value, int64_t row) {
  uint64_t reference = 0;
  add_bit(&column->buffers[0], row, !value->is_null);
  column->null_count += value->is_null;
  switch (value->format) {
    case 'b':
      add_bit(&column->buffers[1], row, !value->is_null && piece_is(value->text, "true"));
      return value->is_null || piece_is(value->text, "true") || piece_is(value->text, "false");
    case 'L':
      if (!value->is_null && !piece_number(value->text, &reference)) return 0;
      text_add(&column->buffers[1], &reference, sizeof reference);
      return 1;
    case 'f': case 'g': return add_real(&column->buffers[1], value);
    case 'w': return add_uuid(&column->buffers[1], value);
    case 'u': case 'z': return add_bytes(column, value);
    default: return add_signed(&column->buffers[1], value);
  }
}

static void add_row(struct Building *building, struct Row row) {
  uint64_t key = row.key & HIGHEST_KEY;
  text_add(&building->columns[KEY_COLUMN].buffers[1], &key, sizeof key);
  text_add(&building->columns[VERSION_COLUMN].buffers[1], &row.commit, sizeof row.commit);
  building->row_count++;
}

// Adds an object's values. On failure names the property with an invalid value.
static const struct Value *add_values(struct Building *building, const struct Object *object) {
  for (size_t i = 0; i < object->count; i++) {
    struct Column *column = &building->columns[OWN_COLUMNS + i];
    if (!add_value(column, &object->values[i], building->row_count)) return &object->values[i];
  }
  building->byte_count += object->text.count;
  return NULL;
}

// MARK: - Handing out

static int make_children(
    struct Building *building, struct ArrowSchema *schema, struct ArrowArray *array) {
  for (size_t i = 0; i < building->column_count; i++) {
    struct Column *column = &building->columns[i];
    if (column->name.failed || column->extension.failed) return 0;
    if (!schema_make(
            schema->children[i], format_of(column->format), &column->name,
            column->extension.count > 0 ? "ARROW:extension:name" : NULL, &column->extension, 0)) {
      return 0;
    }
    if (!array_make(
            array->children[i], building->row_count, column->null_count, column->buffers,
            has_heap(column->format) ? 3 : 2, 0)) {
      return 0;
    }
  }
  return 1;
}

// Passes a batch to the receiver and frees it.
static int32_t give(
    struct Building *building, const char *what, struct Taker taker, struct QuireError *error) {
  struct ArrowSchema schema = {0};
  struct ArrowArray array = {0};
  struct Text no_bitmap = {0}, rows = {0};
  int64_t count = (int64_t)building->column_count;
  text_add(&rows, what, strlen(what));
  int made = !rows.failed && !building->entity_name.failed
             && schema_make(&schema, "+s", &building->entity_name, "quire.rows", &rows, count)
             && array_make(&array, building->row_count, 0, &no_bitmap, 1, count)
             && make_children(building, &schema, &array);
  text_free(&rows);
  building_end(building);
  int32_t code = made ? taker.take(taker.context, &schema, &array) : fail_memory(error);
  if (made && code != QUIRE_OK) fail(error, code, "The host refused the rows.");
  if (schema.release != NULL) schema.release(&schema);
  if (array.release != NULL) array.release(&array);
  return code;
}

int32_t give_removed(
    const struct Row *rows, size_t count, struct Taker taker, struct QuireError *error) {
  int32_t code = QUIRE_OK;
  for (size_t i = 0; i < count && code == QUIRE_OK;) {
    struct Building building;
    if (!building_begin(&building, NULL)) {
      building_end(&building);
      return fail_memory(error);
    }
    for (; i < count && building.row_count < BATCH_ROWS; i++) add_row(&building, rows[i]);
    code = give(&building, "removed", taker, error);
  }
  return code;
}

// Fills a batch with the objects that have the columns of the first object. Moves 'index' behind the last of
// them.
static int32_t build(
    const struct Folder *folder, const struct Row *rows, size_t count, size_t *index,
    struct Building *building, struct QuireError *error) {
  struct Object first, object;
  int32_t code = read_object(folder, rows[*index], &first, error);
  if (code != QUIRE_OK) return code;
  object = first;
  const struct Value *wrong = NULL;
  int begun = building_begin(building, &first);
  while (begun) {
    wrong = add_values(building, &object);
    if (wrong != NULL) break;
    add_row(building, rows[(*index)++]);
    if (object.text.bytes != first.text.bytes) object_end(&object);
    if (*index == count || building->row_count == BATCH_ROWS || building->byte_count > BATCH_BYTES) {
      break;
    }
    code = read_object(folder, rows[*index], &object, error);
    if (code != QUIRE_OK || !have_same_columns(&first, &object)) break;
  }
  if (!begun && building->columns == NULL) {
    code = fail_memory(error);
  } else if (!begun) {
    struct Path path = object_path(folder, rows[*index].key, rows[*index].commit);
    code = fail(error, QUIRE_DAMAGED, "'%s' is damaged: it contains an invalid name.", path.text);
  } else if (wrong != NULL) {
    struct Path path = object_path(folder, rows[*index].key, rows[*index].commit);
    code = fail(
        error, QUIRE_DAMAGED, "'%s' is damaged: the value of '%.*s' is invalid.", path.text,
        (int)(wrong->name.count < 200 ? wrong->name.count : 200), wrong->name.start);
  }
  if (object.text.bytes != first.text.bytes) object_end(&object);
  object_end(&first);
  return code;
}

int32_t give_objects(
    const struct Folder *folder, const struct Row *rows, size_t count, struct Taker taker,
    struct QuireError *error) {
  int32_t code = QUIRE_OK;
  for (size_t index = 0; index < count && code == QUIRE_OK;) {
    struct Building building = {0};
    code = build(folder, rows, count, &index, &building, error);
    if (code == QUIRE_OK) {
      code = give(&building, "put", taker, error);
    } else {
      building_end(&building);
    }
  }
  return code;
}
