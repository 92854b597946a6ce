#ifndef QUIRE_STORE_PLUGIN_H
#define QUIRE_STORE_PLUGIN_H

// What a program and a store plug-in say to each other (spec chapter 9).
//
// A plug-in is a shared library that exports one symbol, quire_store_plugin, and a manifest beside it,
// plugin.json, that says without being loaded what is in it. Everything below is plain C: a plug-in may be
// written in any language, by any compiler, and carries its own copy of whatever it links.
//
// Four rules hold throughout.
//
//   1. Structures grow at their end only. Each that may grow begins with struct_size: the size it had where it
//      was made. Read no member beyond it. A function that is NULL, or lies beyond, is not there.
//   2. Whoever made a thing frees it: a buffer and an error have a release of their own, handles are released
//      through the table they came from. Nothing that one side allocated is freed by the other.
//   3. Every function that can fail returns a code, QUIRE_OK when it did what it says, and on failure fills the
//      error if it was given one. After a failure its other results are untouched and the store is as it was.
//   4. Texts are UTF-8 and end with a zero byte. They live as long as what they were handed out with.
//
// Calls to one store come one at a time, from any thread, unless its type says QUIRE_THREADED: then reading
// functions are called at any time from any thread, and only those that write come one at a time.

#include <stddef.h>
#include <stdint.h>

#include "CArrow.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this interface. It changes only when something here means something else; what is added at the
// end of a structure does not change it.
#define QUIRE_PLUGIN_ABI 1

// --- Errors ---------------------------------------------------------------------------------------------

// The kinds of failure. A kind that a reader does not know is QUIRE_FAILED to it.
enum {
  QUIRE_OK = 0,
  QUIRE_FAILED = 1,              // None of the others.
  QUIRE_NOT_FOUND = 2,           // There is no store at the place, or no such commit.
  QUIRE_EXISTS = 3,              // There is something at the place already.
  QUIRE_NOT_A_STORE = 4,         // The bytes are not those of such a store.
  QUIRE_NEWER_FORMAT = 5,        // The store was written by a newer version of its format.
  QUIRE_DAMAGED = 6,             // The store contradicts itself.
  QUIRE_INPUT_OUTPUT = 7,        // The disk, or whatever the store lies on, refused.
  QUIRE_READ_ONLY = 8,           // The store was opened for reading only, or can't be written.
  QUIRE_LOCKED = 9,              // Somebody else holds the store.
  QUIRE_OVERTAKEN = 10,          // The newest commit is not the one that the changes had to follow.
  QUIRE_INCOMPATIBLE_MODEL = 11, // The model does not fit the store.
  QUIRE_CLOSED = 12,             // The store was closed.
  QUIRE_BAD_CHANGE = 13,         // A change is none that the store can hold.
  QUIRE_CANCELLED = 14,          // The host said to stop.
  QUIRE_NOT_SUPPORTED = 15,      // The plug-in does not do that.
};

// Why a call failed.
struct QuireError {
  int32_t code;
  // A sentence for people: what was tried, what was found and where. NULL when there is none.
  const char *message;
  // Frees the message; NULL when there is nothing to free. Called once.
  void (*release)(struct QuireError *);
  void *private_data;
};

// Some bytes, and who frees them.
struct QuireBytes {
  const uint8_t *start;
  uint64_t count;
  // Frees the bytes; NULL when they live as long as what they were asked of. Called once.
  void (*release)(struct QuireBytes *);
  void *private_data;
};

// --- What the host offers -------------------------------------------------------------------------------

enum { QUIRE_DISK_FILE = 0, QUIRE_DISK_DIRECTORY = 1, QUIRE_DISK_LINK = 2, QUIRE_DISK_OTHER = 3 };

// What something on the disk is.
struct QuireFileStatus {
  int32_t kind;
  uint32_t permissions; // POSIX mode bits, without those of the kind.
  int64_t byte_count;
  int64_t modified; // Nanoseconds since 1970 began in UTC.
  uint64_t device;  // Which file it is, whatever its name.
  uint64_t inode;
  uint64_t name_count;
};

