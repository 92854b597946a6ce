// Tests in which one call of the disk fails, or this call and all later ones, for each call in turn.

#include "tests.h"

enum { MOST_CALLS = 2000 };

static int32_t keep_some(void *context, int64_t commit) {
  (void)context;
  return commit == 2;
}

static int32_t lease(struct QuireStore *store) {
  uint64_t first, count;
  return tested->lease_keys(store, 1, 3, &first, &count, NULL);
}

// The operation during which the disk fails: a commit, a removal of commits, or a lease.
static int32_t act(struct QuireStore *store, int action, struct World *world) {
  if (action == 0) return save(store, 0x3c, 0x40, world, NULL);
  if (action == 1) return tested->keep_commits(store, keep_some, NULL, NULL);
  return lease(store);
}

static struct QuireStore *prepare(const char *path, struct World *world) {
  struct QuireStore *store = make(path);
  *world = (struct World){{0}};
  CHECK(save(store, 0xf0, 0, world, NULL) == QUIRE_OK);
  CHECK(save(store, 0x0f0e, 0x20, world, NULL) == QUIRE_OK);
  CHECK(save(store, 0x0300, 0x80, world, NULL) == QUIRE_OK);
  return store;
}

struct Count {
  int count;
};

static int32_t count_commit(void *context, const struct QuireCommitSummary *commit) {
  (void)commit;
  ((struct Count *)context)->count++;
  return QUIRE_OK;
}

static void expect_commits(struct QuireStore *store, int either, int or) {
  struct Count count = {0};
  CHECK(tested->commits(store, count_commit, &count, NULL) == QUIRE_OK);
  CHECK(count.count == either || count.count == or);
}

// After a failure the store is unchanged, and the next attempt succeeds.
static int one_failure(int action, int calls) {
  const char *path = new_place();
  struct World before, after;
  struct QuireStore *store = prepare(path, &before);
  after = before;
  test_disk.calls_left = calls;
  int32_t code = act(store, action, &after);
  int was_reached = test_disk.calls_left < 0;
  disk_reset();
  CHECK(test_disk.lock_count == 0 && test_disk.open_count == 0);
  expect_world(store, code == QUIRE_OK ? &after : &before);
  if (action == 1) expect_commits(store, code == QUIRE_OK ? 2 : 4, 0);
  store = reopen(store, path, -1);
  expect_world(store, code == QUIRE_OK ? &after : &before);
  if (action == 1) expect_commits(store, code == QUIRE_OK ? 2 : 4, 0);
  CHECK(act(store, action, &after) == QUIRE_OK);
  expect_world(store, &after);
  end(store);
  return was_reached;
}

// After a power cut the store has its old or its new content, and works.
static int one_cut(int action, int calls) {
  const char *path = new_place();
  struct World before, after, next;
  struct QuireStore *store = prepare(path, &before);
  next = after = before;
  test_disk.is_cut = 1;
  test_disk.calls_left = calls;
  int32_t code = act(store, action, &next);
  int was_reached = test_disk.calls_left == 0 && code != QUIRE_OK;
  disk_reset();
  store = reopen(store, path, -1);
  if (newest_of(store) == 4) {
    for (int key = 2; key < 6; key++) after.commits[key] = 4;
    after.commits[6] = 0;
  }
  expect_world(store, &after);
  if (action == 1) expect_commits(store, 2, 4);
  CHECK(act(store, action, &after) == QUIRE_OK);
  store = reopen(store, path, -1);
  expect_world(store, &after);
  end(store);
  return was_reached;
}

// A store is made as a whole or not at all, and a replaced store stays until the new one is complete.
static int one_creation(int calls, int is_cut, int overwriting) {
  const char *path = new_place();
  struct World world = {{0}}, empty = {{0}};
  struct QuireStore *store = NULL;
  if (overwriting) end(prepare(path, &world));
  struct QuireCreation creation = {.struct_size = sizeof creation, .overwriting = overwriting};
  test_disk.is_cut = is_cut;
  test_disk.calls_left = calls;
  int32_t code =
      tested->create(&test_host, tested->types[0], path, &creation, &store, NULL);
  int was_reached = is_cut ? test_disk.calls_left == 0 && code != QUIRE_OK : test_disk.calls_left < 0;
  disk_reset();
  CHECK(test_disk.lock_count == 0 && test_disk.open_count == 0);
  if (code == QUIRE_OK) end(store);
  struct QuireOpening opening = {.struct_size = sizeof opening, .commit = -1};
  int32_t opened = tested->open(&test_host, tested->types[0], path, &opening, &store, NULL);
  CHECK(opened == QUIRE_OK || (code != QUIRE_OK && !overwriting));
  if (opened == QUIRE_OK) {
    expect_world(store, newest_of(store) == 0 ? &empty : &world);
    end(store);
  }
  creation.overwriting = opened == QUIRE_OK;
  CHECK(tested->create(&test_host, tested->types[0], path, &creation, &store, NULL) == QUIRE_OK);
  expect_world(store, &empty);
  end(store);
  return was_reached;
}

void failing(void) {
  int calls;
  for (int action = 0; action < 3; action++) {
    for (calls = 0; one_failure(action, calls); calls++) CHECK(calls < MOST_CALLS);
    CHECK(calls > 5);
    for (calls = 0; one_cut(action, calls); calls++) CHECK(calls < MOST_CALLS);
    CHECK(calls > 5);
  }
  for (int kind = 0; kind < 4; kind++) {
    for (calls = 0; one_creation(calls, kind & 1, kind >> 1); calls++) CHECK(calls < MOST_CALLS);
    CHECK(calls > 5);
  }
}
