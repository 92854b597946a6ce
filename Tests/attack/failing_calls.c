// Makes one system call of a process fail, for Tests/attack. LD_PRELOAD loads this library. The environment says which call:
// ATTACK_CALL its name, ATTACK_NTH its number from 1, ATTACK_ERRNO the error (0: a short write), ATTACK_PATH the
// folder whose files count, ATTACK_MARK a file that is made when the call has failed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int calls;

// Whether the file is in the folder that counts. `path` may be NULL: then the descriptor alone names the file.
static int counts(int descriptor, const char *path) {
  const char *folder = getenv("ATTACK_PATH");
  char link[64], target[4096];
  if (!folder) return 0;
  if (path && path[0] == '/') return !strncmp(path, folder, strlen(folder));
  if (descriptor == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
  else snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  long count = syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof target - 1);
  if (count < 0) return 0;
  target[count] = 0;
  return !strncmp(target, folder, strlen(folder));
}

// Whether this call is the one that has to fail.
static int fails(const char *name, int descriptor, const char *path) {
  int kept = errno;
  const char *call = getenv("ATTACK_CALL"), *nth = getenv("ATTACK_NTH"), *mark = getenv("ATTACK_MARK");
  int result = call && nth && !strcmp(call, name) && counts(descriptor, path) &&
    __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) == atoi(nth);
  if (result && mark) syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600));
  errno = kept;
  return result;
}

static int error_number(void) {
  const char *text = getenv("ATTACK_ERRNO");
  return text ? atoi(text) : EIO;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL(name, descriptor, path) \
  if (fails(name, descriptor, path)) { errno = error_number(); return -1; }
#define MODE va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest)

int open(const char *path, int flags, ...) { MODE; FAIL("open", AT_FDCWD, path) return NEXT(open)(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE; FAIL("open", AT_FDCWD, path) return NEXT(open64)(path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE; FAIL("open", at, path) return NEXT(openat)(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE; FAIL("open", at, path) return NEXT(openat64)(at, path, flags, mode); }
int fsync(int file) { FAIL("fsync", file, NULL) return NEXT(fsync)(file); }
int fdatasync(int file) { FAIL("fsync", file, NULL) return NEXT(fdatasync)(file); }
int ftruncate(int file, off_t size) { FAIL("ftruncate", file, NULL) return NEXT(ftruncate)(file, size); }
int ftruncate64(int file, off64_t size) { FAIL("ftruncate", file, NULL) return NEXT(ftruncate64)(file, size); }
int rename(const char *a, const char *b) { FAIL("rename", AT_FDCWD, b) return NEXT(rename)(a, b); }
int renameat(int x, const char *a, int y, const char *b) { FAIL("rename", y, b) return NEXT(renameat)(x, a, y, b); }
int renameat2(int x, const char *a, int y, const char *b, unsigned f) {
  FAIL("rename", y, b) return NEXT(renameat2)(x, a, y, b, f);
}
int unlink(const char *path) { FAIL("unlink", AT_FDCWD, path) return NEXT(unlink)(path); }
int unlinkat(int at, const char *path, int flags) { FAIL("unlink", at, path) return NEXT(unlinkat)(at, path, flags); }
int link(const char *a, const char *b) { FAIL("link", AT_FDCWD, b) return NEXT(link)(a, b); }
int linkat(int x, const char *a, int y, const char *b, int f) { FAIL("link", y, b) return NEXT(linkat)(x, a, y, b, f); }

// A close that fails has closed the file all the same.
int close(int file) {
  int failing = fails("close", file, NULL), result = NEXT(close)(file);
  if (failing) { errno = error_number(); return -1; }
  return result;
}

#define WRITE(name, parameters, arguments) \
  ssize_t name parameters { \
    if (fails("write", file, NULL)) { \
      if (error_number() || count < 2) { errno = error_number() ? error_number() : ENOSPC; return -1; } \
      count /= 2; \
    } \
    return NEXT(name) arguments; \
  }
WRITE(write, (int file, const void *bytes, size_t count), (file, bytes, count))
WRITE(pwrite, (int file, const void *bytes, size_t count, off_t at), (file, bytes, count, at))
WRITE(pwrite64, (int file, const void *bytes, size_t count, off64_t at), (file, bytes, count, at))
