#include "record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const description_names[3] = {"model", "schema", "metadata"};

int record_begin(struct Record *record) {
  *record = (struct Record){.previous = -1, .put = rows_new(), .removed = rows_new()};
  if (record->put != NULL && record->removed != NULL) return 1;
  record_end(record);
  return 0;
}

void record_end(struct Record *record) {
  free(record->author);
  free(record->context_name);
  rows_release(record->put);
  rows_release(record->removed);
  rows_release(record->living);
  *record = (struct Record){0};
}

// MARK: - Writing

static void text_said(struct Text *text, const char *name, const char *said) {
  if (said == NULL) return;
  text_format(text, "%s ", name);
  text_escape(text, said, strlen(said), 0);
  text_add(text, "\n", 1);
}

static void text_rows(
    struct Text *text, const char *name, const struct Rows *rows, int with_commit) {
  for (size_t i = 0; i < rows->count; i++) {
    uint64_t key = rows->rows[i].key;
    text_format(text, "%s %" PRIu64 " %" PRIu64, name, key >> KEY_BITS, key & HIGHEST_KEY);
    if (with_commit) text_format(text, " %" PRId64, rows->rows[i].commit);
    text_add(text, "\n", 1);
  }
}

void record_text(const struct Record *record, struct Text *text) {
  uint64_t bits;
  memcpy(&bits, &record->time, sizeof bits);
  text_format(text, "commit %" PRId64 " %" PRId64 "\n", record->number, record->previous);
  // The program reads the bits; the seconds since 2001 behind them are for people.
  text_format(text, "time %016" PRIx64 " %.3f\n", bits, record->time);
  text_said(text, "author", record->author);
  text_said(text, "context", record->context_name);
  for (int what = 0; what < 3; what++) {
    const struct Described *described = &record->described[what];
    text_format(
        text, "%s %" PRId64 " %016" PRIx64 "\n", description_names[what], described->commit,
        described->checksum);
  }
  text_rows(text, "put", record->put, 0);
  text_rows(text, "removed", record->removed, 0);
  if (record->living == NULL) return;
  text_format(text, "full\n");
  text_rows(text, "object", record->living, 1);
}

int32_t write_record(
    const struct Folder *folder, const struct Record *record, int *moved,
    struct QuireError *error) {
  struct Path commits = beneath(&folder->content, "commits");
  char name[32];
  snprintf(name, sizeof name, "%" PRId64, record->number);
  struct Text text = {0};
  record_text(record, &text);
  text_seal(&text);
  int32_t code = replace_file(folder->host, &commits, name, &text, moved, error);
  text_free(&text);
  return code;
}

// MARK: - Reading

static int read_said(struct Piece line, char **said) {
  struct Text text = {0};
  if (*said != NULL || !piece_unescape(line, &text) || text.failed) {
    text_free(&text);
    return 0;
  }
  *said = text.bytes;
  return 1;
}

static int read_described(struct Piece line, struct Described *described, int64_t number) {
  struct Piece word;
  return take_word(&line, &word) && piece_signed(word, &described->commit)
         && described->commit >= 0 && described->commit <= number
         && piece_bits(line, 8, &described->checksum);
}

// A row must have a key above the previous row's, and a commit that is not above the record's.
static int read_row(struct Piece line, struct Rows *rows, const struct Record *record) {
  uint64_t entity, key;
  int64_t commit = record->number;
  struct Piece word;
  if (rows == NULL) return 0;
  if (!take_word(&line, &word) || !piece_number(word, &entity)) return 0;
  if (!take_word(&line, &word) || !piece_number(word, &key)) return 0;
  if (rows == record->living && (!piece_signed(line, &commit) || commit < 0)) return 0;
  if (rows != record->living && line.count > 0) return 0;
  if (entity == 0 || entity > UINT16_MAX || key == 0 || key > HIGHEST_KEY) return 0;
  key |= entity << KEY_BITS;
  if (rows->count > 0 && rows->rows[rows->count - 1].key >= key) return 0;
  return commit <= record->number && rows_add(rows, key, commit);
}

static int read_time(struct Piece line, double *time) {
  struct Piece word;
  uint64_t bits;
  if (!take_word(&line, &word) || !piece_bits(word, 8, &bits)) return 0;
  memcpy(time, &bits, sizeof bits);
  return 1;
}

static int read_line(struct Piece line, struct Record *record, int *described) {
  struct Piece word;
  if (!take_word(&line, &word)) return 0;
  if (piece_is(word, "put")) return read_row(line, record->put, record);
  if (piece_is(word, "removed")) return read_row(line, record->removed, record);
  if (piece_is(word, "object")) return read_row(line, record->living, record);
  if (piece_is(word, "time")) return read_time(line, &record->time);
  if (piece_is(word, "author")) return read_said(line, &record->author);
  if (piece_is(word, "context")) return read_said(line, &record->context_name);
  if (piece_is(word, "full") && record->living == NULL) {
    record->living = rows_new();
    return record->living != NULL;
  }
  for (int what = 0; what < 3; what++) {
    if (!piece_is(word, description_names[what])) continue;
    *described |= 1 << what;
    return read_described(line, &record->described[what], record->number);
  }
  return 0;
}

static int read_first(struct Piece line, struct Record *record) {
  struct Piece word;
  return take_word(&line, &word) && piece_is(word, "commit") && take_word(&line, &word)
         && piece_signed(word, &record->number) && piece_signed(line, &record->previous)
         && record->previous >= -1 && record->previous < record->number;
}

// Returns 0, or the number of the invalid line.
static int read_lines(struct Piece rest, int64_t number, struct Record *record) {
  struct Piece line;
  int at = 1, described = 0;
  if (!take_line(&rest, &line) || !read_first(line, record) || record->number != number) return 1;
  while (rest.count > 0) {
    at++;
    if (!take_line(&rest, &line) || !read_line(line, record, &described)) return at;
  }
  // A first commit has no previous commit, so its record must be full.
  return described == 7 && (record->previous >= 0 || record->living != NULL) ? 0 : at;
}

int32_t read_record(
    const struct Folder *folder, int64_t number, struct Record *record, struct QuireError *error) {
  struct Path path = beneath(&folder->content, "commits/%" PRId64, number);
  struct Text text;
  *record = (struct Record){0};
  int32_t code = read_sealed(folder->host, &path, &text, error);
  if (code != QUIRE_OK) return code;
  if (!record_begin(record)) code = fail_memory(error);
  int line = 0;
  if (code == QUIRE_OK) line = read_lines((struct Piece){text.bytes, text.count}, number, record);
  text_free(&text);
  if (line != 0) {
    code = fail(error, QUIRE_DAMAGED, "'%s' is damaged in line %d.", path.text, line);
  }
  if (code != QUIRE_OK) record_end(record);
  return code;
}
