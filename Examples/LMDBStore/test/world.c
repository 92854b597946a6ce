#include "world.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct QuirePlugin *quire_store_plugin(uint32_t host_abi_version);
const struct QuirePlugin *tested;
const char *test_folder;
int real_path_answer;

void check(int condition, const char *text, const char *file, int line) {
  if (condition) return;
  fprintf(stderr, "%s:%d: It does not hold that %s.\n", file, line, text);
  abort();
}

// MARK: - The host

static int32_t answer_of(long result) { return result < 0 ? -errno : (int32_t)result; }

static int32_t disk_open(
    void *context, const char *path, int32_t mode, uint32_t permissions, const char *below) {
  (void)context, (void)below;
  static const int flags[4] = {O_RDONLY, O_RDWR, O_RDWR | O_CREAT | O_EXCL, O_RDWR | O_CREAT};
  return answer_of(open(
      path, flags[mode & QUIRE_OPEN_MODES] | (mode & QUIRE_OPEN_DIRECTORY ? O_DIRECTORY : 0),
      permissions));
}

static int32_t disk_close(void *context, int32_t file) {
  (void)context;
  return answer_of(close(file));
}

static int64_t disk_read(
    void *context, int32_t file, void *buffer, uint64_t count, uint64_t offset) {
  (void)context;
  ssize_t result = pread(file, buffer, count, (off_t)offset);
  return result < 0 ? -errno : result;
}

static int32_t disk_sync(void *context, int32_t file, int32_t everything) {
  (void)context, (void)everything;
  return answer_of(fsync(file));
}

static int32_t disk_status_of(
    void *context, const char *path, int32_t following_links, struct QuireFileStatus *status) {
  (void)context;
  struct stat found;
  int result = following_links ? stat(path, &found) : lstat(path, &found);
  if (result < 0) return -errno;
  status->kind = S_ISREG(found.st_mode) ? QUIRE_DISK_FILE : QUIRE_DISK_DIRECTORY;
  return 0;
}

static int32_t disk_remove(void *context, const char *path) {
  (void)context;
  return answer_of(unlink(path));
}

static int32_t disk_rename(void *context, const char *path, const char *new_path) {
  (void)context;
  return answer_of(rename(path, new_path));
}

static int32_t disk_link(void *context, const char *path, const char *new_path) {
  (void)context;
  return answer_of(link(path, new_path));
}

static uint64_t disk_unique_number(void *context) {
  static uint64_t number;
  (void)context;
  return ++number;
}

static void release_path(struct QuireBytes *path) { free(path->private_data); }

static int32_t disk_real_path(void *context, const char *path, struct QuireBytes *real) {
  (void)context;
  if (real_path_answer != 0) return real_path_answer;
  char *found = realpath(path, NULL);
  if (found == NULL) return -errno;
  *real = (struct QuireBytes){(const uint8_t *)found, strlen(found), release_path, found};
  return 0;
}

static const struct QuireDisk disk = {
    .struct_size = sizeof disk, .open = disk_open, .close = disk_close, .read = disk_read,
    .sync = disk_sync, .status_of = disk_status_of, .remove = disk_remove,
    .rename = disk_rename, .link = disk_link, .unique_number = disk_unique_number,
    .real_path = disk_real_path,
};

const struct QuireHost test_host = {
    .abi_version = QUIRE_PLUGIN_ABI, .struct_size = sizeof test_host, .disk = &disk};

// MARK: - Things

struct Thing thing_of(int32_t number) {
  static const char *const names[] = {NULL, "", "Lisbon", "Lima", "Porto", "Po", "\xc3\xa9vora"};
  struct Thing thing = {
      .has_large = number % 5 != 0, .large = (int64_t)(number % 40 - 20) * 1000,
      .real = number / 4.0 - 30, .name = names[number % 7],
      .owner = number % 3 == 0 ? 0 : ((uint64_t)2 << KEY_BITS | (uint64_t)(number % 9))};
  // A "not a number" that contains the number.
  uint64_t bits = UINT64_C(0x7ff8000000000000) | (uint64_t)number;
  if (number % 11 == 0) memcpy(&thing.real, &bits, sizeof bits);
  return thing;
}

