#ifndef QUIRE_CLIBXML2_SHIM_H
#define QUIRE_CLIBXML2_SHIM_H

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlversion.h>

#endif
