// Tests of the life of stores, their snapshots and their files.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "world.h"

static int32_t count_table(void *context, const struct QuireTable *table) {
  CHECK(table->id != 0);
  ++*(int *)context;
  return QUIRE_OK;
}

static int table_count(struct QuireSnapshot *snapshot) {
  int count = 0;
  CHECK(tested->tables(snapshot, count_table, &count, NULL) == QUIRE_OK);
  return count;
}

// Each commit adds a table of its changes, until the tables begin again. Snapshots stay, also after the end.
static void tables(void) {
  const char *path = new_place();
  struct QuireStore *store, *other;
  struct QuireSnapshot *snapshots[50];
  struct World worlds[50] = {{{0}}}, world = {{0}};
  uint64_t first, leased;
  CHECK(create(path, 0, &store) == QUIRE_OK);
  CHECK(open_at(path, 0, &other) == QUIRE_OK);
  for (int i = 0; i < 50; i++) {
    struct QuireStore *writer = i % 3 == 0 ? other : store;
    CHECK(save_one(writer, &world, (uint64_t)(1 + i % 7), i % 4 == 3 ? 0 : i + 1) == QUIRE_OK);
    snapshots[i] = snapshot_of(store);
    worlds[i] = world;
    expect_store(other, &world);
    CHECK(table_count(snapshots[i]) == (i < TABLE_LIMIT - 1 ? i + 2 : i - TABLE_LIMIT + 2));
  }
  CHECK(tested->close(other, NULL) == QUIRE_OK);
  CHECK(tested->close(store, NULL) == QUIRE_OK);
  CHECK(tested->snapshot(store, &snapshots[0], NULL) == QUIRE_CLOSED);
  CHECK(tested->lease_keys(store, 1, 1, &first, &leased, NULL) == QUIRE_CLOSED);
  for (int i = 0; i < 50; i++) {
    expect(snapshots[i], &worlds[i]);
    tested->release_snapshot(snapshots[i]);
  }
  tested->release_store(other);
  tested->release_store(store);
  CHECK(open_at(path, 1, &store) == QUIRE_OK);
  expect_store(store, &world);
  CHECK(save_one(store, &world, 1, 1) == QUIRE_READ_ONLY);
  end(store);
}

struct Ranges {
  uint64_t keys[MOST_KEYS];
  size_t count;
};

static int32_t take_range(void *context, struct ArrowSchema *schema, struct ArrowArray *array) {
  struct Ranges *ranges = context;
  for (int64_t row = 0; row < array->length; row++) {
    ranges->keys[ranges->count++] = ((const uint64_t *)array->children[0]->buffers[1])[row];
  }
  schema->release(schema);
  array->release(array);
  return QUIRE_OK;
}

static int32_t take_id(void *context, const struct QuireTable *table) {
  *(uint64_t *)context = table->id;
  return 1; // The first one is enough.
}

static void ranges(void) {
  const char *path = new_place();
  struct QuireStore *store;
  struct World world = {{0}};
  int32_t numbers[100], has;
  uint64_t table;
  static const struct QuireKeyRange wanted[] = {{1, 3}, {5, 5}, {30, 40}, {90, UINT64_MAX}};
  struct Ranges found = {.count = 0};
  for (int i = 0; i < 100; i++) numbers[i] = 1 + i;
  CHECK(create(path, 0, &store) == QUIRE_OK);
  CHECK(save(store, &world, 2, 34, numbers, NULL, -1) == QUIRE_OK);
  CHECK(save(store, &world, 50, 45, numbers, NULL, -1) == QUIRE_OK);
  end(store);
  CHECK(open_at(path, 0, &store) == QUIRE_OK);
  struct QuireSnapshot *snapshot = snapshot_of(store);
  CHECK(tested->tables(snapshot, take_id, &table, NULL) == 1);
  CHECK(tested->rows_in_ranges(
            snapshot, table, 1, wanted, 4, &has, take_range, &found, NULL) == QUIRE_OK && has);
  static const uint64_t keys[] = {2, 3, 5, 30, 31, 32, 33, 34, 35, 90, 91, 92, 93, 94};
  CHECK(found.count == 14 && memcmp(found.keys, keys, sizeof keys) == 0);
  found.count = 0;
  CHECK(tested->rows_between(snapshot, table, 2, 1, 99, &has, take_range, &found, NULL) == QUIRE_OK);
  CHECK(has && found.count == 0);
  tested->release_snapshot(snapshot);
  end(store);
}

