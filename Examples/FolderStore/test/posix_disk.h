#ifndef FOLDER_STORE_POSIX_DISK_H
#define FOLDER_STORE_POSIX_DISK_H

// A host with a disk of the operating system's calls. Tests can make the calls fail.

#include "quire_store_plugin.h"

struct TestDisk {
  // The number of calls that succeed before one fails; -1 if no call fails.
  int64_t calls_left;
  // Whether all later calls fail too, as after a power cut.
  int is_cut;
  // Whether reads and writes process few bytes at a time, and every second call is interrupted.
  int is_slow;
  int64_t call_count;
  uint64_t unique;
  // The numbers of locks and of open files.
  int lock_count;
  int open_count;
  uint64_t now;
};

extern struct TestDisk test_disk;
extern const struct QuireHost test_host;

// Makes all calls succeed again.
void disk_reset(void);

#endif
