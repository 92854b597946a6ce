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

// --- Comparisons, for both files

// The groups of columns whose values have one order.
enum Group { BOOLEANS, NUMBERS, DATES, TEXTS, REFERENCES, OTHERS };

// Returns the node behind a node and its parts.
static inline const struct QuireNode *next_to(const struct QuireNode *node) {
  return node + node->node_count;
}
// Whether a constant can be compared with the values of a group.
int fits(enum Group group, const struct QuireNode *constant);
// Whether a comparison asks for a missing value.
int asks_for_null(const struct QuireNode *comparison, const struct QuireNode *right);
// Whether the store understands a comparison of a group of columns with the right side.
int is_understood(
    const struct QuireNode *comparison, enum Group group, const struct QuireNode *right);
// Returns the left side of a comparison if it is a property of the object itself; otherwise NULL.
const char *own_property(const struct QuireNode *comparison);

#endif
