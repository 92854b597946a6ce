// Tests without failures.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"

static int32_t refuse(void *context, struct QuireSnapshot *snapshot) {
  int is_same;
  CHECK(compare_world(snapshot, context, &is_same) == QUIRE_OK && is_same);
  tested->release_snapshot(snapshot);
  return QUIRE_CANCELLED;
}

static int32_t agree(void *context, struct QuireSnapshot *snapshot) {
  refuse(context, snapshot);
  return QUIRE_OK;
}

// Every value is read back bit for bit, also after reopening.
static void values(void) {
  const char *path = new_place();
  struct QuireStore *store = make(path);
  struct World world = {{0}};
  expect_world(store, &world);
  CHECK(save(store, 0xfffffffffffffffe, 0, &world, NULL) == QUIRE_OK);
  expect_world(store, &world);
  store = reopen(store, path, -1);
  expect_world(store, &world);
  CHECK(save(store, 0x30, 0xf00, &world, NULL) == QUIRE_OK);
  expect_world(store, &world);
  store = reopen(store, path, -1);
  expect_world(store, &world);
  end(store);
}

struct Numbers {
  int count;
  int64_t numbers[256];
};

static int32_t take_number(void *context, const struct QuireCommitSummary *commit) {
  struct Numbers *numbers = context;
  CHECK(commit->number == 0 || strcmp(commit->author, "Zo\xc3\xab\n") == 0);
  CHECK(commit->context_name == NULL && commit->time > 0);
  numbers->numbers[numbers->count++] = commit->number;
  return QUIRE_OK;
}

static int32_t is_kept(void *context, int64_t commit) {
  (void)context;
  return commit % 9 == 4 || commit == 100;
}

static void expect_commit(struct QuireStore *store, int64_t commit, const struct World *world) {
  struct QuireSnapshot *snapshot;
  int is_same;
  CHECK(tested->snapshot_of(store, commit, &snapshot, NULL) == QUIRE_OK);
  CHECK(tested->commit_of(snapshot) == commit);
  CHECK(compare_world(snapshot, world, &is_same) == QUIRE_OK && is_same);
  tested->release_snapshot(snapshot);
}

// Each commit can be opened until it is removed. The test makes more commits than lie between full records.
static void history(void) {
  enum { COMMITS = 150 };
  const char *path = new_place();
  struct QuireStore *store = make(path), *other = reopen(NULL, path, -1);
  struct World worlds[COMMITS + 1] = {{{0}}};
  for (int i = 1; i <= COMMITS; i++) {
    worlds[i] = worlds[i - 1];
    uint64_t put = UINT64_C(1) << (1 + i % 11), removed = UINT64_C(1) << (20 + i % 3);
    CHECK(save(store, put, i % 5 == 0 ? removed : 0, &worlds[i], NULL) == QUIRE_OK);
    if (i % 7 == 0) expect_world(other, &worlds[i]);
    if (i % 40 == 0) store = reopen(store, path, -1);
  }
  struct Numbers numbers = {0};
  CHECK(tested->commits(store, take_number, &numbers, NULL) == QUIRE_OK);
  CHECK(numbers.count == COMMITS + 1 && numbers.numbers[0] == COMMITS);
  for (int i = 0; i <= COMMITS; i += 3) expect_commit(store, i, &worlds[i]);

  CHECK(tested->keep_commits(store, is_kept, NULL, NULL) == QUIRE_OK);
  for (int round = 0; round < 2; round++) {
    numbers.count = 0;
    CHECK(tested->commits(store, take_number, &numbers, NULL) == QUIRE_OK);
    CHECK(numbers.count == 19 && numbers.numbers[0] == 150 && numbers.numbers[18] == 4);
    for (int i = 0; i < numbers.count; i++) {
      expect_commit(store, numbers.numbers[i], &worlds[numbers.numbers[i]]);
    }
    expect_world(other, &worlds[COMMITS]);
    struct QuireSnapshot *snapshot;
    CHECK(tested->snapshot_of(store, 99, &snapshot, NULL) == QUIRE_NOT_FOUND);
    store = reopen(store, path, -1);
  }
  struct World world = worlds[COMMITS];
  CHECK(save(store, 2, 4, &world, NULL) == QUIRE_OK);
  expect_world(other, &world);
  expect_commit(store, 148, &worlds[148]);
  end(other);
  end(store);
}

