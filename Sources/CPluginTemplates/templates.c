// The files of new plug-ins, as parts of the program. As arrays in Swift they would take half a minute to compile.

#include "CPluginTemplates.h"

#include <stddef.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

#ifndef __has_embed
#error "The C compiler has no #embed, which clang has from version 19 on."
#endif

static const struct PluginTemplateFile files[] = {
    {"CArrow.h", (const unsigned char[]){
#embed "../CArrow/include/CArrow.h" suffix(, 0)
    }},
    {"c-Makefile.txt", (const unsigned char[]){
#embed "Templates/c-Makefile.txt" suffix(, 0)
    }},
    {"c-README.md.txt", (const unsigned char[]){
#embed "Templates/c-README.md.txt" suffix(, 0)
    }},
    {"c-arrays.c.txt", (const unsigned char[]){
#embed "Templates/c-arrays.c.txt" suffix(, 0)
    }},
    {"c-bytes.c.txt", (const unsigned char[]){
#embed "Templates/c-bytes.c.txt" suffix(, 0)
    }},
    {"c-commits.c.txt", (const unsigned char[]){
#embed "Templates/c-commits.c.txt" suffix(, 0)
    }},
    {"c-disk.c.txt", (const unsigned char[]){
#embed "Templates/c-disk.c.txt" suffix(, 0)
    }},
    {"c-file.c.txt", (const unsigned char[]){
#embed "Templates/c-file.c.txt" suffix(, 0)
    }},
    {"c-history.c.txt", (const unsigned char[]){
#embed "Templates/c-history.c.txt" suffix(, 0)
    }},
    {"c-history.h.txt", (const unsigned char[]){
#embed "Templates/c-history.h.txt" suffix(, 0)
    }},
    {"c-log.c.txt", (const unsigned char[]){
#embed "Templates/c-log.c.txt" suffix(, 0)
    }},
    {"c-rows.c.txt", (const unsigned char[]){
#embed "Templates/c-rows.c.txt" suffix(, 0)
    }},
    {"c-store.c.txt", (const unsigned char[]){
#embed "Templates/c-store.c.txt" suffix(, 0)
    }},
    {"c-store.h.txt", (const unsigned char[]){
#embed "Templates/c-store.h.txt" suffix(, 0)
    }},
    {"cpp-Makefile.txt", (const unsigned char[]){
#embed "Templates/cpp-Makefile.txt" suffix(, 0)
    }},
    {"cpp-README.md.txt", (const unsigned char[]){
#embed "Templates/cpp-README.md.txt" suffix(, 0)
    }},
    {"cpp-arrays.cpp.txt", (const unsigned char[]){
#embed "Templates/cpp-arrays.cpp.txt" suffix(, 0)
    }},
    {"cpp-disk.cpp.txt", (const unsigned char[]){
#embed "Templates/cpp-disk.cpp.txt" suffix(, 0)
    }},
    {"cpp-format.cpp.txt", (const unsigned char[]){
#embed "Templates/cpp-format.cpp.txt" suffix(, 0)
    }},
    {"cpp-store.cpp.txt", (const unsigned char[]){
#embed "Templates/cpp-store.cpp.txt" suffix(, 0)
    }},
    {"cpp-store.hpp.txt", (const unsigned char[]){
#embed "Templates/cpp-store.hpp.txt" suffix(, 0)
    }},
    {"power-cut.c.txt", (const unsigned char[]){
#embed "Templates/power-cut.c.txt" suffix(, 0)
    }},
    {"python-Makefile.txt", (const unsigned char[]){
#embed "Templates/python-Makefile.txt" suffix(, 0)
    }},
    {"python-README.md.txt", (const unsigned char[]){
#embed "Templates/python-README.md.txt" suffix(, 0)
    }},
    {"python-arrays.py.txt", (const unsigned char[]){
#embed "Templates/python-arrays.py.txt" suffix(, 0)
    }},
    {"python-contents.py.txt", (const unsigned char[]){
#embed "Templates/python-contents.py.txt" suffix(, 0)
    }},
    {"python-disk.py.txt", (const unsigned char[]){
#embed "Templates/python-disk.py.txt" suffix(, 0)
    }},
    {"python-format.py.txt", (const unsigned char[]){
#embed "Templates/python-format.py.txt" suffix(, 0)
    }},
    {"python-library.c.txt", (const unsigned char[]){
#embed "Templates/python-library.c.txt" suffix(, 0)
    }},
    {"python-modules.py.txt", (const unsigned char[]){
#embed "Templates/python-modules.py.txt" suffix(, 0)
    }},
    {"python-quire.py.txt", (const unsigned char[]){
#embed "Templates/python-quire.py.txt" suffix(, 0)
    }},
    {"python-store.py.txt", (const unsigned char[]){
#embed "Templates/python-store.py.txt" suffix(, 0)
    }},
    {"quire_store_plugin.h", (const unsigned char[]){
#embed "../CStorePlugin/include/quire_store_plugin.h" suffix(, 0)
    }},
    {"rust-Cargo.toml.txt", (const unsigned char[]){
#embed "Templates/rust-Cargo.toml.txt" suffix(, 0)
    }},
    {"rust-Makefile.txt", (const unsigned char[]){
#embed "Templates/rust-Makefile.txt" suffix(, 0)
    }},
    {"rust-README.md.txt", (const unsigned char[]){
#embed "Templates/rust-README.md.txt" suffix(, 0)
    }},
    {"rust-arrays.rs.txt", (const unsigned char[]){
#embed "Templates/rust-arrays.rs.txt" suffix(, 0)
    }},
    {"rust-contents.rs.txt", (const unsigned char[]){
#embed "Templates/rust-contents.rs.txt" suffix(, 0)
    }},
    {"rust-disk.rs.txt", (const unsigned char[]){
#embed "Templates/rust-disk.rs.txt" suffix(, 0)
    }},
    {"rust-format.rs.txt", (const unsigned char[]){
#embed "Templates/rust-format.rs.txt" suffix(, 0)
    }},
    {"rust-lib.rs.txt", (const unsigned char[]){
#embed "Templates/rust-lib.rs.txt" suffix(, 0)
    }},
    {"rust-quire.rs.txt", (const unsigned char[]){
#embed "Templates/rust-quire.rs.txt" suffix(, 0)
    }},
    {"shared-Makefile-end.txt", (const unsigned char[]){
#embed "Templates/shared-Makefile-end.txt" suffix(, 0)
    }},
    {"shared-Makefile-start.txt", (const unsigned char[]){
#embed "Templates/shared-Makefile-start.txt" suffix(, 0)
    }},
    {"shared-README-start.md.txt", (const unsigned char[]){
#embed "Templates/shared-README-start.md.txt" suffix(, 0)
    }},
    {"shared-plugin.json.txt", (const unsigned char[]){
#embed "Templates/shared-plugin.json.txt" suffix(, 0)
    }},
    {"swift-Cell.swift.txt", (const unsigned char[]){
#embed "Templates/swift-Cell.swift.txt" suffix(, 0)
    }},
    {"swift-Format.swift.txt", (const unsigned char[]){
#embed "Templates/swift-Format.swift.txt" suffix(, 0)
    }},
    {"swift-Package.swift.txt", (const unsigned char[]){
#embed "Templates/swift-Package.swift.txt" suffix(, 0)
    }},
    {"swift-README.md.txt", (const unsigned char[]){
#embed "Templates/swift-README.md.txt" suffix(, 0)
    }},
    {"swift-Tests.swift.txt", (const unsigned char[]){
#embed "Templates/swift-Tests.swift.txt" suffix(, 0)
    }},
    {NULL, NULL},
};

const struct PluginTemplateFile *plugin_template_files(void) { return files; }
