// Answers requests: finds the objects of each entity in an index or by a scan, and tests their records in place.

#include "query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

// A search in an index that finds more of an entity's rows than this part of all rows is slower than a scan.
enum { SCAN_SHARE = 8 };

struct Search {
  struct Environment *environment;
  MDB_txn *transaction;
  MDB_cursor *rows;
  const struct QuireQuery *query;
  struct Indexes indexes;
  struct Predicate predicate;
  struct Layout layout;
  // The found objects, and how many are needed; 0 for all.
  struct Bytes found;
  uint64_t needed;
  // Whether an object with an unknown result was found, and whether an object was excluded.
  int has_candidates;
  int has_excluded;
};

static uint64_t found_count(const struct Search *search) {
  return search->found.count / sizeof(struct QuireFound);
}

static int is_done(const struct Search *search) {
  return search->needed > 0 && found_count(search) >= search->needed;
}

// MARK: - Rows

static int32_t test_row(
    struct Search *search, uint64_t key, const MDB_val *record, struct QuireError *error) {
  uint16_t entity = (uint16_t)(key >> KEY_BITS);
  struct RecordHeader header;
  struct Layout *layout = &search->layout;
  if (!record_header(record, &header)) {
    return fail(
        error, QUIRE_DAMAGED, "A record of '%s' is damaged.", search->environment->path);
  }
  if (layout->columns == NULL || layout->entity != entity || layout->number != header.layout) {
    layout_end(layout);
    int32_t code = layout_read(
        search->transaction, search->environment, entity, header.layout, layout, error);
    if (code != QUIRE_OK) return code;
    predicate_use(&search->predicate, layout);
  }
  if (!record_check(layout, record)) {
    return fail(
        error, QUIRE_DAMAGED, "A record of '%s' is damaged.", search->environment->path);
  }
  enum Truth truth = predicate_test(&search->predicate, record);
  search->has_candidates |= truth == UNKNOWN;
  search->has_excluded |= truth == NO;
  if (truth == NO) return QUIRE_OK;
  struct QuireFound *place = bytes_grow(&search->found, sizeof *place);
  if (place == NULL) return fail_memory(error);
  *place = (struct QuireFound){.entity = entity, .key = key & HIGHEST_KEY};
  return QUIRE_OK;
}

static int32_t scan(struct Search *search, uint16_t entity, struct QuireError *error) {
  uint8_t place[8];
  MDB_val key = {sizeof place, place}, record;
  int32_t code = QUIRE_OK;
  store_big(place, (uint64_t)entity << KEY_BITS);
  int result = mdb_cursor_get(search->rows, &key, &record, MDB_SET_RANGE);
  while (result == 0 && code == QUIRE_OK && !is_done(search)) {
    uint64_t row = key.mv_size == sizeof place ? load_big(key.mv_data) : 0;
    if (row >> KEY_BITS != entity) break;
    code = test_row(search, row, &record, error);
    result = mdb_cursor_get(search->rows, &key, &record, MDB_NEXT);
  }
  if (code != QUIRE_OK || result == 0 || result == MDB_NOTFOUND) return code;
  return fail_lmdb(error, result, "read", search->environment->path);
}

