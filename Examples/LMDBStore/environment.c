// Opens files with LMDB, each once in the process, and locks them for writing.

#include "environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
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

// LMDB maps a file that was cut off, and a read beyond its end would end the process.
static int is_whole(struct Environment *environment, uint64_t byte_count) {
  MDB_envinfo info;
  MDB_stat stat;
  mdb_env_info(environment->lmdb, &info);
  mdb_env_stat(environment->lmdb, &stat);
  return (info.me_last_pgno + 1) * stat.ms_psize <= byte_count;
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
  if (!is_new && !is_whole(environment, byte_count)) {
    return fail(
        error, QUIRE_DAMAGED, "'%s' is cut off: it is shorter than its pages require.",
        environment->path);
  }
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

// LMDB does not write the last pages if nothing uses them, but counts them. With these pages in the file, a
// reader can tell a file that was cut off.
int environment_pad(struct Environment *environment) {
  int file;
  struct stat status;
  MDB_envinfo info;
  MDB_stat stat;
  mdb_env_get_fd(environment->lmdb, &file);
  mdb_env_info(environment->lmdb, &info);
  mdb_env_stat(environment->lmdb, &stat);
  off_t needed = (off_t)((info.me_last_pgno + 1) * stat.ms_psize);
  if (fstat(file, &status) != 0) return errno;
  return status.st_size >= needed || ftruncate(file, needed) == 0 ? 0 : errno;
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

// MARK: - Records with names

const char *const description_names[3] = {"model", "schema", "metadata"};

int get_named(
    MDB_txn *transaction, const struct Environment *environment, const char *name, MDB_val *value) {
  MDB_val key = {strlen(name), (void *)(uintptr_t)name};
  return mdb_get(transaction, environment->databases[STORE], &key, value);
}

int put_named(
    MDB_txn *transaction, const struct Environment *environment, const char *name,
    const void *bytes, size_t count) {
  MDB_val key = {strlen(name), (void *)(uintptr_t)name}, value = {count, (void *)(uintptr_t)bytes};
  return mdb_put(transaction, environment->databases[STORE], &key, &value, 0);
}

int32_t read_root(
    MDB_txn *transaction, const struct Environment *environment, struct Root *root,
    struct QuireError *error) {
  MDB_val value;
  uint32_t version = 0;
  int result = get_named(transaction, environment, "root", &value);
  if (result == MDB_NOTFOUND) {
    return fail(
        error, QUIRE_NOT_A_STORE, "'%s' is an LMDB database, but not a store.", environment->path);
  }
  if (result != 0) return fail_lmdb(error, result, "read", environment->path);
  if (value.mv_size >= sizeof version) memcpy(&version, value.mv_data, sizeof version);
  if (version > FORMAT_VERSION) {
    return fail(
        error, QUIRE_NEWER_FORMAT, "'%s' has version %u of the format. This plug-in reads version %d.",
        environment->path, (unsigned)version, FORMAT_VERSION);
  }
  if (value.mv_size != sizeof *root) {
    return fail(error, QUIRE_DAMAGED, "The root of '%s' is damaged.", environment->path);
  }
  memcpy(root, value.mv_data, sizeof *root);
  return QUIRE_OK;
}

double time_now(void) {
  struct timespec now;
  if (timespec_get(&now, TIME_UTC) != TIME_UTC) return 0;
  return (double)(now.tv_sec - 978307200) + (double)now.tv_nsec / 1e9;
}

void store_big(uint8_t *bytes, uint64_t number) {
  for (int i = 7; i >= 0; i--, number >>= 8) bytes[i] = (uint8_t)number;
}

uint64_t load_big(const uint8_t *bytes) {
  uint64_t number = 0;
  for (int i = 0; i < 8; i++) number = number << 8 | bytes[i];
  return number;
}
