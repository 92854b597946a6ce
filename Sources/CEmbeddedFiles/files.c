// Files as parts of the program. As arrays in Swift they would take half a minute to compile.

#include "CEmbeddedFiles.h"

#include <stddef.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

#ifndef __has_embed
#error "The C compiler has no #embed, which clang has from version 19 on."
#endif

static const struct EmbeddedFileEntry files[] = {
    {"CArrow.h", (const unsigned char[]){
#embed "../CArrow/include/CArrow.h" suffix(, 0)
    }},
    {"c-Makefile.txt", (const unsigned char[]){
#embed "PluginTemplates/c-Makefile.txt" suffix(, 0)
    }},
    {"c-README.md.txt", (const unsigned char[]){
#embed "PluginTemplates/c-README.md.txt" suffix(, 0)
    }},
    {"c-arrays.c.txt", (const unsigned char[]){
#embed "PluginTemplates/c-arrays.c.txt" suffix(, 0)
    }},
    {"c-bytes.c.txt", (const unsigned char[]){
#embed "PluginTemplates/c-bytes.c.txt" suffix(, 0)
    }},
    {"c-commits.c.txt", (const unsigned char[]){
#embed "PluginTemplates/c-commits.c.txt" suffix(, 0)
    }},
    {"c-disk.c.txt", (const unsigned char[]){
#embed "PluginTemplates/c-disk.c.txt" suffix(, 0)
    }},
    {"c-file.c.txt", (const unsigned char[]){
#embed "PluginTemplates/c-file.c.txt" suffix(, 0)
    }},
    {"c-history.c.txt", (const unsigned char[]){
#embed "PluginTemplates/c-history.c.txt" suffix(, 0)
    }},
    {"c-history.h.txt", (const unsigned char[]){
#embed "PluginTemplates/c-history.h.txt" suffix(, 0)
    }},
    {"c-log.c.txt", (const unsigned char[]){
#embed "PluginTemplates/c-log.c.txt" suffix(, 0)
    }},
    {"c-rows.c.txt", (const unsigned char[]){
#embed "PluginTemplates/c-rows.c.txt" suffix(, 0)
    }},
    {"c-store.c.txt", (const unsigned char[]){
#embed "PluginTemplates/c-store.c.txt" suffix(, 0)
    }},
    {"c-store.h.txt", (const unsigned char[]){
#embed "PluginTemplates/c-store.h.txt" suffix(, 0)
    }},
    {"cpp-Makefile.txt", (const unsigned char[]){
#embed "PluginTemplates/cpp-Makefile.txt" suffix(, 0)
    }},
    {"cpp-README.md.txt", (const unsigned char[]){
#embed "PluginTemplates/cpp-README.md.txt" suffix(, 0)
    }},
    {"cpp-arrays.cpp.txt", (const unsigned char[]){
#embed "PluginTemplates/cpp-arrays.cpp.txt" suffix(, 0)
    }},
    {"cpp-disk.cpp.txt", (const unsigned char[]){
#embed "PluginTemplates/cpp-disk.cpp.txt" suffix(, 0)
    }},
    {"cpp-format.cpp.txt", (const unsigned char[]){
#embed "PluginTemplates/cpp-format.cpp.txt" suffix(, 0)
    }},
    {"cpp-store.cpp.txt", (const unsigned char[]){
#embed "PluginTemplates/cpp-store.cpp.txt" suffix(, 0)
    }},
    {"cpp-store.hpp.txt", (const unsigned char[]){
#embed "PluginTemplates/cpp-store.hpp.txt" suffix(, 0)
    }},
    {"diagram.css", (const unsigned char[]){
#embed "Report/diagram.css" suffix(, 0)
    }},
    {"power-cut.c.txt", (const unsigned char[]){
#embed "PluginTemplates/power-cut.c.txt" suffix(, 0)
    }},
    {"python-Makefile.txt", (const unsigned char[]){
#embed "PluginTemplates/python-Makefile.txt" suffix(, 0)
    }},
    {"python-README.md.txt", (const unsigned char[]){
#embed "PluginTemplates/python-README.md.txt" suffix(, 0)
    }},
    {"python-arrays.py.txt", (const unsigned char[]){
#embed "PluginTemplates/python-arrays.py.txt" suffix(, 0)
    }},
    {"python-contents.py.txt", (const unsigned char[]){
#embed "PluginTemplates/python-contents.py.txt" suffix(, 0)
    }},
    {"python-disk.py.txt", (const unsigned char[]){
#embed "PluginTemplates/python-disk.py.txt" suffix(, 0)
    }},
    {"python-format.py.txt", (const unsigned char[]){
#embed "PluginTemplates/python-format.py.txt" suffix(, 0)
    }},
    {"python-library.c.txt", (const unsigned char[]){
#embed "PluginTemplates/python-library.c.txt" suffix(, 0)
    }},
    {"python-modules.py.txt", (const unsigned char[]){
#embed "PluginTemplates/python-modules.py.txt" suffix(, 0)
    }},
    {"python-quire.py.txt", (const unsigned char[]){
#embed "PluginTemplates/python-quire.py.txt" suffix(, 0)
    }},
    {"python-store.py.txt", (const unsigned char[]){
#embed "PluginTemplates/python-store.py.txt" suffix(, 0)
    }},
    {"quire_store_plugin.h", (const unsigned char[]){
#embed "../CStorePlugin/include/quire_store_plugin.h" suffix(, 0)
    }},
    {"report.css", (const unsigned char[]){
#embed "Report/report.css" suffix(, 0)
    }},
    {"report.js", (const unsigned char[]){
#embed "Report/report.js" suffix(, 0)
    }},
    {"rust-Cargo.toml.txt", (const unsigned char[]){
#embed "PluginTemplates/rust-Cargo.toml.txt" suffix(, 0)
    }},
    {"rust-Makefile.txt", (const unsigned char[]){
#embed "PluginTemplates/rust-Makefile.txt" suffix(, 0)
    }},
    {"rust-README.md.txt", (const unsigned char[]){
#embed "PluginTemplates/rust-README.md.txt" suffix(, 0)
    }},
    {"rust-arrays.rs.txt", (const unsigned char[]){
#embed "PluginTemplates/rust-arrays.rs.txt" suffix(, 0)
    }},
    {"rust-contents.rs.txt", (const unsigned char[]){
#embed "PluginTemplates/rust-contents.rs.txt" suffix(, 0)
    }},
    {"rust-disk.rs.txt", (const unsigned char[]){
#embed "PluginTemplates/rust-disk.rs.txt" suffix(, 0)
    }},
    {"rust-format.rs.txt", (const unsigned char[]){
#embed "PluginTemplates/rust-format.rs.txt" suffix(, 0)
    }},
    {"rust-lib.rs.txt", (const unsigned char[]){
#embed "PluginTemplates/rust-lib.rs.txt" suffix(, 0)
    }},
    {"rust-quire.rs.txt", (const unsigned char[]){
#embed "PluginTemplates/rust-quire.rs.txt" suffix(, 0)
    }},
    {"shared-Makefile-end.txt", (const unsigned char[]){
#embed "PluginTemplates/shared-Makefile-end.txt" suffix(, 0)
    }},
    {"shared-Makefile-start.txt", (const unsigned char[]){
#embed "PluginTemplates/shared-Makefile-start.txt" suffix(, 0)
    }},
    {"shared-README-start.md.txt", (const unsigned char[]){
#embed "PluginTemplates/shared-README-start.md.txt" suffix(, 0)
    }},
    {"shared-plugin.json.txt", (const unsigned char[]){
#embed "PluginTemplates/shared-plugin.json.txt" suffix(, 0)
    }},
    {"swift-Cell.swift.txt", (const unsigned char[]){
#embed "PluginTemplates/swift-Cell.swift.txt" suffix(, 0)
    }},
    {"swift-Format.swift.txt", (const unsigned char[]){
#embed "PluginTemplates/swift-Format.swift.txt" suffix(, 0)
    }},
    {"swift-Package.swift.txt", (const unsigned char[]){
#embed "PluginTemplates/swift-Package.swift.txt" suffix(, 0)
    }},
    {"swift-README.md.txt", (const unsigned char[]){
#embed "PluginTemplates/swift-README.md.txt" suffix(, 0)
    }},
    {"swift-Tests.swift.txt", (const unsigned char[]){
#embed "PluginTemplates/swift-Tests.swift.txt" suffix(, 0)
    }},
    {NULL, NULL},
};

const struct EmbeddedFileEntry *embedded_files(void) { return files; }
