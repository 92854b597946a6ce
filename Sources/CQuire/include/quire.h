#ifndef QUIRE_H
#define QUIRE_H

// The C interface of Quire: documents and stores for programs in any language.
//
//   struct quire_error error = {0};
//   quire_connection *trips;
//   if (quire_open(QUIRE_TEXT("Trips.quire"), NULL, &trips, &error)) ...
//
// Five rules hold for every call.
//
//   1. Structures grow only at their end. A structure that may grow contains struct_size: its size in the
//      program that made it. The library ignores members that it does not know, and takes missing ones as zero,
//      which is their default. A structure of parameters may be NULL where the text says so.
//   2. The side that allocated memory also frees it. A buffer, an error and a stream have their own function
//      release. A connection ends with quire_close.
//   3. Every function that can fail returns a code; 0 means success. On failure it fills the error, if the caller
//      passed one, and leaves the other results untouched. An error that was filled must be released. Each change
//      of objects happens as a whole or not at all.
//   4. A text from the caller is UTF-8 with its length, and lives as long as the call. A text in a structure of
//      results lives as long as the structure, and also ends with a zero byte.
//   5. Objects cross as Arrow streams, and everything else that has parts as JSON. An object's identifier is a
//      number: the number of its entity times 2^48, and the number of the object. It never changes, and belongs
//      to its store. Identifiers are never 0.
//
// A connection has one store, with a context that contains the unsaved changes. Any thread may use any
// connection; the calls for one connection run one after another. Only quire_cancel and quire_set_progress
// may run beside another call. A stream that quire_fetch has filled shows the objects of that moment. It is read on any
// thread, also after later changes and after the end of its connection.

#include <stddef.h>
#include <stdint.h>

#include "CArrow.h"