enum {
  QUIRE_OPEN_READ = 0,             // Reads a file that is there.
  QUIRE_OPEN_UPDATE = 1,           // Reads and writes a file that is there.
  QUIRE_OPEN_CREATE = 2,           // Makes a file; an error if anything has the name.
  QUIRE_OPEN_UPDATE_OR_CREATE = 3, // Reads and writes a file, and makes it if need be.
  QUIRE_OPEN_MODES = 3,
  QUIRE_OPEN_DIRECTORY = 4, // Added: a directory is wanted, and anything else refused.
  QUIRE_OPEN_NO_LINK = 8,   // Added: a link in the last place is refused.
};

// Which process something is.
struct QuireProcess {
  char host_name[256];
  char boot_id[64];
  int32_t process_id;
  uint64_t start_time;
};

// The disk that stores lie on: the operating system's calls, one function each.
//
// A store reaches its files through these and not by itself: so it works in a packed document, which is read in
// place, and is put to the same tests as every other store. Each function returns 0 or more, or the negative of
// an errno value. They may do less than was asked for, and be interrupted (-EINTR), as the calls they stand for.
struct QuireDisk {
  uint32_t struct_size;
  void *context;
  // Opens a file or a directory: its number. 'below' is a directory beneath which no link is followed, or NULL.
  int32_t (*open)(
      void *context, const char *path, int32_t mode, uint32_t permissions, const char *below);
  int32_t (*close)(void *context, int32_t file);
  int64_t (*read)(void *context, int32_t file, void *buffer, uint64_t count, uint64_t offset);
  int64_t (*write)(
      void *context, int32_t file, const void *buffer, uint64_t count, uint64_t offset);
  int32_t (*truncate)(void *context, int32_t file, uint64_t count);
  // Makes a file's bytes durable, with 'everything' its dates and permissions too; of a directory its names.
  int32_t (*sync)(void *context, int32_t file, int32_t everything);
  int32_t (*status)(void *context, int32_t file, struct QuireFileStatus *status);
  int32_t (*set_permissions)(void *context, int32_t file, uint32_t permissions);
  // Takes a lock of the whole file that conflicts with those of every other descriptor; -EAGAIN when somebody
  // else has one.
  int32_t (*lock)(void *context, int32_t file, int32_t exclusive);
  int32_t (*unlock)(void *context, int32_t file);
  // Calls 'entry' with each name in a directory, without "." and "..", until it returns something but 0.
  int32_t (*list)(
      void *context, int32_t directory,
      int32_t (*entry)(void *entry_context, const char *name, int32_t kind), void *entry_context);
  int32_t (*status_of)(
      void *context, const char *path, int32_t following_links, struct QuireFileStatus *status);
  int32_t (*make_directory)(void *context, const char *path, uint32_t permissions);
  int32_t (*remove)(void *context, const char *path);
  int32_t (*remove_directory)(void *context, const char *path);
  // Moves a name in one step, replacing what has the new one.
  int32_t (*rename)(void *context, const char *path, const char *new_path);
  int32_t (*link)(void *context, const char *path, const char *new_path);
  int32_t (*make_symbolic_link)(void *context, const char *path, const char *destination);
  // Where a link leads, as QuireBytes without a zero byte.
  int32_t (*read_symbolic_link)(void *context, const char *path, struct QuireBytes *destination);
  void (*process)(void *context, struct QuireProcess *process);
  int32_t (*is_running)(void *context, const struct QuireProcess *process);
  uint64_t (*unique_number)(void *context);
  // Nanoseconds by a clock that is never set; and letting some pass.
  uint64_t (*uptime)(void *context);
  void (*pause)(void *context, uint64_t nanoseconds);
};

enum { QUIRE_LOG_DEBUG = 0, QUIRE_LOG_INFO = 1, QUIRE_LOG_WARNING = 2, QUIRE_LOG_ERROR = 3 };

