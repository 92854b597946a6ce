// A plug-in without faults. Each bad plug-in in this folder is this plug-in with one change.
#include "quire_store_plugin.h"

static int32_t refuse(struct QuireError *error) {
  if (error) {
    error->code = QUIRE_NOT_SUPPORTED;
    error->message = "This plug-in is for tests and keeps nothing.";
    error->release = NULL;
    error->private_data = NULL;
  }
  return QUIRE_NOT_SUPPORTED;
}

static int32_t create(
    const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
    const struct QuireCreation *creation, struct QuireStore **store, struct QuireError *error) {
  (void)host, (void)type, (void)path, (void)creation, (void)store;
  return refuse(error);
}
static int32_t open_store(
    const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
    const struct QuireOpening *opening, struct QuireStore **store, struct QuireError *error) {
  (void)host, (void)type, (void)path, (void)opening, (void)store;
  return refuse(error);
}
static int32_t metadata(
    const struct QuireHost *host, const struct QuireStoreType *type, const char *path, struct QuireBytes *bytes,
    struct QuireError *error) {
  (void)host, (void)type, (void)path, (void)bytes;
  return refuse(error);
}
static int32_t close_store(struct QuireStore *store, struct QuireError *error) {
  (void)store, (void)error;
  return QUIRE_OK;
}
static void release_store(struct QuireStore *store) { (void)store; }
static int32_t snapshot(
    struct QuireStore *store, struct QuireSnapshot **snapshot, struct QuireError *error) {
  (void)store, (void)snapshot;
  return refuse(error);
}
static void release_snapshot(struct QuireSnapshot *snapshot) { (void)snapshot; }
static int64_t commit_of(struct QuireSnapshot *snapshot) {
  (void)snapshot;
  return 0;
}
static int32_t describe(
    struct QuireSnapshot *snapshot, int32_t what, struct QuireBytes *bytes,
    struct QuireError *error) {
  (void)snapshot, (void)what, (void)bytes;
  return refuse(error);
}
static int32_t tables(
    struct QuireSnapshot *snapshot,
    int32_t (*take)(void *take_context, const struct QuireTable *table), void *take_context,
    struct QuireError *error) {
  (void)snapshot, (void)take, (void)take_context;
  return refuse(error);
}
static int32_t rows(
    struct QuireSnapshot *snapshot, uint64_t table, uint16_t entity, int32_t kind,
    int32_t (*take)(void *take_context, struct ArrowSchema *schema, struct ArrowArray *array),
    void *take_context, struct QuireError *error) {
  (void)snapshot, (void)table, (void)entity, (void)kind, (void)take, (void)take_context;
  return refuse(error);
}
static int32_t commit(
    struct QuireStore *store, const struct QuireCommit *commit, struct QuireCommitted *committed,
    struct QuireError *error) {
  (void)store, (void)commit, (void)committed;
  return refuse(error);
}
static int32_t lease_keys(
    struct QuireStore *store, uint16_t entity, uint64_t count, uint64_t *first, uint64_t *leased,
    struct QuireError *error) {
  (void)store, (void)entity, (void)count, (void)first, (void)leased;
  return refuse(error);
}
static int32_t status(
    struct QuireStore *store, struct QuireDescription *description, struct QuireError *error) {
  (void)store, (void)description;
  return refuse(error);
}

static struct QuireStoreType type = {
    .struct_size = sizeof(struct QuireStoreType),
    .name = "Bad",
    .capabilities = QUIRE_DURABLE,
    .flags = QUIRE_THREADED,
};
static const struct QuireStoreType *types[] = {&type};

static struct QuirePlugin table = {
    .abi_version = QUIRE_PLUGIN_ABI,
    .struct_size = sizeof(struct QuirePlugin),
    .name = "bad",
    .version = "1.0",
    .type_count = 1,
    .types = types,
    .create = create,
    .open = open_store,
    .metadata = metadata,
    .close = close_store,
    .release_store = release_store,
    .snapshot = snapshot,
    .release_snapshot = release_snapshot,
    .commit_of = commit_of,
    .describe = describe,
    .tables = tables,
    .rows = rows,
    .commit = commit,
    .lease_keys = lease_keys,
    .status = status,
};

const struct QuirePlugin *quire_store_plugin(uint32_t host_abi_version);

// Defines the exported function: it makes the change of the bad plug-in, and returns the table.
#define PLUGIN(...)                                                                  \
  const struct QuirePlugin *quire_store_plugin(uint32_t host_abi_version) {          \
    (void)host_abi_version;                                                          \
    __VA_ARGS__;                                                                     \
    return &table;                                                                   \
  }
