#include <stdlib.h>

#include "record.h"

struct Rows *rows_new(void) {
  struct Rows *rows = calloc(1, sizeof *rows);
  if (rows != NULL) rows->references = 1;
  return rows;
}

struct Rows *rows_retain(struct Rows *rows) {
  rows->references++;
  return rows;
}

void rows_release(struct Rows *rows) {
  if (rows == NULL || --rows->references > 0) return;
  free(rows->rows);
  free(rows);
}

int rows_add(struct Rows *rows, uint64_t key, int64_t commit) {
  if (rows->count == rows->capacity) {
    size_t capacity = rows->capacity < 8 ? 16 : rows->capacity * 2;
    if (capacity > SIZE_MAX / sizeof(struct Row)) return 0;
    struct Row *grown = realloc(rows->rows, capacity * sizeof *grown);
    if (grown == NULL) return 0;
    rows->rows = grown;
    rows->capacity = capacity;
  }
  rows->rows[rows->count++] = (struct Row){key, commit};
  return 1;
}

static int compare(const void *left, const void *right) {
  uint64_t a = ((const struct Row *)left)->key, b = ((const struct Row *)right)->key;
  return a < b ? -1 : a > b;
}

int rows_sort(struct Rows *rows) {
  if (rows->count > 1) qsort(rows->rows, rows->count, sizeof *rows->rows, compare);
  for (size_t i = 1; i < rows->count; i++) {
    if (rows->rows[i].key == rows->rows[i - 1].key) return 0;
  }
  return 1;
}

static int compare_commits(const void *left, const void *right) {
  int64_t a = ((const struct Row *)left)->commit, b = ((const struct Row *)right)->commit;
  int order = compare(left, right);
  return order != 0 ? order : a < b ? -1 : a > b;
}

void rows_sort_commits(struct Rows *rows) {
  if (rows->count > 1) qsort(rows->rows, rows->count, sizeof *rows->rows, compare_commits);
}

size_t rows_search(const struct Rows *rows, uint64_t key) {
  size_t low = 0, high = rows->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (rows->rows[middle].key < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

int rows_have(const struct Rows *rows, uint64_t key) {
  size_t index = rows_search(rows, key);
  return index < rows->count && rows->rows[index].key == key;
}

struct Rows *rows_merge(
    const struct Rows *living, const struct Rows *put, const struct Rows *removed) {
  struct Rows *merged = rows_new();
  if (merged == NULL) return NULL;
  size_t l = 0, p = 0;
  int added = 1;
  while (added && (l < living->count || p < put->count)) {
    int is_put =
        p < put->count && (l == living->count || put->rows[p].key <= living->rows[l].key);
    struct Row row = is_put ? put->rows[p] : living->rows[l];
    // A put row replaces the previous row with its key.
    if (l < living->count && living->rows[l].key == row.key) l++;
    if (is_put) p++;
    if (is_put || !rows_have(removed, row.key)) added = rows_add(merged, row.key, row.commit);
  }
  if (added) return merged;
  rows_release(merged);
  return NULL;
}
