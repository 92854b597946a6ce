#ifndef QUIRE_CLIBXML2_SHIM_H
#define QUIRE_CLIBXML2_SHIM_H

// Debian's libxml2 is built with ICU and its headers pull ICU's in, which contradict those that
// Foundation brings along. Only the layout of character converters depends on it, which the wrapper
// never touches.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

#endif
