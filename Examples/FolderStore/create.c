// Makes a store: first its content, in its own folder, and then the marker that names this folder. So a store
// exists as a whole or not at all, and an existing store is replaced in one step.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

// MARK: - The marker

static int is_ours(const char *name) { return strncmp(name, "content-", 8) == 0; }

static int read_content_line(struct Piece line, struct Folder *folder) {
  struct Piece word;
  uint64_t number;
  if (!take_word(&line, &word) || !piece_is(word, "content")) return 0;
  if (!piece_bits(line, 8, &number)) return 0;
  folder->content = beneath(&folder->path, "content-%016" PRIx64, number);
  return 1;
}

static int32_t read_marker_text(
    struct Text *text, const struct Path *path, struct Folder *folder, struct QuireError *error) {
  struct Piece rest = {text->bytes, text->count}, line = {"", 0}, word;
  uint64_t version;
  if (!take_line(&rest, &line) || !take_word(&line, &word) || !piece_is(word, "folder-store")
      || !piece_number(line, &version)) {
    return fail(error, QUIRE_NOT_A_STORE, "'%s' is not the 'folder.store' of a folder store.", path->text);
  }
  if (version > 1) {
    return fail(
        error, QUIRE_NEWER_FORMAT, "'%s' has version %" PRIu64 " of the format. This plug-in reads version 1.",
        path->text, version);
  }
  // A later version may contain other lines before the seal. So the seal is checked after the version.
  int is_whole = text_unseal(text);
  rest = (struct Piece){text->bytes, text->count};
  is_whole = is_whole && take_line(&rest, &line) && take_line(&rest, &line);
  if (is_whole && read_content_line(line, folder)) return QUIRE_OK;
  return fail(error, QUIRE_DAMAGED, "'%s' is damaged: it does not name the folder of the content.", path->text);
}

int32_t read_marker(
    const struct QuireHost *host, const char *path, struct Folder *folder,
    struct QuireError *error) {
  if (strlen(path) >= STORE_PATH_BYTES) {
    return fail(error, QUIRE_INPUT_OUTPUT, "The path of a folder store is too long.");
  }
  folder->host = host;
  snprintf(folder->path.text, PATH_BYTES, "%s", path);
  struct Path marker = beneath(&folder->path, "folder.store");
  int32_t kind = kind_at(host, &folder->path, NULL);
  if (kind >= 0 && kind_at(host, &marker, NULL) < 0) {
    return fail(error, QUIRE_NOT_A_STORE, "'%s' has no file 'folder.store'.", path);
  }
  struct Text text;
  int32_t code = read_file(host, &marker, &text, error);
  if (code != QUIRE_OK) return code;
  code = read_marker_text(&text, &marker, folder, error);
  text_free(&text);
  return code;
}

// The UUID in the marker is for people. The program reads the UUID in the metadata.
static int32_t write_marker(
    const struct Folder *folder, const uint8_t *uuid, int *moved, struct QuireError *error) {
  struct Text text = {0};
  const char *name = folder->content.text + strlen(folder->path.text) + 1;
  text_format(&text, "folder-store 1\ncontent %s\nuuid ", name + strlen("content-"));
  text_hex(&text, uuid, 16);
  text_format(&text, "\n");
  text_seal(&text);
  int32_t code =
      replace_file(folder->host, &folder->path, "folder.store", &text, moved, error);
  text_free(&text);
  return code;
}

// MARK: - Existing files

// Files that an interrupted creation left behind do not prevent a new creation.
static int32_t look_for_others(void *context, const char *name, int32_t kind) {
  (void)kind;
  *(int *)context |=
      !is_ours(name) && strcmp(name, "lock") != 0 && strcmp(name, "folder.store.new") != 0;
  return QUIRE_OK;
}

// Checks that a store may be made at a path, and shows whether its folder has to be made.
static int32_t check_place(
    const struct Folder *folder, int overwriting, int *is_new, struct QuireError *error) {
  int32_t kind = kind_at(folder->host, &folder->path, NULL);
  int has_others = 0;
  *is_new = kind < 0 || kind == QUIRE_DISK_FILE;
  if (kind < 0 || (kind == QUIRE_DISK_FILE && overwriting)) return QUIRE_OK;
  if (kind == QUIRE_DISK_DIRECTORY) {
    struct Path marker = beneath(&folder->path, "folder.store");
    if (kind_at(folder->host, &marker, NULL) >= 0) {
      has_others = !overwriting;
    } else {
      int32_t code =
          list_folder(folder->host, &folder->path, look_for_others, &has_others, error);
      if (code != QUIRE_OK) return code;
    }
    if (!has_others) return QUIRE_OK;
  }
  return fail(error, QUIRE_EXISTS, "'%s' exists already.", folder->path.text);
}

