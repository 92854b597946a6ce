import EmbeddedFiles

/// The files of a new plug-in.
///
///     for file in PluginTemplate(name: "Ledger", dependency: "").files(.c) {
///       print(file.path)
///     }
package struct PluginTemplate: Sendable {
  /// The name of the plug-in and of its type of store.
  package let name: String
  /// The dependency on Quire's package, as the manifest of a Swift package spells it.
  package let dependency: String

  /// A template with the given name.
  package init(name: String, dependency: String) {
    self.name = name
    self.dependency = dependency
  }

  /// The language of a plug-in.
  package enum Language: String, CaseIterable, Sendable {
    case swift
    /// C, with only the headers of the interface.
    case c
    /// C++17, with the same headers.
    case cpp = "c++"
    /// Rust, with its own declarations of the interface.
    case rust
    /// Python, in a library that starts Python.
    case python

    /// The name of the language for people.
    package var title: String {
      switch self {
      case .swift: "Swift"
      case .c: "C"
      case .cpp: "C++"
      case .rust: "Rust"
      case .python: "Python"
      }
    }

    /// Whether the name of the plug-in becomes the name of a module or a type in the source.
    package var usesNameInSource: Bool { self == .swift || self == .rust }

    /// Whether there is a template of a store that writes only the changes of each commit.
    package var hasIncrementalTemplate: Bool { self == .c }
  }

  /// A file of the plug-in.
  package struct File: Sendable {
    /// The path within the plug-in's folder.
    package let path: String
    package let bytes: [UInt8]
  }

  /// Returns the files of a plug-in in a language.
  ///
  /// - Parameter isIncremental: Whether the store writes only the changes of each commit. Languages without such a
  ///   template give an empty result.
  package func files(_ language: Language, isIncremental: Bool = false) -> [File] {
    guard !isIncremental || language.hasIncrementalTemplate else { return [] }
    return switch language {
    case .swift: swiftFiles()
    case .c: cFiles(isIncremental: isIncremental)
    case .cpp: cppFiles()
    case .rust: rustFiles()
    case .python: pythonFiles()
    }
  }

  /// The headers of the interface. The program contains exact copies of them.
  var headers: [File] {
    [
      File(path: "include/quire_store_plugin.h", bytes: EmbeddedFile.bytes("quire_store_plugin.h")),
      File(path: "include/CArrow.h", bytes: EmbeddedFile.bytes("CArrow.h")),
    ]
  }

  /// Returns a file of the template, with the plug-in's names and the given texts inserted.
  ///
  /// - Parameters:
  ///   - parts: The parts of the file, one after another.
  ///   - texts: Texts by the names of their placeholders. A text may contain placeholders such as `@NAME@`.
  func file(_ path: String, _ parts: [UInt8]..., texts: [String: String] = [:]) -> File {
    var text = String(decoding: parts.joined(), as: UTF8.self)
    for (name, inserted) in texts { text = text.replacing("@\(name)@", with: inserted) }
    text = text.replacing("@NAME@", with: name).replacing("@QUIRE@", with: dependency)
    return File(path: path, bytes: Array(text.utf8))
  }

  /// Returns the manifest, with the capabilities of the store.
  func manifest(_ capabilities: [String]) -> File {
    let names = capabilities.map { "\"\($0)\"" }.joined(separator: ", ")
    return file(
      "plugin.json", EmbeddedFile.bytes("shared-plugin.json.txt"),
      texts: ["CAPABILITY_NAMES": names])
  }

  /// Returns the file that describes how the library is built, tested and installed.
  ///
  /// - Parameter made: The files that building makes, beside the library.
  func makefile(_ rules: [UInt8], making made: [String] = []) -> File {
    file(
      "Makefile", EmbeddedFile.bytes("shared-Makefile-start.txt"), rules,
      EmbeddedFile.bytes("shared-Makefile-end.txt"), texts: ["MADE": made.map { " \($0)" }.joined()]
    )
  }

  /// Returns the page that describes a plug-in with a Makefile.
  func readme(_ language: Language, _ page: [UInt8], texts: [String: String] = [:]) -> File {
    var texts = texts
    texts["LANGUAGE"] = language.title
    return file("README.md", EmbeddedFile.bytes("shared-README-start.md.txt"), page, texts: texts)
  }
}

extension PluginTemplate {
  /// The source of the C library by which a process loses power, for the conformance tests of a plug-in.
  package static var powerCutSource: [UInt8] { EmbeddedFile.bytes("power-cut.c.txt") }
}
