#ifndef CPLUGINTEMPLATES_H
#define CPLUGINTEMPLATES_H

// A file that is a part of the program.
struct PluginTemplateFile {
  const char *name;
  const unsigned char *bytes; // Ended by a zero.
};

// Returns all files, and after them one without a name.
const struct PluginTemplateFile *plugin_template_files(void);

#endif
