#ifndef FOLDER_STORE_STORE_H
#define FOLDER_STORE_STORE_H

// A store that is open, its snapshots and their tables.

#include "object.h"

// With more tables than this, reading through all of them costs more than reading objects anew.
enum { TABLE_LIMIT = 16, RECORDS_BETWEEN_FULL_ONES = 64 };

// One of the tables that a snapshot is a stack of: what was put and what was removed. Shared by snapshots.
struct Table {
  uint32_t references;
  uint64_t id;
  int64_t version;
  struct Rows *put;
  struct Rows *removed;
};

struct QuireSnapshot {
  uint32_t references;
  struct QuireStore *store;
  int64_t commit;
  struct Described described[3];
  // Every object there is; no value of any.
  struct Rows *living;
  // How many records were read since the last full one.
  int records_since_full;
  uint32_t table_count;
  struct Table *tables[TABLE_LIMIT];
};

struct QuireStore {
  struct Folder folder;
  int is_read_only;
  // Whether somebody else says which commit counts.
  int is_led;
  int is_closed;
  // Whether the litter of cut commits was looked for.
  int is_swept;
  uint64_t next_table;
  // The objects at the commit that counts, as far as this store has seen; NULL once it is closed.
  struct QuireSnapshot *newest;
};

// --- Snapshots (snapshot.c). Both makers return NULL when there is too little memory.

struct QuireSnapshot *snapshot_retain(struct QuireSnapshot *snapshot);
void snapshot_release(struct QuireSnapshot *snapshot);
// What a full record says.
struct QuireSnapshot *snapshot_begin(struct QuireStore *store, const struct Record *record);
// What a record makes of a snapshot; where 'is_continuing', with a table more and not a single new one.
struct QuireSnapshot *snapshot_next(
    const struct QuireSnapshot *before, const struct Record *record, int is_continuing);
int32_t snapshot_describe(
    struct QuireSnapshot *snapshot, int32_t what, struct QuireBytes *bytes,
    struct QuireError *error);
int32_t snapshot_tables(
    struct QuireSnapshot *snapshot,
    int32_t (*take)(void *context, const struct QuireTable *table), void *context,
    struct QuireError *error);
int32_t snapshot_rows(
    struct QuireSnapshot *snapshot, uint64_t table, uint16_t entity, int32_t kind,
    int32_t (*take)(void *context, struct ArrowSchema *schema, struct ArrowArray *array),
    void *context, struct QuireError *error);
struct Path description_path(const struct Folder *folder, int32_t what, int64_t commit);

// --- What is on the disk (chain.c)

// The numbers of the records there are, in their order: each the key of a row, one higher than the number.
int32_t list_records(
    const struct Folder *folder, struct Rows **numbers, struct QuireError *error);
// The objects at a commit; by what 'known' has, where the commits between are there.
int32_t load_commit(
    struct QuireStore *store, int64_t number, const struct QuireSnapshot *known,
    struct QuireSnapshot **snapshot, struct QuireError *error);
// Notices what other processes have committed, and forgotten.
int32_t refresh(struct QuireStore *store, struct QuireError *error);
// Goes on to a commit.
int32_t go_to(struct QuireStore *store, int64_t number, struct QuireError *error);
// Makes sure that the store is open and, for writing, may be written.
int32_t check_open(
    const struct QuireStore *store, int is_writing, struct QuireError *error);
// Takes the lock, makes sure that the folder still holds this store, and looks at what is there.
int32_t begin_writing(struct QuireStore *store, int32_t *lock, struct QuireError *error);

// --- Making (create.c)

// Reads 'folder.store': where a store's content is.
int32_t read_marker(
    const struct QuireHost *host, const char *path, struct Folder *folder,
    struct QuireError *error);
int32_t create_store(
    const struct QuireHost *host, const char *path, const struct QuireCreation *creation,
    struct QuireError *error);

// --- Keys (keys.c)

int32_t store_lease_keys(
    struct QuireStore *store, uint16_t entity, uint64_t count, uint64_t *first, uint64_t *leased,
    struct QuireError *error);
// Sees to it that no key of these rows is leased to anybody. Under the lock.
int32_t keep_keys(struct QuireStore *store, const struct Rows *put, struct QuireError *error);

// --- Commits (commit.c)

int32_t store_commit(
    struct QuireStore *store, const struct QuireCommit *commit, struct QuireCommitted *committed,
    struct QuireError *error);
// Keeps a description as a file and notes it. Nothing without bytes.
int32_t write_description(
    const struct Folder *folder, int32_t what, const struct QuireBytes *bytes,
    struct Record *record, struct QuireError *error);
// Seconds since 2001 began in UTC.
double time_now(void);

// --- History

// What was forgotten: of the commits up to a number, only these are left (kept.c).
struct Kept {
  int64_t up_to; // -1 when nothing was forgotten.
  struct Rows *numbers; // As list_records has them.
};

int32_t read_kept(const struct Folder *folder, struct Kept *kept, struct QuireError *error);
int32_t write_kept(
    const struct Folder *folder, const struct Kept *kept, int *moved, struct QuireError *error);
// The commit that is listed before a record's; -1 when there is none.
int64_t listed_before(const struct Record *record, const struct Kept *kept);

// The numbers of all commits that can be opened, as list_records has them (history.c).
int32_t list_commits(
    struct QuireStore *store, const struct Kept *kept, struct Rows **numbers,
    struct QuireError *error);
int32_t store_commits(
    struct QuireStore *store,
    int32_t (*take)(void *context, const struct QuireCommitSummary *commit), void *context,
    struct QuireError *error);
int32_t store_snapshot_of(
    struct QuireStore *store, int64_t commit, struct QuireSnapshot **snapshot,
    struct QuireError *error);

// forget.c
int32_t store_keep_commits(
    struct QuireStore *store, int32_t (*is_kept)(void *context, int64_t commit), void *context,
    struct QuireError *error);

// Removes the files that no commit leads to, as far as that goes: those that cut commits left, and of forgotten
// commits all but these objects and descriptions, where they are given (litter.c). Under the lock.
void remove_litter(
    const struct Folder *folder, const struct Kept *kept, const struct Rows *objects,
    const struct Rows *descriptions);
// Does so once for each open store.
void sweep(struct QuireStore *store);
// A description's place among those that are given.
uint64_t description_key(int32_t what, int64_t commit);

#endif