// What the host does for a plug-in. Handed to every function that begins something, and valid until that has
// ended: a store's until it is closed and its snapshots are released.
struct QuireHost {
  uint32_t abi_version;
  uint32_t struct_size;
  void *context;
  // Memory that the host counts; aligned to 16 bytes. NULL when there is none left.
  void *(*allocate)(void *context, uint64_t count);
  void (*deallocate)(void *context, void *memory);
  // Something for whoever looks into a problem: QUIRE_LOG_....
  void (*log)(void *context, int32_t level, const char *message);
  // Tells how much of long work is done, in units of the plug-in's choice; 'total' is 0 when nobody knows.
  // Anything but 0 means: stop as soon as you can, and fail with QUIRE_CANCELLED.
  int32_t (*progress)(void *context, uint64_t done, uint64_t total);
  const struct QuireDisk *disk;
};

// --- Stores ---------------------------------------------------------------------------------------------

// What a type of store can do by itself. What it can't, the host does.
enum {
  QUIRE_INCREMENTAL = 1 << 0,  // Commits write what changed and not everything.
  QUIRE_DURABLE = 1 << 1,      // Commits survive the end of the process.
  QUIRE_SHARED = 1 << 2,       // Other processes may write the same store, and what they write is noticed.
  QUIRE_HISTORY = 1 << 3,      // Earlier commits can be opened.
  QUIRE_QUERYING = 1 << 4,     // The store answers predicates and sort keys itself.
  QUIRE_CONFIRMATION = 1 << 5, // Commits can wait for somebody's word that they count.
};

// How a type of store is called.
enum {
  QUIRE_THREADED = 1 << 0,      // Reading functions may be called from several threads at once.
  QUIRE_TAKES_CHANGES = 1 << 1, // Commits bring rows with some of their values; otherwise whole rows only.
  QUIRE_TAKES_BLOCKS = 1 << 2,  // Commits bring blocks (spec chapter 3) in place of Arrow arrays.
};

// A type of store that a plug-in brings.
struct QuireStoreType {
  uint32_t struct_size;
  const char *name;      // As in the manifest, such as "Ledger".
  uint32_t capabilities; // QUIRE_INCREMENTAL and others: those of the manifest.
  uint32_t flags;        // QUIRE_THREADED and others.
  void *context;         // The plug-in's own.
};

// A store that is open, and what it held at one commit. What is in them is the plug-in's.
struct QuireStore;
struct QuireSnapshot;

// How a store is made.
struct QuireCreation {
  uint32_t struct_size;
  int32_t overwriting;   // Whether a store that is there is replaced; otherwise that is QUIRE_EXISTS.
  uint8_t uuid[16];      // The store's identifier.
  // What a store keeps as it is and gives back: the model as XML, the schema (spec §4.6.3), the metadata as a
  // property list in XML. A store without QUIRE_CONFIRMATION or a wish to understand them need not look inside.
  struct QuireBytes model;
  struct QuireBytes schema;
  struct QuireBytes metadata;
};

// How a store is opened.
struct QuireOpening {
  uint32_t struct_size;
  int32_t read_only;
  // The model that the store was written with, for one that does not hold its model; without bytes otherwise.
  struct QuireBytes model;
  // The commit that counts, for a store that is part of a document: it shows that one until it is told to go
  // on. -1 when the newest counts, whoever made it.
  int64_t commit;
  // Not in the first version's table: look at struct_size.
  // Whether a store that another system made, and keeps in its own way, may be written.
  int32_t writes_foreign;
};

// What rows are: of which kind.
enum {
  QUIRE_PUT = 0,     // Whole rows.
  QUIRE_CHANGED = 1, // Rows with some of their values; the others are those beneath.
  QUIRE_REMOVED = 2, // Keys alone, of what is gone.
};

