import Foundation
import ProgramRuns
import Testing

/// The compiler of the toolchain that runs the tests. It checks source without output files.
struct Compiler {
  /// The strictest flags that sources of this package are built with.
  static let strict =
    ["-strict-memory-safety"]
    + ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    .flatMap { ["-enable-upcoming-feature", $0] }

  /// Returns the messages of the compiler about the files; an empty text if there is none. Warnings count too.
  ///
  /// - Parameter others: The sources of other modules, by the modules' names.
  func check(
    _ files: [String: String], flags: [String] = [], beside others: [String: String] = [:]
  ) throws -> String {
    let folder = try Folder()
    let common =
      ["-swift-version", "6", "-warnings-as-errors", "-package-name", "made"]
      + (try Self.modules()) + ["-I", folder.url.path]
    for (name, text) in others {
      let file = folder.url.appending(path: "\(name)-source.swift")
      try Data(text.utf8).write(to: file)
      let module = folder.url.appending(path: "\(name).swiftmodule").path
      _ = try run(
        "swiftc", ["-emit-module", "-module-name", name, "-o", module] + common + [file.path])
    }
    let paths = try files.sorted { $0.key < $1.key }.map { name, text in
      let file = folder.url.appending(path: name)
      try Data(text.utf8).write(to: file)
      return file.path
    }
    return try run(
      "swiftc", ["-typecheck", "-module-name", "Made"] + common + flags + paths)
  }

  /// Returns the errors that the compiler shows for a file, each with its line and column: `3:7 The message`. An error in
  /// the expansion of a macro has no place in the file.
  func errors(in text: String) throws -> [String] {
    let folder = try Folder()
    let file = folder.url.appending(path: "A.swift")
    try Data(text.utf8).write(to: file)
    let output = try run(
      "swiftc",
      ["-typecheck", "-swift-version", "6", "-module-name", "Made", "-diagnostic-style", "llvm"]
        + (try Self.modules()) + [file.path], mayFail: true)
    return output.split(separator: "\n").compactMap { line -> String? in
      guard let end = line.range(of: ": error: ") else { return nil }
      guard line.hasPrefix(file.path) else { return "in an expansion \(line[end.upperBound...])" }
      let place = line[..<end.lowerBound].dropFirst(file.path.count + 1)
      return "\(place) \(line[end.upperBound...])"
    }
  }

  /// Builds a program from source files, in the folder of the build's products.
  func makeProgram(_ files: [URL], named name: String) throws -> URL {
    let program = try Self.build().appending(path: name)
    _ = try run(
      "swiftc",
      ["-swift-version", "6", "-warnings-as-errors", "-o", program.path] + files.map(\.path))
    return program
  }

  /// Returns the source in the layout of `swift format`.
  func formatted(_ text: String) throws -> String {
    let folder = try Folder()
    let file = folder.url.appending(path: "A.swift")
    try Data(text.utf8).write(to: file)
    let settings = Self.root.appending(path: ".swift-format").path
    return try run("swift", ["format", "--configuration", settings, file.path])
  }

  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the folder of the build that the tests run from.
  static func build() throws -> URL {
    try #require(CommandLine.arguments.first.map { URL(filePath: $0).deletingLastPathComponent() })
  }

  /// Returns the flags for the modules of this build and the C modules that they need.
  private static func modules() throws -> [String] {
    let build = try build()
    let names = [
      "CArrow", "CChecksums", "CEmbeddedFiles", "CProcessor", "CProgram", "CStorePlugin",
      "CThreads",
    ].map {
      build.appending(path: "\($0).build/module.modulemap").path
    }
    let sources = [
      "Sources/XMLEvents/CLibXML2", "Sources/Deflate/CLibDeflate", "Sources/Deflate/CZlib",
      "Sources/SQLiteFiles/CSQLite3",
      "Sources/PostgreSQLConnection/CPostgreSQL",
    ].map {
      root.appending(path: "\($0)/module.modulemap").path
    }
    // The program that expands macros.
    let macros = build.appending(path: "EntityMacros-tool").path + "#EntityMacros"
    return [
      "-I", build.appending(path: "Modules").path, "-Xcc", "-I/usr/include/libxml2",
      "-Xcc", "-I/usr/include/postgresql",
      "-Xcc", "-I" + root.appending(path: "Sources/CArrow/include").path,
      "-load-plugin-executable", macros,
    ]
      + (names + sources).flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
  }

  private func run(
    _ tool: String, _ arguments: [String], mayFail: Bool = false
  ) throws -> String {
    let run = try ProgramRun(tool, arguments)
    #expect(run.status == 0 || mayFail, "\(tool): \(run.text)")
    return run.text
  }
}

/// A folder that is removed when the object is deallocated.
final class Folder {
  let url = FileManager.default.temporaryDirectory.appending(
    path: "quire-\(UUID().uuidString)", directoryHint: .isDirectory)

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
