#ifndef FOLDER_STORE_RECORD_H
#define FOLDER_STORE_RECORD_H

// The record of a commit: the file commits/NUMBER.

#include "disk.h"

// An object: its key, with the entity's number in the upper 16 bits (spec §3.2.2), and the commit that wrote
// it.
struct Row {
  uint64_t key;
  int64_t commit;
};

// Rows in the order of their keys, with a reference count. Shared rows are never changed.
struct Rows {
  uint32_t references;
  size_t count;
  size_t capacity;
  struct Row *rows;
};

enum { KEY_BITS = 48 };
#define HIGHEST_KEY ((UINT64_C(1) << KEY_BITS) - 1)

struct Rows *rows_new(void);
struct Rows *rows_retain(struct Rows *rows);
void rows_release(struct Rows *rows);
// 0 when there is too little memory.
int rows_add(struct Rows *rows, uint64_t key, int64_t commit);
// Sorts rows by key. Returns 0 if a key occurs twice.
int rows_sort(struct Rows *rows);
// Sorts rows by key, and rows with one key by commit.
void rows_sort_commits(struct Rows *rows);
// Returns the index of the first row that is not below a key.
size_t rows_search(const struct Rows *rows, uint64_t key);
int rows_have(const struct Rows *rows, uint64_t key);
// Returns 'living' after some rows are put and other rows are removed. NULL if memory runs out.
struct Rows *rows_merge(
    const struct Rows *living, const struct Rows *put, const struct Rows *removed);

// A description: the commit that wrote it, and the checksum of its bytes.
struct Described {
  int64_t commit;
  uint64_t checksum;
};

struct Record {
  int64_t number;
  // The previous commit; -1 for the first commit.
  int64_t previous;
  double time;
  char *author;
  char *context_name;
  // Indexed by QUIRE_MODEL, QUIRE_SCHEMA and QUIRE_METADATA.
  struct Described described[3];
  // The changes of the commit. The commit of each row is the number of this commit.
  struct Rows *put;
  struct Rows *removed;
  // In a full record all objects after the commit; NULL in other records.
  struct Rows *living;
};

extern const char *const description_names[3];

// Makes a record without rows. Returns 0 if memory runs out.
int record_begin(struct Record *record);
void record_end(struct Record *record);
void record_text(const struct Record *record, struct Text *text);
int32_t read_record(
    const struct Folder *folder, int64_t number, struct Record *record, struct QuireError *error);
int32_t write_record(
    const struct Folder *folder, const struct Record *record, int *moved,
    struct QuireError *error);

#endif