// One of the tables that a snapshot is a stack of, the lowest first.
//
// What a table says never changes as long as the store is open: the host asks once and keeps the answer. Rows are
// read by the schema of the snapshot that they are asked of; so after a commit with a new schema the tables have other
// numbers, unless their rows lie in blocks.
struct QuireTable {
  uint64_t id;      // A number that no other table of this open store has. Not 0.
  int64_t version;  // The commit that wrote those of its rows that come without a version of their own.
  uint64_t row_count; // About how many rows it has: what tells large tables from small ones.
};

// Rows on their way to a store.
//
// An Arrow array of structures as spec §3.7 has it: the children "#key" and "#basis" and one for each property,
// by its name. The plug-in may keep an array by moving it, as the interface of Arrow says. Where the type says
// QUIRE_TAKES_BLOCKS, the bytes of a block instead, which are there until the call returns.
struct QuireBatch {
  uint32_t struct_size;
  uint16_t entity; // The entity's number, or that of a table of links.
  uint16_t kind;   // QUIRE_PUT, QUIRE_CHANGED or QUIRE_REMOVED.
  const char *entity_name;
  struct ArrowSchema *schema; // NULL for a block.
  struct ArrowArray *array;
  const uint8_t *block;
  uint64_t block_byte_count;
};

// What is to be committed.
struct QuireCommit {
  uint32_t struct_size;
  uint32_t batch_count;
  // The commit that must be the newest. When another is, the answer is QUIRE_OVERTAKEN, and the host looks
  // again: so a plug-in compares two numbers, and the host finds what is in conflict.
  int64_t after;
  // The number of the commit, above all that the store has seen; 0 for the next.
  int64_t number;
  // The file that holds the store from then on; NULL for the one it is in. Another only for a store that keeps
  // no earlier commits.
  const char *path;
  struct QuireBatch *const *batches;
  // What they are from now on; without bytes where they stay. A new model comes with the schema that the
  // batches are of.
  struct QuireBytes model;
  struct QuireBytes schema;
  struct QuireBytes metadata;
  // Models between the store's and the new one, in their order.
  uint32_t models_between_count;
  const struct QuireBytes *models_between;
  // For the history; NULL when nobody says.
  const char *author;
  const char *context_name;
  // Asked once everything is durable, with the objects as they will be, which the host releases; NULL when
  // nobody is to be asked. Anything but QUIRE_OK means no: the store is as it was and the call fails with that
  // code. What was made durable may stay where it is; it counts once somebody opens the store at its number.
  int32_t (*confirm)(void *confirm_context, struct QuireSnapshot *snapshot);
  void *confirm_context;
  // Not in the first version's table: look at struct_size.
  // The commit that the changes were made above. A store that knows which commit brought its model answers
  // QUIRE_INCOMPATIBLE_MODEL where that came after; the host knows it of commits since it opened the store.
  int64_t base;
};

// What became of a commit.
struct QuireCommitted {
  // The objects as this commit has left them, whoever commits right after it. The host releases it.
  struct QuireSnapshot *snapshot;
  // The table that the changes have become, on top of those that there were, so that the host need not ask for
  // what it has just given; 0 when the tables are others.
  uint64_t table;
};

// One commit, as a list of them has it.
struct QuireCommitSummary {
  uint32_t struct_size;
  int64_t number;
  double time; // Seconds since 2001 began in UTC.
  const char *author;
  const char *context_name;
};

// What there is to say of a store besides its objects.
struct QuireDescription {
  uint32_t struct_size;
  char format_version[32]; // Empty for a store that has none.
  uint64_t byte_count;
  uint64_t live_byte_count;
  uint64_t stray_byte_count;
  double saved_at;        // Seconds since 2001 began in UTC; NaN when nobody knows.
  int64_t highest_commit; // The highest number that a commit has, whether or not it counts.
};

enum { QUIRE_MODEL = 0, QUIRE_SCHEMA = 1, QUIRE_METADATA = 2 };

// A request to a store that says QUIRE_QUERYING. The predicate is the canonical text of Quire's language of
// predicates (docs/predicates.md), the sort keys are such as "lastName[cd] ASC, age DESC"; NULL where there are none.
struct QuireQuery {
  uint32_t struct_size;
  uint16_t entity;
  uint16_t includes_subentities;
  const char *predicate;
  const char *sort_keys;
  uint64_t offset;
  uint64_t limit; // 0 for all.
};

