#ifndef QUIRE_STORE_PLUGIN_H
#define QUIRE_STORE_PLUGIN_H

// The interface between a program, the host, and a store plug-in (spec chapter 9).
//
// A plug-in is a shared library that exports one symbol, quire_store_plugin, and a manifest beside the
// library, plugin.json. The manifest describes the plug-in, and is read without loading the library. The
// interface is plain C. So a plug-in may be written in any language and built by any compiler. It contains
// its own copy of every library that it links.
//
// Four rules hold for every call.
//
//   1. Structures grow only at their end. A structure that may grow contains struct_size: its size in the
//      program that made it. No structure is smaller than in this header. Ignore members at the end that you do
//      not know. A function of a plug-in is NULL only where this header allows it.
//   2. The side that allocated memory also frees it. A buffer and an error have their own function release.
//      A handle is released through the table that it came from.
//   3. Every function that can fail returns a code; QUIRE_OK means success. On failure it fills the error, if
//      the caller passed one. After a failure the other results are untouched, and the store is unchanged.
//   4. Texts are UTF-8 and end with a zero byte. A text lives as long as the structure or call that it was
//      passed with.
//
// The host calls the functions of one store one at a time, from any thread. If the type has the flag
// QUIRE_THREADED, the host may call the reading functions at any time from any thread. It calls the writing
// functions one at a time.

#include <stddef.h>
#include <stdint.h>

#include "CArrow.h"

