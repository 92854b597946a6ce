#ifndef FOLDER_STORE_ARROW_H
#define FOLDER_STORE_ARROW_H

// Makes and frees the structures of the Arrow C Data Interface, with the buffers that they own.

#include "text.h"

// Makes an array that owns the given buffers, even if memory runs out. The caller makes the children in
// place, in array->children; a child may stay empty. Returns 0 if memory runs out.
int array_make(
    struct ArrowArray *array, int64_t length, int64_t null_count, struct Text *buffers,
    int64_t buffer_count, int64_t child_count);
// Makes a description of an array, with one pair of metadata unless 'key' is NULL.
int schema_make(
    struct ArrowSchema *schema, const char *format, const struct Text *name, const char *key,
    const struct Text *value, int64_t child_count);

#endif
