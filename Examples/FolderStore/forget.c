// Removes earlier commits.
//
//   1. If a kept commit follows a removed one, write its record again as a full record.
//   2. Replace 'kept'. This step removes the commits from the list, all of them or none.
//   3. Remove the files that no commit refers to any more.

#include <inttypes.h>

#include "store.h"

// The kept commits, and the files that they refer to. Each file is a row with the key of its object and the
// commit in the file's name.
struct Staying {
  struct QuireStore *store;
  struct Kept kept;
  struct Rows *objects;
  struct Rows *descriptions; // The kind and the commit in one key.
};

static int note_descriptions(struct Staying *staying, const struct QuireSnapshot *snapshot) {
  int noted = 1;
  for (int32_t what = 0; what < 3 && noted; what++) {
    noted = rows_add(
        staying->descriptions, description_key(what, snapshot->described[what].commit), 0);
  }
  return noted;
}

// Records the files that a commit refers to. Rows of commits up to 'before', the previous kept commit, are
// recorded already.
static int note_snapshot(
    struct Staying *staying, const struct QuireSnapshot *snapshot, int64_t before) {
  int noted = 1;
  for (size_t i = 0; i < snapshot->living->count && noted; i++) {
    struct Row row = snapshot->living->rows[i];
    if (row.commit > before) noted = rows_add(staying->objects, row.key, row.commit);
  }
  return noted && note_descriptions(staying, snapshot);
}

// Records the files of a snapshot that the host may still read. A later removal of commits removes these files.
static int note_open_snapshot(struct Staying *staying, const struct QuireSnapshot *snapshot) {
  int noted = 1;
  for (uint32_t table = 0; table < snapshot->table_count; table++) {
    const struct Rows *put = snapshot->tables[table]->put;
    for (size_t i = 0; i < put->count && noted; i++) {
      noted = rows_add(staying->objects, put->rows[i].key, put->rows[i].commit);
    }
  }
  return noted && note_descriptions(staying, snapshot);
}

static int note_open_snapshots(struct Staying *staying) {
  int noted = 1;
  const struct QuireSnapshot *snapshot = staying->store->snapshots;
  for (; snapshot != NULL && noted; snapshot = snapshot->after) {
    noted = note_open_snapshot(staying, snapshot);
  }
  return noted;
}

// Writes the record of a commit again as a full record, which needs no earlier record. The content stays the
// same.
static int32_t make_full(
    struct QuireStore *store, const struct QuireSnapshot *snapshot, struct QuireError *error) {
  struct Record record;
  int32_t code = read_record(&store->folder, snapshot->commit, &record, error);
  if (code != QUIRE_OK) return code;
  if (record.living == NULL) {
    record.living = rows_retain(snapshot->living);
    code = write_record(&store->folder, &record, NULL, error);
  }
  record_end(&record);
  return code;
}

// Prepares all kept commits, the oldest first.
static int32_t prepare(
    struct Staying *staying, const struct Rows *numbers, struct QuireError *error) {
  int32_t code = QUIRE_OK;
  int64_t before = -1;
  struct QuireSnapshot *last = NULL;
  for (size_t i = 0; i < numbers->count && code == QUIRE_OK; i++) {
    if (!rows_have(staying->kept.numbers, numbers->rows[i].key)) continue;
    struct QuireSnapshot *snapshot = NULL;
    int64_t number = (int64_t)(numbers->rows[i].key - 1);
    code = load_commit(staying->store, number, last, &snapshot, error);
    if (code != QUIRE_OK) break;
    if (!note_snapshot(staying, snapshot, before)) code = fail_memory(error);
    int follows = i > 0 && rows_have(staying->kept.numbers, numbers->rows[i - 1].key);
    if (code == QUIRE_OK && !follows) code = make_full(staying->store, snapshot, error);
    snapshot_release(last);
    last = snapshot;
    before = number;
  }
  snapshot_release(last);
  if (code == QUIRE_OK && !note_open_snapshots(staying)) code = fail_memory(error);
  rows_sort(staying->descriptions);
  rows_sort_commits(staying->objects);
  return code;
}

