// Reserves keys for new objects. The file 'keys' has one line for each entity, with the next free key.

#include <inttypes.h>

#include "store.h"

// The next keys are rows: the upper bits of a row's key contain the entity, and its commit contains the next
// key.
static int read_next(struct Piece line, struct Rows *next) {
  struct Piece word;
  uint64_t entity, key;
  if (!take_word(&line, &word) || !piece_is(word, "next")) return 0;
  if (!take_word(&line, &word) || !piece_number(word, &entity) || !piece_number(line, &key)) {
    return 0;
  }
  return entity > 0 && entity <= UINT16_MAX && key <= HIGHEST_KEY + 1
         && rows_add(next, entity << KEY_BITS, (int64_t)key);
}

static int32_t read_keys(
    const struct Folder *folder, struct Rows *next, struct QuireError *error) {
  struct Path path = beneath(&folder->content, "keys");
  struct Text text;
  if (kind_at(folder->host, &path, NULL) < 0) return QUIRE_OK;
  int32_t code = read_sealed(folder->host, &path, &text, error);
  if (code != QUIRE_OK) return code;
  struct Piece rest = {text.bytes, text.count}, line;
  int is_good = 1;
  while (is_good && rest.count > 0) is_good = take_line(&rest, &line) && read_next(line, next);
  text_free(&text);
  if (is_good && rows_sort(next)) return QUIRE_OK;
  return fail(error, QUIRE_DAMAGED, "'%s' is damaged: a line contains no key.", path.text);
}

static int32_t write_keys(
    const struct Folder *folder, const struct Rows *next, struct QuireError *error) {
  struct Text text = {0};
  for (size_t i = 0; i < next->count; i++) {
    text_format(
        &text, "next %" PRIu64 " %" PRId64 "\n", next->rows[i].key >> KEY_BITS,
        next->rows[i].commit);
  }
  text_seal(&text);
  int32_t code = replace_file(folder->host, &folder->content, "keys", &text, NULL, error);
  text_free(&text);
  return code;
}

// Returns the entity's row among the next keys; NULL if memory runs out.
static struct Row *next_of(struct Rows *next, uint16_t entity) {
  uint64_t key = (uint64_t)entity << KEY_BITS;
  if (!rows_have(next, key) && (!rows_add(next, key, 1) || !rows_sort(next))) return NULL;
  return &next->rows[rows_search(next, key)];
}

// Raises the next key of each entity above the keys of its rows. Returns 0 if memory runs out.
static int raise_above(struct Rows *next, const struct Rows *rows, int *is_raised) {
  for (size_t i = 0; i < rows->count; i++) {
    uint64_t entity = rows->rows[i].key >> KEY_BITS;
    // Only the last row of an entity matters, because it has the highest key.
    if (i + 1 < rows->count && rows->rows[i + 1].key >> KEY_BITS == entity) continue;
    struct Row *place = next_of(next, (uint16_t)entity);
    if (place == NULL) return 0;
    int64_t above = (int64_t)(rows->rows[i].key & HIGHEST_KEY) + 1;
    if (place->commit >= above) continue;
    place->commit = above;
    *is_raised = 1;
  }
  return 1;
}

int32_t keep_keys(struct QuireStore *store, const struct Rows *put, struct QuireError *error) {
  struct Rows *next = rows_new();
  if (next == NULL) return fail_memory(error);
  int is_raised = 0;
  int32_t code = read_keys(&store->folder, next, error);
  if (code == QUIRE_OK && !raise_above(next, put, &is_raised)) code = fail_memory(error);
  if (code == QUIRE_OK && is_raised) code = write_keys(&store->folder, next, error);
  rows_release(next);
  return code;
}

static int32_t lease(
    struct QuireStore *store, struct Rows *next, uint16_t entity, uint64_t count,
    uint64_t *first, struct QuireError *error) {
  int is_raised = 0;
  int32_t code = read_keys(&store->folder, next, error);
  if (code != QUIRE_OK) return code;
  if (!raise_above(next, store->newest->living, &is_raised)) return fail_memory(error);
  struct Row *place = next_of(next, entity);
  if (place == NULL) return fail_memory(error);
  if (place->commit < 1) place->commit = 1;
  if (count > HIGHEST_KEY + 1 - (uint64_t)place->commit) {
    return fail(
        error, QUIRE_FAILED, "'%s' has no %" PRIu64 " keys left for entity %u.",
        store->folder.path.text, count, (unsigned)entity);
  }
  *first = (uint64_t)place->commit;
  place->commit += (int64_t)count;
  return write_keys(&store->folder, next, error);
}

int32_t store_lease_keys(
    struct QuireStore *store, uint16_t entity, uint64_t count, uint64_t *first, uint64_t *leased,
    struct QuireError *error) {
  int32_t lock;
  uint64_t start = 0;
  if (count == 0) count = 1;
  if (entity == 0) return fail(error, QUIRE_FAILED, "Entity 0 does not exist: entities are numbered from 1.");
  int32_t code = begin_writing(store, &lock, error);
  if (code != QUIRE_OK) return code;
  struct Rows *next = rows_new();
  code = next == NULL ? fail_memory(error) : lease(store, next, entity, count, &start, error);
  rows_release(next);
  give_lock(&store->folder, lock);
  if (code != QUIRE_OK) return code;
  *first = start;
  *leased = count;
  return QUIRE_OK;
}
