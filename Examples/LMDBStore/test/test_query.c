// Requests: the answers of the store are compared with a test of each thing.

#include <stdlib.h>
#include <string.h>

#include "world.h"

// MARK: - Trees

enum { MOST_NODES = 64 };

struct Tree {
  struct QuireNode nodes[MOST_NODES];
  uint64_t count;
};

static struct QuireNode *add(struct Tree *tree, uint16_t kind, uint16_t detail) {
  struct QuireNode *node = &tree->nodes[tree->count++];
  CHECK(tree->count <= MOST_NODES);
  *node = (struct QuireNode){.kind = kind, .detail = detail, .node_count = 1};
  return node;
}

static void finish(struct Tree *tree, struct QuireNode *node, uint32_t parts) {
  node->part_count = parts;
  node->node_count = (uint32_t)(&tree->nodes[tree->count] - node);
}

static void add_text(struct Tree *tree, const char *text) {
  struct QuireNode *node = add(tree, QUIRE_VALUE, QUIRE_TEXT);
  node->bytes = (const uint8_t *)text;
  node->byte_count = strlen(text);
}

static struct QuireNode *add_comparison(struct Tree *tree, uint16_t operator, const char *name) {
  struct QuireNode *comparison = add(tree, QUIRE_COMPARISON, operator);
  struct QuireNode *path = add(tree, QUIRE_PATH, 0);
  path->bytes = (const uint8_t *)name;
  path->byte_count = strlen(name);
  add(tree, QUIRE_SELF, 0);
  finish(tree, path, 1);
  return comparison;
}

// MARK: - Random predicates

static int random_below(int count) { return rand() % count; }

static int holds(uint16_t operator, int order) {
  switch (operator) {
    case QUIRE_LESS: return order < 0;
    case QUIRE_LESS_OR_EQUAL: return order <= 0;
    case QUIRE_GREATER: return order > 0;
    case QUIRE_GREATER_OR_EQUAL: return order >= 0;
    case QUIRE_EQUAL: return order == 0;
    default: return order != 0;
  }
}

// Adds a random comparison, and sets the things for which it holds.
static void add_simple(struct Tree *tree, const struct World *world, int *held) {
  static const char *const texts[] = {"L", "Li", "Lisbon", "Porto", "zz", "\xc3\xa9"};
  int choice = random_below(6);
  uint16_t operator = (uint16_t)random_below(6);
  const char *text = texts[random_below(6)];
  double number = random_below(400) / 4.0 - 50;
  int64_t low = (random_below(44) - 22) * 1000, high = low + random_below(20) * 500;
  uint64_t owner = (uint64_t)random_below(10);
  static const char *const names[] = {"large", "real", "name", "name", "large", "owner"};
  if (choice == 3) operator = (uint16_t)(QUIRE_CONTAINS + random_below(2));
  if (choice == 4) operator = QUIRE_BETWEEN;
  if (choice == 5) operator = QUIRE_EQUAL;
  struct QuireNode *comparison = add_comparison(tree, operator, names[choice]), *list;
  switch (choice) {
    case 0: add(tree, QUIRE_VALUE, QUIRE_WHOLE)->whole = low; break;
    case 1: add(tree, QUIRE_VALUE, QUIRE_NUMBER)->number = number; break;
    case 2: case 3: add_text(tree, text); break;
    case 4:
      list = add(tree, QUIRE_LIST, 0);
      add(tree, QUIRE_VALUE, QUIRE_WHOLE)->whole = low;
      add(tree, QUIRE_VALUE, QUIRE_WHOLE)->whole = high;
      finish(tree, list, 2);
      break;
    default: add(tree, QUIRE_OBJECT, 2)->whole = (int64_t)owner;
  }
  finish(tree, comparison, 2);
  for (int key = 1; key < MOST_KEYS; key++) {
    struct Thing thing = thing_of(world->numbers[key]);
    int order = thing.large < low ? -1 : thing.large > low, is_found = 0;
    switch (choice) {
      case 0: is_found = thing.has_large && holds(operator, order); break;
      case 1:
        order = thing.real < number ? -1 : thing.real > number;
        is_found = thing.real == thing.real ? holds(operator, order) : operator == QUIRE_NOT_EQUAL;
        break;
      case 2:
        is_found = thing.name != NULL && holds(operator, strcmp(thing.name, text));
        break;
      case 3:
        is_found = thing.name != NULL
                   && (operator == QUIRE_CONTAINS ? strstr(thing.name, text) != NULL
                                                  : strncmp(thing.name, text, strlen(text)) == 0);
        break;
      case 4: is_found = thing.has_large && thing.large >= low && thing.large <= high; break;
      default: is_found = thing.owner != 0 && thing.owner == ((uint64_t)2 << KEY_BITS | owner);
    }
    held[key] = world->numbers[key] != 0 && is_found;
  }
}

static void add_random(struct Tree *tree, const struct World *world, int *held, int depth) {
  int choice = depth == 0 ? 3 : random_below(5), other[MOST_KEYS];
  if (choice > 2) {
    add_simple(tree, world, held);
    return;
  }
  struct QuireNode *node = add(tree, (uint16_t)(QUIRE_AND + choice), 0);
  add_random(tree, world, held, depth - 1);
  if (choice == 2) {
    for (int key = 1; key < MOST_KEYS; key++) held[key] = world->numbers[key] != 0 && !held[key];
    finish(tree, node, 1);
    return;
  }
  add_random(tree, world, other, depth - 1);
  for (int key = 1; key < MOST_KEYS; key++) {
    held[key] = choice == 0 ? held[key] && other[key] : held[key] || other[key];
  }
  finish(tree, node, 2);
}