// The schema of the things and their indexes (spec §4.6.3), by 'large', 'name' and 'owner'.
#define ENTITY "\1\0\5\0Thing\4\0\1\0\4\1\5\0large\2\0\6\1\4\0real\3\0\11\1\4\0name\4\0\15\1\5\0owner\0\0"
#define INDEXES "\3\0\13\0\1\0\1\0\1\0\14\0\1\0\2\0\3\0\2\0\15\0\1\0\1\0\4\0"
static const char schema[] = "QSCH\15\0\1\0\1\0\4\0\1\0" ENTITY "\0\0" INDEXES;

const char *new_place(void) {
  static char path[300];
  static int number;
  snprintf(path, sizeof path, "%s/%d", test_folder, ++number);
  return path;
}

int32_t create(const char *path, int overwriting, struct QuireStore **store) {
  static const uint8_t text[] = "<model/>";
  struct QuireCreation creation = {
      .struct_size = sizeof creation, .overwriting = overwriting, .model = {text, 8, NULL, NULL},
      .schema = {(const uint8_t *)schema, sizeof schema - 1, NULL, NULL},
      .metadata = {text, 3, NULL, NULL}};
  tested = quire_store_plugin(QUIRE_PLUGIN_ABI);
  return tested->create(&test_host, tested->types[0], path, &creation, store, NULL);
}

int32_t open_at(const char *path, int read_only, struct QuireStore **store) {
  struct QuireOpening opening = {
      .struct_size = sizeof opening, .read_only = read_only, .commit = -1};
  struct QuireError error = {0};
  int32_t code = tested->open(&test_host, tested->types[0], path, &opening, store, &error);
  CHECK(error.code == code && (code == QUIRE_OK || error.message != NULL));
  if (error.release != NULL) error.release(&error);
  return code;
}

void end(struct QuireStore *store) {
  CHECK(tested->close(store, NULL) == QUIRE_OK);
  tested->release_store(store);
}

struct QuireSnapshot *snapshot_of(struct QuireStore *store) {
  struct QuireSnapshot *snapshot;
  CHECK(tested->snapshot(store, &snapshot, NULL) == QUIRE_OK);
  return snapshot;
}

// MARK: - Saving

// The arrays of a batch live as long as the call, and the test keeps them.
static void keep_schema(struct ArrowSchema *released) { released->release = NULL; }
static void keep_array(struct ArrowArray *released) { released->release = NULL; }

struct Rows {
  uint64_t keys[MOST_KEYS], owners[MOST_KEYS];
  int64_t larges[MOST_KEYS];
  double reals[MOST_KEYS];
  int64_t ends[MOST_KEYS + 1]; // Of names, whose offsets have 64 bits.
  char names[MOST_KEYS * 8];
  uint8_t bits[5][MOST_KEYS / 8 + 1];
  const void *buffers[6][3];
  struct ArrowArray arrays[6], *array_list[5];
  struct ArrowSchema schemas[6], *schema_list[5];
};

static void set_bit(uint8_t *bits, size_t row, int is_set) {
  if (is_set) bits[row / 8] |= (uint8_t)(1 << row % 8);
}

static void fill_row(struct Rows *rows, size_t row, uint64_t key, int32_t number) {
  struct Thing thing = thing_of(number);
  size_t count = thing.name == NULL ? 0 : strlen(thing.name);
  rows->keys[row] = key;
  rows->larges[row] = thing.large;
  rows->reals[row] = thing.real;
  rows->owners[row] = thing.owner;
  if (count > 0) memcpy(rows->names + rows->ends[row], thing.name, count);
  rows->ends[row + 1] = rows->ends[row] + (int64_t)count;
  set_bit(rows->bits[1], row, thing.has_large);
  set_bit(rows->bits[2], row, 1);
  set_bit(rows->bits[3], row, thing.name != NULL);
  set_bit(rows->bits[4], row, thing.owner != 0);
}