// How much of a request a store has answered; what it has not, the host does. A store that leaves a request to the
// rows altogether fails with QUIRE_NOT_SUPPORTED.
enum {
  QUIRE_ANSWERED_PREDICATE = 1 << 0,
  QUIRE_ANSWERED_ORDER = 1 << 1,
  QUIRE_ANSWERED_LIMIT = 1 << 2, // Offset and limit. Only with both others.
};

// Keys that a store has found: of an entity, in the request's order where it was answered.
struct QuireFound {
  uint16_t entity;
  uint64_t key;
};

// A block of a table in the plug-in's hands, for QuirePlugin.blocks.
struct QuireBlock {
  uint64_t id; // What read_block knows it by, within its table.
  uint64_t byte_count;
  int64_t version; // As in QuireTable.
};

// What a plug-in is: the table that quire_store_plugin returns. Constant, and there as long as the library.
struct QuirePlugin {
  uint32_t abi_version; // QUIRE_PLUGIN_ABI.
  uint32_t struct_size; // sizeof(struct QuirePlugin).
  const char *name;     // As in the manifest.
  const char *version;
  uint32_t type_count;
  const struct QuireStoreType *const *types;

  // Makes a store without objects, and opens it.
  int32_t (*create)(
      const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
      const struct QuireCreation *creation, struct QuireStore **store, struct QuireError *error);
  // Opens a store.
  int32_t (*open)(
      const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
      const struct QuireOpening *opening, struct QuireStore **store, struct QuireError *error);
  // What a store says of itself, as a property list, read without a model and without its rows.
  int32_t (*metadata)(
      const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
      struct QuireBytes *metadata, struct QuireError *error);
  // Gives back what a store holds. Its snapshots stay readable. Called once.
  int32_t (*close)(struct QuireStore *store, struct QuireError *error);
  // Frees the handle, after close and once all its snapshots are released.
  void (*release_store)(struct QuireStore *store);

  // The objects as the newest commit left them, another process's included.
  int32_t (*snapshot)(
      struct QuireStore *store, struct QuireSnapshot **snapshot, struct QuireError *error);
  void (*release_snapshot)(struct QuireSnapshot *snapshot);
  // The number of a snapshot's commit; 0 before the first.
  int64_t (*commit_of)(struct QuireSnapshot *snapshot);
  // The model, the schema or the metadata: QUIRE_MODEL, QUIRE_SCHEMA or QUIRE_METADATA.
  int32_t (*describe)(
      struct QuireSnapshot *snapshot, int32_t what, struct QuireBytes *bytes,
      struct QuireError *error);
  // The tables, the lowest first: 'take' is called with each.
  int32_t (*tables)(
      struct QuireSnapshot *snapshot,
      int32_t (*take)(void *take_context, const struct QuireTable *table), void *take_context,
      struct QuireError *error);
  // The rows of one kind that a table has of an entity, in the order of their keys, in batches of the
  // plug-in's choice: 'take' is called with each and moves both structures out.
  int32_t (*rows)(
      struct QuireSnapshot *snapshot, uint64_t table, uint16_t entity, int32_t kind,
      int32_t (*take)(void *take_context, struct ArrowSchema *schema, struct ArrowArray *array),
      void *take_context, struct QuireError *error);

  // Makes changes durable, all of them or none.
  int32_t (*commit)(
      struct QuireStore *store, const struct QuireCommit *commit,
      struct QuireCommitted *committed, struct QuireError *error);
  // Sets keys aside for new objects of an entity, which nobody else gets: at least so many.
  int32_t (*lease_keys)(
      struct QuireStore *store, uint16_t entity, uint64_t count, uint64_t *first,
      uint64_t *leased, struct QuireError *error);
  int32_t (*status)(
      struct QuireStore *store, struct QuireDescription *description, struct QuireError *error);

