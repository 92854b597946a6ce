// Evaluates predicates as the host does: a comparison with a missing value is false (docs/predicates.md).

#include <float.h>
#include <math.h>
#include <string.h>

#include "query.h"

// A long double holds every whole number of 64 bits and every double, so numbers of all types are compared exactly.
_Static_assert(LDBL_MANT_DIG >= 64, "long double is too short");

// MARK: - Types

static enum Group group_of(const struct Column *column) {
  const char *extension = column->extension;
  int is_plain = extension[0] == 0;
  switch (column->format[0]) {
    case 'b': return BOOLEANS;
    case 's': case 'i': case 'l': case 'f': return NUMBERS;
    case 'g': return is_plain ? NUMBERS : strcmp(extension, "quire.date") == 0 ? DATES : OTHERS;
    case 'u': return is_plain || strcmp(extension, "quire.uri") == 0 ? TEXTS : OTHERS;
    case 'L': return strcmp(extension, "quire.reference") == 0 ? REFERENCES : OTHERS;
    default: return OTHERS;
  }
}

int fits(enum Group group, const struct QuireNode *constant) {
  if (constant->kind == QUIRE_OBJECT) return group == REFERENCES;
  if (constant->kind != QUIRE_VALUE) return 0;
  switch (constant->detail) {
    case QUIRE_BOOL: return group == BOOLEANS;
    case QUIRE_WHOLE: return group == NUMBERS;
    case QUIRE_NUMBER: return group == NUMBERS && !isnan(constant->number);
    case QUIRE_DATE: return group == DATES && !isnan(constant->number);
    case QUIRE_TEXT: return group == TEXTS;
    default: return 0;
  }
}

int asks_for_null(const struct QuireNode *comparison, const struct QuireNode *right) {
  return (comparison->detail == QUIRE_EQUAL || comparison->detail == QUIRE_NOT_EQUAL)
         && right->kind == QUIRE_VALUE && right->detail == QUIRE_NULL;
}

int is_understood(
    const struct QuireNode *comparison, enum Group group, const struct QuireNode *right) {
  if (comparison->options != 0) return 0;
  if (asks_for_null(comparison, right)) return 1;
  int has_order = group == NUMBERS || group == DATES || group == TEXTS;
  const struct QuireNode *part = right + 1;
  switch (comparison->detail) {
    case QUIRE_EQUAL: case QUIRE_NOT_EQUAL: return fits(group, right);
    case QUIRE_LESS: case QUIRE_LESS_OR_EQUAL: case QUIRE_GREATER: case QUIRE_GREATER_OR_EQUAL:
      return has_order && fits(group, right);
    case QUIRE_BETWEEN:
      return has_order && right->kind == QUIRE_LIST && right->part_count == 2
             && fits(group, part) && fits(group, next_to(part));
    case QUIRE_IN:
      if (right->kind != QUIRE_LIST) return 0;
      for (uint32_t i = 0; i < right->part_count; i++, part = next_to(part)) {
        if (!fits(group, part)) return 0;
      }
      return 1;
    case QUIRE_CONTAINS: case QUIRE_BEGINS_WITH: case QUIRE_ENDS_WITH:
      return group == TEXTS && fits(group, right) && right->byte_count > 0;
    default: return 0;
  }
}

const char *own_property(const struct QuireNode *comparison) {
  const struct QuireNode *path = comparison + 1;
  int is_own = path->kind == QUIRE_PATH && path->part_count == 1 && path[1].kind == QUIRE_SELF;
  return is_own ? (const char *)path->bytes : NULL;
}

void predicate_use(struct Predicate *predicate, const struct Layout *layout) {
  predicate->layout = layout;
  for (uint64_t i = 0; i < predicate->node_count; i++) {
    const struct QuireNode *node = &predicate->nodes[i];
    predicate->columns[i] = -1;
    if (node->kind != QUIRE_COMPARISON) continue;
    const char *name = own_property(node);
    int index = name == NULL ? -1 : layout_index(layout, name);
    if (index < 0) continue;
    enum Group group = group_of(&layout->columns[index]);
    if (is_understood(node, group, next_to(node + 1))) predicate->columns[i] = index;
  }
}

// MARK: - Values

// A value of a record or of a constant.
struct Operand {
  enum Group group;
  long double number; // Of booleans, numbers and dates.
  uint64_t reference;
  const uint8_t *text;
  size_t count;
};

static struct Operand constant_operand(enum Group group, const struct QuireNode *node) {
  struct Operand operand = {.group = group, .text = node->bytes, .count = node->byte_count};
  int is_real = node->detail == QUIRE_NUMBER || node->detail == QUIRE_DATE;
  if (node->kind == QUIRE_OBJECT) {
    operand.reference = (uint64_t)node->detail << KEY_BITS | (uint64_t)node->whole;
  } else {
    operand.number = is_real ? (long double)node->number : (long double)node->whole;
  }
  return operand;
}

