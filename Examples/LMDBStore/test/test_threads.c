// Several threads read one snapshot and take new ones, while another thread saves.

#include <string.h>

#include "world.h"

enum { THREADS = 12, SAVES = 60, THINGS = 20 };

static struct QuireStore *shared;
static struct QuireSnapshot *first;
static atomic_int is_done;

struct Seen {
  int32_t number;
  int count;
  int is_torn;
};

static int32_t take_rows(void *context, struct ArrowSchema *schema, struct ArrowArray *array) {
  struct Seen *seen = context;
  const double *reals = array->children[3]->buffers[1];
  for (int64_t row = 0; row < array->length; row++) {
    int32_t number = (int32_t)((reals[row] + 30) * 4);
    seen->is_torn |= seen->count++ > 0 && number != seen->number;
    seen->number = number;
  }
  schema->release(schema);
  array->release(array);
  return QUIRE_OK;
}

struct Tables {
  struct QuireSnapshot *snapshot;
  struct Seen seen;
};

// The highest table contains all things, because each save changes them all.
static int32_t take_table(void *context, const struct QuireTable *table) {
  struct Tables *tables = context;
  tables->seen = (struct Seen){0};
  return tested->rows(tables->snapshot, table->id, 1, QUIRE_PUT, take_rows, &tables->seen, NULL);
}

static void read_once(struct QuireSnapshot *snapshot, int32_t *last) {
  struct Tables tables = {.snapshot = snapshot};
  struct Answer answer;
  CHECK(tested->tables(snapshot, take_table, &tables, NULL) == QUIRE_OK);
  CHECK(tables.seen.count == THINGS && !tables.seen.is_torn && tables.seen.number >= *last);
  *last = tables.seen.number;
  CHECK(ask(snapshot, NULL, 0, 0, 0, &answer) == QUIRE_OK && answer.count == THINGS);
}

static void *read_much(void *unused) {
  int32_t last = 0, old = 0;
  (void)unused;
  while (!is_done) {
    struct QuireSnapshot *snapshot = snapshot_of(shared);
    read_once(snapshot, &last);
    tested->release_snapshot(snapshot);
    read_once(first, &old);
    CHECK(old == 1);
  }
  return NULL;
}

void threads(void) {
  static struct World world;
  pthread_t all[THREADS];
  int32_t numbers[THINGS];
  CHECK(create(new_place(), 0, &shared) == QUIRE_OK);
  for (int32_t number = 1; number <= SAVES; number++) {
    for (int i = 0; i < THINGS; i++) numbers[i] = number % 11 == 0 ? number + 1 : number;
    CHECK(save(shared, &world, 1, THINGS, numbers, NULL, -1) == QUIRE_OK);
    if (number > 1) continue;
    first = snapshot_of(shared);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&all[i], NULL, read_much, NULL) == 0);
  }
  is_done = 1;
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(all[i], NULL) == 0);
  tested->release_snapshot(first);
  end(shared);
}
