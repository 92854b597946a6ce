// Tests of files with one changed byte, or cut off at any byte: the store refuses them or reads the same
// objects.

#include <stdio.h>
#include <string.h>

#include "tests.h"

static void write_bytes(const struct Path *path, const struct Text *bytes) {
  CHECK(write_file(&test_host, path, bytes, NULL) == QUIRE_OK);
}

static int32_t take_nothing(void *context, const struct QuireCommitSummary *commit) {
  (void)context, (void)commit;
  return QUIRE_OK;
}

// Reads all commits, descriptions and rows.
static void look(const char *path, const struct World *world) {
  struct QuireOpening opening = {.struct_size = sizeof opening, .read_only = 1, .commit = -1};
  struct QuireStore *store;
  struct QuireSnapshot *snapshot;
  struct QuireError error = {0};
  int is_same;
  if (tested->open(&test_host, tested->types[0], path, &opening, &store, &error) != QUIRE_OK) {
    CHECK(error.message != NULL && strstr(error.message, path) != NULL);
    error.release(&error);
    return;
  }
  CHECK(tested->snapshot(store, &snapshot, NULL) == QUIRE_OK);
  if (compare_world(snapshot, world, &is_same) == QUIRE_OK) CHECK(is_same);
  for (int32_t what = 0; what < 3; what++) {
    struct QuireBytes bytes;
    if (tested->describe(snapshot, what, &bytes, NULL) != QUIRE_OK) continue;
    CHECK(bytes.count == 8 && memcmp(bytes.start, "<model/>", 8) == 0);
    bytes.release(&bytes);
  }
  tested->commits(store, take_nothing, NULL, NULL);
  tested->release_snapshot(snapshot);
  end(store);
}

// Changes a file. If 'is_sealed' is not 0, writes a matching seal, so that the change reaches the parsers.
static void damage_file(
    const char *path, const struct Path *file, const struct World *world, int is_sealed) {
  static const char others[] = {0, '\n', ' ', '\\', '-', '9', 'f', (char)0xff};
  struct Text whole, changed = {0};
  CHECK(read_file(&test_host, file, &whole, NULL) == QUIRE_OK);
  size_t count = whole.count;
  if (is_sealed && !text_unseal(&whole)) count = 0;
  if (is_sealed) count = whole.count;
  for (size_t i = 0; i < count; i++) {
    for (size_t other = 0; other < 2 * sizeof others; other++) {
      changed.count = 0;
      // The byte is changed, or all bytes from it on are missing.
      text_add(&changed, whole.bytes, other == sizeof others ? i : whole.count);
      if (other > sizeof others) break;
      if (other < sizeof others && changed.bytes[i] == others[other]) continue;
      if (other < sizeof others) changed.bytes[i] = others[other];
      if (is_sealed) text_seal(&changed);
      write_bytes(file, &changed);
      struct World any = *world;
      if (!is_sealed) look(path, world);
      // A sealed file may contain any text. The store must read it without harm.
      if (is_sealed) {
        struct QuireOpening opening = {.struct_size = sizeof opening, .commit = -1};
        struct QuireStore *store;
        struct QuireSnapshot *snapshot;
        int is_same;
        if (tested->open(&test_host, tested->types[0], path, &opening, &store, NULL) == QUIRE_OK) {
          if (tested->snapshot(store, &snapshot, NULL) == QUIRE_OK) {
            compare_world(snapshot, &any, &is_same);
            tested->release_snapshot(snapshot);
          }
          tested->commits(store, take_nothing, NULL, NULL);
          end(store);
        }
      }
    }
  }
  if (is_sealed) text_seal(&whole);
  write_bytes(file, &whole);
  look(path, world);
  text_free(&changed);
  text_free(&whole);
}

void damage(void) {
  const char *path = new_place();
  struct QuireStore *store = make(path);
  struct World world = {{0}};
  CHECK(save(store, 0x1e, 0, &world, NULL) == QUIRE_OK);
  CHECK(save(store, 0, 4, &world, NULL) == QUIRE_OK);
  struct Folder folder = store->folder;
  end(store);
  static const char *const names[] = {
      "commits/0", "commits/1", "commits/2", "objects/1/1.1", "descriptions/model-0", "keys"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    struct Path file = beneath(&folder.content, "%s", names[i]);
    damage_file(path, &file, &world, 0);
    if (i != 4) damage_file(path, &file, &world, 1);
  }
  struct Path marker = beneath(&folder.path, "folder.store");
  struct Text whole;
  CHECK(read_file(&test_host, &marker, &whole, NULL) == QUIRE_OK);
  text_free(&whole);
  damage_file(path, &marker, &world, 0);
}
