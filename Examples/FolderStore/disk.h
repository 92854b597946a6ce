#ifndef FOLDER_STORE_DISK_H
#define FOLDER_STORE_DISK_H

// Whole files on the host's disk. Nothing else in this store calls the disk.

#include "text.h"

// A store's own path is so much shorter that four names of any length fit behind it.
enum { PATH_BYTES = 4096, STORE_PATH_BYTES = PATH_BYTES - 4 * 256 - 64 };

struct Path {
  char text[PATH_BYTES];
};

// Where a store is.
struct Folder {
  const struct QuireHost *host;
  struct Path path;
  // The folder within it that holds everything but 'folder.store' and 'lock'.
  struct Path content;
};

// A path beneath another. Ours are short and the store's is checked when it is opened, so all of them fit.
struct Path beneath(const struct Path *folder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

int32_t read_file(
    const struct QuireHost *host, const struct Path *path, struct Text *bytes,
    struct QuireError *error);
// Reads a text, checks the line that proves it whole and cuts it off.
int32_t read_sealed(
    const struct QuireHost *host, const struct Path *path, struct Text *text,
    struct QuireError *error);
// Writes a file and makes its bytes durable, and not yet its name.
int32_t write_file(
    const struct QuireHost *host, const struct Path *path, const struct Text *bytes,
    struct QuireError *error);
// Writes a file beside the one of that name and puts it in its place, durable when this succeeds. 'moved' is set
// once the new file may have the name, whatever fails then; NULL when that is all the same.
int32_t replace_file(
    const struct QuireHost *host, const struct Path *folder, const char *name,
    const struct Text *bytes, int *moved, struct QuireError *error);
// Makes a folder unless it is there.
int32_t make_folder(
    const struct QuireHost *host, const struct Path *path, struct QuireError *error);
// Makes the names in a folder durable.
int32_t sync_folder(
    const struct QuireHost *host, const struct Path *path, struct QuireError *error);
// The kind of what is at a path, or -1 when nothing is there or nobody can say.
int32_t kind_at(const struct QuireHost *host, const struct Path *path, uint64_t *byte_count);
// 0 when there is a file of that name yet.
int remove_file(const struct QuireHost *host, const struct Path *path);

// Calls 'take' with each name in a folder, until it returns something else than QUIRE_OK.
int32_t list_folder(
    const struct QuireHost *host, const struct Path *path,
    int32_t (*take)(void *context, const char *name, int32_t kind), void *context,
    struct QuireError *error);
// Removes a folder with all that is in it, as far as that goes and as deep as stores are.
void remove_folder(const struct QuireHost *host, const struct Path *path);
// How many bytes the files in a folder have.
uint64_t folder_byte_count(const struct QuireHost *host, const struct Path *path);

// Waits until nobody else holds the lock of a store, at most ten seconds.
int32_t take_lock(const struct Folder *folder, int32_t *lock, struct QuireError *error);
void give_lock(const struct Folder *folder, int32_t lock);

#endif
