// Makes changes durable, all of them or none.
//
//   1. Write each put object into its own file, and sync the file. Then sync the folders.
//   2. Write the record to a temporary file, sync it, and rename it. The sync of the record's folder commits
//      the changes.
//   3. Call the host's 'confirm', if there is one.
//
// The files that a record refers to are never written again. So a failure before step 2 is complete leaves
// the store unchanged, except for litter.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store.h"

// The state of a running commit.
struct Writing {
  struct QuireStore *store;
  const struct QuireCommit *commit;
  struct Record record;
  // The snapshot after the commit.
  struct QuireSnapshot *next;
  // Whether the record may already have its final name.
  int is_placed;
  // Whether the written commit may still count although the call fails.
  int may_count;
};

double time_now(void) {
  struct timespec now;
  if (timespec_get(&now, TIME_UTC) != TIME_UTC) return 0;
  return (double)(now.tv_sec - 978307200) + (double)now.tv_nsec / 1e9;
}

int32_t write_description(
    const struct Folder *folder, int32_t what, const struct QuireBytes *bytes,
    struct Record *record, struct QuireError *error) {
  struct Path path = description_path(folder, what, record->number);
  // write_file only reads the text, so the cast is safe.
  struct Text text = {.bytes = (char *)(uintptr_t)bytes->start, .count = bytes->count};
  record->described[what] =
      (struct Described){record->number, checksum(bytes->start, bytes->count)};
  return write_file(folder->host, &path, &text, error);
}

static int32_t write_descriptions(struct Writing *writing, struct QuireError *error) {
  const struct Folder *folder = &writing->store->folder;
  const struct QuireCommit *commit = writing->commit;
  const struct QuireBytes *all[3] = {&commit->model, &commit->schema, &commit->metadata};
  int written = 0;
  for (int32_t what = 0; what < 3; what++) {
    if (all[what]->count == 0) continue;
    int32_t code = write_description(folder, what, all[what], &writing->record, error);
    if (code != QUIRE_OK) return code;
    written = 1;
  }
  struct Path descriptions = beneath(&folder->content, "descriptions");
  return written ? sync_folder(folder->host, &descriptions, error) : QUIRE_OK;
}

// MARK: - Objects

static int32_t write_object(
    struct Writing *writing, const struct QuireBatch *batch, int64_t row,
    struct QuireError *error) {
  const struct Folder *folder = &writing->store->folder;
  int64_t number = writing->record.number;
  uint64_t key = batch_key(batch, row);
  struct Rows *rows = batch->kind == QUIRE_PUT ? writing->record.put : writing->record.removed;
  if (!rows_add(rows, key, number)) return fail_memory(error);
  if (batch->kind == QUIRE_REMOVED) return QUIRE_OK;
  struct Path path = object_path(folder, key, number);
  struct Text text = {0};
  int32_t code = object_text(batch, row, number, &text, error);
  text_seal(&text);
  if (code == QUIRE_OK) code = write_file(folder->host, &path, &text, error);
  text_free(&text);
  return code;
}

static int32_t write_batch(
    struct Writing *writing, const struct QuireBatch *batch, struct QuireError *error) {
  const struct Folder *folder = &writing->store->folder;
  int32_t code = check_batch(batch, error);
  if (code != QUIRE_OK) return code;
  int64_t count = batch->array->length;
  if (batch->kind == QUIRE_PUT && count > 0) {
    struct Path path = beneath(&folder->content, "objects/%u", (unsigned)batch->entity);
    code = make_folder(folder->host, &path, error);
  }
  for (int64_t row = 0; row < count && code == QUIRE_OK; row++) {
    code = write_object(writing, batch, row, error);
  }
  return code;
}

// Refuses a commit that contains a key twice.
static int32_t check_rows(const struct Record *record, struct QuireError *error) {
  int is_once = rows_sort(record->put) && rows_sort(record->removed);
  for (size_t i = 0; is_once && i < record->removed->count; i++) {
    is_once = !rows_have(record->put, record->removed->rows[i].key);
  }
  return is_once ? QUIRE_OK : fail(error, QUIRE_BAD_CHANGE, "The commit contains an object twice.");
}

static int32_t sync_objects(
    const struct Folder *folder, const struct Rows *put, struct QuireError *error) {
  int32_t code = QUIRE_OK;
  for (size_t i = 0; i < put->count && code == QUIRE_OK; i++) {
    uint64_t entity = put->rows[i].key >> KEY_BITS;
    if (i > 0 && put->rows[i - 1].key >> KEY_BITS == entity) continue;
    struct Path path = beneath(&folder->content, "objects/%" PRIu64, entity);
    code = sync_folder(folder->host, &path, error);
  }
  struct Path objects = beneath(&folder->content, "objects");
  return code == QUIRE_OK && put->count > 0 ? sync_folder(folder->host, &objects, error) : code;
}

static int32_t write_objects(struct Writing *writing, struct QuireError *error) {
  int32_t code = QUIRE_OK;
  for (uint32_t i = 0; i < writing->commit->batch_count && code == QUIRE_OK; i++) {
    code = write_batch(writing, writing->commit->batches[i], error);
  }
  if (code == QUIRE_OK) code = check_rows(&writing->record, error);
  if (code != QUIRE_OK) return code;
  return sync_objects(&writing->store->folder, writing->record.put, error);
}

// MARK: - The record

static char *copy_text(const char *text) {
  size_t count = strlen(text) + 1;
  char *copy = malloc(count);
  return copy == NULL ? NULL : memcpy(copy, text, count);
}

