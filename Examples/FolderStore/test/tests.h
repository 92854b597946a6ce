#ifndef FOLDER_STORE_TESTS_H
#define FOLDER_STORE_TESTS_H

#include "world.h"

// A failure at any call of the disk, and a power cut at any call (test_failing.c).
void failing(void);
// A change of any byte of the files (test_damage.c).
void damage(void);

#endif
