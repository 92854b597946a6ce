// Prints the trips of a store, and inserts another one: a program in C with libquire.

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

// Prints the names of the trips with stops. The limit of 0 in the request means all of them.
static void print_trips(quire_connection *trips) {
  struct quire_request request = {.struct_size = sizeof request};
  request.entity = QUIRE_TEXT("Trip");
  request.predicate = QUIRE_TEXT("stops.@count >= %@");
  request.arguments = QUIRE_TEXT("[1]");
  request.sort = QUIRE_TEXT("-name");
  request.columns = QUIRE_TEXT("[\"name\"]");
  struct ArrowArrayStream stream;
  check(quire_fetch(trips, &request, &stream, &error));
  struct ArrowArray batch;
  while (stream.get_next(&stream, &batch) == 0 && batch.release) {
    const struct ArrowArray *names = batch.children[0];
    const int64_t *ends = names->buffers[1];
    const char *bytes = names->buffers[2];
    for (int64_t row = 0; row < batch.length; row++)
      if (is_given(names, row)) printf("%.*s\n", (int)(ends[row + 1] - ends[row]), bytes + ends[row]);
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
  int32_t done;
  do check(quire_undo(trips, &done, &error));
  while (done);
  struct quire_state state = {.struct_size = sizeof state};
  check(quire_get_state(trips, &state, &error));
  printf("unsaved: %s\n", state.has_changes ? "yes" : "no");
  check(quire_close(trips, &error));
}