// Chooses the commit's number, and fills in the record except for its changes.
static int32_t begin_record(struct Writing *writing, struct QuireError *error) {
  const struct QuireCommit *commit = writing->commit;
  struct QuireStore *store = writing->store;
  struct Rows *numbers;
  int32_t code = list_records(&store->folder, &numbers, error);
  if (code != QUIRE_OK) return code;
  uint64_t highest = numbers->rows[numbers->count - 1].key - 1;
  int64_t number = commit->number != 0 ? commit->number : (int64_t)(highest + 1);
  int is_taken = number <= store->newest->commit || rows_have(numbers, (uint64_t)number + 1);
  rows_release(numbers);
  if (is_taken) {
    return fail(
        error, QUIRE_EXISTS, "'%s' has a commit %" PRId64 " or a later one already.",
        store->folder.path.text, number);
  }
  if (!record_begin(&writing->record)) return fail_memory(error);
  struct Record *record = &writing->record;
  record->number = number;
  record->previous = store->newest->commit;
  record->time = time_now();
  memcpy(record->described, store->newest->described, sizeof record->described);
  if (commit->author != NULL) record->author = copy_text(commit->author);
  if (commit->context_name != NULL) record->context_name = copy_text(commit->context_name);
  int is_whole = (commit->author == NULL || record->author != NULL)
                 && (commit->context_name == NULL || record->context_name != NULL);
  return is_whole ? QUIRE_OK : fail_memory(error);
}

// Allocates all memory before the record is written. After that only 'confirm' can fail.
static int32_t place_record(struct Writing *writing, struct QuireError *error) {
  struct QuireStore *store = writing->store;
  struct Record *record = &writing->record;
  writing->next = snapshot_next(store->newest, record, 1);
  if (writing->next == NULL) return fail_memory(error);
  if (writing->next->records_since_full >= RECORDS_BETWEEN_FULL_ONES) {
    record->living = rows_retain(writing->next->living);
    writing->next->records_since_full = 0;
  }
  return write_record(&store->folder, record, &writing->is_placed, error);
}

static int32_t ask(struct Writing *writing, struct QuireError *error) {
  const struct QuireCommit *commit = writing->commit;
  if (commit->confirm == NULL) return QUIRE_OK;
  int32_t code = commit->confirm(commit->confirm_context, snapshot_retain(writing->next));
  if (code == QUIRE_OK) return QUIRE_OK;
  // The host may reject a commit because it does not know whether the commit counts. It may still open the
  // store at this number, so the files stay. In a store whose newest commit counts on its own, the record has
  // to be removed.
  writing->may_count = writing->store->is_led;
  return fail(error, code, "The host did not confirm commit %" PRId64 ".", writing->record.number);
}

// Removes the files of a failed commit, as far as possible. No record refers to files that can't be removed.
static void undo(struct Writing *writing) {
  const struct Folder *folder = &writing->store->folder;
  const struct Record *record = &writing->record;
  if (record->put == NULL || writing->may_count) return;
  if (writing->is_placed) {
    struct Path commits = beneath(&folder->content, "commits");
    struct Path path = beneath(&commits, "%" PRId64, record->number);
    remove_file(folder->host, &path);
    // The files that the record refers to stay until the removal of the record is durable.
    if (sync_folder(folder->host, &commits, NULL) != QUIRE_OK) return;
  }
  for (size_t i = 0; i < record->put->count; i++) {
    struct Path path = object_path(folder, record->put->rows[i].key, record->number);
    remove_file(folder->host, &path);
  }
  for (int32_t what = 0; what < 3; what++) {
    struct Path path = description_path(folder, what, record->number);
    if (record->described[what].commit == record->number) remove_file(folder->host, &path);
  }
}

static int32_t write_all(struct Writing *writing, struct QuireError *error) {
  struct QuireStore *store = writing->store;
  int64_t newest = store->newest->commit;
  if (writing->commit->after != newest) {
    return fail(
        error, QUIRE_OVERTAKEN, "The newest commit of '%s' is %" PRId64 ", not %" PRId64 ".",
        store->folder.path.text, newest, writing->commit->after);
  }
  sweep(store);
  int32_t code = begin_record(writing, error);
  if (code == QUIRE_OK) code = write_objects(writing, error);
  if (code == QUIRE_OK) code = write_descriptions(writing, error);
  if (code == QUIRE_OK) code = keep_keys(store, writing->record.put, error);
  if (code == QUIRE_OK) code = place_record(writing, error);
  if (code == QUIRE_OK) code = ask(writing, error);
  if (code != QUIRE_OK) undo(writing);
  return code;
}

int32_t store_commit(
    struct QuireStore *store, const struct QuireCommit *commit, struct QuireCommitted *committed,
    struct QuireError *error) {
  int32_t lock;
  if (commit->path != NULL && strcmp(commit->path, store->folder.path.text) != 0) {
    return fail(error, QUIRE_NOT_SUPPORTED, "A folder store can't write its commits to another path.");
  }
  int32_t code = begin_writing(store, &lock, error);
  if (code != QUIRE_OK) return code;
  struct Writing writing = {.store = store, .commit = commit};
  code = write_all(&writing, error);
  give_lock(&store->folder, lock);
  if (code == QUIRE_OK) {
    struct QuireSnapshot *next = snapshot_retain(writing.next);
    snapshot_release(store->newest);
    store->newest = next;
    committed->snapshot = snapshot_retain(next);
    committed->table = next->table_count > 1 ? next->tables[next->table_count - 1]->id : 0;
  }
  snapshot_release(writing.next);
  record_end(&writing.record);
  return code;
}