#ifdef __cplusplus
extern "C" {
#endif

// The major version of this interface, which is version 1.0. The number changes only when a part of this header is
// removed or gets another meaning. A minor version adds members at the end of structures (spec §9.6.2).
#define QUIRE_PLUGIN_ABI 1

// --- Errors ---------------------------------------------------------------------------------------------

// The codes of failures. The host treats an unknown code as QUIRE_FAILED.
enum {
  QUIRE_OK = 0,
  QUIRE_FAILED = 1,              // A failure without a code of its own in this list.
  QUIRE_NOT_FOUND = 2,           // No store is at the path, or there is no such commit.
  QUIRE_EXISTS = 3,              // A file or folder is at the path already.
  QUIRE_NOT_A_STORE = 4,         // The bytes are not a store of this type.
  QUIRE_NEWER_FORMAT = 5,        // The store was written by a newer version of its format.
  QUIRE_DAMAGED = 6,             // The store contradicts itself.
  QUIRE_INPUT_OUTPUT = 7,        // The disk, or another medium of the store, reported an error.
  QUIRE_READ_ONLY = 8,           // The store was opened for reading only, or can't be written.
  QUIRE_LOCKED = 9,              // Another process or thread has locked the store.
  QUIRE_OVERTAKEN = 10,          // The newest commit is not the required one.
  QUIRE_INCOMPATIBLE_MODEL = 11, // The model does not fit the store.
  QUIRE_CLOSED = 12,             // The store was closed.
  QUIRE_BAD_CHANGE = 13,         // The store can't hold one of the changes.
  QUIRE_CANCELLED = 14,          // The host asked the plug-in to stop.
  QUIRE_NOT_SUPPORTED = 15,      // The plug-in does not support the operation.
};

// The reason why a call failed.
struct QuireError {
  int32_t code;
  // A sentence for people: the attempt, the finding and the place. NULL if there is no message.
  const char *message;
  // Frees the message; NULL if there is nothing to free. The receiver calls it once.
  void (*release)(struct QuireError *);
  void *private_data;
};

// Bytes, and the function that frees them.
struct QuireBytes {
  const uint8_t *start;
  uint64_t count;
  // Frees the bytes; NULL if there is nothing to free, as for bytes that live as long as their store or
  // snapshot. The receiver calls it once.
  void (*release)(struct QuireBytes *);
  void *private_data;
};

// --- The host -------------------------------------------------------------------------------------------

enum { QUIRE_DISK_FILE = 0, QUIRE_DISK_DIRECTORY = 1, QUIRE_DISK_LINK = 2, QUIRE_DISK_OTHER = 3 };

// The status of a file, a folder or a link.
struct QuireFileStatus {
  int32_t kind;
  uint32_t permissions; // POSIX mode bits without the bits of the file's kind.
  int64_t byte_count;
  int64_t modified; // Nanoseconds since the start of 1970 in UTC.
  uint64_t device;  // Device and inode identify the file under all its names.
  uint64_t inode;
  uint64_t name_count;
};

enum {
  QUIRE_OPEN_READ = 0,             // Reads an existing file.
  QUIRE_OPEN_UPDATE = 1,           // Reads and writes an existing file.
  QUIRE_OPEN_CREATE = 2,           // Makes a file; an error if the name is in use.
  QUIRE_OPEN_UPDATE_OR_CREATE = 3, // Reads and writes a file, and makes the file if it does not exist.
  QUIRE_OPEN_MODES = 3,
  QUIRE_OPEN_DIRECTORY = 4, // Added to a mode: opens only a directory.
  QUIRE_OPEN_NO_LINK = 8,   // Added to a mode: refuses a link as the last part of the path.
};

// The identity of a process.
struct QuireProcess {
  char host_name[256];
  char boot_id[64];
  int32_t process_id;
  uint64_t start_time;
};

// The disk that contains the stores: the operating system's calls, one function each.
//
// A store reads and writes its files through these functions and does not call the system itself. So the
// store also works in a packed document, which is read in place, and under the tests of failing disks. Each
// function returns 0 or more, or the negative of a value of errno. Like the system call of the same purpose,
// a function may process less than requested, and may be interrupted (-EINTR).
struct QuireDisk {
  uint32_t struct_size;
  void *context;
  // Opens a file or a directory, and returns its number. 'below' is a directory or NULL: on the part of the
  // path below that directory no link is followed.
  int32_t (*open)(
      void *context, const char *path, int32_t mode, uint32_t permissions, const char *below);
  int32_t (*close)(void *context, int32_t file);
  int64_t (*read)(void *context, int32_t file, void *buffer, uint64_t count, uint64_t offset);
  int64_t (*write)(
      void *context, int32_t file, const void *buffer, uint64_t count, uint64_t offset);
  int32_t (*truncate)(void *context, int32_t file, uint64_t count);
  // Makes a file's bytes durable, or a directory's names. If 'everything' is not 0, also makes the dates and
  // permissions durable.
  int32_t (*sync)(void *context, int32_t file, int32_t everything);
  int32_t (*status)(void *context, int32_t file, struct QuireFileStatus *status);
  // Returns the time at which an open file was made, in nanoseconds since the beginning of 1970 in UTC; 0 if the
  // disk does not know the time.
  int64_t (*birth)(void *context, int32_t file);
  int32_t (*set_permissions)(void *context, int32_t file, uint32_t permissions);
  // Locks the whole file, exclusively or shared with other shared locks. The lock belongs to the descriptor, so
  // it also conflicts with locks of other descriptors in the same process. Returns -EAGAIN if another
  // descriptor has a conflicting lock.
  int32_t (*lock)(void *context, int32_t file, int32_t exclusive);
  int32_t (*unlock)(void *context, int32_t file);
  // Calls 'entry' with each name in a directory except "." and "..", until 'entry' returns a value other than
  // 0.
  int32_t (*list)(
      void *context, int32_t directory,
      int32_t (*entry)(void *entry_context, const char *name, int32_t kind), void *entry_context);
  int32_t (*status_of)(
      void *context, const char *path, int32_t following_links, struct QuireFileStatus *status);
  int32_t (*make_directory)(void *context, const char *path, uint32_t permissions);
  int32_t (*remove)(void *context, const char *path);
  int32_t (*remove_directory)(void *context, const char *path);
  // Moves a file in one step, and replaces the file that has the new name.
  int32_t (*rename)(void *context, const char *path, const char *new_path);
  int32_t (*link)(void *context, const char *path, const char *new_path);
  int32_t (*make_symbolic_link)(void *context, const char *path, const char *destination);
  // Reads the destination of a link, as QuireBytes without a zero byte.
  int32_t (*read_symbolic_link)(void *context, const char *path, struct QuireBytes *destination);
  void (*process)(void *context, struct QuireProcess *process);
  int32_t (*is_running)(void *context, const struct QuireProcess *process);
  uint64_t (*unique_number)(void *context);
  // Returns the nanoseconds of a clock that is never set.
  uint64_t (*uptime)(void *context);
  // Waits for some nanoseconds.
  void (*pause)(void *context, uint64_t nanoseconds);
  // Returns the path by which the system itself finds a file or folder, for a library that opens files on its own.
  // Fails with -ENOTSUP if the file is not a file of the system, as in a packed document.
  int32_t (*real_path)(void *context, const char *path, struct QuireBytes *real_path);
};

enum { QUIRE_LOG_DEBUG = 0, QUIRE_LOG_INFO = 1, QUIRE_LOG_WARNING = 2, QUIRE_LOG_ERROR = 3 };

// The functions that the host offers to a plug-in. 'create', 'open' and 'metadata' receive the structure. It
// is valid until the operation has ended; for an open store, until the store is closed and its snapshots are
// released.
struct QuireHost {
  uint32_t abi_version;
  uint32_t struct_size;
  void *context;
  // Allocates memory that the host counts, aligned to 16 bytes. Returns NULL if no memory is left.
  void *(*allocate)(void *context, uint64_t count);
  void (*deallocate)(void *context, void *memory);
  // Writes a message to the log, to explain a problem later. The level is QUIRE_LOG_DEBUG to QUIRE_LOG_ERROR.
  void (*log)(void *context, int32_t level, const char *message);
  // Reports the progress of long work, in units that the plug-in chooses; 'total' is 0 if the total is
  // unknown. After a result other than 0 the plug-in stops soon, and fails with QUIRE_CANCELLED.
  int32_t (*progress)(void *context, uint64_t done, uint64_t total);
  const struct QuireDisk *disk;
};

// --- Stores ---------------------------------------------------------------------------------------------

// The capabilities of a type of store: features that the type has on its own. The host supplies the missing
// ones if it can.
enum {
  QUIRE_INCREMENTAL = 1 << 0,  // A commit writes only its changes, and not all objects.
  QUIRE_DURABLE = 1 << 1,      // Commits survive the end of the process.
  QUIRE_SHARED = 1 << 2,       // Several processes may write the store, which detects their commits.
  QUIRE_HISTORY = 1 << 3,      // Earlier commits can be opened.
  QUIRE_QUERYING = 1 << 4,     // The store answers predicates and sort keys itself.
  QUIRE_CONFIRMATION = 1 << 5, // A commit can wait for the confirmation that it counts.
};

// Flags that control how the host calls the functions of a type of store.
enum {
  QUIRE_THREADED = 1 << 0,      // Several threads may call reading functions at once.
  QUIRE_TAKES_CHANGES = 1 << 1, // Commits may contain rows with some of their values, not only whole rows.
  QUIRE_TAKES_BLOCKS = 1 << 2,  // Commits contain blocks (spec chapter 3) in place of Arrow arrays.
};

// A type of store that a plug-in implements.
struct QuireStoreType {
  uint32_t struct_size;
  const char *name;      // The name in the manifest, such as "Ledger".
  uint32_t capabilities; // QUIRE_INCREMENTAL and so on: the same capabilities as in the manifest.
  uint32_t flags;        // QUIRE_THREADED and so on.
  void *context;         // For the plug-in's own use.
};

// Handles: an open store, and its contents at one commit. The host never reads these structures.
struct QuireStore;
struct QuireSnapshot;

// The parameters of 'create'.
struct QuireCreation {
  uint32_t struct_size;
  int32_t overwriting;   // Whether an existing store is replaced. If not, 'create' fails with QUIRE_EXISTS.
  uint8_t uuid[16];      // The store's identifier.
  // The model as XML, the schema (spec §4.6.3), and the metadata as a property list in XML. The store keeps
  // these bytes and returns them unchanged. Without QUIRE_CONFIRMATION a store need not parse them.
  struct QuireBytes model;
  struct QuireBytes schema;
  struct QuireBytes metadata;
};

// The parameters of 'open'.
struct QuireOpening {
  uint32_t struct_size;
  int32_t read_only;
  // The model that the store was written with, for a store that does not contain its model; otherwise no
  // bytes.
  struct QuireBytes model;
  // The commit that counts, for a store of a document: the store shows that commit until the host calls
  // 'advance'. If the value is -1, the newest commit of any process counts.
  int64_t commit;
  // Whether the plug-in may write a store that another system made in its own form.
  int32_t writes_foreign;
  // For a store of a document: a number of the document's folder, which a copy of the folder does not have. If the value
  // is 0, the number is unknown.
  uint64_t folder_number;
};

// The kinds of rows.
enum {
  QUIRE_PUT = 0,     // Whole rows.
  QUIRE_CHANGED = 1, // Rows with some of their values; the table beneath supplies the rest.
  QUIRE_REMOVED = 2, // The keys of removed rows.
};

// One table of a snapshot. A snapshot is a stack of tables.
//
// The content of a table never changes while the store is open, so the host reads it once. Rows are read by
// the schema of the snapshot that the host asks. So after a commit with a new schema the tables have other
// numbers, unless their rows lie in blocks.
struct QuireTable {
  uint64_t id;      // A number that is not 0 and is unique among the tables of this open store.
  int64_t version;  // The commit that wrote the rows without a version of their own.
  uint64_t row_count; // The approximate number of rows. It distinguishes large tables from small ones.
};

// Rows of one entity and one kind, in a commit.
//
// The rows are an Arrow array of structures (spec §3.7): the children "#key" and "#basis", and one child for
// each property, by its name. The plug-in may keep an array by moving it, as Arrow's C Data Interface
// specifies. If the type has the flag QUIRE_TAKES_BLOCKS, the batch contains the bytes of a block instead,
// which are valid until the call returns.
struct QuireBatch {
  uint32_t struct_size;
  uint16_t entity; // The number of the entity or of the link table.
  uint16_t kind;   // QUIRE_PUT, QUIRE_CHANGED or QUIRE_REMOVED.
  const char *entity_name;
  struct ArrowSchema *schema; // NULL for a block.
  struct ArrowArray *array;
  const uint8_t *block;
  uint64_t block_byte_count;
};

// The parameters of 'commit'.
struct QuireCommit {
  uint32_t struct_size;
  uint32_t batch_count;
  // The commit that must be the newest. If another commit is the newest, the store changes nothing and fails
  // with QUIRE_OVERTAKEN. So the plug-in only compares two numbers, and the host finds the conflicts.
  int64_t after;
  // The number of the commit, above all earlier numbers in the store; 0 if the store chooses the next number.
  int64_t number;
  // The file that contains the store after the commit; NULL if the store stays in its file. Another file is
  // possible only for a store that keeps no earlier commits.
  const char *path;
  struct QuireBatch *const *batches;
  // The new model, schema and metadata. A field without bytes leaves the store's value unchanged. A new model
  // comes with the schema of the batches.
  struct QuireBytes model;
  struct QuireBytes schema;
  struct QuireBytes metadata;
  // The models between the store's model and the new one, in their order.
  uint32_t models_between_count;
  const struct QuireBytes *models_between;
  // The author and the context, for the history; NULL if unknown.
  const char *author;
  const char *context_name;
  // Decides whether the commit counts; NULL if no confirmation is needed. The plug-in calls 'confirm' after
  // all changes are durable, with a snapshot of the objects after the commit, which the host releases. A
  // result other than QUIRE_OK rejects the commit: the store is unchanged, and the call fails with that code.
  // The durable bytes of the rejected commit may stay. That commit counts once a program opens the store at
  // its number.
  int32_t (*confirm)(void *confirm_context, struct QuireSnapshot *snapshot);
  void *confirm_context;
  // The base of the changes: the commit that they were made above. A store that knows which commit changed its
  // model fails with QUIRE_INCOMPATIBLE_MODEL if that commit came after the base. The host itself knows only the
  // commits since it opened the store.
  int64_t base;
};

// The result of a commit.
struct QuireCommitted {
  // The objects as this commit left them, even if another commit follows at once. The host releases the
  // snapshot.
  struct QuireSnapshot *snapshot;
  // The table that the changes have become, on top of the earlier tables. So the host need not read the rows
  // that it has just passed. 0 if the tables of the snapshot are not the earlier tables and that one.
  uint64_t table;
};

// One commit in the list of commits.
struct QuireCommitSummary {
  uint32_t struct_size;
  int64_t number;
  double time; // Seconds since the start of 2001 in UTC.
  const char *author;
  const char *context_name;
};

// The status of a store.
struct QuireDescription {
  uint32_t struct_size;
  char format_version[32]; // Empty if the format has no version.
  uint64_t byte_count;
  uint64_t live_byte_count;
  uint64_t stray_byte_count;
  double saved_at;        // Seconds since the start of 2001 in UTC; NaN if unknown.
  int64_t highest_commit; // The highest number of a commit, including commits that do not count.
};

enum { QUIRE_MODEL = 0, QUIRE_SCHEMA = 1, QUIRE_METADATA = 2 };

// --- Requests -------------------------------------------------------------------------------------------

// The kinds of nodes in the tree of a predicate (spec §9.8.7b). The parts of a node follow it.
enum {
  // Predicates.
  QUIRE_CONSTANT = 1,   // True or false: 'whole' is 1 or 0.
  QUIRE_AND = 2,        // True if every part is true.
  QUIRE_OR = 3,         // True if any part is true.
  QUIRE_NOT = 4,        // True if its part is false.
  QUIRE_COMPARISON = 5, // 'detail' is the operator; the parts are its left and its right side.
  // Expressions.
  QUIRE_VALUE = 16,       // A value: 'detail' is its type.
  QUIRE_OBJECT = 17,      // An object of this store: 'detail' is its entity, 'whole' its key.
  QUIRE_LIST = 18,        // The values of the parts.
  QUIRE_SELF = 19,        // The object for which the predicate is evaluated.
  QUIRE_VARIABLE = 20,    // The variable of a QUIRE_SUBQUERY around the node; 'bytes' is its name.
  QUIRE_PATH = 21,        // The value at the end of a path from the part; 'bytes' is the path: "stops.@count".
  QUIRE_FUNCTION = 22,    // A function of the parts; 'bytes' is its name, such as "add:to:".
  QUIRE_CALL = 23,        // A method of the first part, with the other parts as arguments; 'bytes' is its name.
  QUIRE_ELEMENT = 24,     // An element of the first part: 'detail' is 0 for the first, 1 for the last, 2 for
                          // their number, 3 for the element at the position in the second part.
  QUIRE_SET = 25,         // The parts as one collection: 'detail' is 0 for UNION, 1 for INTERSECT, 2 for MINUS.
  QUIRE_SUBQUERY = 26,    // The objects of the first part for which the second, a predicate, is true; 'bytes'
                          // is the name of the variable.
  QUIRE_CONDITIONAL = 27, // The second part if the first, a predicate, is true; otherwise the third.
  QUIRE_CAST = 28,        // The part as another type; 'bytes' is the type's name, such as "NSDate".
  QUIRE_FETCH = 29,       // The objects for which the part is true, or their number if 'detail' is 1; 'bytes'
                          // is the name of their entity.
};

// The operators of comparisons.
enum {
  QUIRE_LESS = 0,
  QUIRE_LESS_OR_EQUAL = 1,
  QUIRE_GREATER = 2,
  QUIRE_GREATER_OR_EQUAL = 3,
  QUIRE_EQUAL = 4,
  QUIRE_NOT_EQUAL = 5,
  QUIRE_BETWEEN = 6,
  QUIRE_IN = 7,
  QUIRE_CONTAINS = 8,
  QUIRE_BEGINS_WITH = 9,
  QUIRE_ENDS_WITH = 10,
  QUIRE_LIKE = 11,
  QUIRE_MATCHES = 12,
  QUIRE_HAS_WORDS = 13,
};

// The options of comparisons and of sort keys.
enum {
  QUIRE_IGNORES_CASE = 1 << 0,       // [c]
  QUIRE_IGNORES_DIACRITICS = 1 << 1, // [d]
  QUIRE_NORMALIZED = 1 << 2,         // [n]
  QUIRE_LOCALIZED = 1 << 3,          // [l]
  QUIRE_ANY = 1 << 8,                // At least one of the values on the left side must pass.
  QUIRE_ALL = 1 << 9,                // Every value on the left side must pass.
};

// The types of values.
enum {
  QUIRE_NULL = 0,
  QUIRE_BOOL = 1,    // 'whole' is 0 or 1.
  QUIRE_WHOLE = 2,   // 'whole'.
  QUIRE_NUMBER = 3,  // 'number', of 32 or of 64 bits.
  QUIRE_DECIMAL = 4, // 'bytes' is the text of the number, such as "-12.50".
  QUIRE_DATE = 5,    // 'number' is the seconds since the start of 2001 in UTC.
  QUIRE_TEXT = 6,    // 'bytes' is the text, in UTF-8.
  QUIRE_DATA = 7,    // 'bytes' is the value.
  QUIRE_UUID = 8,    // 'bytes' is the 16 bytes of the UUID.
  QUIRE_URI = 9,     // 'bytes' is the text of the URI.
};

// One node of the tree of a predicate. The nodes of a tree lie one behind another: each node, then its parts in
// their order, each with its own parts. This structure never grows.
struct QuireNode {
  uint16_t kind;        // QUIRE_CONSTANT to QUIRE_FETCH.
  uint16_t detail;      // Depends on the kind.
  uint32_t options;     // QUIRE_IGNORES_CASE and so on, for a comparison.
  uint32_t part_count;  // The number of parts.
  uint32_t node_count;  // The number of nodes of this part of the tree: this node, its parts and their parts.
                        // So the node behind them all is at this node's address plus 'node_count'.
  int64_t whole;
  double number;
  const uint8_t *bytes; // NULL if the node has no bytes. A zero byte follows, which 'byte_count' leaves out.
  uint64_t byte_count;
};

// A sort key. This structure never grows.
struct QuireSortKey {
  const char *path;
  uint32_t options;      // QUIRE_IGNORES_CASE and so on.
  uint32_t is_ascending; // 1 or 0. Missing values come first in ascending order.
};

// A request to a store with the capability QUIRE_QUERYING.
struct QuireQuery {
  uint32_t struct_size;
  uint16_t entity;
  uint16_t includes_subentities;
  uint64_t offset;
  uint64_t limit; // 0 for all.
  // The numbers of the searched entities, in ascending order: 'entity', and the entities that inherit from it
  // if they are included.
  const uint16_t *entities;
  uint64_t entity_count;
  // The tree of the predicate; NULL if the request has none.
  const struct QuireNode *nodes;
  uint64_t node_count;
  // The sort keys, the most significant first.
  const struct QuireSortKey *keys;
  uint64_t key_count;
};

// The parts of a request that a store has answered. The host completes the remaining parts. A store that
// answers no part of a request fails with QUIRE_NOT_SUPPORTED.
enum {
  QUIRE_ANSWERED_PREDICATE = 1 << 0,
  QUIRE_ANSWERED_ORDER = 1 << 1,
  QUIRE_ANSWERED_LIMIT = 1 << 2, // Offset and limit. Only together with both other parts.
  // In place of QUIRE_ANSWERED_PREDICATE: the found objects are all that meet the predicate, and maybe more.
  // The host tests each of them. So a store can use an index for one condition of several.
  QUIRE_ANSWERED_CANDIDATES = 1 << 3,
};

// The key of a found object, and its entity. The keys have the request's order if the store answered the
// order.
struct QuireFound {
  uint16_t entity;
  uint64_t key;
};

// A block of a table, as QuirePlugin.blocks returns it.
struct QuireBlock {
  uint64_t id; // The number of the block within its table, for read_block.
  uint64_t byte_count;
  int64_t version; // As in QuireTable; 0 stands for the version of the table.
};

// A range of keys, both ends included. This structure never grows.
struct QuireKeyRange {
  uint64_t lowest;
  uint64_t highest;
};

// A transaction in the log of a store.
struct QuireTransaction {
  uint32_t struct_size;
  int64_t number;
  double time; // Seconds since the start of 2001 in UTC.
  // NULL if unknown: the author, the context, the identifier of the application and the name of its process.
  const char *author;
  const char *context_name;
  const char *bundle_id;
  const char *process_name;
};

// The kinds of logged changes.
enum {
  QUIRE_INSERTED = 0,
  QUIRE_UPDATED = 1,
  QUIRE_DELETED = 2,
};

// A change of one object in the log of a store.
struct QuireLoggedChange {
  uint32_t struct_size;
  uint16_t entity;
  uint16_t kind; // QUIRE_INSERTED, QUIRE_UPDATED or QUIRE_DELETED.
  uint64_t key;
  int64_t transaction;
  // The names of the changed properties of an update, or of the properties of a deleted object whose last values the log
  // keeps.
  const char *const *properties;
  uint64_t property_count;
  // The values of these properties, each a node of the kind QUIRE_VALUE; NULL if the change is not a deletion.
  const struct QuireNode *values;
};

// The table of a plug-in: the functions that quire_store_plugin returns. The table is constant and lives as
// long as the library. A function of a capability may be NULL in a plug-in without the capability. Any other
// function is NULL only if its comment allows it.
struct QuirePlugin {
  uint32_t abi_version; // QUIRE_PLUGIN_ABI.
  uint32_t struct_size; // sizeof(struct QuirePlugin).
  const char *name;     // The name in the manifest.
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
  // Reads the metadata of a store, as a property list. Needs no model and reads no rows.
  int32_t (*metadata)(
      const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
      struct QuireBytes *metadata, struct QuireError *error);
  // Releases the files, locks and connections of a store. Its snapshots stay readable. The host calls it
  // once.
  int32_t (*close)(struct QuireStore *store, struct QuireError *error);
  // Frees the handle. The host calls it once, after 'close' and after the release of the last snapshot.
  void (*release_store)(struct QuireStore *store);

  // Returns the objects at the newest commit, which may be another process's.
  int32_t (*snapshot)(
      struct QuireStore *store, struct QuireSnapshot **snapshot, struct QuireError *error);
  void (*release_snapshot)(struct QuireSnapshot *snapshot);
  // Returns the number of a snapshot's commit; 0 before the first commit.
  int64_t (*commit_of)(struct QuireSnapshot *snapshot);
  // Returns the model, the schema or the metadata: QUIRE_MODEL, QUIRE_SCHEMA or QUIRE_METADATA.
  int32_t (*describe)(
      struct QuireSnapshot *snapshot, int32_t what, struct QuireBytes *bytes,
      struct QuireError *error);
  // Calls 'take' with each table, the lowest first.
  int32_t (*tables)(
      struct QuireSnapshot *snapshot,
      int32_t (*take)(void *take_context, const struct QuireTable *table), void *take_context,
      struct QuireError *error);
  // Returns the rows of one kind and one entity in a table, in the order of their keys, in batches of a size
  // that the plug-in chooses. Calls 'take' with each batch; 'take' moves both structures out. May be NULL if
  // 'blocks' is not.
  int32_t (*rows)(
      struct QuireSnapshot *snapshot, uint64_t table, uint16_t entity, int32_t kind,
      int32_t (*take)(void *take_context, struct ArrowSchema *schema, struct ArrowArray *array),
      void *take_context, struct QuireError *error);

  // Makes changes durable, all of them or none.
  int32_t (*commit)(
      struct QuireStore *store, const struct QuireCommit *commit,
      struct QuireCommitted *committed, struct QuireError *error);
  // Reserves keys for new objects of an entity, at least 'count'. No other caller receives these keys.
  int32_t (*lease_keys)(
      struct QuireStore *store, uint16_t entity, uint64_t count, uint64_t *first,
      uint64_t *leased, struct QuireError *error);
  int32_t (*status)(
      struct QuireStore *store, struct QuireDescription *description, struct QuireError *error);

  // With QUIRE_HISTORY: calls 'take' with each commit that can be opened, the newest first.
  int32_t (*commits)(
      struct QuireStore *store,
      int32_t (*take)(void *take_context, const struct QuireCommitSummary *commit),
      void *take_context, struct QuireError *error);
  // With QUIRE_HISTORY: opens one of these commits.
  int32_t (*snapshot_of)(
      struct QuireStore *store, int64_t commit, struct QuireSnapshot **snapshot,
      struct QuireError *error);
  // With QUIRE_HISTORY: removes the earlier commits for which 'is_kept' returns 0.
  int32_t (*keep_commits)(
      struct QuireStore *store, int32_t (*is_kept)(void *kept_context, int64_t commit),
      void *kept_context, struct QuireError *error);

  // With QUIRE_CONFIRMATION: moves the store to a commit that another process has made and that counts by
  // now.
  int32_t (*advance)(
      struct QuireStore *store, const char *path, int64_t commit, struct QuireError *error);
  // With QUIRE_SHARED: calls 'body' while the given commit is the newest and no process commits. Fails with
  // QUIRE_OVERTAKEN if another commit is the newest, and with the result of 'body' if it is not 0. May be NULL:
  // the host then compares the numbers of the commits alone.
  int32_t (*hold)(
      struct QuireStore *store, int64_t commit, int32_t (*body)(void *body_context),
      void *body_context, struct QuireError *error);

  // With QUIRE_QUERYING: finds the objects of a request. Calls 'take' with runs of keys.
  int32_t (*query)(
      struct QuireSnapshot *snapshot, const struct QuireQuery *query, uint32_t *answered,
      int32_t (*take)(void *take_context, const struct QuireFound *found, uint64_t count),
      void *take_context, struct QuireError *error);

  // For stores with rows in blocks (spec chapter 3), in place of 'rows'; otherwise NULL. Calls 'take' with each
  // block of a table with the number of an entity or of an index. Sets 'has' to 0 for an index that the table
  // does not contain.
  int32_t (*blocks)(
      struct QuireSnapshot *snapshot, uint64_t table, uint16_t number, int32_t kind, int32_t *has,
      int32_t (*take)(void *take_context, const struct QuireBlock *block), void *take_context,
      struct QuireError *error);
  // Reads bytes of one block: 'count' bytes from 'offset'. May be NULL if 'blocks' is.
  int32_t (*read_block)(
      struct QuireSnapshot *snapshot, uint64_t table, uint64_t block, uint64_t offset,
      uint64_t count, void *buffer, struct QuireError *error);
  // Reads an outside value: a value that lies outside of its block (spec §3.4.9). 'reference' points to the
  // 32 bytes of the reference in the block. May be NULL if no block has an outside value.
  int32_t (*read_value)(
      struct QuireSnapshot *snapshot, uint64_t table, uint64_t block, const uint8_t *reference,
      uint64_t count, void *buffer, struct QuireError *error);

  // May be NULL. For stores that find a few rows faster than all rows: returns the whole rows of an entity with
  // keys from 'lowest' to 'highest', both included, as 'rows' returns rows of kind QUIRE_PUT. Sets 'has' to 0 if
  // the host has to request all rows of the table instead. The host requests changed and removed rows with 'rows'.
  int32_t (*rows_between)(
      struct QuireSnapshot *snapshot, uint64_t table, uint16_t entity, uint64_t lowest,
      uint64_t highest, int32_t *has,
      int32_t (*take)(void *take_context, struct ArrowSchema *schema, struct ArrowArray *rows),
      void *take_context, struct QuireError *error);

  // May be NULL. Checks a store against the rules of its type, and does not change the store. 'report' receives a
  // property list (spec §9.7.8). If 'path' is NULL, the report contains only the rules. 'opening' contains a model
  // that the objects should match; it may be NULL.
  int32_t (*check)(
      const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
      const struct QuireOpening *opening, struct QuireBytes *report, struct QuireError *error);

  // May be NULL. Prepares the plug-in as a whole. The host calls the function once, after it has loaded the library
  // and before it calls another function. If 'start' fails, the plug-in can't be used. The structure of the host
  // stays valid until the process ends.
  int32_t (*start)(const struct QuireHost *host, struct QuireError *error);
  // May be NULL. Ends the plug-in as a whole. The host calls the function once, when the process ends on its own and
  // all stores of the plug-in are released.
  void (*end)(void);

  // May be NULL. Frees space that a store does not need. The objects, the newest commit and its number stay, and
  // open snapshots stay readable. The store may forget earlier commits that it does not promise to keep.
  int32_t (*vacuum)(struct QuireStore *store, struct QuireError *error);

  // May be NULL. Answers several calls of 'rows_between' at once. The ranges are in ascending order, and no key is
  // in two of them. The rows come in the order of their keys.
  int32_t (*rows_in_ranges)(
      struct QuireSnapshot *snapshot, uint64_t table, uint16_t entity,
      const struct QuireKeyRange *ranges, uint64_t range_count, int32_t *has,
      int32_t (*take)(void *take_context, struct ArrowSchema *schema, struct ArrowArray *rows),
      void *take_context, struct QuireError *error);

  // May be NULL. For stores that learn of commits at once, such as a database on a server. Sets the function that
  // the plug-in calls after each commit of the store, of any process, on any thread; NULL ends the calls. Once
  // 'observe' or 'close' has returned, the former function runs no more. The function calls nothing of the
  // plug-in. Returns QUIRE_NOT_SUPPORTED if the store learns of no commits.
  int32_t (*observe)(
      struct QuireStore *store, void (*committed)(void *committed_context, int64_t commit),
      void *committed_context, struct QuireError *error);

  // This function and the next two are for stores with a log of changes, such as a database of Core Data. A plug-in has all
  // three, or all three are NULL. A log contains no earlier values. Calls 'take' with the transactions from 'first' to 'last', both included, the oldest first: only
  // the newest 'count', or all if 'count' is UINT64_MAX. Sets 'newest' to the number of the newest transaction, which may not be kept any
  // more; 0 if there was none. Returns QUIRE_NOT_SUPPORTED if the store has no log.
  int32_t (*logged_transactions)(
      struct QuireStore *store, int64_t first, int64_t last, uint64_t count, int64_t *newest,
      int32_t (*take)(void *take_context, const struct QuireTransaction *transaction),
      void *take_context, struct QuireError *error);
  // Calls 'take' with the changes of the transactions from 'first' to 'last', both included, in the order of their numbers.
  int32_t (*logged_changes)(
      struct QuireStore *store, int64_t first, int64_t last,
      int32_t (*take)(void *take_context, const struct QuireLoggedChange *change),
      void *take_context, struct QuireError *error);
  // Removes the transactions with lower numbers. The objects stay.
  int32_t (*forget_logged)(struct QuireStore *store, int64_t before, struct QuireError *error);

  // The functions from here on are not in version 1.0 of this header. May be NULL. Writes a copy of a store, which programs may save
  // meanwhile, with the state of one commit. Nothing is at the path of the copy. The copy is one durable file, except for
  // its name. Returns QUIRE_NOT_SUPPORTED if the stores of the type have no means for that, and writes nothing then.
  int32_t (*back_up)(
      const struct QuireHost *host, const struct QuireStoreType *type, const char *path,
      const char *copy, struct QuireError *error);
};

// The one exported symbol. A plug-in that can't work with the host's version of the interface still returns
// its table: the host compares the versions, and reports both.
#define QUIRE_STORE_PLUGIN_SYMBOL "quire_store_plugin"
typedef const struct QuirePlugin *(*QuireStorePluginEntry)(uint32_t host_abi_version);

#ifdef __cplusplus
}
#endif

#endif // QUIRE_STORE_PLUGIN_H
