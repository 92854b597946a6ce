#ifndef FOLDER_STORE_WORLD_H
#define FOLDER_STORE_WORLD_H

// Makes stores with objects of every type of value. The key and the commit of an object determine its values.

#include "../store.h"
#include "posix_disk.h"

#define CHECK(condition) check(condition, #condition, __FILE__, __LINE__)
void check(int condition, const char *text, const char *file, int line);

enum { MOST_KEYS = 64 };

// The commit that wrote each object of entity 1; 0 for a missing object.
struct World {
  int64_t commits[MOST_KEYS + 1];
};

extern const struct QuirePlugin *tested;
// The folder in which the tests make their stores.
extern const char *test_folder;

// Returns an unused path. Removes the files at the previous path.
const char *new_place(void);
struct QuireStore *make(const char *path);
struct QuireStore *reopen(struct QuireStore *store, const char *path, int64_t commit);
void end(struct QuireStore *store);
int64_t newest_of(struct QuireStore *store);

// Puts the keys of the bits in 'put', removes the keys of the bits in 'removed', and updates the world on
// success.
int32_t save(
    struct QuireStore *store, uint64_t put, uint64_t removed, struct World *world,
    int32_t (*confirm)(void *context, struct QuireSnapshot *snapshot));
// Tells whether a snapshot contains a world with all its values. Returns QUIRE_OK, or the code of a failed
// read.
int32_t compare_world(struct QuireSnapshot *snapshot, const struct World *world, int *is_same);
void expect_world(struct QuireStore *store, const struct World *world);

#endif
