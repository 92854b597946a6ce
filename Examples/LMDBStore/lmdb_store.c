// A store that keeps its objects in LMDB: the plug-in's table of functions.

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

// MARK: - Opening and closing

static void store_free(struct QuireStore *store) {
  snapshot_release(store->newest);
  if (store->environment != NULL) environment_release(store->environment);
  pthread_mutex_destroy(&store->lock);
  free(store);
}

static int32_t open_store(
    const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
    const struct QuireOpening *opening, struct QuireStore **store, struct QuireError *error) {
  (void)type;
  char *real = NULL;
  int32_t code = has_lmdb_file(host, path, error);
  if (code == QUIRE_OK) code = real_path(host, path, &real, error);
  if (code != QUIRE_OK) return code;
  struct QuireStore *opened = calloc(1, sizeof *opened);
  if (opened == NULL) {
    free(real);
    return fail_memory(error);
  }
  opened->is_read_only = opening->read_only != 0;
  pthread_mutex_init(&opened->lock, NULL);
  code = environment_open(real, &opened->environment, error);
  free(real);
  if (code == QUIRE_OK) code = store_refresh(opened, 0, error);
  if (code == QUIRE_OK && opening->commit >= 0 && opening->commit != opened->newest->commit) {
    code = fail(error, QUIRE_NOT_FOUND, "'%s' has no commit %" PRId64 ".", path, opening->commit);
  }
  if (code == QUIRE_OK) {
    *store = opened;
  } else {
    store_free(opened);
  }
  return code;
}

static int32_t create_store(
    const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
    const struct QuireCreation *creation, struct QuireStore **store, struct QuireError *error) {
  struct QuireOpening opening = {.struct_size = sizeof opening, .commit = -1};
  int32_t code = store_create(host, path, creation, error);
  return code == QUIRE_OK ? open_store(host, type, path, &opening, store, error) : code;
}

static int32_t close_store(struct QuireStore *store, struct QuireError *error) {
  (void)error;
  pthread_mutex_lock(&store->lock);
  store->is_closed = 1;
  snapshot_release(store->newest);
  store->newest = NULL;
  pthread_mutex_unlock(&store->lock);
  return QUIRE_OK;
}

static void release_metadata(struct QuireBytes *metadata) {
  snapshot_release(metadata->private_data);
}

static int32_t read_metadata(
    const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
    struct QuireBytes *metadata, struct QuireError *error) {
  struct QuireOpening opening = {.struct_size = sizeof opening, .read_only = 1, .commit = -1};
  struct QuireStore *store = NULL;
  int32_t code = open_store(host, type, path, &opening, &store, error);
  if (code != QUIRE_OK) return code;
  code = snapshot_describe(store->newest, QUIRE_METADATA, metadata, error);
  if (code == QUIRE_OK) {
    // The bytes lie in LMDB's memory, so they keep the snapshot until the host has read them.
    metadata->private_data = snapshot_retain(store->newest);
    metadata->release = release_metadata;
  }
  store_free(store);
  return code;
}

// MARK: - The rest

static int32_t status(
    struct QuireStore *store, struct QuireDescription *description, struct QuireError *error) {
  struct QuireSnapshot *snapshot;
  struct Root root;
  struct FileLength length;
  int32_t code = store_snapshot(store, &snapshot, error);
  if (code != QUIRE_OK) return code;
  struct Environment *environment = store->environment;
  MDB_txn *transaction = view_borrow(snapshot->view);
  code = read_root(transaction, environment, &root, error);
  if (code == QUIRE_OK && !file_length(environment, &length)) {
    code = fail_lmdb(error, EIO, "read the length of", environment->path);
  }
  if (code == QUIRE_OK) {
    size_t live = length.needed_page_count - free_page_count(transaction, 0);
    snprintf(description->format_version, sizeof description->format_version, "%d", FORMAT_VERSION);
    description->byte_count = (uint64_t)length.byte_count;
    description->live_byte_count = live * length.page_byte_count;
    description->stray_byte_count = 0;
    description->saved_at = root.time;
    description->highest_commit = root.commit;
  }
  view_return(snapshot->view, transaction);
  snapshot_release(snapshot);
  return code;
}

static int32_t hold(
    struct QuireStore *store, int64_t commit, int32_t (*body)(void *body_context),
    void *body_context, struct QuireError *error) {
  struct QuireSnapshot *snapshot;
  int32_t code = begin_writing(store, error);
  if (code != QUIRE_OK) return code;
  code = store_snapshot(store, &snapshot, error);
  if (code != QUIRE_OK) {
    end_writing(store);
    return code;
  }
  int64_t newest = snapshot->commit;
  snapshot_release(snapshot);
  if (newest != commit) {
    code = fail(
        error, QUIRE_OVERTAKEN, "The newest commit of '%s' is %" PRId64 ", not %" PRId64 ".",
        store->environment->path, newest, commit);
  } else if ((code = body(body_context)) != QUIRE_OK) {
    fail(error, code, "The work of the host under the store's lock failed.");
  }
  end_writing(store);
  return code;
}

// MARK: - The table

static const struct QuireStoreType lmdb_type = {
    .struct_size = sizeof lmdb_type,
    .name = "LMDB",
    .capabilities = QUIRE_INCREMENTAL | QUIRE_DURABLE | QUIRE_SHARED | QUIRE_QUERYING,
    .flags = QUIRE_THREADED,
};

static const struct QuireStoreType *const types[] = {&lmdb_type};

static const struct QuirePlugin plugin = {
    .abi_version = QUIRE_PLUGIN_ABI,
    .struct_size = sizeof plugin,
    .name = "LMDBStore",
    .version = "1.0",
    .type_count = 1,
    .types = types,
    .create = create_store,
    .open = open_store,
    .metadata = read_metadata,
    .close = close_store,
    .release_store = store_free,
    .snapshot = store_snapshot,
    .release_snapshot = snapshot_release,
    .commit_of = snapshot_commit,
    .describe = snapshot_describe,
    .tables = snapshot_tables,
    .rows = snapshot_rows,
    .commit = store_commit,
    .lease_keys = store_lease_keys,
    .status = status,
    .hold = hold,
    .query = snapshot_query,
    .rows_between = snapshot_rows_between,
    .rows_in_ranges = snapshot_rows_in_ranges,
};

__attribute__((visibility("default"))) const struct QuirePlugin *quire_store_plugin(
    uint32_t host_abi_version);

const struct QuirePlugin *quire_store_plugin(uint32_t host_abi_version) {
  (void)host_abi_version;
  return &plugin;
}
