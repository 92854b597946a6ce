#ifndef FOLDER_STORE_OBJECT_H
#define FOLDER_STORE_OBJECT_H

// One version of an object: the file objects/ENTITY/KEY.COMMIT.

#include "record.h"

// A line of the file: a property, and its value as text. All pieces except the format are escaped. They point
// into the object's text.
struct Value {
  struct Piece name;
  char format; // The first letter of Arrow's format, which is unique among the formats of values.
  struct Piece extension; // "-" if there is none.
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

// Returns Arrow's format for a letter; NULL if no format of values begins with the letter.
const char *format_of(char letter);

// Incoming rows. Call check_batch before any other function for the batch.
int32_t check_batch(const struct QuireBatch *batch, struct QuireError *error);
uint64_t batch_key(const struct QuireBatch *batch, int64_t row);
// Makes the text of one row's file, without its seal.
int32_t object_text(
    const struct QuireBatch *batch, int64_t row, int64_t commit, struct Text *text,
    struct QuireError *error);

// The receiver of outgoing batches.
struct Taker {
  int32_t (*take)(void *context, struct ArrowSchema *schema, struct ArrowArray *array);
  void *context;
};
// Reads the objects of rows and passes them to the receiver in batches; for removed rows only the keys.
int32_t give_objects(
    const struct Folder *folder, const struct Row *rows, size_t count, struct Taker taker,
    struct QuireError *error);
int32_t give_removed(
    const struct Row *rows, size_t count, struct Taker taker, struct QuireError *error);

#endif
