// Makes a store: first in a file with another name, and then under its own. So a store exists as a whole or not at all.

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

// MARK: - The content

// Replaces everything in the file by a store without objects, in one transaction.
static int32_t fill(
    const struct QuireHost *host, struct Environment *environment,
    const struct QuireCreation *creation, struct QuireError *error) {
  struct Root root = {
      .format_version = FORMAT_VERSION, .time = time_now(),
      .identity = host->disk->unique_number(host->disk->context)};
  const struct QuireBytes *all[3] = {&creation->model, &creation->schema, &creation->metadata};
  MDB_txn *transaction;
  memcpy(root.uuid, creation->uuid, sizeof root.uuid);
  int32_t code = environment_lock(environment, error);
  if (code != QUIRE_OK) return code;
  int result = mdb_txn_begin(environment->lmdb, NULL, 0, &transaction);
  int has_begun = result == 0;
  for (int i = 0; i < DATABASE_COUNT && result == 0; i++) {
    result = mdb_drop(transaction, environment->databases[i], 0);
  }
  for (int what = 0; what < 3 && result == 0; what++) {
    result = put_named(
        transaction, environment, description_names[what], all[what]->start, all[what]->count);
  }
  if (result == 0) result = put_named(transaction, environment, "root", &root, sizeof root);
  if (result == 0) {
    result = mdb_txn_commit(transaction);
  } else if (has_begun) {
    mdb_txn_abort(transaction);
  }
  if (result == 0) result = environment_pad(environment);
  environment_unlock(environment);
  return result == 0 ? QUIRE_OK : fail_lmdb(error, result, "write", environment->path);
}

// Replaces a store by another one. Stores that are open elsewhere learn of it at their next call, and their
// snapshots stay. Leaves 'is_filled' at 0 if there is no LMDB store at the path.
static int32_t fill_again(
    const struct QuireHost *host, const char *path, const struct QuireCreation *creation,
    int *is_filled, struct QuireError *error) {
  struct Environment *environment;
  char *real;
  int32_t code = real_path(host, path, &real, error);
  if (code != QUIRE_OK) return code;
  *is_filled = has_lmdb_file(host, path, NULL) == QUIRE_OK
               && environment_open(real, &environment, NULL) == QUIRE_OK;
  free(real);
  if (!*is_filled) return QUIRE_OK;
  code = fill(host, environment, creation, error);
  environment_release(environment);
  return code;
}

// MARK: - The file

// Removes a new file and the file with LMDB's locks beside it, as far as possible.
static void remove_files(const struct QuireHost *host, const char *path) {
  const struct QuireDisk *disk = host->disk;
  char *lock = malloc(strlen(path) + sizeof "-lock");
  disk->remove(disk->context, path);
  if (lock == NULL) return;
  sprintf(lock, "%s-lock", path);
  disk->remove(disk->context, lock);
  free(lock);
}

// Makes the names in the folder of a path durable.
static int32_t sync_folder(
    const struct QuireHost *host, const char *path, struct QuireError *error) {
  const struct QuireDisk *disk = host->disk;
  const char *slash = strrchr(path, '/');
  size_t count = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
  char *folder = calloc(1, count + 1);
  if (folder == NULL) return fail_memory(error);
  memcpy(folder, slash == NULL ? "." : path, count);
  int32_t file =
      disk->open(disk->context, folder, QUIRE_OPEN_READ | QUIRE_OPEN_DIRECTORY, 0, NULL);
  int32_t result = file < 0 ? file : disk->sync(disk->context, file, 0);
  if (file >= 0) disk->close(disk->context, file);
  free(folder);
  return result < 0 ? fail_disk(error, result, "sync the folder of", path) : QUIRE_OK;
}

// Makes a file with another name that contains the store.
static int32_t make_file(
    const struct QuireHost *host, const char *path, const struct QuireCreation *creation,
    struct QuireError *error) {
  const struct QuireDisk *disk = host->disk;
  struct Environment *environment;
  char *real;
  int32_t file = disk->open(disk->context, path, QUIRE_OPEN_CREATE, 0666, NULL);
  if (file < 0) return fail_disk(error, file, "make", path);
  disk->close(disk->context, file);
  int32_t code = real_path(host, path, &real, error);
  if (code != QUIRE_OK) return code;
  code = environment_create(real, &environment, error);
  free(real);
  if (code != QUIRE_OK) return code;
  code = fill(host, environment, creation, error);
  environment_release(environment);
  return code;
}

// Gives the file its own name. A file that another process has made there meanwhile stays.
static int32_t name_file(
    const struct QuireHost *host, const char *new_path, const char *path, int overwriting,
    struct QuireError *error) {
  const struct QuireDisk *disk = host->disk;
  int32_t result = overwriting ? disk->rename(disk->context, new_path, path)
                               : disk->link(disk->context, new_path, path);
  return result < 0 ? fail_disk(error, result, "make", path) : QUIRE_OK;
}

int32_t store_create(
    const struct QuireHost *host, const char *path, const struct QuireCreation *creation,
    struct QuireError *error) {
  const struct QuireDisk *disk = host->disk;
  struct QuireFileStatus status;
  int32_t result = disk->status_of(disk->context, path, 1, &status);
  if (result < 0 && result != -ENOENT) return fail_disk(error, result, "make", path);
  int exists = result >= 0, is_filled = 0;
  if (exists && (!creation->overwriting || status.kind != QUIRE_DISK_FILE)) {
    return fail(error, QUIRE_EXISTS, "A file or folder is at '%s' already.", path);
  }
  int32_t code = exists ? fill_again(host, path, creation, &is_filled, error) : QUIRE_OK;
  if (code != QUIRE_OK || is_filled) return code;
  size_t size = strlen(path) + 32;
  char *new_path = malloc(size);
  if (new_path == NULL) return fail_memory(error);
  snprintf(new_path, size, "%s.%016" PRIx64, path, disk->unique_number(disk->context));
  code = make_file(host, new_path, creation, error);
  if (code == QUIRE_OK) code = name_file(host, new_path, path, exists, error);
  remove_files(host, new_path);
  if (code == QUIRE_OK) code = sync_folder(host, path, error);
  free(new_path);
  return code;
}