static int compare_keys(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

// Tests the rows that an index has found, in the order of their keys.
static int32_t test_keys(struct Search *search, struct Bytes *bytes, struct QuireError *error) {
  uint64_t *keys = (uint64_t *)(void *)bytes->start;
  size_t count = bytes->count / sizeof *keys;
  int32_t code = QUIRE_OK;
  search->has_excluded = 1;
  if (count > 1) qsort(keys, count, sizeof *keys, compare_keys);
  for (size_t i = 0; i < count && code == QUIRE_OK && !is_done(search); i++) {
    uint8_t place[8];
    MDB_val key = {sizeof place, place}, record;
    store_big(place, keys[i]);
    int result = mdb_cursor_get(search->rows, &key, &record, MDB_SET);
    code = result == 0 ? test_row(search, keys[i], &record, error)
                       : fail_lmdb(error, result, "read", search->environment->path);
  }
  return code;
}

static int32_t search_entity(
    struct Search *search, uint16_t entity, struct QuireError *error) {
  struct IndexRange range;
  MDB_stat stat;
  if (!predicate_range(&search->predicate, &search->indexes, entity, &range)) {
    return scan(search, entity, error);
  }
  int is_many = 0;
  struct Bytes keys = {0};
  mdb_stat(search->transaction, search->environment->databases[ROWS], &stat);
  int result = index_search(
      search->transaction, search->environment, &range, stat.ms_entries / SCAN_SHARE + 1, &keys,
      &is_many);
  int32_t code = result != 0 ? fail_lmdb(error, result, "search", search->environment->path)
                 : is_many   ? scan(search, entity, error)
                             : test_keys(search, &keys, error);
  free(keys.start);
  return code;
}

// MARK: - Requests

// Finds the objects, entity by entity, each in the order of the keys.
static int32_t search_all(struct Search *search, struct QuireError *error) {
  const struct QuireQuery *query = search->query;
  int result = mdb_cursor_open(
      search->transaction, search->environment->databases[ROWS], &search->rows);
  if (result != 0) return fail_lmdb(error, result, "read", search->environment->path);
  int32_t code =
      indexes_read(search->transaction, search->environment, &search->indexes, error);
  for (uint64_t i = 0; i < query->entity_count && code == QUIRE_OK; i++) {
    code = search_entity(search, query->entities[i], error);
  }
  mdb_cursor_close(search->rows);
  indexes_end(&search->indexes);
  layout_end(&search->layout);
  return code;
}

static int32_t answer(
    struct Search *search, uint32_t *answered,
    int32_t (*take)(void *context, const struct QuireFound *found, uint64_t count), void *context,
    struct QuireError *error) {
  const struct QuireQuery *query = search->query;
  const struct QuireFound *all = (const struct QuireFound *)(const void *)search->found.start;
  uint64_t first = 0, count = found_count(search);
  if (search->has_candidates && !search->has_excluded) {
    return fail(
        error, QUIRE_NOT_SUPPORTED, "An LMDB store understands comparisons of attributes with constants.");
  }
  *answered = search->has_candidates ? QUIRE_ANSWERED_CANDIDATES : QUIRE_ANSWERED_PREDICATE;
  // Without sort keys the objects have the order of their keys, and the page is known.
  if (!search->has_candidates && query->key_count == 0) {
    *answered |= QUIRE_ANSWERED_ORDER | QUIRE_ANSWERED_LIMIT;
    first = query->offset < count ? query->offset : count;
    count -= first;
    if (query->limit > 0 && count > query->limit) count = query->limit;
  }
  int32_t code = count == 0 ? QUIRE_OK : take(context, all + first, count);
  return code == QUIRE_OK ? code : fail(error, code, "The host refused the found objects.");
}

static int32_t search_with(
    struct Search *search, struct View *view, uint64_t needed, struct QuireError *error) {
  search->needed = needed;
  search->found.count = 0;
  search->has_candidates = search->has_excluded = 0;
  search->transaction = view_borrow(view);
  int32_t code = search_all(search, error);
  view_return(view, search->transaction);
  return code;
}

int32_t snapshot_query(
    struct QuireSnapshot *snapshot, const struct QuireQuery *query, uint32_t *answered,
    int32_t (*take)(void *context, const struct QuireFound *found, uint64_t count), void *context,
    struct QuireError *error) {
  struct Search search = {
      .environment = view_environment(snapshot->view), .query = query,
      .predicate = {.nodes = query->nodes, .node_count = query->node_count}};
  search.predicate.columns = calloc(search.predicate.node_count + 1, sizeof(int));
  if (search.predicate.columns == NULL) return fail_memory(error);
  int has_page = query->limit > 0 && query->key_count == 0 && query->offset < UINT64_MAX - query->limit;
  int32_t code =
      search_with(&search, snapshot->view, has_page ? query->offset + query->limit : 0, error);
  // A page of candidates may lack objects of the page that the host finds among all candidates.
  if (code == QUIRE_OK && has_page && search.has_candidates) {
    code = search_with(&search, snapshot->view, 0, error);
  }
  if (code == QUIRE_OK) code = answer(&search, answered, take, context, error);
  free(search.predicate.columns);
  free(search.found.start);
  return code;
}
