// Opens files with LMDB, each once in the process, and locks them for writing.

#include "environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// Addresses cost no memory. LMDB can't give a file more addresses while a transaction reads the file, and snapshots
// are such transactions. So there is room for a long time.
uint64_t least_map_byte_count = (uint64_t)64 << 30;

// Each snapshot takes a place in LMDB's table of readers.
enum { READER_LIMIT = 1000 };

static const char *const database_names[DATABASE_COUNT] = {"store", "rows", "index", "changes"};

// All open files of this process.
static struct Environment *registry;
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;

// MARK: - Opening

static void environment_free(struct Environment *environment) {
  if (environment->lmdb != NULL) mdb_env_close(environment->lmdb);
  pthread_mutex_destroy(&environment->writing);
  free(environment->path);
  free(environment);
}

static int open_databases(struct Environment *environment, int is_new) {
  MDB_txn *transaction;
  int result = mdb_txn_begin(environment->lmdb, NULL, is_new ? 0 : MDB_RDONLY, &transaction);
  if (result != 0) return result;
  for (int i = 0; i < DATABASE_COUNT && result == 0; i++) {
    result = mdb_dbi_open(
        transaction, database_names[i], is_new ? MDB_CREATE : 0, &environment->databases[i]);
  }
  if (result == 0) return mdb_txn_commit(transaction);
  mdb_txn_abort(transaction);
  // Another program's database does not have our databases.
  return result == MDB_NOTFOUND || result == MDB_INCOMPATIBLE ? MDB_INVALID : result;
}

static int open_lmdb(struct Environment *environment, uint64_t byte_count, unsigned flags) {
  uint64_t map = least_map_byte_count;
  int result;
  // The file can grow to four times its size before it has to be closed and opened again.
  while (map / 4 < byte_count) map *= 2;
  do {
    result = mdb_env_create(&environment->lmdb);
    if (result != 0) return result;
    mdb_env_set_mapsize(environment->lmdb, map);
    mdb_env_set_maxdbs(environment->lmdb, DATABASE_COUNT);
    mdb_env_set_maxreaders(environment->lmdb, READER_LIMIT);
    // MDB_NOTLS: a snapshot belongs to no thread.
    result = mdb_env_open(environment->lmdb, environment->path, flags | MDB_NOSUBDIR | MDB_NOTLS, 0666);
    if (result == 0) return 0;
    mdb_env_close(environment->lmdb);
    environment->lmdb = NULL;
    map /= 2;
    // The system may limit the addresses of a process.
  } while (result == ENOMEM && map > 2 * byte_count + (1 << 20));
  return result;
}

static int32_t fail_cut(const struct Environment *environment, struct QuireError *error) {
  return fail(
      error, QUIRE_DAMAGED, "'%s' is cut off: it is shorter than its pages require.",
      environment->path);
}

// LMDB maps a file that was cut off, and a read beyond its end would end the process.
static int32_t check_length(struct Environment *environment, struct QuireError *error) {
  struct FileLength length;
  MDB_txn *transaction;
  if (file_length(environment, &length) && length.is_whole) return QUIRE_OK;
  if (environment->is_read_only) return fail_cut(environment, error);
  int32_t code = environment_lock(environment, error);
  if (code != QUIRE_OK) return code;
  // A process may have been at the end of a commit, or was killed there. Then all pages that are missing are free.
  // While they are looked for, the missing pages contain zeros, and LMDB refuses such pages.
  int is_whole = file_length(environment, &length) && length.is_whole;
  if (!is_whole && environment_pad(environment) == 0
      && mdb_txn_begin(environment->lmdb, NULL, MDB_RDONLY, &transaction) == 0) {
    size_t found = free_page_count(transaction, length.page_count);
    mdb_txn_abort(transaction);
    is_whole = found == length.needed_page_count - length.page_count;
    if (!is_whole && ftruncate(length.file, length.byte_count) != 0) {
      code = fail_lmdb(error, errno, "restore the length of", environment->path);
    }
  }
  environment_unlock(environment);
  if (code != QUIRE_OK || is_whole) return code;
  return fail_cut(environment, error);
}

