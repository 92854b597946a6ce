// The pages of files: their number, and the free ones among them.

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "environment.h"

int file_length(struct Environment *environment, struct FileLength *length) {
  struct stat status;
  MDB_envinfo info;
  MDB_stat stat;
  mdb_env_get_fd(environment->lmdb, &length->file);
  mdb_env_info(environment->lmdb, &info);
  mdb_env_stat(environment->lmdb, &stat);
  if (fstat(length->file, &status) != 0) return 0;
  length->byte_count = status.st_size;
  length->page_count = (size_t)status.st_size / stat.ms_psize;
  length->needed_page_count = info.me_last_pgno + 1;
  length->page_byte_count = stat.ms_psize;
  length->is_whole = length->page_count >= length->needed_page_count;
  return 1;
}

// LMDB does not write the last pages if nothing uses them, but counts them. With these pages in the file, a reader can
// tell a file that was cut off.
int environment_pad(struct Environment *environment) {
  struct FileLength length;
  if (!file_length(environment, &length)) return errno;
  off_t needed = (off_t)(length.needed_page_count * length.page_byte_count);
  return length.is_whole || ftruncate(length.file, needed) == 0 ? 0 : errno;
}

// LMDB lists the free pages in its database 0. Each list begins with its length.
size_t free_page_count(MDB_txn *transaction, size_t lowest) {
  MDB_cursor *cursor;
  MDB_val key, list;
  size_t found = 0, page, count;
  if (mdb_cursor_open(transaction, 0, &cursor) != 0) return 0;
  while (mdb_cursor_get(cursor, &key, &list, MDB_NEXT) == 0) {
    const uint8_t *bytes = list.mv_data;
    memcpy(&count, bytes, sizeof count);
    if (count >= list.mv_size / sizeof page) break;
    for (size_t i = 1; i <= count; i++) {
      memcpy(&page, bytes + i * sizeof page, sizeof page);
      found += page >= lowest;
    }
  }
  mdb_cursor_close(cursor);
  return found;
}
