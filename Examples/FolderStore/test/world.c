#include "world.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../arrow.h"

const struct QuirePlugin *quire_store_plugin(uint32_t host_abi_version);
const struct QuirePlugin *tested;
const char *test_folder;

void check(int condition, const char *text, const char *file, int line) {
  if (condition) return;
  fprintf(stderr, "%s:%d: It does not hold that %s.\n", file, line, text);
  abort();
}

// MARK: - Values

static const struct {
  const char *name, *format, *extension;
} columns[] = {
    {"flag", "b", NULL},        {"small", "s", NULL},
    {"medium", "i", NULL},      {"large", "l", NULL},
    {"ratio", "f", NULL},       {"real", "g", NULL},
    {"when", "g", "quire.date"}, {"money", "u", "quire.decimal"},
    {"a name", "u", NULL},      {"link", "u", "quire.uri"},
    {"bytes", "z", NULL},       {"token", "w:16", "arrow.uuid"},
    {"owner", "L", "quire.reference"}, {"owner#order", "l", NULL},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const char *const texts[] = {
    "", "null", "=", "a b\\x20\n\r\t\x7f", "e\xcc\x81tude \xf0\x9f\x9a\x82", " ", "\\"};

// Makes a number from any bits, such as a NaN with a payload or minus zero.
static uint64_t bits_of(uint64_t key, int64_t commit, int column) {
  uint64_t mixed = (key * 31 + (uint64_t)commit * 17 + (uint64_t)column) * 0x9E3779B97F4A7C15;
  if (key % 7 == 1) return UINT64_C(0x7ff8000000000123) ^ (mixed & 7);
  if (key % 7 == 2) return UINT64_C(0x8000000000000000);
  return mixed ^ (mixed >> 31);
}

static void add_bit(struct Text *bits, size_t row, int is_set) {
  if (row % 8 == 0) text_add(bits, "", 1);
  if (is_set) bits->bytes[row / 8] |= (char)(1 << row % 8);
}

static void add_string(struct Text *buffers, const char *bytes, size_t count) {
  int32_t end;
  text_add(&buffers[2], bytes, count);
  end = (int32_t)buffers[2].count;
  text_add(&buffers[1], &end, sizeof end);
}

static void add_value(struct Text *buffers, int column, size_t row, uint64_t key, int64_t commit) {
  int is_null = (key + (uint64_t)commit + (uint64_t)column) % 5 == 0;
  uint64_t bits = is_null ? 0 : bits_of(key, commit, column), low = bits & 0xffffffff;
  const char *text = is_null ? "" : texts[bits % (sizeof texts / sizeof texts[0])];
  uint64_t both[2] = {bits, bits};
  add_bit(&buffers[0], row, !is_null);
  switch (columns[column].format[0]) {
    case 'b': add_bit(&buffers[1], row, (int)(bits & 1)); break;
    case 's': text_add(&buffers[1], &bits, 2); break;
    case 'i': text_add(&buffers[1], &bits, 4); break;
    case 'f': text_add(&buffers[1], &low, 4); break;
    case 'w': text_add(&buffers[1], both, 16); break;
    case 'u': add_string(buffers, text, strlen(text)); break;
    case 'z': add_string(buffers, (const char *)&bits, is_null ? 0 : bits % 9); break;
    default: text_add(&buffers[1], &bits, 8);
  }
}

static void make_child(
    struct ArrowSchema *schema, struct ArrowArray *array, const char *name, const char *format,
    const char *extension, struct Text *buffers, int64_t count, int64_t null_count) {
  struct Text name_text = {0}, extension_text = {0};
  text_add(&name_text, name, strlen(name));
  if (extension != NULL) text_add(&extension_text, extension, strlen(extension));
  CHECK(schema_make(
      schema, format, &name_text, extension == NULL ? NULL : "ARROW:extension:name",
      &extension_text, 0));
  int has_heap = format[0] == 'u' || format[0] == 'z';
  CHECK(array_make(array, count, null_count, buffers, has_heap ? 3 : 2, 0));
  text_free(&name_text);
  text_free(&extension_text);
}

// Makes Arrow arrays of keys. 'second' is the name of the child that contains 'numbers'.
static void make_rows(
    struct ArrowSchema *schema, struct ArrowArray *array, const uint64_t *keys,
    const int64_t *commits, const char *second, const int64_t *numbers, size_t count,
    int with_values) {
  struct Text none = {0}, name = {0}, rows = {0};
  int64_t child_count = 2 + (with_values ? COLUMNS : 0);
  text_add(&name, "Thing", 5);
  text_format(&rows, with_values ? "put" : "removed");
  CHECK(schema_make(schema, "+s", &name, "quire.rows", &rows, child_count));
  CHECK(array_make(array, (int64_t)count, 0, &none, 1, child_count));
  text_free(&name);
  text_free(&rows);
  for (int64_t child = 0; child < child_count; child++) {
    struct Text buffers[3] = {0};
    int column = (int)child - 2;
    int32_t zero = 0;
    const char *format = child == 0 ? "L" : child == 1 ? "l" : columns[column].format;
    if (format[0] == 'u' || format[0] == 'z') text_add(&buffers[1], &zero, sizeof zero);
    int64_t null_count = 0;
    for (size_t row = 0; row < count; row++) {
      if (child == 0) text_add(&buffers[1], &keys[row], 8);
      if (child == 1) text_add(&buffers[1], &numbers[row], 8);
      if (child < 2) continue;
      add_value(buffers, column, row, keys[row], commits[row]);
      null_count += !(buffers[0].bytes[row / 8] >> (row % 8) & 1);
    }
    make_child(
        schema->children[child], array->children[child],
        child == 0 ? "#key" : child == 1 ? second : columns[column].name, format,
        child < 2 ? NULL : columns[column].extension, buffers, (int64_t)count, null_count);
  }
}

// MARK: - Stores

const char *new_place(void) {
  // Each path is used once, because a test may still use one path when it requests the next.
  static char paths[2][PATH_BYTES];
  static int number = 0;
  char *path = paths[++number % 2];
  struct Path last;
  snprintf(last.text, PATH_BYTES, "%s/%d", test_folder, number - 1);
  disk_reset();
  if (number > 1) remove_folder(&test_host, &last);
  snprintf(path, PATH_BYTES, "%s/%d", test_folder, number);
  return path;
}

struct QuireStore *make(const char *path) {
  struct QuireStore *store = NULL;
  static const uint8_t model[] = "<model/>";
  struct QuireBytes bytes = {model, sizeof model - 1, NULL, NULL};
  struct QuireCreation creation = {
      .struct_size = sizeof creation, .model = bytes, .schema = bytes, .metadata = bytes};
  tested = quire_store_plugin(QUIRE_PLUGIN_ABI);
  struct QuireError error = {0};
  int32_t code =
      tested->create(&test_host, tested->types[0], path, &creation, &store, &error);
  if (code != QUIRE_OK) fprintf(stderr, "%s\n", error.message);
  CHECK(code == QUIRE_OK);
  return store;
}

void end(struct QuireStore *store) {
  CHECK(tested->close(store, NULL) == QUIRE_OK);
  tested->release_store(store);
  CHECK(test_disk.lock_count == 0 && test_disk.open_count == 0);
}

struct QuireStore *reopen(struct QuireStore *store, const char *path, int64_t commit) {
  struct QuireOpening opening = {.struct_size = sizeof opening, .commit = commit};
  struct QuireStore *opened = NULL;
  if (store != NULL) end(store);
  CHECK(tested->open(&test_host, tested->types[0], path, &opening, &opened, NULL) == QUIRE_OK);
  return opened;
}

int64_t newest_of(struct QuireStore *store) {
  struct QuireSnapshot *snapshot;
  CHECK(tested->snapshot(store, &snapshot, NULL) == QUIRE_OK);
  int64_t commit = tested->commit_of(snapshot);
  tested->release_snapshot(snapshot);
  return commit;
}

static uint64_t keys_of(uint64_t bits, uint64_t *keys) {
  uint64_t count = 0;
  for (uint64_t key = 1; key < MOST_KEYS; key++) {
    if (bits >> key & 1) keys[count++] = key;
  }
  return count;
}

int32_t save(
    struct QuireStore *store, uint64_t put, uint64_t removed, struct World *world,
    int32_t (*confirm)(void *context, struct QuireSnapshot *snapshot)) {
  struct ArrowSchema schemas[2];
  struct ArrowArray arrays[2];
  struct QuireBatch batches[2];
  struct QuireBatch *list[2] = {&batches[0], &batches[1]};
  uint64_t keys[MOST_KEYS];
  int64_t commits[MOST_KEYS], bases[MOST_KEYS] = {0};
  struct World before = *world;
  struct QuireCommit commit = {
      .struct_size = sizeof commit, .batch_count = 2, .after = store->newest->commit,
      .number = store->newest->commit + (store->is_led ? 10 : 1), .batches = list,
      .author = "Zo\xc3\xab\n", .confirm = confirm, .confirm_context = world};
  struct QuireCommitted committed;
  for (int i = 0; i < 2; i++) {
    uint64_t count = keys_of(i == 0 ? put : removed, keys);
    for (uint64_t row = 0; row < count; row++) {
      commits[row] = commit.number;
      world->commits[keys[row]] = i == 0 ? commit.number : 0;
    }
    make_rows(&schemas[i], &arrays[i], keys, commits, "#basis", bases, count, i == 0);
    batches[i] = (struct QuireBatch){
        sizeof batches[i], 1, (uint16_t)(i == 0 ? QUIRE_PUT : QUIRE_REMOVED), "Thing",
        &schemas[i], &arrays[i], NULL, 0};
  }
  struct QuireError error = {0};
  int32_t code = tested->commit(store, &commit, &committed, &error);
  for (int i = 0; i < 2; i++) {
    schemas[i].release(&schemas[i]);
    arrays[i].release(&arrays[i]);
  }
  if (code == QUIRE_OK) {
    tested->release_snapshot(committed.snapshot);
  } else {
    CHECK(error.code == code && error.message != NULL);
    error.release(&error);
    *world = before;
  }
  return code;
}

// MARK: - Comparing

struct Found {
  struct QuireSnapshot *snapshot;
  uint64_t table;
  int kind;
  struct World world;
  int is_same;
};

static int same_children(
    const struct ArrowSchema *schema, const struct ArrowArray *array,
    const struct ArrowSchema *other_schema, const struct ArrowArray *other) {
  if (strcmp(schema->name, other_schema->name) != 0) return 0;
  if (strcmp(schema->format, other_schema->format) != 0) return 0;
  if ((schema->metadata == NULL) != (other_schema->metadata == NULL)) return 0;
  if (schema->metadata != NULL
      && memcmp(schema->metadata, other_schema->metadata, 4 + 4 + 20 + 4 + 9) != 0) {
    return 0;
  }
  if (array->null_count != other->null_count || array->n_buffers != other->n_buffers) return 0;
  size_t rows = (size_t)array->length, bits = (rows + 7) / 8;
  static const char *const formats = "bsilfgLwuz";
  const size_t widths[] = {0, 2, 4, 8, 4, 8, 8, 16, 4, 4};
  size_t width = widths[strchr(formats, schema->format[0]) - formats];
  size_t counts[3] = {bits, width == 0 ? bits : width * rows, 0};
  if (array->n_buffers == 3) {
    counts[1] += width;
    counts[2] = (size_t)((const int32_t *)array->buffers[1])[rows];
  }
  for (int64_t i = 0; i < array->n_buffers; i++) {
    if (array->buffers[i] == NULL || other->buffers[i] == NULL) continue;
    if (memcmp(array->buffers[i], other->buffers[i], counts[i]) != 0) return 0;
  }
  return 1;
}

static int32_t take_rows(void *context, struct ArrowSchema *schema, struct ArrowArray *array) {
  struct Found *found = context;
  struct ArrowSchema expected_schema;
  struct ArrowArray expected;
  const uint64_t *keys = array->children[0]->buffers[1];
  const int64_t *commits = array->children[1]->buffers[1];
  make_rows(
      &expected_schema, &expected, keys, commits, "#version", commits, (size_t)array->length,
      found->kind == QUIRE_PUT);
  found->is_same &= array->n_children == expected.n_children;
  for (int64_t i = 0; found->is_same && i < array->n_children; i++) {
    found->is_same = same_children(
        schema->children[i], array->children[i], expected_schema.children[i],
        expected.children[i]);
  }
  for (int64_t row = 0; row < array->length && found->is_same; row++) {
    found->is_same = keys[row] < MOST_KEYS && (row == 0 || keys[row] > keys[row - 1]);
    if (found->is_same) {
      found->world.commits[keys[row]] = found->kind == QUIRE_PUT ? commits[row] : 0;
    }
  }
  expected_schema.release(&expected_schema);
  expected.release(&expected);
  schema->release(schema);
  array->release(array);
  return QUIRE_OK;
}

static int32_t take_table(void *context, const struct QuireTable *table) {
  struct Found *found = context;
  found->table = table->id;
  for (found->kind = QUIRE_PUT; found->kind <= QUIRE_REMOVED; found->kind++) {
    int32_t code =
        tested->rows(found->snapshot, table->id, 1, found->kind, take_rows, found, NULL);
    if (code != QUIRE_OK) return code;
  }
  return QUIRE_OK;
}

int32_t compare_world(struct QuireSnapshot *snapshot, const struct World *world, int *is_same) {
  struct Found found = {.snapshot = snapshot, .is_same = 1};
  int32_t code = tested->tables(snapshot, take_table, &found, NULL);
  *is_same = found.is_same && memcmp(&found.world, world, sizeof *world) == 0;
  return code;
}

void expect_world(struct QuireStore *store, const struct World *world) {
  struct QuireSnapshot *snapshot;
  int is_same;
  CHECK(tested->snapshot(store, &snapshot, NULL) == QUIRE_OK);
  CHECK(compare_world(snapshot, world, &is_same) == QUIRE_OK);
  CHECK(is_same);
  tested->release_snapshot(snapshot);
}
