#ifndef QUIRE_CXMLPEER_SHIM_H
#define QUIRE_CXMLPEER_SHIM_H

// See Sources/XMLEvents/CLibXML2/shim.h.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <fcntl.h>
#include <libxml/parser.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  long elements;
  long bytes;
} xml_peer_counts;

static void xml_peer_start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                  int namespaces, const xmlChar **declared, int attributes, int defaulted,
                  const xmlChar **values) {
  xml_peer_counts *all = user;
  all->elements += 1 + attributes;
}

static void xml_peer_end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {}

static void xml_peer_text(void *user, const xmlChar *characters, int length) {
  xml_peer_counts *all = user;
  all->bytes += length;
}

/// Parses a file with libxml2's push parser. The callbacks only count elements and bytes. Returns -1
/// if the file can't be read or parsed.
static inline long xml_peer_count(const char *path) {
  int file = open(path, O_RDONLY);
  if (file < 0) return -1;
  xmlSAXHandler handler;
  memset(&handler, 0, sizeof handler);
  handler.initialized = XML_SAX2_MAGIC;
  handler.startElementNs = xml_peer_start;
  handler.endElementNs = xml_peer_end;
  handler.characters = xml_peer_text;
  handler.ignorableWhitespace = xml_peer_text;
  xml_peer_counts all = {0, 0};
  xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&handler, &all, NULL, 0, NULL);
  xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_NOENT);
  static char buffer[1 << 16];
  ssize_t count;
  int failed = 0;
  while ((count = read(file, buffer, sizeof buffer)) > 0 && !failed)
    failed = xmlParseChunk(parser, buffer, (int)count, 0);
  failed |= xmlParseChunk(parser, NULL, 0, 1);
  close(file);
  if (parser->myDoc) xmlFreeDoc(parser->myDoc);
  parser->myDoc = NULL;
  xmlFreeParserCtxt(parser);
  return failed ? -1 : all.elements + all.bytes;
}

#endif
