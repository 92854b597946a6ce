// A store that is a folder, with a readable file for each object: the plug-in's table of functions.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

// MARK: - Opening and closing

static int32_t open_folder(
    const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
    const struct QuireOpening *opening, struct QuireStore **store, struct QuireError *error) {
  (void)type;
  struct QuireStore *opened = calloc(1, sizeof *opened);
  if (opened == NULL) return fail_memory(error);
  opened->is_read_only = opening->read_only != 0;
  opened->is_led = opening->commit >= 0;
  int32_t code = read_marker(host, path, &opened->folder, error);
  if (code == QUIRE_OK) code = go_to(opened, opening->commit, error);
  if (code == QUIRE_OK) {
    *store = opened;
  } else {
    free(opened);
  }
  return code;
}

static int32_t create_folder(
    const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
    const struct QuireCreation *creation, struct QuireStore **store, struct QuireError *error) {
  struct QuireOpening opening = {.struct_size = sizeof opening, .commit = -1};
  int32_t code = create_store(host, path, creation, error);
  return code == QUIRE_OK ? open_folder(host, type, path, &opening, store, error) : code;
}

static int32_t close_folder(struct QuireStore *store, struct QuireError *error) {
  (void)error;
  // No file stays open between calls, and a snapshot finds its files by the path.
  store->is_closed = 1;
  snapshot_release(store->newest);
  store->newest = NULL;
  return QUIRE_OK;
}

static void release_folder(struct QuireStore *store) { free(store); }

static int32_t read_metadata(
    const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
    struct QuireBytes *metadata, struct QuireError *error) {
  struct QuireOpening opening = {.struct_size = sizeof opening, .read_only = 1, .commit = -1};
  struct QuireStore *store = NULL;
  int32_t code = open_folder(host, type, path, &opening, &store, error);
  if (code != QUIRE_OK) return code;
  code = snapshot_describe(store->newest, QUIRE_METADATA, metadata, error);
  close_folder(store, NULL);
  release_folder(store);
  return code;
}

// MARK: - Snapshots

static int32_t newest_snapshot(
    struct QuireStore *store, struct QuireSnapshot **snapshot, struct QuireError *error) {
  int32_t code = check_open(store, 0, error);
  if (code == QUIRE_OK) code = refresh(store, error);
  if (code == QUIRE_OK) *snapshot = snapshot_retain(store->newest);
  return code;
}

static int64_t commit_of(struct QuireSnapshot *snapshot) { return snapshot->commit; }

// MARK: - The rest

static int32_t status(
    struct QuireStore *store, struct QuireDescription *description, struct QuireError *error) {
  struct Rows *numbers;
  struct Record record;
  int32_t code = check_open(store, 0, error);
  if (code == QUIRE_OK) code = refresh(store, error);
  if (code == QUIRE_OK) code = read_record(&store->folder, store->newest->commit, &record, error);
  if (code != QUIRE_OK) return code;
  double saved_at = record.time;
  record_end(&record);
  code = list_records(&store->folder, &numbers, error);
  if (code != QUIRE_OK) return code;
  snprintf(description->format_version, sizeof description->format_version, "1");
  description->byte_count = folder_byte_count(store->folder.host, &store->folder.path);
  // To tell the bytes that only earlier commits need, the store would have to read all commits.
  description->live_byte_count = description->byte_count;
  description->stray_byte_count = 0;
  description->saved_at = saved_at;
  description->highest_commit = (int64_t)(numbers->rows[numbers->count - 1].key - 1);
  rows_release(numbers);
  return QUIRE_OK;
}

static int32_t advance(
    struct QuireStore *store, const char *path, int64_t commit, struct QuireError *error) {
  int32_t code = check_open(store, 0, error);
  if (code != QUIRE_OK) return code;
  if (path != NULL && strcmp(path, store->folder.path.text) != 0) {
    return fail(error, QUIRE_NOT_SUPPORTED, "A folder store can't write its commits to another path.");
  }
  if (commit < 0) {
    return fail(error, QUIRE_NOT_FOUND, "'%s' has no commit %" PRId64 ".", path, commit);
  }
  code = go_to(store, commit, error);
  // From the first 'advance' on, the host decides which commit counts.
  if (code == QUIRE_OK) store->is_led = 1;
  return code;
}

static int32_t hold(
    struct QuireStore *store, int64_t commit, int32_t (*body)(void *body_context),
    void *body_context, struct QuireError *error) {
  int32_t lock;
  int32_t code = begin_writing(store, &lock, error);
  if (code != QUIRE_OK) return code;
  int64_t newest = store->newest->commit;
  if (newest != commit) {
    code = fail(
        error, QUIRE_OVERTAKEN, "The newest commit of '%s' is %" PRId64 ", not %" PRId64 ".",
        store->folder.path.text, newest, commit);
  } else if ((code = body(body_context)) != QUIRE_OK) {
    fail(error, code, "The work of the host under the store's lock failed.");
  }
  give_lock(&store->folder, lock);
  return code;
}

// MARK: - The table

static const struct QuireStoreType folder_type = {
    .struct_size = sizeof folder_type,
    .name = "Folder",
    .capabilities = QUIRE_INCREMENTAL | QUIRE_DURABLE | QUIRE_SHARED | QUIRE_HISTORY
                    | QUIRE_CONFIRMATION,
};

static const struct QuireStoreType *const types[] = {&folder_type};

static const struct QuirePlugin plugin = {
    .abi_version = QUIRE_PLUGIN_ABI,
    .struct_size = sizeof plugin,
    .name = "FolderStore",
    .version = "1.0",
    .type_count = 1,
    .types = types,
    .create = create_folder,
    .open = open_folder,
    .metadata = read_metadata,
    .close = close_folder,
    .release_store = release_folder,
    .snapshot = newest_snapshot,
    .release_snapshot = snapshot_release,
    .commit_of = commit_of,
    .describe = snapshot_describe,
    .tables = snapshot_tables,
    .rows = snapshot_rows,
    .commit = store_commit,
    .lease_keys = store_lease_keys,
    .status = status,
    .commits = store_commits,
    .snapshot_of = store_snapshot_of,
    .keep_commits = store_keep_commits,
    .advance = advance,
    .hold = hold,
};

__attribute__((visibility("default"))) const struct QuirePlugin *quire_store_plugin(
    uint32_t host_abi_version);

const struct QuirePlugin *quire_store_plugin(uint32_t host_abi_version) {
  (void)host_abi_version;
  return &plugin;
}
