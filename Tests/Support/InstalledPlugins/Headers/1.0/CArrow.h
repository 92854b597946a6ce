#ifndef QUIRE_CARROW_H
#define QUIRE_CARROW_H

#include <stdint.h>

// The Arrow C Data Interface: two structures with a published and stable layout. Spec §3.7 specifies the
// contents that Quire writes. The fields and the include guard have the names of the interface, so this
// header can be included together with any other header that declares the structures.

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

// The description of an array: its type as a short text, its name, and its children.
struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  // Frees all parts of the structure. NULL after that call, or after the structure was moved elsewhere.
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

// The values of an array: their number, and the buffers that contain them.
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  // Frees all parts of the structure, as in ArrowSchema.
  void (*release)(struct ArrowArray *);
  void *private_data;
};

#endif  // ARROW_C_DATA_INTERFACE

#ifdef __cplusplus
}
#endif

#endif  // QUIRE_CARROW_H