static void make_batch(struct Rows *rows, size_t count, int kind, struct QuireBatch *batch) {
  static const char reference[] = "\1\0\0\0\24\0\0\0ARROW:extension:name\17\0\0\0quire.reference";
  static const char *const names[] = {"#key", "large", "real", "name", "owner"};
  static const char *const formats[] = {"L", "l", "g", "U", "L"};
  const void *values[] = {rows->keys, rows->larges, rows->reals, rows->ends, rows->owners};
  int child_count = kind == QUIRE_PUT ? 5 : 1;
  for (int i = 0; i < child_count; i++) {
    rows->buffers[i][0] = i == 0 ? NULL : rows->bits[i];
    rows->buffers[i][1] = values[i];
    rows->buffers[i][2] = rows->names;
    rows->arrays[i] = (struct ArrowArray){
        .length = (int64_t)count, .n_buffers = i == 3 ? 3 : 2, .buffers = rows->buffers[i],
        .release = keep_array};
    rows->schemas[i] = (struct ArrowSchema){
        .format = formats[i], .name = names[i], .metadata = i == 4 ? reference : NULL,
        .release = keep_schema};
    rows->array_list[i] = &rows->arrays[i];
    rows->schema_list[i] = &rows->schemas[i];
  }
  rows->arrays[5] = (struct ArrowArray){
      .length = (int64_t)count, .n_buffers = 1, .n_children = child_count,
      .buffers = rows->buffers[5], .children = rows->array_list, .release = keep_array};
  rows->schemas[5] = (struct ArrowSchema){
      .format = "+s", .n_children = child_count, .children = rows->schema_list,
      .release = keep_schema};
  *batch = (struct QuireBatch){
      sizeof *batch, 1, (uint16_t)kind, "Thing", &rows->schemas[5], &rows->arrays[5], NULL, 0};
}

int32_t save(
    struct QuireStore *store, struct World *world, uint64_t first, size_t count,
    const int32_t *numbers, const char *new_schema, int64_t base) {
  struct Rows *rows[2] = {calloc(1, sizeof **rows), calloc(1, sizeof **rows)};
  struct QuireBatch batches[2], *list[2] = {&batches[0], &batches[1]};
  struct QuireCommitted committed;
  struct QuireSnapshot *before = snapshot_of(store);
  size_t counts[2] = {0, 0};
  for (size_t i = 0; i < count; i++) {
    int kind = numbers[i] == 0;
    fill_row(rows[kind], counts[kind]++, first + i, numbers[i]);
  }
  make_batch(rows[0], counts[0], QUIRE_PUT, &batches[0]);
  make_batch(rows[1], counts[1], QUIRE_REMOVED, &batches[1]);
  struct QuireCommit commit = {
      .struct_size = sizeof commit, .batch_count = 2, .batches = list,
      .after = tested->commit_of(before), .base = base < 0 ? tested->commit_of(before) : base};
  if (new_schema != NULL) {
    commit.schema = (struct QuireBytes){(const uint8_t *)schema, sizeof schema - 1, NULL, NULL};
    commit.model = (struct QuireBytes){(const uint8_t *)"<next/>", 7, NULL, NULL};
  }
  tested->release_snapshot(before);
  int32_t code = tested->commit(store, &commit, &committed, NULL);
  free(rows[0]);
  free(rows[1]);
  if (code != QUIRE_OK) return code;
  for (size_t i = 0; i < count; i++) world->numbers[first + i] = numbers[i];
  expect(committed.snapshot, world);
  tested->release_snapshot(committed.snapshot);
  return code;
}

int32_t save_one(struct QuireStore *store, struct World *world, uint64_t key, int32_t number) {
  return save(store, world, key, 1, &number, NULL, -1);
}

// MARK: - Reading

struct Reading {
  struct QuireSnapshot *snapshot;
  struct World found;
  int kind;
};

