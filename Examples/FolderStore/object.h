#ifndef FOLDER_STORE_OBJECT_H
#define FOLDER_STORE_OBJECT_H

// One object as one commit wrote it: the file objects/ENTITY/KEY.COMMIT.

#include "record.h"

// A line of the file: a property, and its value as text. All pieces are escaped but the format, and lie in the
// object's text.
struct Value {
  struct Piece name;
  char format; // The first letter of Arrow's format; all that a store is given differ in it.
  struct Piece extension; // "-" when there is none.
  int is_null;
  struct Piece text;
};

struct Object {
  struct Text text;
  struct Piece entity_name;
  size_t count;
  struct Value *values;
};

struct Path object_path(const struct Folder *folder, uint64_t key, int64_t commit);
int32_t read_object(
    const struct Folder *folder, struct Row row, struct Object *object, struct QuireError *error);
void object_end(struct Object *object);

// Arrow's format for a letter; NULL for one that objects don't have.
const char *format_of(char letter);

// Rows on their way in. The batch must have been checked before anything else is asked of it.
int32_t check_batch(const struct QuireBatch *batch, struct QuireError *error);
uint64_t batch_key(const struct QuireBatch *batch, int64_t row);
// The text of one row's file, without its seal.
int32_t object_text(
    const struct QuireBatch *batch, int64_t row, int64_t commit, struct Text *text,
    struct QuireError *error);

// What takes batches on their way out.
struct Taker {
  int32_t (*take)(void *context, struct ArrowSchema *schema, struct ArrowArray *array);
  void *context;
};
// Reads the objects of rows and hands them out; of keys that are gone only these.
int32_t give_objects(
    const struct Folder *folder, const struct Row *rows, size_t count, struct Taker taker,
    struct QuireError *error);
int32_t give_removed(
    const struct Row *rows, size_t count, struct Taker taker, struct QuireError *error);

#endif