// Two handles of a store see each other's commits, and neither overwrites the other's commits.
static void sharing(void) {
  const char *path = new_place();
  struct QuireStore *store = make(path), *other = reopen(NULL, path, -1);
  struct World world = {{0}}, others = {{0}};
  CHECK(save(store, 6, 0, &world, NULL) == QUIRE_OK);
  CHECK(save(other, 6, 0, &others, NULL) == QUIRE_OVERTAKEN);
  // The failed commit has read the newest commit.
  others = world;
  CHECK(save(other, 8, 2, &others, NULL) == QUIRE_OK);
  expect_world(store, &others);
  end(other);
  end(store);
}

static int32_t save_by_another(void *context) {
  struct World world = {{0}};
  struct QuireStore *other = reopen(NULL, context, -1);
  int32_t code = save(other, 2, 0, &world, NULL);
  tested->close(other, NULL);
  tested->release_store(other);
  return code;
}

// During 'hold' no other handle writes, and only the newest commit can be held.
static void holding(void) {
  const char *path = new_place();
  struct QuireStore *store = make(path);
  CHECK(tested->hold(store, 3, save_by_another, (void *)path, NULL) == QUIRE_OVERTAKEN);
  CHECK(tested->hold(store, 0, save_by_another, (void *)path, NULL) == QUIRE_LOCKED);
  CHECK(save_by_another((void *)path) == QUIRE_OK);
  end(store);
}

// No key is leased twice, and no key of an object is leased.
static void leases(void) {
  const char *path = new_place();
  struct QuireStore *store = make(path), *other = reopen(NULL, path, -1);
  struct World world = {{0}};
  uint64_t first, count;
  CHECK(tested->lease_keys(store, 1, 10, &first, &count, NULL) == QUIRE_OK);
  CHECK(first == 1 && count == 10);
  CHECK(tested->lease_keys(other, 1, 5, &first, &count, NULL) == QUIRE_OK && first == 11);
  CHECK(tested->lease_keys(other, 2, 5, &first, &count, NULL) == QUIRE_OK && first == 1);
  CHECK(save(store, UINT64_C(1) << 40, 0, &world, NULL) == QUIRE_OK);
  CHECK(save(store, 0, UINT64_C(1) << 40, &world, NULL) == QUIRE_OK);
  CHECK(tested->lease_keys(other, 1, 1, &first, &count, NULL) == QUIRE_OK && first == 41);
  CHECK(tested->lease_keys(other, 1, UINT64_MAX, &first, &count, NULL) == QUIRE_FAILED);
  end(other);
  end(store);
}

// If the host decides which commit counts, the store shows that commit despite later ones. Otherwise the
// store removes a rejected commit.
static void confirmation(void) {
  const char *path = new_place();
  struct QuireStore *store = make(path);
  struct World world = {{0}}, next;
  struct QuireDescription description = {.struct_size = sizeof description};
  CHECK(save(store, 6, 0, &world, refuse) == QUIRE_CANCELLED);
  expect_world(store, &world);
  CHECK(save(store, 6, 0, &world, agree) == QUIRE_OK);
  CHECK(newest_of(store) == 1);

  store = reopen(store, path, 1);
  next = world;
  CHECK(save(store, 24, 2, &next, refuse) == QUIRE_CANCELLED);
  expect_world(store, &world);
  CHECK(newest_of(store) == 1);
  CHECK(tested->status(store, &description, NULL) == QUIRE_OK);
  CHECK(description.highest_commit == 11 && description.byte_count > 1000);

  // Another handle confirms that the commit counts.
  struct QuireStore *other = reopen(NULL, path, 1);
  CHECK(tested->advance(other, path, 11, NULL) == QUIRE_OK);
  next = world;
  next.commits[3] = next.commits[4] = 11;
  next.commits[1] = 0;
  expect_world(other, &next);
  expect_world(store, &world);
  CHECK(save(other, 32, 0, &next, agree) == QUIRE_OK);
  CHECK(tested->advance(store, NULL, 21, NULL) == QUIRE_OK);
  expect_world(store, &next);
  CHECK(tested->advance(store, NULL, 22, NULL) == QUIRE_NOT_FOUND);
  CHECK(tested->keep_commits(store, is_kept, NULL, NULL) == QUIRE_OK);
  expect_world(store, &next);
  end(other);
  end(store);
}

