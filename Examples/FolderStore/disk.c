#include "disk.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Path beneath(const struct Path *folder, const char *format, ...) {
  struct Path path;
  int count = snprintf(path.text, PATH_BYTES, "%s/", folder->text);
  size_t used = count < 0 ? 0 : (size_t)count < PATH_BYTES ? (size_t)count : PATH_BYTES - 1;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(path.text + used, PATH_BYTES - used, format, arguments);
  va_end(arguments);
  return path;
}

// Returns the disk's error as text for people. The interface passes values of errno, and strerror is not
// thread-safe.
static const char *reason(int64_t result, char buffer[32]) {
  switch (-result) {
    case ENOENT: return "There is no such file.";
    case EEXIST: return "There is something of that name already.";
    case EACCES: case EPERM: return "It is not allowed.";
    case EROFS: return "The disk can't be written.";
    case ENOSPC: return "The disk is full.";
    case ENOTDIR: return "It is not a folder.";
    case EISDIR: return "It is a folder.";
    case ELOOP: return "It is a link.";
    case EIO: return "The disk failed.";
    case EMFILE: case ENFILE: return "Too many files are open.";
  }
  snprintf(buffer, 32, "The system's error is %d.", (int)-result);
  return buffer;
}

static int32_t code_of(int64_t result) {
  switch (-result) {
    case ENOENT: return QUIRE_NOT_FOUND;
    case EEXIST: return QUIRE_EXISTS;
    case EROFS: return QUIRE_READ_ONLY;
    default: return QUIRE_INPUT_OUTPUT;
  }
}

static int32_t refuse(
    struct QuireError *error, int64_t result, const char *what, const struct Path *path) {
  char buffer[32];
  return fail(
      error, code_of(result), "Can't %s '%s': %s", what, path->text, reason(result, buffer));
}

// A signal may interrupt a call of the disk; the caller repeats the call.
#define UNINTERRUPTED(result, call) \
  do { (result) = (call); } while ((result) == -EINTR)

static int64_t open_file(const struct QuireHost *host, const struct Path *path, int32_t mode) {
  int64_t file;
  UNINTERRUPTED(
      file, host->disk->open(
                host->disk->context, path->text, mode | QUIRE_OPEN_NO_LINK, 0666, NULL));
  return file;
}

static void close_file(const struct QuireHost *host, int64_t file) {
  // The descriptor is closed even if close fails, and all important bytes were synced before.
  host->disk->close(host->disk->context, (int32_t)file);
}

// Adds all bytes of an open file. The memory grows with the bytes that are read, so a wrong file size does no
// harm.
static int64_t read_open_file(const struct QuireHost *host, int64_t file, struct Text *bytes) {
  char *piece = malloc(1 << 16);
  if (piece == NULL) return -ENOMEM;
  int64_t count;
  do {
    UNINTERRUPTED(
        count,
        host->disk->read(host->disk->context, (int32_t)file, piece, 1 << 16, bytes->count));
    if (count > 1 << 16) count = -EIO;
    if (count > 0) text_add(bytes, piece, (size_t)count);
    if (bytes->failed) count = -ENOMEM;
  } while (count > 0);
  free(piece);
  return count;
}

int32_t read_file(
    const struct QuireHost *host, const struct Path *path, struct Text *bytes,
    struct QuireError *error) {
  *bytes = (struct Text){0};
  int64_t file = open_file(host, path, QUIRE_OPEN_READ);
  if (file < 0) return refuse(error, file, "open", path);
  int64_t result = read_open_file(host, file, bytes);
  close_file(host, file);
  if (result == 0) return QUIRE_OK;
  text_free(bytes);
  return refuse(error, result, "read", path);
}

int32_t read_sealed(
    const struct QuireHost *host, const struct Path *path, struct Text *text,
    struct QuireError *error) {
  int32_t code = read_file(host, path, text, error);
  if (code != QUIRE_OK || text_unseal(text)) return code;
  text_free(text);
  return fail(
      error, QUIRE_DAMAGED, "'%s' is damaged: the checksum in its last line is wrong.",
      path->text);
}

