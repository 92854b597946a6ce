/// The templates of each language.
extension PluginTemplate {
  func swiftFiles() -> [File] {
    [
      file("Package.swift", embedded("swift-Package.swift.txt")),
      manifest(["durable", "shared", "confirmation"]),
      file("Sources/\(name)/\(name).swift", embedded("swift-Format.swift.txt")),
      file("Sources/\(name)/Cell.swift", embedded("swift-Cell.swift.txt")),
      file("Tests/\(name)Tests/\(name)Tests.swift", embedded("swift-Tests.swift.txt")),
      file("README.md", embedded("swift-README.md.txt")),
    ]
  }

  func cppFiles() -> [File] {
    let main = mainFile("cpp", others: ["arrays", "disk", "format"])
    return [
      manifest(["durable"]),
      makefile(embedded("cpp-Makefile.txt")),
      file(main, embedded("cpp-store.cpp.txt")),
      file("store.hpp", embedded("cpp-store.hpp.txt")),
      file("format.cpp", embedded("cpp-format.cpp.txt")),
      file("arrays.cpp", embedded("cpp-arrays.cpp.txt")),
      file("disk.cpp", embedded("cpp-disk.cpp.txt")),
      readme(.cpp, embedded("cpp-README.md.txt"), texts: ["FILE": main]),
    ] + headers
  }

  func rustFiles() -> [File] {
    [
      manifest(["durable"]),
      makefile(embedded("rust-Makefile.txt"), making: ["target"]),
      file("Cargo.toml", embedded("rust-Cargo.toml.txt")),
      file("src/lib.rs", embedded("rust-lib.rs.txt")),
      file("src/contents.rs", embedded("rust-contents.rs.txt")),
      file("src/format.rs", embedded("rust-format.rs.txt")),
      file("src/arrays.rs", embedded("rust-arrays.rs.txt")),
      file("src/disk.rs", embedded("rust-disk.rs.txt")),
      file("src/quire.rs", embedded("rust-quire.rs.txt")),
      readme(.rust, embedded("rust-README.md.txt")),
    ] + headers
  }

  func pythonFiles() -> [File] {
    [
      manifest(["durable"]),
      makefile(embedded("python-Makefile.txt"), making: ["modules.h"]),
      file("library.c", embedded("python-library.c.txt")),
      file("modules.py", embedded("python-modules.py.txt")),
      file("source/store.py", embedded("python-store.py.txt")),
      file("source/contents.py", embedded("python-contents.py.txt")),
      file("source/format.py", embedded("python-format.py.txt")),
      file("source/arrays.py", embedded("python-arrays.py.txt")),
      file("source/disk.py", embedded("python-disk.py.txt")),
      file("source/quire.py", embedded("python-quire.py.txt")),
      readme(.python, embedded("python-README.md.txt")),
    ] + headers
  }

  /// Returns the files in C. Both kinds of stores share all files but those of the file's format.
  func cFiles(isIncremental: Bool) -> [File] {
    let main = mainFile(
      "c", others: ["rows", "arrays", "bytes", "commits", "disk", "file", "log", "history"])
    let texts = isIncremental ? incrementalTexts(main) : copyingTexts(main)
    let shared = [
      manifest(isIncremental ? ["incremental", "durable", "history"] : ["durable"]),
      makefile(embedded("c-Makefile.txt")),
      file(main, embedded("c-store.c.txt"), texts: texts),
      file("store.h", embedded("c-store.h.txt"), texts: texts),
      file("commits.c", embedded("c-commits.c.txt")),
      file("rows.c", embedded("c-rows.c.txt")),
      file("arrays.c", embedded("c-arrays.c.txt")),
      file("disk.c", embedded("c-disk.c.txt")),
      file("bytes.c", embedded("c-bytes.c.txt")),
      readme(.c, embedded("c-README.md.txt"), texts: texts),
    ]
    let own =
      isIncremental
      ? [
        file("log.c", embedded("c-log.c.txt")),
        file("history.c", embedded("c-history.c.txt")),
      ]
      : [file("file.c", embedded("c-file.c.txt"))]
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
      "HISTORY": String(decoding: embedded("c-history.h.txt"), as: UTF8.self) + "\n",
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