// Replaces 'kept', and restores the old file if the replacement fails halfway.
static int32_t cut_list(
    struct Staying *staying, const struct Kept *old, struct QuireError *error) {
  const struct Folder *folder = &staying->store->folder;
  int moved = 0;
  int32_t code = write_kept(folder, &staying->kept, &moved, error);
  if (code == QUIRE_OK || !moved) return code;
  if (old->up_to >= 0) {
    write_kept(folder, old, NULL, NULL);
  } else {
    struct Path path = beneath(&folder->content, "kept");
    remove_file(folder->host, &path);
    sync_folder(folder->host, &folder->content, NULL);
  }
  return code;
}

// Collects the commits to keep. Returns 0 if memory runs out.
static int choose(
    struct Staying *staying, const struct Rows *numbers,
    int32_t (*is_kept)(void *context, int64_t commit), void *context) {
  for (size_t i = 0; i < numbers->count; i++) {
    int64_t number = (int64_t)(numbers->rows[i].key - 1);
    if (number < staying->store->newest->commit && !is_kept(context, number)) continue;
    if (!rows_add(staying->kept.numbers, numbers->rows[i].key, 0)) return 0;
  }
  return 1;
}

static int32_t forget(
    struct Staying *staying, const struct Kept *old, const struct Rows *numbers,
    struct QuireError *error) {
  struct QuireStore *store = staying->store;
  if (staying->kept.numbers->count == numbers->count) return QUIRE_OK;
  staying->kept.up_to = store->newest->commit;
  int32_t code = prepare(staying, numbers, error);
  if (code == QUIRE_OK) code = cut_list(staying, old, error);
  if (code != QUIRE_OK) return code;
  // The commits are removed from the list. If the next steps fail, a later removal repeats them.
  remove_litter(&store->folder, &staying->kept, staying->objects, staying->descriptions);
  go_to(store, store->newest->commit, NULL);
  return QUIRE_OK;
}

// Lists the commits, calls 'is_kept' for each, and removes the commits that are not kept.
static int32_t keep(
    struct Staying *staying, const struct Kept *old,
    int32_t (*is_kept)(void *context, int64_t commit), void *context, struct QuireError *error) {
  struct Rows *numbers = NULL;
  int32_t code = list_commits(staying->store, old, &numbers, error);
  if (code == QUIRE_OK && staying->store->newest->commit < old->up_to) {
    code = fail(
        error, QUIRE_OVERTAKEN, "Another process has advanced '%s' to commit %" PRId64 ".",
        staying->store->folder.path.text, old->up_to);
  }
  if (code == QUIRE_OK && !choose(staying, numbers, is_kept, context)) code = fail_memory(error);
  if (code == QUIRE_OK) code = forget(staying, old, numbers, error);
  rows_release(numbers);
  return code;
}

int32_t store_keep_commits(
    struct QuireStore *store, int32_t (*is_kept)(void *context, int64_t commit), void *context,
    struct QuireError *error) {
  int32_t lock;
  struct Kept old = {0};
  struct Staying staying = {store, {-1, rows_new()}, rows_new(), rows_new()};
  int32_t code = begin_writing(store, &lock, error);
  if (code == QUIRE_OK) {
    code = read_kept(&store->folder, &old, error);
    int is_made =
        staying.kept.numbers != NULL && staying.objects != NULL && staying.descriptions != NULL;
    if (code == QUIRE_OK && !is_made) code = fail_memory(error);
    if (code == QUIRE_OK) code = keep(&staying, &old, is_kept, context, error);
    give_lock(&store->folder, lock);
  }
  rows_release(old.numbers);
  rows_release(staying.kept.numbers);
  rows_release(staying.objects);
  rows_release(staying.descriptions);
  return code;
}
