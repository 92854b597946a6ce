import EmbeddedFiles

/// The templates of each language.
extension PluginTemplate {
  func swiftFiles() -> [File] {
    [
      file("Package.swift", EmbeddedFile.bytes("swift-Package.swift.txt")),
      manifest(["durable", "shared", "confirmation"]),
      file("Sources/\(name)/\(name).swift", EmbeddedFile.bytes("swift-Format.swift.txt")),
      file("Sources/\(name)/Cell.swift", EmbeddedFile.bytes("swift-Cell.swift.txt")),
      file("Tests/\(name)Tests/\(name)Tests.swift", EmbeddedFile.bytes("swift-Tests.swift.txt")),
      file("README.md", EmbeddedFile.bytes("swift-README.md.txt")),
    ]
  }

  func cppFiles() -> [File] {
    let main = mainFile("cpp", others: ["arrays", "disk", "format"])
    return [
      manifest(["durable"]),
      makefile(EmbeddedFile.bytes("cpp-Makefile.txt")),
      file(main, EmbeddedFile.bytes("cpp-store.cpp.txt")),
      file("store.hpp", EmbeddedFile.bytes("cpp-store.hpp.txt")),
      file("format.cpp", EmbeddedFile.bytes("cpp-format.cpp.txt")),
      file("arrays.cpp", EmbeddedFile.bytes("cpp-arrays.cpp.txt")),
      file("disk.cpp", EmbeddedFile.bytes("cpp-disk.cpp.txt")),
      readme(.cpp, EmbeddedFile.bytes("cpp-README.md.txt"), texts: ["FILE": main]),
    ] + headers
  }

  func rustFiles() -> [File] {
    [
      manifest(["durable"]),
      makefile(EmbeddedFile.bytes("rust-Makefile.txt"), making: ["target"]),
      file("Cargo.toml", EmbeddedFile.bytes("rust-Cargo.toml.txt")),
      file("src/lib.rs", EmbeddedFile.bytes("rust-lib.rs.txt")),
      file("src/contents.rs", EmbeddedFile.bytes("rust-contents.rs.txt")),
      file("src/format.rs", EmbeddedFile.bytes("rust-format.rs.txt")),
      file("src/arrays.rs", EmbeddedFile.bytes("rust-arrays.rs.txt")),
      file("src/disk.rs", EmbeddedFile.bytes("rust-disk.rs.txt")),
      file("src/quire.rs", EmbeddedFile.bytes("rust-quire.rs.txt")),
      readme(.rust, EmbeddedFile.bytes("rust-README.md.txt")),
    ] + headers
  }

  func pythonFiles() -> [File] {
    [
      manifest(["durable"]),
      makefile(EmbeddedFile.bytes("python-Makefile.txt"), making: ["modules.h"]),
      file("library.c", EmbeddedFile.bytes("python-library.c.txt")),
      file("modules.py", EmbeddedFile.bytes("python-modules.py.txt")),
      file("source/store.py", EmbeddedFile.bytes("python-store.py.txt")),
      file("source/contents.py", EmbeddedFile.bytes("python-contents.py.txt")),
      file("source/format.py", EmbeddedFile.bytes("python-format.py.txt")),
      file("source/arrays.py", EmbeddedFile.bytes("python-arrays.py.txt")),
      file("source/disk.py", EmbeddedFile.bytes("python-disk.py.txt")),
      file("source/quire.py", EmbeddedFile.bytes("python-quire.py.txt")),
      readme(.python, EmbeddedFile.bytes("python-README.md.txt")),
    ] + headers
  }

  /// Returns the files in C. Both kinds of stores share all files but those of the file's format.
  func cFiles(isIncremental: Bool) -> [File] {
    let main = mainFile(
      "c", others: ["rows", "arrays", "bytes", "commits", "disk", "file", "log", "history"])
    let texts = isIncremental ? incrementalTexts(main) : copyingTexts(main)
    let shared = [
      manifest(isIncremental ? ["incremental", "durable", "history"] : ["durable"]),
      makefile(EmbeddedFile.bytes("c-Makefile.txt")),
      file(main, EmbeddedFile.bytes("c-store.c.txt"), texts: texts),
      file("store.h", EmbeddedFile.bytes("c-store.h.txt"), texts: texts),
      file("commits.c", EmbeddedFile.bytes("c-commits.c.txt")),
      file("rows.c", EmbeddedFile.bytes("c-rows.c.txt")),
      file("arrays.c", EmbeddedFile.bytes("c-arrays.c.txt")),
      file("disk.c", EmbeddedFile.bytes("c-disk.c.txt")),
      file("bytes.c", EmbeddedFile.bytes("c-bytes.c.txt")),
      readme(.c, EmbeddedFile.bytes("c-README.md.txt"), texts: texts),
    ]
    let own =
      isIncremental
      ? [
        file("log.c", EmbeddedFile.bytes("c-log.c.txt")),
        file("history.c", EmbeddedFile.bytes("c-history.c.txt")),
      ]
      : [file("file.c", EmbeddedFile.bytes("c-file.c.txt"))]
    return shared + own + headers
  }

  private func copyingTexts(_ main: String) -> [String: String] {
    [
      "FILE": main,
      "SUMMARY": "which is written anew at each save",
      "FORMAT": "file.c",
      "MEMBERS": "",
      "HISTORY": "",
      "LIVE_BYTES": "store->byte_count",
      "CAPABILITIES": "QUIRE_DURABLE",
      "FUNCTIONS": "",
      "ABOUT": "The store is one file, which is written anew at each save.",
      "FORMAT_ROWS": "| `file.c` | the format of the file |\n",
    ]
  }

  private func incrementalTexts(_ main: String) -> [String: String] {
    [
      "FILE": main,
      "SUMMARY": "to which each save appends its changes",
      "FORMAT": "log.c",
      "MEMBERS": """
        // The number of the newest head, the end of the log, and the number of commits before the end.
        uint64_t head, end, saved_count;

      """,
      "HISTORY": String(decoding: EmbeddedFile.bytes("c-history.h.txt"), as: UTF8.self) + "\n",
      "LIVE_BYTES": "store->end",
      "CAPABILITIES": "QUIRE_INCREMENTAL | QUIRE_DURABLE | QUIRE_HISTORY",
      "FUNCTIONS": """
          .commits = list_commits, .snapshot_of = snapshot_of, .keep_commits = keep_commits,

      """,
      "ABOUT": """
      The store is one file, to which each save appends its changes. Opening reads all commits of the file again. The store opens
      earlier commits. The file never becomes smaller: a forgotten commit can't be opened, and its rows stay.
      """,
      "FORMAT_ROWS": """
      | `log.c` | the format of the file |
      | `history.c` | the list of commits, and earlier commits |

      """,
    ]
  }

  /// Returns the name of the file that has the plug-in's name. The file must not replace another file of the template.
  private func mainFile(_ suffix: String, others: [String]) -> String {
    others.contains(name) ? "store.\(suffix)" : "\(name).\(suffix)"
  }
}
