// Chooses the search of an index for a predicate.

#include <string.h>

#include "query.h"

// The groups of the kinds of columns in a schema.
static enum Group group_of_kind(uint8_t kind) {
  return kind == 1 ? BOOLEANS : kind <= 6 ? NUMBERS : kind == 7 ? DATES : kind == 13 ? REFERENCES : TEXTS;
}

// Makes the value of an entry from a constant. Returns 0 if the entries can't be searched for the constant.
static int index_constant(
    uint8_t kind, const struct QuireNode *constant, int is_whole, struct IndexValue *value) {
  int has_wholes = kind <= 4, is_real = constant->detail != QUIRE_WHOLE;
  if (!fits(group_of_kind(kind), constant)) return 0;
  switch (group_of_kind(kind)) {
    case TEXTS:
      // Entries end texts with a zero byte.
      if (memchr(constant->bytes, 0, constant->byte_count) != NULL) return 0;
      *value = index_text(constant->bytes, constant->byte_count, is_whole);
      return 1;
    case REFERENCES:
      *value = index_reference((uint64_t)constant->detail << KEY_BITS | (uint64_t)constant->whole);
      return 1;
    case BOOLEANS: *value = index_whole(constant->whole); return 1;
    case NUMBERS:
      if (has_wholes && is_real) return 0;
      if (has_wholes) *value = index_whole(constant->whole);
      // Rounding keeps the order, and the rows are tested again.
      if (!has_wholes) *value = index_number(is_real ? constant->number : (double)constant->whole);
      return 1;
    default: *value = index_number(constant->number); return 1;
  }
}

// Finds the range of an index for one comparison.
static int comparison_range(
    const struct QuireNode *comparison, const struct Index *index, struct IndexRange *range) {
  const struct QuireNode *right = next_to(comparison + 1);
  if (!is_understood(comparison, group_of_kind(index->kind), right)) return 0;
  *range = (struct IndexRange){.index = index->number};
  switch (comparison->detail) {
    case QUIRE_EQUAL:
      if (asks_for_null(comparison, right)) return 0;
      if (!index_constant(index->kind, right, 1, &range->lower)) return 0;
      range->upper = range->lower;
      return 1;
    case QUIRE_BEGINS_WITH:
      if (!index_constant(index->kind, right, 0, &range->lower)) return 0;
      range->upper = range->lower;
      return 1;
    case QUIRE_LESS: case QUIRE_LESS_OR_EQUAL:
      return index_constant(index->kind, right, 0, &range->upper);
    case QUIRE_GREATER: case QUIRE_GREATER_OR_EQUAL:
      return index_constant(index->kind, right, 0, &range->lower);
    case QUIRE_BETWEEN:
      return index_constant(index->kind, right + 1, 0, &range->lower)
             && index_constant(index->kind, next_to(right + 1), 0, &range->upper);
    default: return 0;
  }
}

// Of several conditions that must all hold, one for equality is the best.
static int better_range(
    const struct QuireNode *node, const struct Indexes *indexes, uint16_t entity,
    struct IndexRange *range) {
  int best = 0;
  const struct QuireNode *part = node + 1;
  if (node->kind == QUIRE_AND) {
    for (uint32_t i = 0; i < node->part_count; i++, part = next_to(part)) {
      struct IndexRange found;
      int rank = better_range(part, indexes, entity, &found);
      if (rank > best) *range = found;
      if (rank > best) best = rank;
    }
    return best;
  }
  const char *name = node->kind == QUIRE_COMPARISON ? own_property(node) : NULL;
  for (size_t i = 0; name != NULL && i < indexes->count; i++) {
    const struct Index *index = &indexes->all[i];
    if (index->entity != entity || strcmp(index->column, name) != 0) continue;
    if (comparison_range(node, index, range)) return node->detail == QUIRE_EQUAL ? 2 : 1;
  }
  return 0;
}

int predicate_range(
    const struct Predicate *predicate, const struct Indexes *indexes, uint16_t entity,
    struct IndexRange *range) {
  return predicate->node_count > 0 && better_range(predicate->nodes, indexes, entity, range) > 0;
}