static int32_t open_file(
    struct Environment *environment, const struct stat *status, int is_new,
    struct QuireError *error) {
  uint64_t byte_count = (uint64_t)status->st_size;
  int result = open_lmdb(environment, byte_count, 0);
  if (result == EACCES || result == EROFS) {
    environment->is_read_only = 1;
    result = open_lmdb(environment, byte_count, MDB_RDONLY);
  }
  if (result != 0) return fail_lmdb(error, result, "open", environment->path);
  int32_t code = is_new ? QUIRE_OK : check_length(environment, error);
  if (code != QUIRE_OK) return code;
  // A process that was killed may have left places in the table of readers, which would keep pages in use.
  int dead;
  mdb_reader_check(environment->lmdb, &dead);
  result = open_databases(environment, is_new);
  if (result == MDB_INVALID) {
    return fail(
        error, QUIRE_NOT_A_STORE, "'%s' is an LMDB database, but not a store.", environment->path);
  }
  return result == 0 ? QUIRE_OK : fail_lmdb(error, result, "open", environment->path);
}

static int32_t environment_new(
    const char *path, int is_new, struct Environment **environment, struct QuireError *error) {
  struct stat status;
  if (stat(path, &status) != 0) return fail_lmdb(error, errno, "open", path);
  for (struct Environment *known = registry; known != NULL; known = known->next) {
    if (known->device == status.st_dev && known->inode == status.st_ino) {
      known->references++;
      *environment = known;
      return QUIRE_OK;
    }
  }
  struct Environment *opened = calloc(1, sizeof *opened);
  if (opened == NULL) return fail_memory(error);
  pthread_mutex_init(&opened->writing, NULL);
  opened->path = strdup(path);
  opened->device = status.st_dev;
  opened->inode = status.st_ino;
  opened->references = 1;
  int32_t code =
      opened->path == NULL ? fail_memory(error) : open_file(opened, &status, is_new, error);
  if (code != QUIRE_OK) {
    environment_free(opened);
    return code;
  }
  opened->next = registry;
  registry = opened;
  *environment = opened;
  return QUIRE_OK;
}

int32_t environment_open(
    const char *path, struct Environment **environment, struct QuireError *error) {
  pthread_mutex_lock(&registry_lock);
  int32_t code = environment_new(path, 0, environment, error);
  pthread_mutex_unlock(&registry_lock);
  return code;
}

int32_t environment_create(
    const char *path, struct Environment **environment, struct QuireError *error) {
  pthread_mutex_lock(&registry_lock);
  int32_t code = environment_new(path, 1, environment, error);
  pthread_mutex_unlock(&registry_lock);
  return code;
}

struct Environment *environment_retain(struct Environment *environment) {
  pthread_mutex_lock(&registry_lock);
  environment->references++;
  pthread_mutex_unlock(&registry_lock);
  return environment;
}

void environment_release(struct Environment *environment) {
  pthread_mutex_lock(&registry_lock);
  if (--environment->references == 0) {
    struct Environment **place = &registry;
    while (*place != environment) place = &(*place)->next;
    *place = environment->next;
    environment_free(environment);
  }
  pthread_mutex_unlock(&registry_lock);
}

// MARK: - Locks and transactions

int32_t environment_lock(struct Environment *environment, struct QuireError *error) {
  int file, result;
  pthread_mutex_lock(&environment->writing);
  // LMDB's own lock ends with the transaction. A commit needs the lock longer: its snapshot must show the
  // objects before another process commits.
  mdb_env_get_fd(environment->lmdb, &file);
  do {
    result = flock(file, LOCK_EX);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return QUIRE_OK;
  result = errno;
  pthread_mutex_unlock(&environment->writing);
  return fail_lmdb(error, result, "lock", environment->path);
}

int environment_try_lock(struct Environment *environment) {
  int file;
  mdb_env_get_fd(environment->lmdb, &file);
  if (pthread_mutex_trylock(&environment->writing) != 0) return 0;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return 1;
  pthread_mutex_unlock(&environment->writing);
  return 0;
}

void environment_unlock(struct Environment *environment) {
  int file;
  mdb_env_get_fd(environment->lmdb, &file);
  flock(file, LOCK_UN);
  pthread_mutex_unlock(&environment->writing);
}

// A process that was killed may have made a commit durable, and not told the readers in the file of locks. LMDB
// corrects that when the next process begins to write.
void environment_recover(struct Environment *environment) {
  MDB_txn *transaction;
  if (mdb_txn_begin(environment->lmdb, NULL, 0, &transaction) == 0) mdb_txn_abort(transaction);
}

int begin_reading(struct Environment *environment, MDB_txn **transaction) {
  int dead, result = mdb_txn_begin(environment->lmdb, NULL, MDB_RDONLY, transaction);
  if (result != MDB_READERS_FULL) return result;
  mdb_reader_check(environment->lmdb, &dead);
  return mdb_txn_begin(environment->lmdb, NULL, MDB_RDONLY, transaction);
}
