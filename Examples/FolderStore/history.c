// Lists the commits that can be opened.

#include <inttypes.h>

#include "store.h"

// Calls 'visit' with the record of each commit, the newest first, until it returns a value other than
// QUIRE_OK.
static int32_t walk(
    struct QuireStore *store, const struct Kept *kept,
    int32_t (*visit)(void *context, const struct Record *record), void *context,
    struct QuireError *error) {
  int64_t number = store->newest->commit;
  while (number >= 0) {
    struct Record record;
    int32_t code = read_record(&store->folder, number, &record, error);
    if (code != QUIRE_OK) return code;
    code = visit(context, &record);
    number = listed_before(&record, kept);
    record_end(&record);
    if (code != QUIRE_OK) return fail(error, code, "The host refused the list of commits.");
  }
  return QUIRE_OK;
}

// MARK: - Listing

struct Telling {
  int32_t (*take)(void *context, const struct QuireCommitSummary *commit);
  void *context;
};

static int32_t tell(void *context, const struct Record *record) {
  struct Telling *telling = context;
  struct QuireCommitSummary summary = {
      sizeof summary, record->number, record->time, record->author, record->context_name};
  return telling->take(telling->context, &summary);
}

int32_t store_commits(
    struct QuireStore *store,
    int32_t (*take)(void *context, const struct QuireCommitSummary *commit), void *context,
    struct QuireError *error) {
  struct Kept kept;
  int32_t code = check_open(store, 0, error);
  if (code == QUIRE_OK) code = refresh(store, error);
  if (code == QUIRE_OK) code = read_kept(&store->folder, &kept, error);
  if (code != QUIRE_OK) return code;
  struct Telling telling = {take, context};
  code = walk(store, &kept, tell, &telling, error);
  rows_release(kept.numbers);
  return code;
}

static int32_t add_number(void *context, const struct Record *record) {
  return rows_add(context, (uint64_t)record->number + 1, 0) ? QUIRE_OK : QUIRE_FAILED;
}

int32_t list_commits(
    struct QuireStore *store, const struct Kept *kept, struct Rows **numbers,
    struct QuireError *error) {
  *numbers = rows_new();
  if (*numbers == NULL) return fail_memory(error);
  int32_t code = walk(store, kept, add_number, *numbers, error);
  rows_sort(*numbers);
  return code;
}

int32_t store_snapshot_of(
    struct QuireStore *store, int64_t commit, struct QuireSnapshot **snapshot,
    struct QuireError *error) {
  struct Kept kept = {0};
  struct Rows *numbers = NULL;
  int32_t code = check_open(store, 0, error);
  if (code == QUIRE_OK) code = refresh(store, error);
  if (code == QUIRE_OK) code = read_kept(&store->folder, &kept, error);
  if (code != QUIRE_OK) return code;
  code = list_commits(store, &kept, &numbers, error);
  if (code == QUIRE_OK && (commit < 0 || !rows_have(numbers, (uint64_t)commit + 1))) {
    code = fail(
        error, QUIRE_NOT_FOUND, "'%s' has no commit %" PRId64 ", or has removed it.",
        store->folder.path.text, commit);
  }
  if (code == QUIRE_OK && commit == store->newest->commit) {
    *snapshot = snapshot_retain(store->newest);
  } else if (code == QUIRE_OK) {
    code = load_commit(store, commit, NULL, snapshot, error);
  }
  rows_release(numbers);
  rows_release(kept.numbers);
  return code;
}
