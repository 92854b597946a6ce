// Prints the trips of a store, and inserts another one: a program in C with libquire.

#include <inttypes.h>
#include <quire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct quire_error error;

static void check(int32_t code) {
  if (code == QUIRE_E_NONE) return;
  fprintf(stderr, "%s: %s\n%s\n", quire_code_name(code), error.message, error.hint ? error.hint : "");
  error.release(&error);
  exit(1);
}

// Returns whether a row has a value in a column.
static int is_given(const struct ArrowArray *column, int64_t row) {
  const uint8_t *bits = column->buffers[0];
  return !bits || bits[row / 8] >> row % 8 & 1;
}

// Prints the names of the objects of a request, and the sums of their nights.
static void print_trips(quire_connection *trips) {
  struct quire_request request = {.struct_size = sizeof request};
  request.entity = QUIRE_TEXT("Trip");
  request.predicate = QUIRE_TEXT("stops.@count >= %@");
  request.arguments = QUIRE_TEXT("[1]");
  request.sort = QUIRE_TEXT("-name");
  request.columns = QUIRE_TEXT("[\"@id\", \"name\"]");
  struct ArrowArrayStream stream;
  check(quire_fetch(trips, &request, &stream, &error));
  struct ArrowArray batch;
  while (stream.get_next(&stream, &batch) == 0 && batch.release) {
    const uint64_t *identifiers = batch.children[0]->buffers[1];
    const int64_t *ends = batch.children[1]->buffers[1];
    const char *names = batch.children[1]->buffers[2];
    for (int64_t row = 0; row < batch.length; row++) {
      int count = is_given(batch.children[1], row) ? (int)(ends[row + 1] - ends[row]) : 0;
      printf("%" PRIu64 "/p%" PRIu64 " %.*s\n", identifiers[row] >> 48,
             identifiers[row] & (UINT64_C(1) << 48) - 1, count, names + ends[row]);
    }
    batch.release(&batch);
  }
  stream.release(&stream);
}

int main(int count, char **words) {
  struct quire_text path = {words[count - 1], strlen(words[count - 1])};
  quire_connection *trips;
  check(quire_open(path, NULL, &trips, &error));
  print_trips(trips);
  uint64_t porto, stop;
  check(quire_insert(trips, QUIRE_TEXT("Trip"), QUIRE_TEXT("{\"name\": \"Porto\"}"), &porto, &error));
  check(quire_insert(trips, QUIRE_TEXT("Stop"), QUIRE_TEXT("{\"name\": \"Ribeira\"}"), &stop, &error));
  check(quire_relate(trips, porto, QUIRE_TEXT("stops"), QUIRE_RELATE_ADD, &stop, 1, &error));
  print_trips(trips);
  check(quire_undo(trips, NULL, &error));
  struct quire_state state = {.struct_size = sizeof state};
  check(quire_get_state(trips, &state, &error));
  printf("unsaved: %s\n", state.has_changes ? "yes" : "no");
  check(quire_close(trips, &error));
}