static int64_t write_open_file(
    const struct QuireHost *host, int64_t file, const struct Text *bytes) {
  const struct QuireDisk *disk = host->disk;
  int64_t result;
  // A file of an interrupted commit may have the name.
  UNINTERRUPTED(result, disk->truncate(disk->context, (int32_t)file, 0));
  for (size_t done = 0; result >= 0 && done < bytes->count;) {
    UNINTERRUPTED(
        result, disk->write(
                    disk->context, (int32_t)file, bytes->bytes + done, bytes->count - done, done));
    if (result == 0 || result > (int64_t)(bytes->count - done)) result = -EIO;
    if (result > 0) done += (size_t)result;
  }
  if (result >= 0) UNINTERRUPTED(result, disk->sync(disk->context, (int32_t)file, 0));
  return result;
}

int32_t write_file(
    const struct QuireHost *host, const struct Path *path, const struct Text *bytes,
    struct QuireError *error) {
  if (bytes->failed) return fail_memory(error);
  int64_t file = open_file(host, path, QUIRE_OPEN_UPDATE_OR_CREATE);
  if (file < 0) return refuse(error, file, "create", path);
  int64_t result = write_open_file(host, file, bytes);
  close_file(host, file);
  return result < 0 ? refuse(error, result, "write", path) : QUIRE_OK;
}

int32_t replace_file(
    const struct QuireHost *host, const struct Path *folder, const char *name,
    const struct Text *bytes, int *moved, struct QuireError *error) {
  struct Path path = beneath(folder, "%s", name), beside = beneath(folder, "%s.new", name);
  int32_t code = write_file(host, &beside, bytes, error);
  int64_t result = 0;
  if (code == QUIRE_OK) {
    if (moved != NULL) *moved = 1;
    UNINTERRUPTED(result, host->disk->rename(host->disk->context, beside.text, path.text));
    if (result < 0) code = refuse(error, result, "replace", &path);
  }
  if (code != QUIRE_OK) {
    remove_file(host, &beside);
    return code;
  }
  return sync_folder(host, folder, error);
}

int32_t make_folder(
    const struct QuireHost *host, const struct Path *path, struct QuireError *error) {
  int64_t result;
  UNINTERRUPTED(result, host->disk->make_directory(host->disk->context, path->text, 0777));
  if (result >= 0) return QUIRE_OK;
  if (result == -EEXIST && kind_at(host, path, NULL) == QUIRE_DISK_DIRECTORY) return QUIRE_OK;
  return refuse(error, result, "make the folder", path);
}

int32_t sync_folder(
    const struct QuireHost *host, const struct Path *path, struct QuireError *error) {
  int64_t file = open_file(host, path, QUIRE_OPEN_READ | QUIRE_OPEN_DIRECTORY);
  if (file < 0) return refuse(error, file, "open", path);
  int64_t result;
  UNINTERRUPTED(result, host->disk->sync(host->disk->context, (int32_t)file, 0));
  close_file(host, file);
  return result < 0 ? refuse(error, result, "sync", path) : QUIRE_OK;
}

int32_t kind_at(const struct QuireHost *host, const struct Path *path, uint64_t *byte_count) {
  struct QuireFileStatus status = {0};
  int64_t result;
  UNINTERRUPTED(result, host->disk->status_of(host->disk->context, path->text, 0, &status));
  if (result < 0) return -1;
  if (byte_count != NULL) *byte_count = status.byte_count < 0 ? 0 : (uint64_t)status.byte_count;
  return status.kind;
}

int remove_file(const struct QuireHost *host, const struct Path *path) {
  int64_t result;
  UNINTERRUPTED(result, host->disk->remove(host->disk->context, path->text));
  return result >= 0 || result == -ENOENT;
}

// MARK: - Folders

// The state of a listing. Errors of the disk and errors of 'take' are kept apart.
struct Listing {
  int32_t (*take)(void *context, const char *name, int32_t kind);
  void *context;
  int32_t code;
  int has_begun;
};

static int32_t take_entry(void *context, const char *name, int32_t kind) {
  struct Listing *listing = context;
  listing->has_begun = 1;
  listing->code = listing->take(listing->context, name, kind);
  return listing->code != QUIRE_OK;
}

