#ifndef CEMBEDDEDFILES_H
#define CEMBEDDEDFILES_H

// A file that is a part of the program.
struct EmbeddedFileEntry {
  const char *name;
  const unsigned char *bytes; // Ended by a zero.
};

// Returns all files, and after them one without a name.
const struct EmbeddedFileEntry *embedded_files(void);

#endif
