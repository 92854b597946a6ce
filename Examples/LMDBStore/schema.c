// Finds the indexes in the bytes of a schema (spec §4.6.3).

#include <stdlib.h>
#include <string.h>

#include "index.h"

// Bytes that are read from their start on. After a read beyond their end all reads give 0.
struct Reader {
  const uint8_t *at;
  const uint8_t *end;
  int is_broken;
};

static const uint8_t *take(struct Reader *reader, size_t count) {
  static const uint8_t zeros[4];
  const uint8_t *start = reader->at;
  reader->is_broken |= (size_t)(reader->end - reader->at) < count;
  if (reader->is_broken) return zeros;
  reader->at += count;
  return start;
}

static uint32_t take_number(struct Reader *reader, size_t width) {
  uint32_t number = 0;
  const uint8_t *bytes = take(reader, width);
  for (size_t i = width; i > 0; i--) number = number << 8 | bytes[i - 1];
  return number;
}

static uint16_t take_u16(struct Reader *reader) { return (uint16_t)take_number(reader, 2); }

// A column that is searched for by its number.
struct WantedColumn {
  uint16_t entity;
  uint16_t number;
  const uint8_t *name;
  size_t name_count;
  uint8_t kind;
};

static int add_entity(struct Indexes *indexes, uint16_t number) {
  uint16_t *grown =
      realloc(indexes->entities, (indexes->entity_count + 1) * sizeof *indexes->entities);
  if (grown == NULL) return 0;
  indexes->entities = grown;
  grown[indexes->entity_count++] = number;
  return 1;
}

static void read_column(struct Reader *reader, uint16_t entity, struct WantedColumn *wanted) {
  uint16_t number = take_u16(reader);
  uint8_t kind = *take(reader, 1), flags = *take(reader, 1);
  size_t count = take_u16(reader);
  const uint8_t *name = take(reader, count);
  if (flags & 2) take(reader, take_number(reader, 4));
  if (reader->is_broken || entity != wanted->entity || number != wanted->number) return;
  wanted->kind = kind;
  wanted->name = name;
  wanted->name_count = count;
}

// Reads the entities. Adds their numbers to 'indexes', unless it is NULL. Returns 0 if memory runs out.
static int read_entities(
    struct Reader *reader, struct WantedColumn *wanted, struct Indexes *indexes) {
  for (uint16_t count = take_u16(reader); count > 0 && !reader->is_broken; count--) {
    uint16_t entity = take_u16(reader);
    take(reader, take_u16(reader));
    for (uint16_t columns = take_u16(reader); columns > 0 && !reader->is_broken; columns--) {
      read_column(reader, entity, wanted);
    }
    for (uint16_t others = take_u16(reader); others > 0 && !reader->is_broken; others--) {
      take(reader, 2);
      take(reader, take_u16(reader));
    }
    if (indexes != NULL && !add_entity(indexes, entity)) return 0;
  }
  return 1;
}

static int read_link_tables(struct Reader *reader, struct Indexes *indexes) {
  for (uint16_t count = take_u16(reader); count > 0 && !reader->is_broken; count--) {
    if (!add_entity(indexes, take_u16(reader))) return 0;
    uint8_t flags = *take(reader, 1);
    take(reader, take_u16(reader));
    for (int ends = flags & 4 ? 2 : 1; ends > 0; ends--) {
      take(reader, 2);
      take(reader, 2 * (size_t)take_u16(reader));
    }
  }
  return 1;
}

// Adds an index, unless its first column has one or has values that entries can't contain.
static int add_index(struct Indexes *indexes, uint16_t number, const struct WantedColumn *column) {
  static const char kinds[] = {1, 2, 3, 4, 5, 6, 7, 9, 10, 13, 0};
  if (column->name == NULL || strchr(kinds, column->kind) == NULL) return 1;
  for (size_t i = 0; i < indexes->count; i++) {
    const struct Index *known = &indexes->all[i];
    if (known->entity == column->entity && strlen(known->column) == column->name_count
        && memcmp(known->column, column->name, column->name_count) == 0) {
      return 1;
    }
  }
  struct Index *grown = realloc(indexes->all, (indexes->count + 1) * sizeof *grown);
  if (grown == NULL) return 0;
  indexes->all = grown;
  char *name = calloc(1, column->name_count + 1);
  if (name == NULL) return 0;
  memcpy(name, column->name, column->name_count);
  grown[indexes->count++] = (struct Index){number, column->entity, column->kind, name};
  return 1;
}

static int read_schema(struct Reader reader, struct Indexes *indexes) {
  struct WantedColumn none = {0};
  if (memcmp(take(&reader, 4), "QSCH", 4) != 0) return 1;
  take(&reader, 2);
  take(&reader, 4 * (size_t)take_u16(&reader));
  struct Reader entities = reader;
  if (!read_entities(&reader, &none, indexes) || !read_link_tables(&reader, indexes)) return 0;
  for (uint16_t count = take_u16(&reader); count > 0 && !reader.is_broken; count--) {
    uint16_t number = take_u16(&reader), entity = take_u16(&reader), columns = take_u16(&reader);
    struct WantedColumn column = {.entity = entity, .number = take_u16(&reader)};
    struct Reader again = entities;
    take(&reader, 2 * ((size_t)columns - 1));
    read_entities(&again, &column, NULL);
    if (!reader.is_broken && !add_index(indexes, number, &column)) return 0;
  }
  if (reader.is_broken) indexes_end(indexes);
  return 1;
}

int32_t indexes_read(
    MDB_txn *transaction, const struct Environment *environment, struct Indexes *indexes,
    struct QuireError *error) {
  MDB_val schema;
  *indexes = (struct Indexes){0};
  int result = get_named(transaction, environment, "schema", &schema);
  if (result != 0) return fail_lmdb(error, result, "read the schema of", environment->path);
  const uint8_t *start = schema.mv_data;
  if (read_schema((struct Reader){start, start + schema.mv_size, 0}, indexes)) return QUIRE_OK;
  indexes_end(indexes);
  return fail_memory(error);
}

void indexes_end(struct Indexes *indexes) {
  for (size_t i = 0; i < indexes->count; i++) free(indexes->all[i].column);
  free(indexes->all);
  free(indexes->entities);
  *indexes = (struct Indexes){0};
}
