#ifndef FOLDER_STORE_TEXT_H
#define FOLDER_STORE_TEXT_H

// Texts that are made piece by piece and read line by line: what every file of the store is.

#include <stddef.h>
#include <stdint.h>

#include "quire_store_plugin.h"

// Bytes that grow at their end. Begins as all zeros.
struct Text {
  char *bytes;
  size_t count;
  size_t capacity;
  // Whether there was too little memory at some point: looked at once, when the text is done.
  int failed;
};

void text_add(struct Text *text, const void *bytes, size_t count);
void text_format(struct Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Adds bytes so that they fit a line: a control character or a backslash becomes \xHH, and in a word a space too.
void text_escape(struct Text *text, const char *bytes, size_t count, int is_word);
void text_hex(struct Text *text, const uint8_t *bytes, size_t count);
// Adds the line that proves a text whole.
void text_seal(struct Text *text);
// Cuts that line off. 0 when it is not there or is wrong.
int text_unseal(struct Text *text);
void text_free(struct Text *text);

// A part of a text that somebody else keeps.
struct Piece {
  const char *start;
  size_t count;
};

// Takes the next line, or the next word of a line. 0 when there is none.
int take_line(struct Piece *text, struct Piece *line);
int take_word(struct Piece *line, struct Piece *word);
int piece_is(struct Piece piece, const char *text);
// Each reads the whole piece, and returns 0 when it is something else.
int piece_number(struct Piece piece, uint64_t *number);
int piece_signed(struct Piece piece, int64_t *number);
// Fills exactly so many bytes.
int piece_hex(struct Piece piece, uint8_t *bytes, size_t count);
// A number in hexadecimal, of exactly so many bytes.
int piece_bits(struct Piece piece, size_t count, uint64_t *bits);
// Adds what was escaped to 'text'.
int piece_unescape(struct Piece piece, struct Text *text);

// A number that changes when any one byte does (FNV-1a).
uint64_t checksum(const void *bytes, size_t count);

// Fills the error, if there is one, and returns the code.
int32_t fail(struct QuireError *error, int32_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int32_t fail_memory(struct QuireError *error);

#endif
