// Finds the files of stores, through the disk of the host.

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

int32_t fail_disk(
    struct QuireError *error, int64_t result, const char *attempt, const char *path) {
  return fail_lmdb(error, (int)-result, attempt, path);
}

int32_t real_path(
    const struct QuireHost *host, const char *path, char **real, struct QuireError *error) {
  const struct QuireDisk *disk = host->disk;
  struct QuireBytes bytes = {0};
  int32_t result = disk->real_path(disk->context, path, &bytes);
  if (result == -ENOTSUP) {
    return fail(
        error, QUIRE_NOT_SUPPORTED,
        "'%s' is not a file of the system, and LMDB needs one. So an LMDB store can't be in a packed document.",
        path);
  }
  if (result < 0) return fail_disk(error, result, "find the file", path);
  *real = calloc(1, bytes.count + 1);
  if (*real != NULL) memcpy(*real, bytes.start, bytes.count);
  if (bytes.release != NULL) bytes.release(&bytes);
  return *real == NULL ? fail_memory(error) : QUIRE_OK;
}

int32_t has_lmdb_file(
    const struct QuireHost *host, const char *path, struct QuireError *error) {
  const struct QuireDisk *disk = host->disk;
  // A page's header of 16 bytes, and then the number by which LMDB recognises its files.
  struct {
    uint8_t header[16];
    uint32_t magic;
  } start = {0};
  int32_t file = disk->open(disk->context, path, QUIRE_OPEN_READ, 0, NULL);
  if (file < 0) return fail_disk(error, file, "open", path);
  int64_t count;
  do {
    count = disk->read(disk->context, file, &start, sizeof start, 0);
  } while (count == -EINTR);
  disk->close(disk->context, file);
  if (count < 0 && count != -EISDIR) return fail_disk(error, count, "read", path);
  if (count == sizeof start && start.magic == 0xBEEFC0DE) return QUIRE_OK;
  return fail(error, QUIRE_NOT_A_STORE, "'%s' is not a file of LMDB.", path);
}
