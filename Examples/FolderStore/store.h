#ifndef FOLDER_STORE_STORE_H
#define FOLDER_STORE_STORE_H

// An open store, its snapshots and their tables.

#include "object.h"

// Above TABLE_LIMIT tables, reading all of them costs more than reading all objects again.
enum { TABLE_LIMIT = 16, RECORDS_BETWEEN_FULL_ONES = 64 };

// One table of a snapshot, with put and removed rows. A snapshot is a stack of tables, and snapshots share
// tables.
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
  // The neighbours in the store's list of snapshots.
  struct QuireSnapshot *before, *after;
  int64_t commit;
  struct Described described[3];
  // The rows of all objects, without values.
  struct Rows *living;
  // The number of records since the last full one.
  int records_since_full;
  uint32_t table_count;
  struct Table *tables[TABLE_LIMIT];
};

struct QuireStore {
  struct Folder folder;
  int is_read_only;
  // Whether the host decides which commit counts.
  int is_led;
  int is_closed;
  // Whether the litter of interrupted commits was removed.
  int is_swept;
  uint64_t next_table;
  // The objects at the newest commit that counts and that this handle has read; NULL after the store is
  // closed.
  struct QuireSnapshot *newest;
  // All snapshots that somebody may still read. The removal of commits keeps their files.
  struct QuireSnapshot *snapshots;
};

// --- Snapshots (snapshot.c). snapshot_begin and snapshot_next return NULL if memory runs out.

struct QuireSnapshot *snapshot_retain(struct QuireSnapshot *snapshot);
void snapshot_release(struct QuireSnapshot *snapshot);
// Makes a snapshot from a full record.
struct QuireSnapshot *snapshot_begin(struct QuireStore *store, const struct Record *record);
// Makes the snapshot after 'before' from the next record. If 'is_continuing' is not 0, the snapshot has one
// table more than 'before'; otherwise it has a single new table.
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

// --- Records on the disk (chain.c)

// Lists the numbers of the existing records, in ascending order. Each is the key of a row, which is one
// higher than the number.
int32_t list_records(
    const struct Folder *folder, struct Rows **numbers, struct QuireError *error);
// Loads the objects at a commit. Starts from 'known' if the records of the commits between exist.
int32_t load_commit(
    struct QuireStore *store, int64_t number, const struct QuireSnapshot *known,
    struct QuireSnapshot **snapshot, struct QuireError *error);
// Detects commits by other processes, and the removal of commits.
int32_t refresh(struct QuireStore *store, struct QuireError *error);
// Moves the store to a commit.
int32_t go_to(struct QuireStore *store, int64_t number, struct QuireError *error);
// Checks that the store is open and, for writing, that it may be written.
int32_t check_open(
    const struct QuireStore *store, int is_writing, struct QuireError *error);
// Takes the lock, checks that the folder still contains this store, and detects commits by other processes.
int32_t begin_writing(struct QuireStore *store, int32_t *lock, struct QuireError *error);

// --- Creation (create.c)

// Reads 'folder.store', which names the folder of the store's content.
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
// Reserves the keys of these rows, so that no later lease returns them. Needs the lock.
int32_t keep_keys(struct QuireStore *store, const struct Rows *put, struct QuireError *error);

// --- Commits (commit.c)

int32_t store_commit(
    struct QuireStore *store, const struct QuireCommit *commit, struct QuireCommitted *committed,
    struct QuireError *error);
// Writes a description into a file and records the file. Does nothing without bytes.
int32_t write_description(
    const struct Folder *folder, int32_t what, const struct QuireBytes *bytes,
    struct Record *record, struct QuireError *error);
// Returns the seconds since the start of 2001 in UTC.
double time_now(void);

// --- History

// The kept commits among the commits up to a number; all others up to this number were removed (kept.c).
struct Kept {
  int64_t up_to; // -1 if no commit was removed.
  struct Rows *numbers; // In the form of list_records.
};

int32_t read_kept(const struct Folder *folder, struct Kept *kept, struct QuireError *error);
int32_t write_kept(
    const struct Folder *folder, const struct Kept *kept, int *moved, struct QuireError *error);
// Returns the listed commit before a record's commit; -1 if there is none.
int64_t listed_before(const struct Record *record, const struct Kept *kept);

// Lists the numbers of all commits that can be opened, in the form of list_records (history.c).
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

// Removes the files that no commit refers to, as far as possible: files of interrupted commits, and files of
// removed commits except the given objects and descriptions, if they are given (litter.c). Needs the lock.
void remove_litter(
    const struct Folder *folder, const struct Kept *kept, const struct Rows *objects,
    const struct Rows *descriptions);
// Removes litter once for each open store.
void sweep(struct QuireStore *store);
// Returns the key of a description's row in the rows of descriptions.
uint64_t description_key(int32_t what, int64_t commit);

#endif
