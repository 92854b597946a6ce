#ifndef CPROGRAM_H
#define CPROGRAM_H

/// Returns the arguments with which the system started this process, the program's name first, and their number; NULL if the C
/// library does not pass them. Swift's own `CommandLine` reads them from /proc, which a small container or a rescue system may
/// lack.
char **quire_program_arguments(int *count);

#endif
