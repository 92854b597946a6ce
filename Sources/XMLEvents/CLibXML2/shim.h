#ifndef QUIRE_CLIBXML2_SHIM_H
#define QUIRE_CLIBXML2_SHIM_H

// Debian's libxml2 is built with ICU, and its headers include ICU's headers. These contradict the
// ICU headers of Foundation. Only the layout of character converters depends on ICU, and the wrapper
// never uses character converters.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

#endif