static int32_t is_held(void *context) {
  ++*(int *)context;
  return QUIRE_OK;
}

static void commits(void) {
  const char *path = new_place();
  struct QuireStore *store, *other;
  struct World world = {{0}}, none = {{0}};
  uint64_t first, leased, next;
  int call_count = 0;
  CHECK(create(path, 0, &store) == QUIRE_OK);
  CHECK(tested->lease_keys(store, 1, 10, &first, &leased, NULL) == QUIRE_OK && leased == 10);
  CHECK(save_one(store, &world, 200, 9) == QUIRE_OK);
  CHECK(tested->lease_keys(store, 1, 1, &next, &leased, NULL) == QUIRE_OK && next == 201);
  CHECK(tested->hold(store, 1, is_held, &call_count, NULL) == QUIRE_OK);
  CHECK(tested->hold(store, 0, is_held, &call_count, NULL) == QUIRE_OVERTAKEN && call_count == 1);
  struct QuireCommitted committed;
  struct QuireCommit late = {.struct_size = sizeof late, .after = 0};
  CHECK(tested->commit(store, &late, &committed, NULL) == QUIRE_OVERTAKEN);
  late = (struct QuireCommit){.struct_size = sizeof late, .after = 1, .number = 1, .base = 1};
  CHECK(tested->commit(store, &late, &committed, NULL) == QUIRE_EXISTS);
  // Changes that were made before a change of the model are refused.
  int32_t number = 4;
  CHECK(save(store, &world, 201, 1, &number, "next", 1) == QUIRE_OK);
  CHECK(save(store, &world, 202, 1, &number, NULL, 1) == QUIRE_INCOMPATIBLE_MODEL);
  expect_store(store, &world);
  // A replaced store tells so, and its snapshots stay.
  struct QuireSnapshot *snapshot = snapshot_of(store);
  CHECK(create(path, 0, &other) == QUIRE_EXISTS);
  CHECK(create(path, 1, &other) == QUIRE_OK);
  expect_store(other, &none);
  expect(snapshot, &world);
  tested->release_snapshot(snapshot);
  CHECK(tested->snapshot(store, &snapshot, NULL) == QUIRE_NOT_FOUND);
  end(store);
  end(other);
}

static void write_file(const char *path, const char *text, size_t count) {
  FILE *file = fopen(path, "w");
  CHECK(file != NULL && fwrite(text, 1, count, file) == count && fclose(file) == 0);
}

static void places(void) {
  char path[300];
  struct QuireStore *store;
  struct World world = {{0}};
  struct stat status;
  strcpy(path, new_place());
  CHECK(create(path, 0, &store) == QUIRE_OK);
  end(store);
  CHECK(open_at("/no/such/place", 0, &store) == QUIRE_NOT_FOUND);
  CHECK(open_at(test_folder, 0, &store) == QUIRE_NOT_A_STORE);
  CHECK(create(test_folder, 1, &store) == QUIRE_EXISTS);
  real_path_answer = -ENOTSUP;
  CHECK(open_at(path, 0, &store) == QUIRE_NOT_SUPPORTED);
  CHECK(create(new_place(), 0, &store) == QUIRE_NOT_SUPPORTED);
  real_path_answer = 0;
  // A file of another program stays as it is, unless it is to be replaced.
  strcpy(path, new_place());
  write_file(path, "Dear reader", 11);
  CHECK(open_at(path, 0, &store) == QUIRE_NOT_A_STORE);
  CHECK(create(path, 1, &store) == QUIRE_OK);
  CHECK(save_one(store, &world, 3, 3) == QUIRE_OK);
  end(store);
  // A file that was cut off is refused.
  CHECK(stat(path, &status) == 0 && truncate(path, status.st_size - 4096) == 0);
  CHECK(open_at(path, 0, &store) == QUIRE_DAMAGED);
}

