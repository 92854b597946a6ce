#ifndef FOLDER_STORE_ARROW_H
#define FOLDER_STORE_ARROW_H

// The structures of the Arrow C Data Interface with what they own, made and freed.

#include "text.h"

// Makes an array that owns the buffers it is given, also when there is too little memory for it. Its children
// are made in place, in array->children, and may stay empty. 0 when there is too little memory.
int array_make(
    struct ArrowArray *array, int64_t length, int64_t null_count, struct Text *buffers,
    int64_t buffer_count, int64_t child_count);
// Makes a description, with one pair of metadata unless 'key' is NULL.
int schema_make(
    struct ArrowSchema *schema, const char *format, const struct Text *name, const char *key,
    const struct Text *value, int64_t child_count);

#endif
