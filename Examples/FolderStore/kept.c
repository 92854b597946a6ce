// Reads and writes the file 'kept': the kept commits among the commits up to a number.

#include <inttypes.h>

#include "store.h"

static int read_kept_line(struct Piece line, struct Kept *kept) {
  struct Piece word;
  int64_t number;
  if (!take_word(&line, &word) || !piece_signed(line, &number) || number < 0) return 0;
  if (piece_is(word, "up-to")) kept->up_to = number;
  if (piece_is(word, "up-to")) return 1;
  return piece_is(word, "commit") && rows_add(kept->numbers, (uint64_t)number + 1, 0);
}

int32_t read_kept(
    const struct Folder *folder, struct Kept *kept, struct QuireError *error) {
  struct Path path = beneath(&folder->content, "kept");
  struct Text text;
  *kept = (struct Kept){-1, rows_new()};
  if (kept->numbers == NULL) return fail_memory(error);
  if (kind_at(folder->host, &path, NULL) < 0) return QUIRE_OK;
  int32_t code = read_sealed(folder->host, &path, &text, error);
  int is_good = 1;
  if (code == QUIRE_OK) {
    struct Piece rest = {text.bytes, text.count}, line;
    while (is_good && rest.count > 0) is_good = take_line(&rest, &line) && read_kept_line(line, kept);
    is_good = is_good && rows_sort(kept->numbers);
    text_free(&text);
  }
  if (!is_good) {
    code = fail(error, QUIRE_DAMAGED, "'%s' is damaged: it is not a list of commits.", path.text);
  }
  if (code != QUIRE_OK) rows_release(kept->numbers);
  return code;
}

int32_t write_kept(
    const struct Folder *folder, const struct Kept *kept, int *moved, struct QuireError *error) {
  struct Text text = {0};
  text_format(&text, "up-to %" PRId64 "\n", kept->up_to);
  for (size_t i = 0; i < kept->numbers->count; i++) {
    text_format(&text, "commit %" PRIu64 "\n", kept->numbers->rows[i].key - 1);
  }
  text_seal(&text);
  int32_t code = replace_file(folder->host, &folder->content, "kept", &text, moved, error);
  text_free(&text);
  return code;
}

// Returns the listed commit before a record's commit; -1 if there is none.
int64_t listed_before(const struct Record *record, const struct Kept *kept) {
  if (record->previous > kept->up_to || record->previous < 0) return record->previous;
  size_t index = rows_search(kept->numbers, (uint64_t)record->previous + 2);
  return index == 0 ? -1 : (int64_t)(kept->numbers->rows[index - 1].key - 1);
}
