#ifndef QUIRE_CARROW_H
#define QUIRE_CARROW_H

#include <stdint.h>

// The Arrow C Data Interface and the Arrow C Stream Interface: three structures with a published and stable
// layout. Spec §3.7 specifies the contents that Quire writes to stores. The fields and the include guard have the names of the interface, so this
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

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

// A sequence of arrays with one description. The functions return 0 or a value of errno.
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  // Makes the next array. After the last one, the array's release is NULL.
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  // Returns the message of the last error, which is valid until the next call.
  const char *(*get_last_error)(struct ArrowArrayStream *);
  // Frees all parts of the structure, as in ArrowSchema.
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

#endif  // ARROW_C_STREAM_INTERFACE

#ifdef __cplusplus
}
#endif

#endif  // QUIRE_CARROW_H