static void closing(void) {
  const char *path = new_place();
  struct QuireStore *store = make(path);
  struct World world = {{0}};
  struct QuireSnapshot *snapshot, *none;
  int is_same;
  CHECK(save(store, 6, 0, &world, NULL) == QUIRE_OK);
  CHECK(tested->snapshot(store, &snapshot, NULL) == QUIRE_OK);
  CHECK(tested->close(store, NULL) == QUIRE_OK);
  CHECK(tested->snapshot(store, &none, NULL) == QUIRE_CLOSED);
  CHECK(compare_world(snapshot, &world, &is_same) == QUIRE_OK && is_same);
  tested->release_snapshot(snapshot);
  tested->release_store(store);

  struct QuireOpening opening = {.struct_size = sizeof opening, .read_only = 1, .commit = -1};
  uint64_t first, count;
  CHECK(tested->open(&test_host, tested->types[0], path, &opening, &store, NULL) == QUIRE_OK);
  expect_world(store, &world);
  CHECK(tested->lease_keys(store, 1, 1, &first, &count, NULL) == QUIRE_READ_ONLY);
  end(store);
}

static int32_t create(const char *path, int overwriting, struct QuireStore **store) {
  struct QuireCreation creation = {.struct_size = sizeof creation, .overwriting = overwriting};
  return tested->create(&test_host, tested->types[0], path, &creation, store, NULL);
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

// A store is replaced on request. A path without a store is never replaced.
static void places(void) {
  const char *path = new_place();
  struct QuireStore *store = make(path), *other;
  struct World world = {{0}}, empty = {{0}};
  struct QuireOpening opening = {.struct_size = sizeof opening, .commit = -1};
  char name[300];
  CHECK(save(store, 6, 0, &world, NULL) == QUIRE_OK);
  CHECK(create(path, 0, &other) == QUIRE_EXISTS);
  expect_world(store, &world);
  CHECK(create(path, 1, &other) == QUIRE_OK);
  expect_world(other, &empty);
  CHECK(save(store, 6, 0, &world, NULL) == QUIRE_NOT_FOUND);
  end(other);
  end(store);

  CHECK(tested->open(&test_host, tested->types[0], "/no/such/place", &opening, &store, NULL)
        == QUIRE_NOT_FOUND);
  CHECK(tested->open(&test_host, tested->types[0], test_folder, &opening, &store, NULL)
        == QUIRE_NOT_A_STORE);
  CHECK(create(test_folder, 1, &store) == QUIRE_EXISTS);
  snprintf(name, sizeof name, "%s/folder.store", path);
  write_text(name, "folder-store 2\nwhatever\n");
  CHECK(tested->open(&test_host, tested->types[0], path, &opening, &store, NULL)
        == QUIRE_NEWER_FORMAT);
  write_text(name, "something else\n");
  CHECK(tested->open(&test_host, tested->types[0], path, &opening, &store, NULL)
        == QUIRE_NOT_A_STORE);
}

// Interrupted calls and calls that process few bytes are repeated.
static void slowness(void) {
  const char *path = new_place();
  test_disk.is_slow = 1;
  struct QuireStore *store = make(path);
  struct World world = {{0}};
  CHECK(save(store, 0xfe, 0, &world, NULL) == QUIRE_OK);
  store = reopen(store, path, -1);
  expect_world(store, &world);
  end(store);
}

int main(void) {
  const char *temporary = getenv("TMPDIR");
  char folder[256];
  snprintf(
      folder, sizeof folder, "%s/folder-store-XXXXXX", temporary == NULL ? "/tmp" : temporary);
  CHECK((test_folder = mkdtemp(folder)) != NULL);
  values();
  history();
  sharing();
  holding();
  leases();
  confirmation();
  closing();
  places();
  slowness();
  failing();
  damage();
  struct Path all;
  snprintf(all.text, PATH_BYTES, "%s", folder);
  remove_folder(&test_host, &all);
  puts("Every test has passed.");
  return 0;
}