static void compare(
    struct QuireSnapshot *snapshot, const struct World *world, const struct Tree *tree,
    const int *held) {
  uint64_t offset = (uint64_t)random_below(4), limit = (uint64_t)random_below(6), place = 0;
  struct Answer all, page;
  (void)world;
  CHECK(ask(snapshot, tree->nodes, tree->count, 0, 0, &all) == QUIRE_OK);
  CHECK(ask(snapshot, tree->nodes, tree->count, offset, limit, &page) == QUIRE_OK);
  CHECK(all.flags
        == (QUIRE_ANSWERED_PREDICATE | QUIRE_ANSWERED_ORDER | QUIRE_ANSWERED_LIMIT));
  for (uint64_t key = 1; key < MOST_KEYS; key++) {
    if (held[key]) CHECK(place < all.count && all.keys[place++] == key);
  }
  CHECK(place == all.count);
  if (offset > all.count) offset = all.count;
  uint64_t count = all.count - offset;
  if (limit > 0 && count > limit) count = limit;
  CHECK(page.count == count && memcmp(page.keys, all.keys + offset, count * 8) == 0);
}

// MARK: - Tests

// Makes 'large == 3000 AND' and a comparison that the store does not understand.
static void candidates(struct QuireSnapshot *snapshot, const struct World *world) {
  struct Tree tree = {.count = 0};
  struct Answer answer;
  struct QuireNode *and = add(&tree, QUIRE_AND, 0);
  struct QuireNode *first = add_comparison(&tree, QUIRE_EQUAL, "large");
  add(&tree, QUIRE_VALUE, QUIRE_WHOLE)->whole = 3000;
  finish(&tree, first, 2);
  struct QuireNode *second = add_comparison(&tree, QUIRE_MATCHES, "name");
  add_text(&tree, "L.*");
  finish(&tree, second, 2);
  finish(&tree, and, 2);
  size_t count = 0;
  for (int key = 1; key < MOST_KEYS; key++) {
    struct Thing thing = thing_of(world->numbers[key]);
    count += world->numbers[key] != 0 && thing.has_large && thing.large == 3000;
  }
  CHECK(count > 2);
  // A page of candidates would lack objects, so all are found.
  CHECK(ask(snapshot, tree.nodes, tree.count, 0, 1, &answer) == QUIRE_OK);
  CHECK(answer.flags == QUIRE_ANSWERED_CANDIDATES && answer.count == count);
  // With OR nothing is excluded.
  tree.nodes[0].kind = QUIRE_OR;
  first->detail = QUIRE_NOT_EQUAL;
  first[3].detail = QUIRE_NULL;
  tree.nodes[0].kind = QUIRE_NOT;
  tree.nodes[0].part_count = 1;
  CHECK(ask(snapshot, second, second->node_count, 0, 0, &answer) == QUIRE_NOT_SUPPORTED);
}

static void missing_values(struct QuireSnapshot *snapshot, const struct World *world) {
  static const uint16_t operators[] = {QUIRE_EQUAL, QUIRE_NOT_EQUAL};
  size_t total = 0, count = 0;
  for (int key = 1; key < MOST_KEYS; key++) count += world->numbers[key] != 0;
  for (int i = 0; i < 2; i++) {
    struct Tree tree = {.count = 0};
    struct Answer answer;
    struct QuireNode *comparison = add_comparison(&tree, operators[i], "name");
    add(&tree, QUIRE_VALUE, QUIRE_NULL);
    finish(&tree, comparison, 2);
    CHECK(ask(snapshot, tree.nodes, tree.count, 0, 0, &answer) == QUIRE_OK);
    for (size_t j = 0; j < answer.count; j++) {
      CHECK((thing_of(world->numbers[answer.keys[j]]).name == NULL) == (i == 0));
    }
    total += answer.count;
  }
  CHECK(total == count);
}

void requests(void) {
  struct QuireStore *store;
  struct World world = {{0}};
  int32_t numbers[500];
  srand(1);
  CHECK(create(new_place(), 0, &store) == QUIRE_OK);
  for (int i = 0; i < 500; i++) numbers[i] = 1 + random_below(300);
  CHECK(save(store, &world, 1, 500, numbers, NULL, -1) == QUIRE_OK);
  for (int round = 0; round < 12; round++) {
    for (int i = 0; i < 20; i++) numbers[i] = random_below(300);
    // The entries of indexes follow the rows, and are made again with a schema.
    const char *schema = round % 5 == 4 ? "anew" : NULL;
    uint64_t first = 1 + (uint64_t)random_below(560);
    CHECK(save(store, &world, first, 20, numbers, schema, -1) == QUIRE_OK);
    struct QuireSnapshot *snapshot = snapshot_of(store);
    for (int i = 0; i < 60; i++) {
      struct Tree tree = {.count = 0};
      int held[MOST_KEYS];
      add_random(&tree, &world, held, 2);
      compare(snapshot, &world, &tree, held);
    }
    candidates(snapshot, &world);
    missing_values(snapshot, &world);
    tested->release_snapshot(snapshot);
  }
  end(store);
}