#ifdef __cplusplus
extern "C" {
#endif

// The major version of this interface, which is version 1.0. The number changes only when a part of this header is
// removed or gets another meaning.
#define QUIRE_API 1

// --- Values ---------------------------------------------------------------------------------------------

// The codes of failures. Treat an unknown code as QUIRE_E_FAILED.
enum {
  QUIRE_E_NONE = 0,
  QUIRE_E_FAILED = 1,              // A failure without a code of its own in this list.
  QUIRE_E_NOT_FOUND = 2,           // Nothing is at the path.
  QUIRE_E_EXISTS = 3,              // Something is at the path, or has the name, already.
  QUIRE_E_NOT_A_STORE = 4,         // The bytes are not a document or a store of a known type.
  QUIRE_E_NEWER_FORMAT = 5,        // A newer version of Quire wrote the document.
  QUIRE_E_DAMAGED = 6,             // The document contradicts itself.
  QUIRE_E_INPUT_OUTPUT = 7,        // The disk reported an error.
  QUIRE_E_READ_ONLY = 8,           // The document was opened for reading only, or can't be written.
  QUIRE_E_LOCKED = 9,              // Another process or connection has the document open for writing.
  QUIRE_E_CONFLICT = 10,           // Another program changed the same objects, or unique values are taken.
  QUIRE_E_INCOMPATIBLE_MODEL = 11, // The model does not fit: a migration is needed, or impossible.
  QUIRE_E_CLOSED = 12,             // The connection was closed.
  QUIRE_E_BAD_CHANGE = 13,         // A value is not of the property's type, or the change is impossible.
  QUIRE_E_CANCELLED = 14,          // quire_cancel or the function of progress ended the call.
  QUIRE_E_NOT_SUPPORTED = 15,      // The store, or the document, does not support the operation.
  QUIRE_E_VALIDATION = 16,         // Objects break rules of the model. Nothing was saved.
  QUIRE_E_QUERY = 17,              // A predicate, a sort key or a column can't be read.
  QUIRE_E_UNKNOWN_NAME = 18,       // The model has no entity or property of the name.
  QUIRE_E_NO_OBJECT = 19,          // There is no object with the identifier.
  QUIRE_E_NO_VERSION = 20,         // There is no such version or head, or it is not kept any more.
  QUIRE_E_NO_ATTACHMENT = 21,      // There is no such attachment.
  QUIRE_E_BAD_MODEL = 22,          // The file of a model can't be read, or its model has faults.
  QUIRE_E_BAD_ARGUMENT = 23,       // An argument violates this header, or its JSON can't be read.
  QUIRE_E_BAD_FILE = 24,           // A file of objects has lines that can't be imported.
};

// A text in UTF-8 that the other side owns. A text without a start is a missing text.
struct quire_text {
  const char *start;
  uint64_t count;
};

// Bytes, and the function that frees them. A zero byte, which does not count, follows the bytes.
struct quire_bytes {
  const uint8_t *start;
  uint64_t count;
  // Frees the bytes. The receiver calls it once.
  void (*release)(struct quire_bytes *);
  void *private_data;
};

// The reason why a call failed.
struct quire_error {
  int32_t code;
  // Sentences for people: the attempt, the finding and the place.
  const char *message;
  // The next step for a person, or NULL.
  const char *hint;
  // Frees the texts. The receiver calls it once. NULL if the structure contains no error.
  void (*release)(struct quire_error *);
  void *private_data;
};

typedef struct quire_connection quire_connection;

// Returns the name of a code, such as "notFound", which never changes and lives for ever.
const char *quire_code_name(int32_t code);

// Returns the version of the library, such as "0.9.0", which lives for ever.
const char *quire_version(void);

// Returns the version of the interface that the library has: QUIRE_API.
uint32_t quire_api(void);

// --- Connections ----------------------------------------------------------------------------------------

enum {
  QUIRE_EXCLUSIVE = 0, // No other connection may write. Others may read.
  QUIRE_SHARED = 1,    // Other connections may write too.
  QUIRE_READ_ONLY = 2, // This connection does not write.
};

struct quire_opening {
  uint32_t struct_size;
  int32_t access;            // QUIRE_EXCLUSIVE and so on.
  struct quire_text version; // "3", "draft" or "draft~2", of which all but heads are for reading only.
  struct quire_text store;   // The name of the store of a document with several stores.
  struct quire_text model;   // The path of the model of a store that does not contain its own.
  struct quire_text author;  // The author of saves, for the history.
};

// Opens a document, a packed document for reading, or a store. 'opening' may be NULL.
int32_t quire_open(
    struct quire_text path, const struct quire_opening *opening, quire_connection **connection,
    struct quire_error *error);

struct quire_creation {
  uint32_t struct_size;
  int32_t overwriting;           // Whether an existing document or store is replaced.
  int32_t is_store;              // Whether a bare store is made, and no document.
  struct quire_text model;       // The path of a model in any form.
  struct quire_text model_text;  // The text of the model in place of a path: the text form, or JSON.
  struct quire_text type;        // The type of the store: "Binary" if missing, "CompressedBinary", "XML".
  struct quire_text title;
  struct quire_text author;
};

// Makes a document or a store, and opens it.
int32_t quire_create(
    struct quire_text path, const struct quire_creation *creation, quire_connection **connection,
    struct quire_error *error);

// Closes a connection after the call that runs on it, and drops its unsaved changes. Every later call with the handle fails with
// QUIRE_E_CLOSED, also if closing failed. Closing NULL does nothing.
int32_t quire_close(quire_connection *connection, struct quire_error *error);

// Describes the document or the store: path, kind, type, uuid, version, head, access, and the numbers of changes.
int32_t quire_info(
    quire_connection *connection, struct quire_bytes *json, struct quire_error *error);

// Describes the model, in the JSON form of models (spec chapter 5).
int32_t quire_model(
    quire_connection *connection, struct quire_bytes *json, struct quire_error *error);

// What the connection could do next.
struct quire_state {
  uint32_t struct_size;
  int32_t has_changes;
  int32_t can_undo;
  int32_t can_redo;
  int64_t version; // The version of the document that the connection has read or saved last; 0 for a store.
};

int32_t quire_get_state(
    quire_connection *connection, struct quire_state *state, struct quire_error *error);

// Ends the call that runs on the connection, with QUIRE_E_CANCELLED. Without a running call, does nothing.
void quire_cancel(quire_connection *connection);

// A function that long calls tell how far they are, in units that depend on the call; 'total' is 0 if it is unknown. The
// function is called on the thread of the call, and must not use the connection of the call. After a result other than 0
// the call ends with QUIRE_E_CANCELLED.
struct quire_progress {
  uint32_t struct_size;
  int32_t (*report)(void *context, uint64_t done, uint64_t total);
  void *context;
};

// Lets the calls of a connection report their progress. The structure is copied; NULL ends the reports.
void quire_set_progress(quire_connection *connection, const struct quire_progress *progress);

// --- Reading --------------------------------------------------------------------------------------------

// The objects that a call is about.
struct quire_request {
  uint32_t struct_size;
  int32_t without_subentities; // Whether only objects of the entity itself are meant.
  struct quire_text entity;
  // The condition, in the language of NSPredicate, with a JSON array of the values of its placeholders %@ and %K. A
  // value is a JSON value or an object with one member: {"date": "2026-05-01T00:00:00Z"}, {"decimal": "1.5"},
  // {"uuid": "..."}, {"binary": "base64"}, {"object": 844424930131985}. A text that is compared with a date is a date.
  struct quire_text predicate;
  struct quire_text arguments;
  struct quire_text sort;    // Key paths with commas between them; a leading - sorts in descending order.
  // A JSON array of key paths and expressions, for a stream with these columns alone. A missing text asks for "@id",
  // which contains identifiers, and for all attributes and to-one relationships. An aggregate, such as sum:(nights),
  // is computed for each group, or for all objects.
  struct quire_text columns;
  struct quire_text groups;  // A JSON array of the key paths whose values define groups.
  struct quire_text having;  // The condition for groups.
  int64_t limit;             // The greatest number of results; 0 for all.
  int64_t offset;
  // The identifiers of the objects, in place of an entity and a predicate. The results are in their order, and objects
  // that do not exist are left out.
  const uint64_t *identifiers;
  uint64_t identifier_count;
  // An object and one of its relationships: the related objects, in the order of the relationship, are meant.
  uint64_t owner;
  struct quire_text relationship;
  int32_t distinct;          // Whether equal rows of columns are shown once.
};

// Finds objects, with unsaved changes, and fills the stream, which the caller releases. Its columns have these types:
//
//     Boolean          b          Decimal     U  the digits (extension quire.decimal)
//     Integer 16       s          String      U
//     Integer 32       i          URI         U  (extension quire.uri)
//     Integer 64       l          Binary      Z
//     Float            f          UUID        w:16 (extension arrow.uuid)
//     Double           g          to-one      L  an identifier (extension quire.reference)
//     Date             tsu:UTC    "@id"       L  an identifier (extension quire.identifier)
//     Day              tdD
//
// A part of a composite attribute is its own column, such as "address.street". A date that its type can't contain ends the
// stream with an error.
int32_t quire_fetch(
    quire_connection *connection, const struct quire_request *request,
    struct ArrowArrayStream *stream, struct quire_error *error);

int32_t quire_count(
    quire_connection *connection, const struct quire_request *request, uint64_t *count,
    struct quire_error *error);

// Finds objects, and describes how in lines for people: the indexes and scans, the rows that were read, and the time.
int32_t quire_explain(
    quire_connection *connection, const struct quire_request *request, struct quire_bytes *text,
    struct quire_error *error);

// --- Changing -------------------------------------------------------------------------------------------

// Inserts an object. The values are a JSON object from names of properties to values: numbers, texts, true, false and
// null; ISO 8601 for dates, base64 for bytes, texts for decimals; identifiers for relationships, in an array for to-many
// ones; an object of its parts for a composite attribute.
int32_t quire_insert(
    quire_connection *connection, struct quire_text entity, struct quire_text values,
    uint64_t *identifier, struct quire_error *error);

// Inserts an object for each row of a stream, which the call releases. The columns have the names of attributes and
// to-one relationships, and types that fit; a column "@id" is ignored.
int32_t quire_insert_rows(
    quire_connection *connection, struct quire_text entity, struct ArrowArrayStream *rows,
    uint64_t *count, struct quire_error *error);

// Sets values of all objects of a request, in the form of quire_insert.
int32_t quire_set(
    quire_connection *connection, const struct quire_request *request, struct quire_text values,
    uint64_t *count, struct quire_error *error);

// Deletes all objects of a request, and those that the delete rules name.
int32_t quire_delete(
    quire_connection *connection, const struct quire_request *request, uint64_t *count,
    struct quire_error *error);

enum {
  QUIRE_RELATE_SET = 0,
  QUIRE_RELATE_ADD = 1,
  QUIRE_RELATE_REMOVE = 2,
};

// Sets the objects of a relationship, or adds or removes some.
int32_t quire_relate(
    quire_connection *connection, uint64_t object, struct quire_text relationship, int32_t how,
    const uint64_t *others, uint64_t count, struct quire_error *error);

// Saves all changes, or none. The message may be missing. 'version' receives the number of the document's new version, or of
// the store's commit; it may be NULL.
int32_t quire_save(
    quire_connection *connection, struct quire_text message, int64_t *version,
    struct quire_error *error);

// Drops all unsaved changes.
int32_t quire_discard(quire_connection *connection, struct quire_error *error);

// Takes back the last change since the opening, or makes it again. Each call that changes objects is one step, and so are the
// calls between quire_begin and quire_end. 'done' receives whether there was a step.
int32_t quire_undo(quire_connection *connection, int32_t *done, struct quire_error *error);
int32_t quire_redo(quire_connection *connection, int32_t *done, struct quire_error *error);
int32_t quire_begin(
    quire_connection *connection, struct quire_text name, struct quire_error *error);
int32_t quire_end(quire_connection *connection, struct quire_error *error);

// Shows what other programs have saved. 'changed' receives whether there was something new.
int32_t quire_refresh(
    quire_connection *connection, int32_t *changed, struct quire_error *error);

// --- Versions and heads ---------------------------------------------------------------------------------

// Lists the versions of a document, or the commits of a store, the oldest first.
int32_t quire_versions(
    quire_connection *connection, struct quire_bytes *json, struct quire_error *error);

// Names a version, so that it is kept. A missing name removes the name.
int32_t quire_name_version(
    quire_connection *connection, int64_t version, struct quire_text name,
    struct quire_error *error);

// Restores the content of an earlier version of a document, as a new version. There must be no unsaved changes.
int32_t quire_revert(
    quire_connection *connection, int64_t version, struct quire_text message,
    struct quire_error *error);

// Lists the saved changes after a version, as lines of JSON (spec chapter 13).
int32_t quire_changes(
    quire_connection *connection, int64_t version, struct quire_bytes *lines,
    struct quire_error *error);

// Lists the heads of a document, with the current one.
int32_t quire_heads(
    quire_connection *connection, struct quire_bytes *json, struct quire_error *error);

// Makes a head at a version; 0 for the newest.
int32_t quire_make_head(
    quire_connection *connection, struct quire_text name, int64_t version,
    struct quire_error *error);

int32_t quire_remove_head(
    quire_connection *connection, struct quire_text name, struct quire_error *error);

// --- Attachments ----------------------------------------------------------------------------------------

int32_t quire_attachments(
    quire_connection *connection, struct quire_bytes *json, struct quire_error *error);

int32_t quire_read_attachment(
    quire_connection *connection, struct quire_text name, struct quire_bytes *bytes,
    struct quire_error *error);

// Adds a file to the document, or removes one, with the next save.
int32_t quire_attach(
    quire_connection *connection, struct quire_text name, const uint8_t *bytes, uint64_t count,
    struct quire_error *error);
int32_t quire_detach(
    quire_connection *connection, struct quire_text name, struct quire_error *error);

// --- Whole documents ------------------------------------------------------------------------------------

// Writes the saved objects of the named entities, a JSON array, or of all, to a file of JSON lines or comma-separated values.
// The ending of the path tells the format.
int32_t quire_export(
    struct quire_text path, struct quire_text entities, struct quire_text file, uint64_t *count,
    struct quire_error *error);

// Imports objects from a JSON array of paths of such files, and saves them.
int32_t quire_import(
    struct quire_text path, struct quire_text files, uint64_t *count, struct quire_error *error);

// Migrates a document or a store to the model at a path. 'allows_loss' permits to drop objects and values. 'migrated'
// receives whether a migration was necessary. 'progress' may be NULL.
int32_t quire_migrate(
    struct quire_text path, struct quire_text model, int32_t allows_loss,
    const struct quire_progress *progress, int32_t *migrated, struct quire_error *error);

// Checks a document or a store against every rule of the specification. Findings are a result and not a failure.
// 'progress' may be NULL, and can't end the call.
int32_t quire_validate(
    struct quire_text path, const struct quire_progress *progress, struct quire_bytes *json,
    struct quire_error *error);

#ifndef QUIRE_TEXT
// A constant text as a parameter: QUIRE_TEXT("Trip").
#define QUIRE_TEXT(literal) ((struct quire_text){(literal), sizeof(literal) - 1})
#endif

#ifdef __cplusplus
}
#endif

#endif  // QUIRE_H
