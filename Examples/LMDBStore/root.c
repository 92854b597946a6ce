// The records of the database STORE, among them the root, and numbers in keys.

#include <string.h>
#include <time.h>

#include "environment.h"

const char *const description_names[3] = {"model", "schema", "metadata"};

int get_named(
    MDB_txn *transaction, const struct Environment *environment, const char *name, MDB_val *value) {
  MDB_val key = {strlen(name), (void *)(uintptr_t)name};
  return mdb_get(transaction, environment->databases[STORE], &key, value);
}

int put_named(
    MDB_txn *transaction, const struct Environment *environment, const char *name,
    const void *bytes, size_t count) {
  MDB_val key = {strlen(name), (void *)(uintptr_t)name}, value = {count, (void *)(uintptr_t)bytes};
  return mdb_put(transaction, environment->databases[STORE], &key, &value, 0);
}

int32_t read_root(
    MDB_txn *transaction, const struct Environment *environment, struct Root *root,
    struct QuireError *error) {
  MDB_val value;
  uint32_t version = 0;
  int result = get_named(transaction, environment, "root", &value);
  if (result == MDB_NOTFOUND) {
    return fail(
        error, QUIRE_NOT_A_STORE, "'%s' is an LMDB database, but not a store.", environment->path);
  }
  if (result != 0) return fail_lmdb(error, result, "read", environment->path);
  if (value.mv_size >= sizeof version) memcpy(&version, value.mv_data, sizeof version);
  if (version > FORMAT_VERSION) {
    return fail(
        error, QUIRE_NEWER_FORMAT, "'%s' has version %u of the format. This plug-in reads version %d.",
        environment->path, (unsigned)version, FORMAT_VERSION);
  }
  if (value.mv_size != sizeof *root) {
    return fail(error, QUIRE_DAMAGED, "The root of '%s' is damaged.", environment->path);
  }
  memcpy(root, value.mv_data, sizeof *root);
  return QUIRE_OK;
}

double time_now(void) {
  struct timespec now;
  if (timespec_get(&now, TIME_UTC) != TIME_UTC) return 0;
  return (double)(now.tv_sec - 978307200) + (double)now.tv_nsec / 1e9;
}

void store_big(uint8_t *bytes, uint64_t number) {
  for (int i = 7; i >= 0; i--, number >>= 8) bytes[i] = (uint8_t)number;
}

uint64_t load_big(const uint8_t *bytes) {
  uint64_t number = 0;
  for (int i = 0; i < 8; i++) number = number << 8 | bytes[i];
  return number;
}