static struct Operand record_operand(
    const struct Layout *layout, const MDB_val *record, const struct Column *column) {
  struct Operand operand = {.group = group_of(column)};
  const uint8_t *bytes = record_value(record, column);
  int16_t small;
  int32_t medium;
  int64_t large;
  float single;
  double number;
  uint32_t count;
  switch (column->format[0]) {
    case 'b': operand.number = *bytes; break;
    case 's': memcpy(&small, bytes, sizeof small); operand.number = small; break;
    case 'i': memcpy(&medium, bytes, sizeof medium); operand.number = medium; break;
    case 'l': memcpy(&large, bytes, sizeof large); operand.number = large; break;
    case 'f': memcpy(&single, bytes, sizeof single); operand.number = single; break;
    case 'g': memcpy(&number, bytes, sizeof number); operand.number = number; break;
    case 'L': memcpy(&operand.reference, bytes, sizeof operand.reference); break;
    case 'u':
      operand.text = record_text(layout, record, column, &count);
      operand.count = count;
      break;
  }
  return operand;
}

// Returns a number below, at or above 0. Texts are compared by their bytes. "Not a number" has no order, for which
// the result is 2.
static int order(const struct Operand *left, const struct Operand *right) {
  if (left->group == REFERENCES) return left->reference == right->reference ? 0 : 1;
  if (left->group != TEXTS) {
    if (left->number == right->number) return 0;
    return left->number < right->number ? -1 : left->number > right->number ? 1 : 2;
  }
  size_t count = left->count < right->count ? left->count : right->count;
  int found = count == 0 ? 0 : memcmp(left->text, right->text, count);
  if (found != 0) return found < 0 ? -1 : 1;
  return left->count < right->count ? -1 : left->count > right->count;
}

static int contains(const struct Operand *text, const struct Operand *part) {
  for (size_t at = 0; part->count <= text->count && at <= text->count - part->count; at++) {
    if (memcmp(text->text + at, part->text, part->count) == 0) return 1;
  }
  return 0;
}

static int begins(const struct Operand *text, const struct Operand *part) {
  return part->count <= text->count && memcmp(text->text, part->text, part->count) == 0;
}

static int ends(const struct Operand *text, const struct Operand *part) {
  return part->count <= text->count
         && memcmp(text->text + text->count - part->count, part->text, part->count) == 0;
}

// MARK: - Evaluation

static int is_among(const struct Operand *left, const struct QuireNode *list) {
  const struct QuireNode *part = list + 1;
  for (uint32_t i = 0; i < list->part_count; i++, part = next_to(part)) {
    struct Operand right = constant_operand(left->group, part);
    if (order(left, &right) == 0) return 1;
  }
  return 0;
}

static int is_between(const struct Operand *left, const struct QuireNode *list) {
  struct Operand low = constant_operand(left->group, list + 1);
  struct Operand high = constant_operand(left->group, next_to(list + 1));
  int from = order(left, &low), to = order(left, &high);
  return (from == 0 || from == 1) && (to == 0 || to == -1);
}

static int compare(
    const struct Predicate *predicate, const struct QuireNode *comparison, int index,
    const MDB_val *record) {
  const struct Column *column = &predicate->layout->columns[index];
  const struct QuireNode *right = next_to(comparison + 1);
  int has_value = record_has(record, (uint32_t)index);
  if (asks_for_null(comparison, right)) return has_value == (comparison->detail == QUIRE_NOT_EQUAL);
  if (!has_value) return 0;
  struct Operand left = record_operand(predicate->layout, record, column);
  if (comparison->detail == QUIRE_IN) return is_among(&left, right);
  if (comparison->detail == QUIRE_BETWEEN) return is_between(&left, right);
  struct Operand constant = constant_operand(left.group, right);
  switch (comparison->detail) {
    case QUIRE_CONTAINS: return contains(&left, &constant);
    case QUIRE_BEGINS_WITH: return begins(&left, &constant);
    case QUIRE_ENDS_WITH: return ends(&left, &constant);
  }
  int found = order(&left, &constant);
  switch (comparison->detail) {
    case QUIRE_LESS: return found == -1;
    case QUIRE_LESS_OR_EQUAL: return found == -1 || found == 0;
    case QUIRE_GREATER: return found == 1;
    case QUIRE_GREATER_OR_EQUAL: return found == 1 || found == 0;
    case QUIRE_EQUAL: return found == 0;
    default: return found != 0;
  }
}

static enum Truth test(
    const struct Predicate *predicate, const struct QuireNode *node, const MDB_val *record) {
  const struct QuireNode *part = node + 1;
  enum Truth truth = node->kind == QUIRE_OR ? NO : YES;
  int index;
  switch (node->kind) {
    case QUIRE_CONSTANT: return node->whole != 0 ? YES : NO;
    case QUIRE_NOT: return YES - test(predicate, part, record);
    case QUIRE_AND: case QUIRE_OR:
      for (uint32_t i = 0; i < node->part_count; i++, part = next_to(part)) {
        enum Truth found = test(predicate, part, record);
        if (node->kind == QUIRE_AND ? found < truth : found > truth) truth = found;
        if (truth == (node->kind == QUIRE_AND ? NO : YES)) break;
      }
      return truth;
    case QUIRE_COMPARISON:
      index = predicate->columns[node - predicate->nodes];
      if (index < 0) return UNKNOWN;
      return compare(predicate, node, index, record) ? YES : NO;
    default: return UNKNOWN;
  }
}

enum Truth predicate_test(const struct Predicate *predicate, const MDB_val *record) {
  return predicate->node_count == 0 ? YES : test(predicate, predicate->nodes, record);
}
