// Errors: a code on which the host branches, and a sentence for people.

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "environment.h"

static void release_message(struct QuireError *error) {
  free(error->private_data);
  *error = (struct QuireError){0};
}

int32_t fail(struct QuireError *error, int32_t code, const char *format, ...) {
  if (error == NULL) return code;
  *error = (struct QuireError){.code = code};
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *message = count < 0 ? NULL : malloc((size_t)count + 1);
  if (message == NULL) return code;
  va_start(arguments, format);
  vsnprintf(message, (size_t)count + 1, format, arguments);
  va_end(arguments);
  *error = (struct QuireError){code, message, release_message, message};
  return code;
}

int32_t fail_memory(struct QuireError *error) {
  return fail(error, QUIRE_FAILED, "There is not enough memory for an LMDB store.");
}

static int32_t code_of(int result) {
  switch (result) {
    case ENOENT: return QUIRE_NOT_FOUND;
    case EEXIST: return QUIRE_EXISTS;
    case EACCES: case EPERM: case EROFS: return QUIRE_READ_ONLY;
    case MDB_INVALID: return QUIRE_NOT_A_STORE;
    case MDB_VERSION_MISMATCH: return QUIRE_NEWER_FORMAT;
    case MDB_CORRUPTED: case MDB_PAGE_NOTFOUND: case MDB_NOTFOUND:
    case MDB_BAD_VALSIZE:
      return QUIRE_DAMAGED;
    case ENOMEM: case EAGAIN: return QUIRE_FAILED;
    case MDB_PANIC: return QUIRE_INPUT_OUTPUT;
    default: return result > 0 ? QUIRE_INPUT_OUTPUT : QUIRE_FAILED;
  }
}

int32_t fail_lmdb(struct QuireError *error, int result, const char *attempt, const char *path) {
  if (result == ENOMEM) return fail_memory(error);
  const char *hint = "";
  if (result == MDB_PANIC) {
    // After a failed sync LMDB no longer knows what the disk contains.
    hint = " Close all stores of this file in this program, and open them again.";
  } else if (result == MDB_MAP_FULL || result == MDB_MAP_RESIZED) {
    hint = " Nothing was changed. Close all stores of this file in this program, and open them again: the file is"
           " then mapped with more room.";
  } else if (result == MDB_READERS_FULL) {
    hint = " Too many snapshots are in use. Release some of them, and try again.";
  }
  return fail(
      error, code_of(result), "Can't %s '%s': %s.%s", attempt, path, mdb_strerror(result), hint);
}
