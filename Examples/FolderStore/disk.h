#ifndef FOLDER_STORE_DISK_H
#define FOLDER_STORE_DISK_H

// Reads and writes whole files on the host's disk. No other file of this store calls the disk.

#include "text.h"

// The limit for a store's path is lower, so that four names of any length fit behind the path.
enum { PATH_BYTES = 4096, STORE_PATH_BYTES = PATH_BYTES - 4 * 256 - 64 };

struct Path {
  char text[PATH_BYTES];
};

// The place of a store.
struct Folder {
  const struct QuireHost *host;
  struct Path path;
  // The folder in the store that contains all files except 'folder.store' and 'lock'.
  struct Path content;
};

// Returns a path below another. Each path fits: the names are short, and the store's path is checked on
// opening.
struct Path beneath(const struct Path *folder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

int32_t read_file(
    const struct QuireHost *host, const struct Path *path, struct Text *bytes,
    struct QuireError *error);
// Reads a text, checks its seal, and removes the seal.
int32_t read_sealed(
    const struct QuireHost *host, const struct Path *path, struct Text *text,
    struct QuireError *error);
// Writes a file and makes its bytes durable, but not its name.
int32_t write_file(
    const struct QuireHost *host, const struct Path *path, const struct Text *bytes,
    struct QuireError *error);
// Writes a new file and replaces the file of that name with it, durably if the call succeeds. Sets 'moved'
// once the new file may have the name, even if a later step fails. 'moved' may be NULL.
int32_t replace_file(
    const struct QuireHost *host, const struct Path *folder, const char *name,
    const struct Text *bytes, int *moved, struct QuireError *error);
// Makes a folder unless it exists.
int32_t make_folder(
    const struct QuireHost *host, const struct Path *path, struct QuireError *error);
// Makes the names in a folder durable.
int32_t sync_folder(
    const struct QuireHost *host, const struct Path *path, struct QuireError *error);
// Returns the kind of the file at a path, or -1 if there is no file or its kind can't be read.
int32_t kind_at(const struct QuireHost *host, const struct Path *path, uint64_t *byte_count);
// Returns 0 if a file of that name still exists.
int remove_file(const struct QuireHost *host, const struct Path *path);

// Calls 'take' with each name in a folder, until it returns a value other than QUIRE_OK.
int32_t list_folder(
    const struct QuireHost *host, const struct Path *path,
    int32_t (*take)(void *context, const char *name, int32_t kind), void *context,
    struct QuireError *error);
// Removes a folder with its content, as far as possible and no deeper than the folders of a store.
void remove_folder(const struct QuireHost *host, const struct Path *path);
// Counts the bytes of the files in a folder.
uint64_t folder_byte_count(const struct QuireHost *host, const struct Path *path);

// Takes the lock of a store. Waits at most ten seconds for another lock holder.
int32_t take_lock(const struct Folder *folder, int32_t *lock, struct QuireError *error);
void give_lock(const struct Folder *folder, int32_t lock);

#endif
