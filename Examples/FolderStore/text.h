#ifndef FOLDER_STORE_TEXT_H
#define FOLDER_STORE_TEXT_H

// Makes texts piece by piece and reads them line by line. Every file of the store is such a text.

#include <stddef.h>
#include <stdint.h>

#include "quire_store_plugin.h"

// Bytes that grow at their end. Initialize the structure with zeros.
struct Text {
  char *bytes;
  size_t count;
  size_t capacity;
  // Whether memory ran out at some point. The caller checks this once, after the text is complete.
  int failed;
};

void text_add(struct Text *text, const void *bytes, size_t count);
void text_format(struct Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Adds bytes in a form that fits a line: a control character or a backslash becomes \xHH, and in a word a
// space too.
void text_escape(struct Text *text, const char *bytes, size_t count, int is_word);
void text_hex(struct Text *text, const uint8_t *bytes, size_t count);
// Adds the seal: a last line with the text's checksum, which shows that the text is complete.
void text_seal(struct Text *text);
// Removes the seal. Returns 0 if the seal is missing or wrong.
int text_unseal(struct Text *text);
void text_free(struct Text *text);

// A part of a text. The piece does not own its bytes.
struct Piece {
  const char *start;
  size_t count;
};

// Take the next line, or the next word of a line. Return 0 if there is none.
int take_line(struct Piece *text, struct Piece *line);
int take_word(struct Piece *line, struct Piece *word);
int piece_is(struct Piece piece, const char *text);
// Each of these functions parses the whole piece, and returns 0 if the piece has another form.
int piece_number(struct Piece piece, uint64_t *number);
int piece_signed(struct Piece piece, int64_t *number);
// Fills exactly 'count' bytes.
int piece_hex(struct Piece piece, uint8_t *bytes, size_t count);
// Parses a hexadecimal number of exactly 'count' bytes.
int piece_bits(struct Piece piece, size_t count, uint64_t *bits);
// Adds the unescaped bytes to 'text'.
int piece_unescape(struct Piece piece, struct Text *text);

// Returns a checksum that changes if any one byte changes (FNV-1a).
uint64_t checksum(const void *bytes, size_t count);

// Fills the error, unless it is NULL, and returns the code.
int32_t fail(struct QuireError *error, int32_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int32_t fail_memory(struct QuireError *error);

#endif
