// Reads the chain of commit records, and makes snapshots from them.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

static int32_t take_record(void *context, const char *name, int32_t kind) {
  uint64_t number;
  struct Piece piece = {name, strlen(name)};
  // Other files are unfinished records or litter.
  if (kind == QUIRE_DISK_DIRECTORY || !piece_number(piece, &number) || number > INT64_MAX) {
    return QUIRE_OK;
  }
  return rows_add(context, number + 1, 0) ? QUIRE_OK : QUIRE_FAILED;
}

int32_t list_records(
    const struct Folder *folder, struct Rows **numbers, struct QuireError *error) {
  struct Path path = beneath(&folder->content, "commits");
  *numbers = rows_new();
  if (*numbers == NULL) return fail_memory(error);
  int32_t code = list_folder(folder->host, &path, take_record, *numbers, error);
  if (code == QUIRE_OK && (!rows_sort(*numbers) || (*numbers)->count == 0)) {
    code = fail(error, QUIRE_DAMAGED, "'%s' contains no commit.", path.text);
  }
  if (code == QUIRE_OK) return code;
  rows_release(*numbers);
  *numbers = NULL;
  return code;
}

// MARK: - Loading

// Records, the newest first.
struct Chain {
  struct Record *records;
  size_t count;
  size_t capacity;
};

static struct Record *chain_add(struct Chain *chain) {
  if (chain->count == chain->capacity) {
    size_t capacity = chain->capacity == 0 ? 8 : chain->capacity * 2;
    struct Record *records = realloc(chain->records, capacity * sizeof *records);
    if (records == NULL) return NULL;
    chain->records = records;
    chain->capacity = capacity;
  }
  return &chain->records[chain->count++];
}

static void chain_end(struct Chain *chain) {
  for (size_t i = 0; i < chain->count; i++) record_end(&chain->records[i]);
  free(chain->records);
}

// Reads records until one follows the known snapshot or is full. The numbers descend, so the loop ends.
static int32_t read_chain(
    const struct Folder *folder, int64_t number, const struct QuireSnapshot *known,
    struct Chain *chain, struct QuireError *error) {
  for (;;) {
    struct Record *record = chain_add(chain);
    if (record == NULL) return fail_memory(error);
    int32_t code = read_record(folder, number, record, error);
    if (code != QUIRE_OK) {
      chain->count--;
      return code;
    }
    if (known != NULL && record->previous == known->commit) return QUIRE_OK;
    if (record->living != NULL) return QUIRE_OK;
    number = record->previous;
  }
}

int32_t load_commit(
    struct QuireStore *store, int64_t number, const struct QuireSnapshot *known,
    struct QuireSnapshot **snapshot, struct QuireError *error) {
  struct Chain chain = {0};
  int32_t code = read_chain(&store->folder, number, known, &chain, error);
  struct QuireSnapshot *last = NULL;
  size_t left = chain.count;
  int is_continuing = 0;
  if (code == QUIRE_OK) {
    const struct Record *oldest = &chain.records[left - 1];
    is_continuing = known != NULL && oldest->previous == known->commit;
    last = is_continuing ? snapshot_next(known, oldest, 1) : snapshot_begin(store, oldest);
    left--;
  }
  for (; last != NULL && left > 0; left--) {
    struct QuireSnapshot *next = snapshot_next(last, &chain.records[left - 1], is_continuing);
    snapshot_release(last);
    last = next;
  }
  chain_end(&chain);
  if (code != QUIRE_OK) return code;
  if (last == NULL) return fail_memory(error);
  *snapshot = last;
  return QUIRE_OK;
}

// Whether the records of all tables exist. If a record was removed, its objects may be missing.
static int has_tables(const struct QuireSnapshot *snapshot, const struct Rows *numbers) {
  for (uint32_t i = 0; i < snapshot->table_count; i++) {
    if (!rows_have(numbers, (uint64_t)snapshot->tables[i]->version + 1)) return 0;
  }
  return 1;
}

static int32_t go_among(
    struct QuireStore *store, int64_t number, const struct Rows *numbers,
    struct QuireError *error) {
  struct QuireSnapshot *known = store->newest;
  int is_there = known != NULL && has_tables(known, numbers);
  if (is_there && known->commit == number) return QUIRE_OK;
  if (!is_there || number < known->commit) known = NULL;
  struct QuireSnapshot *next;
  int32_t code = load_commit(store, number, known, &next, error);
  if (code != QUIRE_OK) return code;
  snapshot_release(store->newest);
  store->newest = next;
  return QUIRE_OK;
}

int32_t go_to(struct QuireStore *store, int64_t number, struct QuireError *error) {
  struct Rows *numbers;
  int32_t code = list_records(&store->folder, &numbers, error);
  if (code != QUIRE_OK) return code;
  if (number < 0) number = (int64_t)(numbers->rows[numbers->count - 1].key - 1);
  if (rows_have(numbers, (uint64_t)number + 1)) {
    code = go_among(store, number, numbers, error);
  } else {
    code = fail(
        error, QUIRE_NOT_FOUND, "'%s' has no commit %" PRId64 ".", store->folder.path.text,
        number);
  }
  rows_release(numbers);
  return code;
}

int32_t refresh(struct QuireStore *store, struct QuireError *error) {
  // If the host decides which commit counts, the store stays at the commit that the host chose.
  return store->is_led ? QUIRE_OK : go_to(store, -1, error);
}

// MARK: - Beginning

int32_t check_open(
    const struct QuireStore *store, int is_writing, struct QuireError *error) {
  if (store->is_closed) {
    return fail(error, QUIRE_CLOSED, "'%s' was closed.", store->folder.path.text);
  }
  if (is_writing && store->is_read_only) {
    return fail(
        error, QUIRE_READ_ONLY, "'%s' was opened for reading only.", store->folder.path.text);
  }
  return QUIRE_OK;
}

int32_t begin_writing(struct QuireStore *store, int32_t *lock, struct QuireError *error) {
  struct Folder there;
  int32_t code = check_open(store, 1, error);
  if (code == QUIRE_OK) code = take_lock(&store->folder, lock, error);
  if (code != QUIRE_OK) return code;
  code = read_marker(store->folder.host, store->folder.path.text, &there, error);
  if (code == QUIRE_OK && strcmp(there.content.text, store->folder.content.text) != 0) {
    code = fail(
        error, QUIRE_NOT_FOUND, "Another store has replaced '%s'. Open it again.",
        store->folder.path.text);
  }
  if (code == QUIRE_OK) code = refresh(store, error);
  if (code != QUIRE_OK) give_lock(&store->folder, *lock);
  return code;
}
