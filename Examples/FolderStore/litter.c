// Removes litter: files left by power cuts, by failures and by the removal of commits. No commit refers to
// litter, so a failed removal only wastes space: the functions go as far as they can, and report no error.

#include <inttypes.h>
#include <string.h>

#include "store.h"

struct Litter {
  const struct Folder *folder;
  const struct Kept *kept;
  const struct Rows *objects;
  const struct Rows *descriptions;
  struct Rows *records;
  // Whether a record that has to be removed still exists.
  int is_stuck;
  // The listed folder, and the entity of the objects in this folder.
  struct Path path;
  uint64_t entity;
};

uint64_t description_key(int32_t what, int64_t commit) {
  return (uint64_t)commit * 4 + (uint64_t)what;
}

static int has_row(const struct Rows *rows, uint64_t key, int64_t commit) {
  size_t low = 0, high = rows->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct Row *row = &rows->rows[middle];
    if (row->key == key && row->commit == commit) return 1;
    if (row->key < key || (row->key == key && row->commit < commit)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return 0;
}

static int has_record(const struct Litter *litter, int64_t commit) {
  return rows_have(litter->records, (uint64_t)commit + 1);
}

static int is_forgotten(const struct Litter *litter, int64_t commit) {
  return commit <= litter->kept->up_to;
}

static int remove_name(const struct Litter *litter, const char *name) {
  struct Path path = beneath(&litter->path, "%s", name);
  return remove_file(litter->folder->host, &path);
}

// Parses "KEY.COMMIT". A file with any other name is not the store's.
static int32_t look_at_object(void *context, const char *name, int32_t kind) {
  const struct Litter *litter = context;
  const char *point = strchr(name, '.');
  uint64_t key;
  int64_t commit;
  if (kind == QUIRE_DISK_DIRECTORY || point == NULL) return QUIRE_OK;
  if (!piece_number((struct Piece){name, (size_t)(point - name)}, &key)) return QUIRE_OK;
  if (!piece_signed((struct Piece){point + 1, strlen(point + 1)}, &commit)) return QUIRE_OK;
  int is_litter = !is_forgotten(litter, commit) ? !has_record(litter, commit)
                  : litter->objects == NULL
                      ? 0
                      : !has_row(litter->objects, litter->entity << KEY_BITS | key, commit);
  if (is_litter) remove_name(litter, name);
  return QUIRE_OK;
}

static int32_t look_at_entity(void *context, const char *name, int32_t kind) {
  struct Litter litter = *(const struct Litter *)context;
  struct Piece piece = {name, strlen(name)};
  if (kind != QUIRE_DISK_DIRECTORY || !piece_number(piece, &litter.entity)) return QUIRE_OK;
  litter.path = beneath(&litter.path, "%s", name);
  list_folder(litter.folder->host, &litter.path, look_at_object, &litter, NULL);
  return QUIRE_OK;
}

// Parses "WHAT-COMMIT".
static int32_t look_at_description(void *context, const char *name, int32_t kind) {
  const struct Litter *litter = context;
  const char *line = strchr(name, '-');
  int64_t commit;
  if (kind == QUIRE_DISK_DIRECTORY || line == NULL) return QUIRE_OK;
  if (!piece_signed((struct Piece){line + 1, strlen(line + 1)}, &commit)) return QUIRE_OK;
  for (int32_t what = 0; what < 3; what++) {
    if (!piece_is((struct Piece){name, (size_t)(line - name)}, description_names[what])) continue;
    int is_litter = !is_forgotten(litter, commit) ? !has_record(litter, commit)
                    : litter->descriptions == NULL
                        ? 0
                        : !rows_have(litter->descriptions, description_key(what, commit));
    if (is_litter) remove_name(litter, name);
  }
  return QUIRE_OK;
}

static int ends_with(const char *name, const char *ending) {
  size_t count = strlen(name), ending_count = strlen(ending);
  return count >= ending_count && strcmp(name + count - ending_count, ending) == 0;
}

static int32_t look_at_record(void *context, const char *name, int32_t kind) {
  struct Litter *litter = context;
  int64_t commit;
  if (kind == QUIRE_DISK_DIRECTORY) return QUIRE_OK;
  if (ends_with(name, ".new")) remove_name(litter, name);
  if (!piece_signed((struct Piece){name, strlen(name)}, &commit)) return QUIRE_OK;
  int is_left = rows_have(litter->kept->numbers, (uint64_t)commit + 1);
  if (is_forgotten(litter, commit) && !is_left && !remove_name(litter, name)) {
    litter->is_stuck = 1;
  }
  return QUIRE_OK;
}

static int32_t look_into(
    struct Litter *litter, const char *name,
    int32_t (*look)(void *context, const char *name, int32_t kind)) {
  litter->path = beneath(&litter->folder->content, "%s", name);
  return list_folder(litter->folder->host, &litter->path, look, litter, NULL);
}

void remove_litter(
    const struct Folder *folder, const struct Kept *kept, const struct Rows *objects,
    const struct Rows *descriptions) {
  struct Litter litter = {
      .folder = folder, .kept = kept, .objects = objects, .descriptions = descriptions};
  // If the records can't be listed, no file is known to be litter.
  if (list_records(folder, &litter.records, NULL) != QUIRE_OK) return;
  // Records are removed first. A missing record tells other processes with the store open that its objects
  // may be missing too.
  if (look_into(&litter, "commits", look_at_record) == QUIRE_OK && !litter.is_stuck) {
    look_into(&litter, "objects", look_at_entity);
    look_into(&litter, "descriptions", look_at_description);
  }
  rows_release(litter.records);
}

void sweep(struct QuireStore *store) {
  struct Kept kept = {0};
  if (store->is_swept || read_kept(&store->folder, &kept, NULL) != QUIRE_OK) return;
  store->is_swept = 1;
  remove_litter(&store->folder, &kept, NULL, NULL);
  rows_release(kept.numbers);
}
