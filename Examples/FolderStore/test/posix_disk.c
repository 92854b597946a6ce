#include "posix_disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct TestDisk test_disk = {.calls_left = -1};

void disk_reset(void) {
  test_disk.calls_left = -1;
  test_disk.is_cut = test_disk.is_slow = 0;
}

// Returns the error of a call that has to fail; 0 if the call may proceed.
static int trouble(void) {
  test_disk.call_count++;
  if (test_disk.is_slow && test_disk.call_count % 2 == 0) return -EINTR;
  if (test_disk.calls_left < 0) return 0;
  if (test_disk.calls_left > 0) return test_disk.calls_left--, 0;
  if (!test_disk.is_cut) test_disk.calls_left = -1;
  return -EIO;
}

#define TROUBLE() do { int answer = trouble(); if (answer != 0) return answer; } while (0)

static int answer_of(long result) { return result < 0 ? -errno : (int)result; }

static int32_t disk_open(
    void *context, const char *path, int32_t mode, uint32_t permissions, const char *below) {
  (void)context, (void)below;
  TROUBLE();
  static const int flags[4] = {
      O_RDONLY, O_RDWR, O_RDWR | O_CREAT | O_EXCL, O_RDWR | O_CREAT};
  int file = open(
      path,
      flags[mode & QUIRE_OPEN_MODES] | (mode & QUIRE_OPEN_DIRECTORY ? O_DIRECTORY : 0)
          | (mode & QUIRE_OPEN_NO_LINK ? O_NOFOLLOW : 0) | O_CLOEXEC,
      permissions);
  if (file >= 0) test_disk.open_count++;
  return answer_of(file);
}

static int32_t disk_close(void *context, int32_t file) {
  (void)context;
  test_disk.open_count--;
  return answer_of(close(file));
}

static uint64_t some(uint64_t count) { return test_disk.is_slow && count > 7 ? 7 : count; }

static int64_t disk_read(
    void *context, int32_t file, void *buffer, uint64_t count, uint64_t offset) {
  (void)context;
  TROUBLE();
  ssize_t result = pread(file, buffer, some(count), (off_t)offset);
  return result < 0 ? -errno : result;
}

static int64_t disk_write(
    void *context, int32_t file, const void *buffer, uint64_t count, uint64_t offset) {
  (void)context;
  TROUBLE();
  ssize_t result = pwrite(file, buffer, some(count), (off_t)offset);
  return result < 0 ? -errno : result;
}

static int32_t disk_truncate(void *context, int32_t file, uint64_t count) {
  (void)context;
  TROUBLE();
  return answer_of(ftruncate(file, (off_t)count));
}

// The tests contain no real power cut, so no sync is needed.
static int32_t disk_sync(void *context, int32_t file, int32_t everything) {
  (void)context, (void)file, (void)everything;
  TROUBLE();
  return 0;
}

static int32_t fill(int result, const struct stat *found, struct QuireFileStatus *status) {
  if (result < 0) return -errno;
  status->kind = S_ISREG(found->st_mode)   ? QUIRE_DISK_FILE
                 : S_ISDIR(found->st_mode) ? QUIRE_DISK_DIRECTORY
                 : S_ISLNK(found->st_mode) ? QUIRE_DISK_LINK
                                           : QUIRE_DISK_OTHER;
  status->byte_count = found->st_size;
  return 0;
}

static int32_t disk_status_of(
    void *context, const char *path, int32_t following_links, struct QuireFileStatus *status) {
  (void)context;
  TROUBLE();
  struct stat found;
  return fill(following_links ? stat(path, &found) : lstat(path, &found), &found, status);
}

static int32_t disk_lock(void *context, int32_t file, int32_t exclusive) {
  (void)context;
  TROUBLE();
  int result = flock(file, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB);
  if (result == 0) test_disk.lock_count++;
  return answer_of(result);
}

static int32_t disk_unlock(void *context, int32_t file) {
  (void)context;
  test_disk.lock_count--;
  return answer_of(flock(file, LOCK_UN));
}

static int32_t disk_list(
    void *context, int32_t directory,
    int32_t (*entry)(void *entry_context, const char *name, int32_t kind), void *entry_context) {
  (void)context;
  TROUBLE();
  int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = copy < 0 ? NULL : fdopendir(copy);
  if (stream == NULL) return -errno;
  for (struct dirent *found; (found = readdir(stream)) != NULL;) {
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) continue;
    int32_t kind = found->d_type == DT_DIR   ? QUIRE_DISK_DIRECTORY
                   : found->d_type == DT_LNK ? QUIRE_DISK_LINK
                   : found->d_type == DT_REG ? QUIRE_DISK_FILE
                                             : QUIRE_DISK_OTHER;
    if (entry(entry_context, found->d_name, kind) != 0) break;
  }
  closedir(stream);
  return 0;
}

static int32_t disk_make_directory(void *context, const char *path, uint32_t permissions) {
  (void)context;
  TROUBLE();
  return answer_of(mkdir(path, permissions));
}

static int32_t disk_remove(void *context, const char *path) {
  (void)context;
  TROUBLE();
  return answer_of(unlink(path));
}

static int32_t disk_remove_directory(void *context, const char *path) {
  (void)context;
  TROUBLE();
  return answer_of(rmdir(path));
}

static int32_t disk_rename(void *context, const char *path, const char *new_path) {
  (void)context;
  TROUBLE();
  return answer_of(rename(path, new_path));
}

static uint64_t disk_unique_number(void *context) {
  (void)context;
  return ++test_disk.unique * UINT64_C(0x9E3779B97F4A7C15);
}

// The clock advances only when a caller waits.
static uint64_t disk_uptime(void *context) {
  (void)context;
  return test_disk.now;
}

static void disk_pause(void *context, uint64_t nanoseconds) {
  (void)context;
  test_disk.now += nanoseconds;
}

static const struct QuireDisk disk = {
    .struct_size = sizeof disk,
    .open = disk_open,
    .close = disk_close,
    .read = disk_read,
    .write = disk_write,
    .truncate = disk_truncate,
    .sync = disk_sync,
    .lock = disk_lock,
    .unlock = disk_unlock,
    .list = disk_list,
    .status_of = disk_status_of,
    .make_directory = disk_make_directory,
    .remove = disk_remove,
    .remove_directory = disk_remove_directory,
    .rename = disk_rename,
    .unique_number = disk_unique_number,
    .uptime = disk_uptime,
    .pause = disk_pause,
};

const struct QuireHost test_host = {
    .abi_version = QUIRE_PLUGIN_ABI, .struct_size = sizeof test_host, .disk = &disk};