// MARK: - Making

static int32_t make_folders(const struct Folder *folder, struct QuireError *error) {
  static const char *const names[3] = {"commits", "objects", "descriptions"};
  int32_t code = make_folder(folder->host, &folder->content, error);
  for (int i = 0; i < 3 && code == QUIRE_OK; i++) {
    struct Path path = beneath(&folder->content, "%s", names[i]);
    code = make_folder(folder->host, &path, error);
  }
  return code;
}

// Writes the first record, without objects, and its descriptions.
static int32_t write_first(
    const struct Folder *folder, const struct QuireCreation *creation, struct QuireError *error) {
  struct Record record;
  if (!record_begin(&record)) return fail_memory(error);
  const struct QuireBytes *all[3] = {&creation->model, &creation->schema, &creation->metadata};
  int32_t code = QUIRE_OK;
  record.time = time_now();
  record.living = rows_new();
  if (record.living == NULL) code = fail_memory(error);
  for (int32_t what = 0; what < 3 && code == QUIRE_OK; what++) {
    code = write_description(folder, what, all[what], &record, error);
  }
  struct Path descriptions = beneath(&folder->content, "descriptions");
  if (code == QUIRE_OK) code = sync_folder(folder->host, &descriptions, error);
  if (code == QUIRE_OK) code = write_record(folder, &record, NULL, error);
  if (code == QUIRE_OK) code = sync_folder(folder->host, &folder->content, error);
  record_end(&record);
  return code;
}

static int32_t sync_parent(const struct Folder *folder, struct QuireError *error) {
  struct Path parent = folder->path;
  char *slash = strrchr(parent.text, '/');
  if (slash == NULL) snprintf(parent.text, PATH_BYTES, ".");
  if (slash != NULL) slash[slash == parent.text] = 0;
  return sync_folder(folder->host, &parent, error);
}

// Makes the content and the marker, under the lock. At the end removes the content of the replaced store.
static int32_t make_store(
    const struct Folder *folder, const struct QuireCreation *creation, struct QuireError *error) {
  struct Folder old;
  int has_old = 0, is_new, moved = 0;
  int32_t code = check_place(folder, creation->overwriting, &is_new, error);
  if (code == QUIRE_OK) {
    has_old = read_marker(folder->host, folder->path.text, &old, NULL) == QUIRE_OK;
    code = make_folders(folder, error);
  }
  if (code == QUIRE_OK) code = write_first(folder, creation, error);
  if (code == QUIRE_OK) code = sync_parent(folder, error);
  // The content's name must be durable before the marker's. One sync of both would not ensure that order.
  if (code == QUIRE_OK) code = sync_folder(folder->host, &folder->path, error);
  if (code == QUIRE_OK) code = write_marker(folder, creation->uuid, &moved, error);
  if (code == QUIRE_OK && has_old) remove_folder(folder->host, &old.content);
  if (code == QUIRE_OK || (moved && has_old)) return code;
  struct Path marker = beneath(&folder->path, "folder.store");
  if (moved) remove_file(folder->host, &marker);
  remove_folder(folder->host, &folder->content);
  return code;
}

int32_t create_store(
    const struct QuireHost *host, const char *path, const struct QuireCreation *creation,
    struct QuireError *error) {
  if (strlen(path) >= STORE_PATH_BYTES) {
    return fail(error, QUIRE_INPUT_OUTPUT, "The path of a folder store is too long.");
  }
  struct Folder folder = {.host = host};
  int32_t lock = -1;
  int is_new;
  snprintf(folder.path.text, PATH_BYTES, "%s", path);
  folder.content = beneath(
      &folder.path, "content-%016" PRIx64, host->disk->unique_number(host->disk->context));
  int32_t code = check_place(&folder, creation->overwriting, &is_new, error);
  if (code != QUIRE_OK) return code;
  // A store of another type is at the path, and the host requested its replacement.
  if (is_new) remove_file(host, &folder.path);
  code = make_folder(host, &folder.path, error);
  if (code == QUIRE_OK) code = take_lock(&folder, &lock, error);
  if (code == QUIRE_OK) code = make_store(&folder, creation, error);
  if (lock >= 0) give_lock(&folder, lock);
  if (code != QUIRE_OK && is_new) remove_folder(host, &folder.path);
  return code;
}
