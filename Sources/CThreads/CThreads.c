#include "CThreads.h"

_Thread_local void *quire_schedule_of_thread;
