#ifndef FOLDER_STORE_POSIX_DISK_H
#define FOLDER_STORE_POSIX_DISK_H

// A host with a disk of the operating system's own calls, which fails when it is told to.

#include "quire_store_plugin.h"

struct TestDisk {
  // How many calls go well yet before one fails; -1 when none does.
  int64_t calls_left;
  // Whether all calls after that fail too, as if the power were cut.
  int is_cut;
  // Whether reads and writes do little at a time, and every other call is interrupted.
  int is_slow;
  int64_t call_count;
  uint64_t unique;
  // How many locks are held and how many files are open.
  int lock_count;
  int open_count;
  uint64_t now;
};

extern struct TestDisk test_disk;
extern const struct QuireHost test_host;

// Makes all calls go well.
void disk_reset(void);

#endif
