#ifndef LMDB_STORE_QUERY_H
#define LMDB_STORE_QUERY_H

// Predicates: their evaluation on records in place.
//
// The store understands comparisons of a column with constants, and AND, OR and NOT. Any other part of a
// predicate may be true or false. So an object may have an unknown result, and is then a candidate, which the host
// tests.

#include "index.h"

// The tree of a predicate, for the rows of one layout.
struct Predicate {
  const struct QuireNode *nodes;
  uint64_t node_count;
  const struct Layout *layout;
  // For each node: the index of the column that a comparison tests; -1 for what the store does not understand.
  int *columns;
};

enum Truth { NO, UNKNOWN, YES };

// Finds the columns of the comparisons in a layout.
void predicate_use(struct Predicate *predicate, const struct Layout *layout);
enum Truth predicate_test(const struct Predicate *predicate, const MDB_val *record);

// Finds a search of an index that finds all objects of an entity for which the predicate can be true, and maybe
// more. Returns 0 if there is none.
int predicate_range(
    const struct Predicate *predicate, const struct Indexes *indexes, uint16_t entity,
    struct IndexRange *range);

#endif
