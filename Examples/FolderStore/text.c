#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Makes room for 'count' more bytes and a zero byte behind them.
static int reserve(struct Text *text, size_t count) {
  if (text->failed) return 0;
  if (count >= SIZE_MAX / 4 - text->count) return !(text->failed = 1);
  size_t needed = text->count + count + 1;
  if (needed <= text->capacity) return 1;
  size_t capacity = text->capacity < 64 ? 128 : text->capacity * 2;
  if (capacity < needed) capacity = needed;
  char *bytes = realloc(text->bytes, capacity);
  if (bytes == NULL) return !(text->failed = 1);
  text->bytes = bytes;
  text->capacity = capacity;
  return 1;
}

void text_add(struct Text *text, const void *bytes, size_t count) {
  if (!reserve(text, count)) return;
  if (count > 0) memcpy(text->bytes + text->count, bytes, count);
  text->count += count;
  text->bytes[text->count] = 0;
}

void text_format(struct Text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (count < 0) text->failed = 1;
  if (count < 0 || !reserve(text, (size_t)count)) return;
  va_start(arguments, format);
  vsnprintf(text->bytes + text->count, (size_t)count + 1, format, arguments);
  va_end(arguments);
  text->count += (size_t)count;
}

static const char digits[] = "0123456789abcdef";

void text_escape(struct Text *text, const char *bytes, size_t count, int is_word) {
  size_t plain = 0;
  for (size_t i = 0; i < count; i++) {
    uint8_t byte = (uint8_t)bytes[i];
    if (byte >= 0x20 && byte != 0x7f && byte != '\\' && !(is_word && byte == ' ')) continue;
    char escape[4] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    text_add(text, bytes + plain, i - plain);
    text_add(text, escape, sizeof escape);
    plain = i + 1;
  }
  if (plain < count) text_add(text, bytes + plain, count - plain);
}

void text_hex(struct Text *text, const uint8_t *bytes, size_t count) {
  if (count > SIZE_MAX / 8) text->failed = 1;
  if (count > SIZE_MAX / 8 || !reserve(text, count * 2)) return;
  for (size_t i = 0; i < count; i++) {
    text->bytes[text->count++] = digits[bytes[i] >> 4];
    text->bytes[text->count++] = digits[bytes[i] & 15];
  }
  text->bytes[text->count] = 0;
}

// The seal: "whole ", 16 digits and the end of the line.
enum { SEAL_COUNT = 23 };

void text_seal(struct Text *text) {
  text_format(text, "whole %016llx\n", (unsigned long long)checksum(text->bytes, text->count));
}

int text_unseal(struct Text *text) {
  if (text->count < SEAL_COUNT) return 0;
  size_t count = text->count - SEAL_COUNT;
  char seal[SEAL_COUNT + 1];
  snprintf(
      seal, sizeof seal, "whole %016llx\n", (unsigned long long)checksum(text->bytes, count));
  if (memcmp(text->bytes + count, seal, SEAL_COUNT) != 0) return 0;
  text->count = count;
  text->bytes[count] = 0;
  return 1;
}

void text_free(struct Text *text) {
  free(text->bytes);
  *text = (struct Text){0};
}

int take_line(struct Piece *text, struct Piece *line) {
  if (text->count == 0) return 0;
  const char *end = memchr(text->start, '\n', text->count);
  if (end == NULL) return 0;
  line->start = text->start;
  line->count = (size_t)(end - text->start);
  text->start = end + 1;
  text->count -= line->count + 1;
  return 1;
}

int take_word(struct Piece *line, struct Piece *word) {
  if (line->count == 0) return 0;
  const char *end = memchr(line->start, ' ', line->count);
  word->start = line->start;
  word->count = end == NULL ? line->count : (size_t)(end - line->start);
  size_t taken = end == NULL ? word->count : word->count + 1;
  line->start += taken;
  line->count -= taken;
  return word->count > 0;
}

int piece_is(struct Piece piece, const char *text) {
  return piece.count == strlen(text) && memcmp(piece.start, text, piece.count) == 0;
}

int piece_number(struct Piece piece, uint64_t *number) {
  uint64_t value = 0;
  if (piece.count == 0 || piece.count > 20) return 0;
  for (size_t i = 0; i < piece.count; i++) {
    if (piece.start[i] < '0' || piece.start[i] > '9') return 0;
    uint64_t digit = (uint64_t)(piece.start[i] - '0');
    if (value > (UINT64_MAX - digit) / 10) return 0;
    value = value * 10 + digit;
  }
  *number = value;
  return 1;
}

int piece_signed(struct Piece piece, int64_t *number) {
  uint64_t value;
  int is_negative = piece.count > 0 && piece.start[0] == '-';
  if (is_negative) piece = (struct Piece){piece.start + 1, piece.count - 1};
  if (!piece_number(piece, &value)) return 0;
  if (value > (uint64_t)INT64_MAX + (uint64_t)is_negative) return 0;
  // The lowest number has no positive counterpart, so the code negates a value that is one less.
  *number = !is_negative ? (int64_t)value : value == 0 ? 0 : -(int64_t)(value - 1) - 1;
  return 1;
}

static int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

int piece_hex(struct Piece piece, uint8_t *bytes, size_t count) {
  if (piece.count % 2 != 0 || piece.count / 2 != count) return 0;
  for (size_t i = 0; i < count; i++) {
    int high = hex_digit(piece.start[2 * i]), low = hex_digit(piece.start[2 * i + 1]);
    if (high < 0 || low < 0) return 0;
    bytes[i] = (uint8_t)(high << 4 | low);
  }
  return 1;
}

int piece_bits(struct Piece piece, size_t count, uint64_t *bits) {
  uint8_t bytes[8];
  if (count > sizeof bytes || !piece_hex(piece, bytes, count)) return 0;
  *bits = 0;
  for (size_t i = 0; i < count; i++) *bits = *bits << 8 | bytes[i];
  return 1;
}

int piece_unescape(struct Piece piece, struct Text *text) {
  size_t plain = 0;
  for (size_t i = 0; i < piece.count; i++) {
    if (piece.start[i] != '\\') continue;
    uint8_t byte;
    if (piece.count - i < 4 || piece.start[i + 1] != 'x') return 0;
    if (!piece_hex((struct Piece){piece.start + i + 2, 2}, &byte, 1)) return 0;
    text_add(text, piece.start + plain, i - plain);
    text_add(text, &byte, 1);
    plain = i + 4;
    i += 3;
  }
  text_add(text, piece.start + plain, piece.count - plain);
  return 1;
}

uint64_t checksum(const void *bytes, size_t count) {
  uint64_t sum = 0xcbf29ce484222325;
  for (size_t i = 0; i < count; i++) {
    sum = (sum ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
  }
  return sum;
}

static void release_message(struct QuireError *error) { free(error->private_data); }

int32_t fail(struct QuireError *error, int32_t code, const char *format, ...) {
  if (error == NULL) return code;
  char *message = malloc(8192);
  if (message != NULL) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, 8192, format, arguments);
    va_end(arguments);
  }
  *error = (struct QuireError){
      .code = code, .message = message, .release = release_message, .private_data = message};
  return code;
}

int32_t fail_memory(struct QuireError *error) {
  return fail(error, QUIRE_FAILED, "There is not enough memory.");
}
