#ifndef FOLDER_STORE_WORLD_H
#define FOLDER_STORE_WORLD_H

// Objects of every kind whose values follow from their key and commit, and stores of them.

#include "../store.h"
#include "posix_disk.h"

#define CHECK(condition) check(condition, #condition, __FILE__, __LINE__)
void check(int condition, const char *text, const char *file, int line);

enum { MOST_KEYS = 64 };

// Which commit wrote each object of entity 1; 0 of those that are not there.
struct World {
  int64_t commits[MOST_KEYS + 1];
};

extern const struct QuirePlugin *tested;
// Where the tests make their stores.
extern const char *test_folder;

// A path where nothing is. What was at the last one is removed.
const char *new_place(void);
struct QuireStore *make(const char *path);
struct QuireStore *reopen(struct QuireStore *store, const char *path, int64_t commit);
void end(struct QuireStore *store);
int64_t newest_of(struct QuireStore *store);

// Puts the keys that the bits of 'put' say, removes those of 'removed', and changes the world when it went well.
int32_t save(
    struct QuireStore *store, uint64_t put, uint64_t removed, struct World *world,
    int32_t (*confirm)(void *context, struct QuireSnapshot *snapshot));
// Whether a snapshot holds a world, with every value as it was. QUIRE_OK, or why it could not be read.
int32_t compare_world(struct QuireSnapshot *snapshot, const struct World *world, int *is_same);
void expect_world(struct QuireStore *store, const struct World *world);

#endif