static int bit_at(const struct ArrowArray *array, int64_t row) {
  return ((const uint8_t *)array->buffers[0])[row / 8] >> row % 8 & 1;
}

// The real number tells the number of a thing.
static int32_t number_of(const struct ArrowArray *array, int64_t row) {
  double real = ((const double *)array->children[3]->buffers[1])[row];
  uint64_t bits;
  memcpy(&bits, &real, sizeof bits);
  int32_t number = real != real ? (int32_t)(bits & 0xffff) : (int32_t)((real + 30) * 4);
  struct Thing thing = thing_of(number);
  const int32_t *ends = array->children[4]->buffers[1];
  const char *text = array->children[4]->buffers[2];
  size_t count = (size_t)(ends[row + 1] - ends[row]);
  CHECK(bit_at(array->children[2], row) == thing.has_large);
  CHECK(!thing.has_large || ((const int64_t *)array->children[2]->buffers[1])[row] == thing.large);
  CHECK(bit_at(array->children[4], row) == (thing.name != NULL));
  CHECK(thing.name == NULL
        || (count == strlen(thing.name) && memcmp(text + ends[row], thing.name, count) == 0));
  CHECK(bit_at(array->children[5], row) == (thing.owner != 0));
  CHECK(thing.owner == 0 || ((const uint64_t *)array->children[5]->buffers[1])[row] == thing.owner);
  return number;
}

static int32_t take_rows(void *context, struct ArrowSchema *taken, struct ArrowArray *array) {
  struct Reading *reading = context;
  const uint64_t *keys = array->children[0]->buffers[1];
  CHECK(array->n_children == (reading->kind == QUIRE_PUT ? 6 : 1));
  for (int64_t row = 0; row < array->length; row++) {
    CHECK(keys[row] > 0 && keys[row] < MOST_KEYS && (row == 0 || keys[row] > keys[row - 1]));
    reading->found.numbers[keys[row]] =
        reading->kind == QUIRE_PUT ? number_of(array, row) : 0;
  }
  taken->release(taken);
  array->release(array);
  return QUIRE_OK;
}

static int32_t take_table(void *context, const struct QuireTable *table) {
  struct Reading *reading = context;
  for (reading->kind = QUIRE_PUT; reading->kind <= QUIRE_REMOVED; reading->kind++) {
    CHECK(tested->rows(reading->snapshot, table->id, 1, reading->kind, take_rows, reading, NULL)
          == QUIRE_OK);
  }
  return QUIRE_OK;
}

void expect(struct QuireSnapshot *snapshot, const struct World *world) {
  struct Reading reading = {.snapshot = snapshot};
  CHECK(tested->tables(snapshot, take_table, &reading, NULL) == QUIRE_OK);
  CHECK(memcmp(&reading.found, world, sizeof *world) == 0);
}

void expect_store(struct QuireStore *store, const struct World *world) {
  struct QuireSnapshot *snapshot = snapshot_of(store);
  expect(snapshot, world);
  tested->release_snapshot(snapshot);
}

static int32_t take_found(void *context, const struct QuireFound *found, uint64_t count) {
  struct Answer *answer = context;
  for (uint64_t i = 0; i < count; i++) {
    CHECK(found[i].entity == 1 && answer->count < MOST_KEYS);
    answer->keys[answer->count++] = found[i].key;
  }
  return QUIRE_OK;
}

int32_t ask(
    struct QuireSnapshot *snapshot, const struct QuireNode *nodes, uint64_t node_count,
    uint64_t offset, uint64_t limit, struct Answer *answer) {
  static const uint16_t entities[] = {1};
  struct QuireQuery query = {
      .struct_size = sizeof query, .entity = 1, .offset = offset, .limit = limit,
      .entities = entities, .entity_count = 1, .nodes = nodes, .node_count = node_count};
  *answer = (struct Answer){0};
  return tested->query(snapshot, &query, &answer->flags, take_found, answer, NULL);
}