  // With QUIRE_HISTORY: the commits that can be opened, the newest first; one of them; and forgetting those
  // that 'is_kept' says 0 of.
  int32_t (*commits)(
      struct QuireStore *store,
      int32_t (*take)(void *take_context, const struct QuireCommitSummary *commit),
      void *take_context, struct QuireError *error);
  int32_t (*snapshot_of)(
      struct QuireStore *store, int64_t commit, struct QuireSnapshot **snapshot,
      struct QuireError *error);
  int32_t (*keep_commits)(
      struct QuireStore *store, int32_t (*is_kept)(void *kept_context, int64_t commit),
      void *kept_context, struct QuireError *error);

  // With QUIRE_CONFIRMATION: goes on to a commit that another process has made and that counts by now.
  int32_t (*advance)(
      struct QuireStore *store, const char *path, int64_t commit, struct QuireError *error);
  // With QUIRE_SHARED: calls 'body' while nobody commits, in no process, and a commit is the newest
  // (QUIRE_OVERTAKEN otherwise). Fails with what 'body' returns.
  int32_t (*hold)(
      struct QuireStore *store, int64_t commit, int32_t (*body)(void *body_context),
      void *body_context, struct QuireError *error);

  // With QUIRE_QUERYING: what a request finds. 'take' is called with runs of keys.
  int32_t (*query)(
      struct QuireSnapshot *snapshot, const struct QuireQuery *query, uint32_t *answered,
      int32_t (*take)(void *take_context, const struct QuireFound *found, uint64_t count),
      void *take_context, struct QuireError *error);

  // For stores whose rows lie in blocks (spec chapter 3): the blocks in place of 'rows', of an entity or of an
  // index, and their bytes, as many as are wanted. 'has' says 0 for an index that the table does not keep.
  int32_t (*blocks)(
      struct QuireSnapshot *snapshot, uint64_t table, uint16_t number, int32_t kind, int32_t *has,
      int32_t (*take)(void *take_context, const struct QuireBlock *block), void *take_context,
      struct QuireError *error);
  int32_t (*read_block)(
      struct QuireSnapshot *snapshot, uint64_t table, uint64_t block, uint64_t offset,
      uint64_t count, void *buffer, struct QuireError *error);
  // A value that lies outside of its block (spec §3.4.9): 'reference' is the 32 bytes in its place.
  int32_t (*read_value)(
      struct QuireSnapshot *snapshot, uint64_t table, uint64_t block, const uint8_t *reference,
      uint64_t count, void *buffer, struct QuireError *error);

  // Not in the first version's table: the host looks at struct_size. May be null.
  // For stores that find a few rows sooner than all: the whole rows of an entity whose keys lie from 'lowest' to
  // 'highest', as QUIRE_PUT of 'rows' gives them. 'has' says 0 for a table of which all rows are to be asked for.
  int32_t (*rows_between)(
      struct QuireSnapshot *snapshot, uint64_t table, uint16_t entity, uint64_t lowest,
      uint64_t highest, int32_t *has,
      int32_t (*take)(void *take_context, struct ArrowSchema *schema, struct ArrowArray *rows),
      void *take_context, struct QuireError *error);

  // Not in the first version's table, as 'rows_between' above. May be null.
  // Checks a store against the rules of its type, and does not change the store. 'report' receives a property list
  // (spec §9.7.8). If 'path' is NULL, the report contains only the rules. 'opening' contains a model that the objects
  // should match; it may be NULL.
  int32_t (*check)(
      const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
      const struct QuireOpening *opening, struct QuireBytes *report, struct QuireError *error);
};

// The one exported symbol. A plug-in that can't work with the host's version of the interface returns its table
// all the same: the host compares, and says both versions.
#define QUIRE_STORE_PLUGIN_SYMBOL "quire_store_plugin"
typedef const struct QuirePlugin *(*QuireStorePluginEntry)(uint32_t host_abi_version);

#ifdef __cplusplus
}
#endif

#endif // QUIRE_STORE_PLUGIN_H
