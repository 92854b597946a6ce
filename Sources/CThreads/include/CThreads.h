#ifndef CTHREADS_H
#define CTHREADS_H

/// The schedule of the calling thread, as a pointer that only its owner understands; a null pointer if it has none.
extern _Thread_local void *quire_schedule_of_thread;

static inline void *quire_thread_schedule(void) { return quire_schedule_of_thread; }

static inline void quire_set_thread_schedule(void *schedule) {
  quire_schedule_of_thread = schedule;
}

#endif
