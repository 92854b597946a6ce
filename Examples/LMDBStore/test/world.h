#ifndef LMDB_STORE_WORLD_H
#define LMDB_STORE_WORLD_H

// A host with the system's own disk, and stores of things. A number determines all values of a thing.

#include "../store.h"

#define CHECK(condition) check(condition, #condition, __FILE__, __LINE__)
void check(int condition, const char *text, const char *file, int line);

extern const struct QuirePlugin *tested;
extern const struct QuireHost test_host;
// What the host's 'real_path' answers: 0 for the path itself, or an error.
extern int real_path_answer;
// The folder in which the tests make their stores.
extern const char *test_folder;

enum { MOST_KEYS = 600 };

// The number in each thing; 0 for a missing thing.
struct World {
  int32_t numbers[MOST_KEYS];
};

// The values of a thing.
struct Thing {
  int64_t large;
  int has_large;
  double real;
  const char *name; // NULL for a thing without a name.
  uint64_t owner;   // 0 for a thing without an owner.
};

struct Thing thing_of(int32_t number);

// Returns an unused path.
const char *new_place(void);
int32_t create(const char *path, int overwriting, struct QuireStore **store);
int32_t open_at(const char *path, int read_only, struct QuireStore **store);
void end(struct QuireStore *store);
struct QuireSnapshot *snapshot_of(struct QuireStore *store);

// Gives numbers to the things from 'first' on, 0 for their removal. Updates the world on success. 'schema' is NULL
// to keep the schema. 'base' is the commit that the changes were made above; -1 for the newest.
int32_t save(
    struct QuireStore *store, struct World *world, uint64_t first, size_t count,
    const int32_t *numbers, const char *schema, int64_t base);
int32_t save_one(struct QuireStore *store, struct World *world, uint64_t key, int32_t number);
// Checks that a snapshot contains a world, read table by table.
void expect(struct QuireSnapshot *snapshot, const struct World *world);
void expect_store(struct QuireStore *store, const struct World *world);

// Finds things by a tree of a predicate. Returns the code of 'query'.
struct Answer {
  uint32_t flags;
  size_t count;
  uint64_t keys[MOST_KEYS];
};
int32_t ask(
    struct QuireSnapshot *snapshot, const struct QuireNode *nodes, uint64_t node_count,
    uint64_t offset, uint64_t limit, struct Answer *answer);

// Requests (test_query.c), and several threads (test_threads.c).
void requests(void);
void threads(void);

#endif
