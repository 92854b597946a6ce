#ifndef QUIRE_CARROW_H
#define QUIRE_CARROW_H

#include <stdint.h>

// The Arrow C Data Interface: two structures whose layout is published and stable; spec §3.7 says what
// we put into them. The names of fields and of the guard are the interface's own, so that this header
// goes beside any other that declares them.

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

// What an array holds: its type in a short text, its name, its children.
struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  // Frees all of it; NULL once that was done, or once the structure was moved elsewhere.
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

// The values of an array: how many, and the buffers they lie in.
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  // As in ArrowSchema.
  void (*release)(struct ArrowArray *);
  void *private_data;
};

#endif  // ARROW_C_DATA_INTERFACE

#ifdef __cplusplus
}
#endif

#endif  // QUIRE_CARROW_H
