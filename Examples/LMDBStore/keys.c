// Locks a store for writing, and reserves keys for new objects. The record "next ENTITY" contains the next free key.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store.h"

int32_t begin_writing(struct QuireStore *store, struct QuireError *error) {
  if (store->is_closed) return fail(error, QUIRE_CLOSED, "The store was closed.");
  if (store->is_read_only || store->environment->is_read_only) {
    return fail(
        error, QUIRE_READ_ONLY, "'%s' is open for reading only.", store->environment->path);
  }
  int32_t code = environment_lock(store->environment, error);
  if (code != QUIRE_OK) return code;
  code = store_refresh(store, 1, error);
  if (code != QUIRE_OK) environment_unlock(store->environment);
  return code;
}

void end_writing(struct QuireStore *store) { environment_unlock(store->environment); }

// MARK: - The next keys

static int read_next_key(
    MDB_txn *transaction, const struct Environment *environment, uint16_t entity, char name[16],
    uint64_t *next) {
  MDB_val value;
  snprintf(name, 16, "next %u", (unsigned)entity);
  *next = 1;
  int result = get_named(transaction, environment, name, &value);
  if (result == 0 && value.mv_size == sizeof *next) memcpy(next, value.mv_data, sizeof *next);
  return result == MDB_NOTFOUND ? 0 : result;
}

int raise_next_keys(
    MDB_txn *transaction, const struct Environment *environment, const uint64_t *keys,
    size_t count) {
  int result = 0;
  for (size_t i = 0; i < count && result == 0; i++) {
    char name[16];
    uint64_t next, above = (keys[i] & HIGHEST_KEY) + 1;
    // Only the last row of an entity matters, because it has the highest key.
    if (i + 1 < count && keys[i + 1] >> KEY_BITS == keys[i] >> KEY_BITS) continue;
    result = read_next_key(transaction, environment, (uint16_t)(keys[i] >> KEY_BITS), name, &next);
    if (result == 0 && next < above) {
      result = put_named(transaction, environment, name, &above, sizeof above);
    }
  }
  return result;
}

static int32_t lease(
    struct Environment *environment, uint16_t entity, uint64_t count, uint64_t *first,
    struct QuireError *error) {
  char name[16];
  MDB_txn *transaction;
  int result = mdb_txn_begin(environment->lmdb, NULL, 0, &transaction);
  if (result != 0) return fail_lmdb(error, result, "write", environment->path);
  result = read_next_key(transaction, environment, entity, name, first);
  if (result == 0 && count > HIGHEST_KEY + 1 - *first) {
    mdb_txn_abort(transaction);
    return fail(
        error, QUIRE_FAILED, "'%s' has no %" PRIu64 " keys left for entity %u.", environment->path,
        count, (unsigned)entity);
  }
  uint64_t next = *first + count;
  if (result == 0) result = put_named(transaction, environment, name, &next, sizeof next);
  if (result != 0) {
    mdb_txn_abort(transaction);
  } else {
    result = mdb_txn_commit(transaction);
    (void)environment_pad(environment);
  }
  return result == 0 ? QUIRE_OK : fail_lmdb(error, result, "write", environment->path);
}

int32_t store_lease_keys(
    struct QuireStore *store, uint16_t entity, uint64_t count, uint64_t *first, uint64_t *leased,
    struct QuireError *error) {
  uint64_t start = 0;
  if (count == 0) count = 1;
  int32_t code = begin_writing(store, error);
  if (code != QUIRE_OK) return code;
  code = lease(store->environment, entity, count, &start, error);
  end_writing(store);
  if (code != QUIRE_OK) return code;
  *first = start;
  *leased = count;
  return QUIRE_OK;
}
