/// The templates of each language.
extension PluginTemplate {
  func swiftFiles() -> [File] {
    [
      file("Package.swift", PackageResources.swift_Package_swift_txt),
      manifest(["durable", "shared", "confirmation"]),
      file("Sources/\(name)/\(name).swift", PackageResources.swift_Format_swift_txt),
      file("Sources/\(name)/Cell.swift", PackageResources.swift_Cell_swift_txt),
      file("Tests/\(name)Tests/\(name)Tests.swift", PackageResources.swift_Tests_swift_txt),
      file("README.md", PackageResources.swift_README_md_txt),
    ]
  }

  func cppFiles() -> [File] {
    let main = mainFile("cpp", others: ["arrays", "disk", "format"])
    return [
      manifest(["durable"]),
      makefile(PackageResources.cpp_Makefile_txt),
      file(main, PackageResources.cpp_store_cpp_txt),
      file("store.hpp", PackageResources.cpp_store_hpp_txt),
      file("format.cpp", PackageResources.cpp_format_cpp_txt),
      file("arrays.cpp", PackageResources.cpp_arrays_cpp_txt),
      file("disk.cpp", PackageResources.cpp_disk_cpp_txt),
      readme(.cpp, PackageResources.cpp_README_md_txt, texts: ["FILE": main]),
    ] + headers
  }

  func rustFiles() -> [File] {
    [
      manifest(["durable"]),
      makefile(PackageResources.rust_Makefile_txt, making: ["target"]),
      file("Cargo.toml", PackageResources.rust_Cargo_toml_txt),
      file("src/lib.rs", PackageResources.rust_lib_rs_txt),
      file("src/contents.rs", PackageResources.rust_contents_rs_txt),
      file("src/format.rs", PackageResources.rust_format_rs_txt),
      file("src/arrays.rs", PackageResources.rust_arrays_rs_txt),
      file("src/disk.rs", PackageResources.rust_disk_rs_txt),
      file("src/quire.rs", PackageResources.rust_quire_rs_txt),
      readme(.rust, PackageResources.rust_README_md_txt),
    ]
  }

  func pythonFiles() -> [File] {
    [
      manifest(["durable"]),
      makefile(PackageResources.python_Makefile_txt, making: ["modules.h"]),
      file("library.c", PackageResources.python_library_c_txt),
      file("modules.py", PackageResources.python_modules_py_txt),
      file("source/store.py", PackageResources.python_store_py_txt),
      file("source/contents.py", PackageResources.python_contents_py_txt),
      file("source/format.py", PackageResources.python_format_py_txt),
      file("source/arrays.py", PackageResources.python_arrays_py_txt),
      file("source/disk.py", PackageResources.python_disk_py_txt),
      file("source/quire.py", PackageResources.python_quire_py_txt),
      readme(.python, PackageResources.python_README_md_txt),
    ] + headers
  }

  /// Returns the files in C. Both kinds of stores share all files but those of the file's format.
  func cFiles(isIncremental: Bool) -> [File] {
    let main = mainFile(
      "c", others: ["rows", "arrays", "bytes", "commits", "disk", "file", "log", "history"])
    let texts = isIncremental ? incrementalTexts(main) : copyingTexts(main)
    let shared = [
      manifest(isIncremental ? ["incremental", "durable", "history"] : ["durable"]),
      makefile(PackageResources.c_Makefile_txt),
      file(main, PackageResources.c_store_c_txt, texts: texts),
      file("store.h", PackageResources.c_store_h_txt, texts: texts),
      file("commits.c", PackageResources.c_commits_c_txt),
      file("rows.c", PackageResources.c_rows_c_txt),
      file("arrays.c", PackageResources.c_arrays_c_txt),
      file("disk.c", PackageResources.c_disk_c_txt),
      file("bytes.c", PackageResources.c_bytes_c_txt),
      readme(.c, PackageResources.c_README_md_txt, texts: texts),
    ]
    let own =
      isIncremental
      ? [
        file("log.c", PackageResources.c_log_c_txt),
        file("history.c", PackageResources.c_history_c_txt),
      ]
      : [file("file.c", PackageResources.c_file_c_txt)]
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
      "HISTORY": String(decoding: PackageResources.c_history_h_txt, as: UTF8.self) + "\n",
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