// A process that was killed while it read and wrote leaves neither a lock nor a place among the readers.
static void kills(void) {
  const char *path = new_place();
  struct QuireStore *store;
  struct World world = {{0}};
  MDB_envinfo info;
  CHECK(create(path, 0, &store) == QUIRE_OK);
  end(store);
  for (int i = 0; i < 3; i++) {
    pid_t process = fork();
    if (process == 0) {
      CHECK(open_at(path, 0, &store) == QUIRE_OK);
      MDB_txn *transaction;
      CHECK(environment_lock(store->environment, NULL) == QUIRE_OK);
      CHECK(mdb_txn_begin(store->environment->lmdb, NULL, 0, &transaction) == 0);
      _exit(0);
    }
    CHECK(waitpid(process, NULL, 0) == process);
    CHECK(open_at(path, 0, &store) == QUIRE_OK);
    mdb_env_info(store->environment->lmdb, &info);
    CHECK(info.me_numreaders <= 2);
    CHECK(save_one(store, &world, 1, i + 1) == QUIRE_OK);
    end(store);
  }
}

// A process may be killed before it has made the file as long as LMDB counts. The missing pages are free.
static void short_files(void) {
  const char *path = new_place();
  struct QuireStore *store;
  struct World world = {{0}};
  int32_t numbers[500];
  int short_count = 0;
  CHECK(create(path, 0, &store) == QUIRE_OK);
  for (int round = 0; round < 60; round++) {
    MDB_envinfo info;
    MDB_txn *transaction;
    for (int i = 0; i < 500; i++) numbers[i] = round % 3 == 0 ? i + 1 : 0;
    if (round % 3 < 2) CHECK(save(store, &world, 1, 500, numbers, NULL, -1) == QUIRE_OK);
    if (round % 3 == 2) CHECK(save_one(store, &world, 1, 1 + round) == QUIRE_OK);
    mdb_env_info(store->environment->lmdb, &info);
    CHECK(begin_reading(store->environment, &transaction) == 0);
    size_t all = info.me_last_pgno + 1, missing = 0;
    while (missing < all && free_page_count(transaction, all - missing - 1) == missing + 1) missing++;
    mdb_txn_abort(transaction);
    end(store);
    if (missing > 0) CHECK(truncate(path, (off_t)((all - missing) * 4096)) == 0);
    short_count += missing > 0;
    CHECK(open_at(path, round % 2, &store) == QUIRE_OK);
    expect_store(store, &world);
    end(store);
    CHECK(open_at(path, 0, &store) == QUIRE_OK);
  }
  CHECK(short_count > 0);
  end(store);
}

// A file whose map is full keeps its content, and has room again after it was opened again.
static void full_maps(void) {
  const char *path = new_place();
  struct QuireStore *store;
  struct World world = {{0}};
  int32_t code = QUIRE_OK;
  int count = 0;
  least_map_byte_count = 1 << 20;
  CHECK(create(path, 0, &store) == QUIRE_OK);
  struct QuireSnapshot *pinned = snapshot_of(store);
  while (code == QUIRE_OK) code = save_one(store, &world, 1 + (uint64_t)count++ % 500, 3);
  CHECK(code == QUIRE_FAILED && count > 20);
  expect_store(store, &world);
  tested->release_snapshot(pinned);
  end(store);
  CHECK(open_at(path, 0, &store) == QUIRE_OK);
  CHECK(save_one(store, &world, 1, 5) == QUIRE_OK);
  expect_store(store, &world);
  end(store);
  least_map_byte_count = (uint64_t)64 << 30;
}

int main(void) {
  const char *temporary = getenv("TMPDIR");
  char folder[256], command[300];
  snprintf(folder, sizeof folder, "%s/lmdb-store-XXXXXX", temporary == NULL ? "/tmp" : temporary);
  CHECK((test_folder = mkdtemp(folder)) != NULL);
  tables();
  ranges();
  commits();
  places();
  kills();
  short_files();
  full_maps();
  requests();
  threads();
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  CHECK(system(command) == 0);
  puts("Every test has passed.");
  return 0;
}