int32_t list_folder(
    const struct QuireHost *host, const struct Path *path,
    int32_t (*take)(void *context, const char *name, int32_t kind), void *context,
    struct QuireError *error) {
  int64_t file = open_file(host, path, QUIRE_OPEN_READ | QUIRE_OPEN_DIRECTORY);
  if (file < 0) return refuse(error, file, "open", path);
  struct Listing listing = {take, context, QUIRE_OK, 0};
  int64_t result;
  // After the first name a repetition would pass names twice.
  do {
    result = host->disk->list(host->disk->context, (int32_t)file, take_entry, &listing);
  } while (result == -EINTR && !listing.has_begun);
  close_file(host, file);
  if (listing.code != QUIRE_OK) return fail(error, listing.code, "Can't list '%s'.", path->text);
  return result < 0 ? refuse(error, result, "list", path) : QUIRE_OK;
}

// No folder of a store is deeper than this. A deeper folder is not the store's, and stays.
enum { DEEPEST = 4 };

struct Visit {
  const struct QuireHost *host;
  const struct Path *path;
  int depth;
  uint64_t byte_count;
};

static int32_t remove_entry(void *context, const char *name, int32_t kind);

static void remove_entries(const struct QuireHost *host, const struct Path *path, int depth) {
  struct Visit visit = {host, path, depth, 0};
  if (depth < DEEPEST) list_folder(host, path, remove_entry, &visit, NULL);
  int64_t result;
  UNINTERRUPTED(result, host->disk->remove_directory(host->disk->context, path->text));
}

static int32_t remove_entry(void *context, const char *name, int32_t kind) {
  struct Visit *visit = context;
  struct Path path = beneath(visit->path, "%s", name);
  if (kind == QUIRE_DISK_DIRECTORY) {
    remove_entries(visit->host, &path, visit->depth + 1);
  } else {
    remove_file(visit->host, &path);
  }
  return QUIRE_OK;
}

void remove_folder(const struct QuireHost *host, const struct Path *path) {
  remove_entries(host, path, 0);
}

static int32_t count_entry(void *context, const char *name, int32_t kind) {
  struct Visit *visit = context;
  struct Path path = beneath(visit->path, "%s", name);
  uint64_t byte_count = 0;
  if (kind == QUIRE_DISK_DIRECTORY && visit->depth + 1 < DEEPEST) {
    struct Visit below = {visit->host, &path, visit->depth + 1, 0};
    list_folder(visit->host, &path, count_entry, &below, NULL);
    byte_count = below.byte_count;
  } else if (kind == QUIRE_DISK_FILE) {
    kind_at(visit->host, &path, &byte_count);
  }
  visit->byte_count += byte_count;
  return QUIRE_OK;
}

uint64_t folder_byte_count(const struct QuireHost *host, const struct Path *path) {
  struct Visit visit = {host, path, 0, 0};
  list_folder(host, path, count_entry, &visit, NULL);
  return visit.byte_count;
}

// MARK: - The lock

int32_t take_lock(const struct Folder *folder, int32_t *lock, struct QuireError *error) {
  const struct QuireHost *host = folder->host;
  struct Path path = beneath(&folder->path, "lock");
  int64_t file = open_file(host, &path, QUIRE_OPEN_UPDATE_OR_CREATE);
  if (file < 0) return refuse(error, file, "open", &path);
  uint64_t start = host->disk->uptime(host->disk->context);
  int64_t result;
  for (;;) {
    UNINTERRUPTED(result, host->disk->lock(host->disk->context, (int32_t)file, 1));
    uint64_t waited = host->disk->uptime(host->disk->context) - start;
    if (result != -EAGAIN || waited >= 10000000000) break;
    host->disk->pause(host->disk->context, 5000000);
  }
  if (result >= 0) {
    *lock = (int32_t)file;
    return QUIRE_OK;
  }
  close_file(host, file);
  if (result != -EAGAIN) return refuse(error, result, "lock", &path);
  return fail(error, QUIRE_LOCKED, "Another process has locked '%s' for ten seconds.", path.text);
}

void give_lock(const struct Folder *folder, int32_t lock) {
  folder->host->disk->unlock(folder->host->disk->context, lock);
  close_file(folder->host, lock);
}
