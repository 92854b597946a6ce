#ifndef FOLDER_STORE_TESTS_H
#define FOLDER_STORE_TESTS_H

#include "world.h"

// A disk that fails at any call, and power that is cut at any (test_failing.c).
void failing(void);
// Files with any byte changed (test_damage.c).
void damage(void);

#endif
