// A view: the content of a file at one moment, which several threads read at once.

#include <stdlib.h>

#include "environment.h"

// The transactions that one view has at most. More threads wait for one another.
enum { TRANSACTION_LIMIT = 8 };

struct View {
  atomic_uint references;
  struct Environment *environment;
  size_t number;
  // Protects the members below.
  pthread_mutex_t lock;
  pthread_cond_t returned;
  unsigned transaction_count;
  unsigned idle_count;
  MDB_txn *idle[TRANSACTION_LIMIT];
};

int32_t view_prepare(
    struct Environment *environment, struct View **view, struct QuireError *error) {
  struct View *made = calloc(1, sizeof *made);
  if (made == NULL) return fail_memory(error);
  int result = begin_reading(environment, &made->idle[0]);
  if (result != 0) {
    free(made);
    return fail_lmdb(error, result, "read", environment->path);
  }
  // The transaction keeps its place in LMDB's table of readers, so that it can be renewed.
  mdb_txn_reset(made->idle[0]);
  made->references = 1;
  made->environment = environment_retain(environment);
  made->transaction_count = made->idle_count = 1;
  pthread_mutex_init(&made->lock, NULL);
  pthread_cond_init(&made->returned, NULL);
  *view = made;
  return QUIRE_OK;
}

int view_renew(struct View *view) {
  int result = mdb_txn_renew(view->idle[0]);
  if (result == 0) view->number = mdb_txn_id(view->idle[0]);
  return result;
}

int32_t view_new(
    struct Environment *environment, struct View **view, struct QuireError *error) {
  int32_t code = view_prepare(environment, view, error);
  if (code != QUIRE_OK) return code;
  int result = view_renew(*view);
  if (result == 0) return QUIRE_OK;
  view_release(*view);
  return fail_lmdb(error, result, "read", environment->path);
}

struct View *view_retain(struct View *view) {
  atomic_fetch_add(&view->references, 1);
  return view;
}

void view_release(struct View *view) {
  if (view == NULL || atomic_fetch_sub(&view->references, 1) > 1) return;
  for (unsigned i = 0; i < view->idle_count; i++) mdb_txn_abort(view->idle[i]);
  pthread_mutex_destroy(&view->lock);
  pthread_cond_destroy(&view->returned);
  environment_release(view->environment);
  free(view);
}

struct Environment *view_environment(const struct View *view) { return view->environment; }

size_t view_number(const struct View *view) { return view->number; }

// Begins another transaction with the content of the view; NULL if LMDB has newer content by now.
static MDB_txn *begin_another(const struct View *view) {
  MDB_txn *transaction;
  if (begin_reading(view->environment, &transaction) != 0) return NULL;
  if (mdb_txn_id(transaction) == view->number) return transaction;
  mdb_txn_abort(transaction);
  return NULL;
}

MDB_txn *view_borrow(struct View *view) {
  MDB_txn *transaction = NULL;
  pthread_mutex_lock(&view->lock);
  if (view->idle_count == 0 && view->transaction_count < TRANSACTION_LIMIT) {
    transaction = begin_another(view);
    view->transaction_count += transaction != NULL;
  }
  while (transaction == NULL && view->idle_count == 0) {
    pthread_cond_wait(&view->returned, &view->lock);
  }
  if (transaction == NULL) transaction = view->idle[--view->idle_count];
  pthread_mutex_unlock(&view->lock);
  return transaction;
}

void view_return(struct View *view, MDB_txn *transaction) {
  pthread_mutex_lock(&view->lock);
  view->idle[view->idle_count++] = transaction;
  pthread_cond_signal(&view->returned);
  pthread_mutex_unlock(&view->lock);
}
