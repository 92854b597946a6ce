import CommandInterface
import DurableFiles
import Foundation
import JSONText
import PluginHost
import PluginTemplates
import SystemPrograms

/// `quire plugin new`: makes a package for a plug-in that builds, passes its tests and loads at once.
struct PluginScaffold {
  static let language = Option(
    "language", value: "LANGUAGE", choices: PluginTemplate.Language.allCases.map(\.rawValue),
    "For 'new': the language of the plug-in.")
  static let incremental = Option(
    "incremental",
    "For 'new' in C: makes a store that appends its changes at each save, and keeps earlier commits. The default "
      + "is a store that writes its whole file at each save.")
  static let quire = Option(
    "quire", value: "PLACE",
    "For 'new' in Swift: the path or URL of Quire's package. The default is the package that the "
      + "tool was built from."
  )
  static let output = Option(
    "output", value: "FOLDER", role: .output,
    "For 'new': the new folder. The default is the name of the plug-in. For 'pack': the new file. The "
      + "default is the name and the version of the plug-in, with .zip at the end.")

  let name: String
  let invocation: Invocation

  init(name: String, _ invocation: Invocation) {
    self.name = name
    self.invocation = invocation
  }

  /// Makes the folder with all its files.
  func write() throws {
    guard let word = invocation.value(of: PluginScaffold.language),
      let language = PluginTemplate.Language(rawValue: word)
    else {
      throw CommandError.wrongUsage(
        "Option '--language' is missing.",
        hint:
          "The languages are \(PluginTemplate.Language.allCases.map(\.rawValue).joined(separator: ", "))."
      )
    }
    let isIncremental = invocation.has(PluginScaffold.incremental)
    guard !isIncremental || language.hasIncrementalTemplate else {
      throw CommandError.wrongUsage(
        "There is no incremental store in \(language.title) to begin with.",
        hint: "Write '--language c', or leave out '--incremental'.")
    }
    guard PluginManifest.isName(name), name.utf8.first != UInt8(ascii: "."),
      name.utf8.first != UInt8(ascii: "-"),
      !language.usesNameInSource || PluginScaffold.isModuleName(name)
    else {
      let allowed =
        !language.usesNameInSource
        ? "1 to 64 characters (A-Z, a-z, 0-9, '_', '.', '-'), and does not begin with '.' or '-'"
        : "1 to 64 characters (A-Z, a-z, 0-9, '_'), and begins with a capital letter"
      throw CommandError.wrongUsage(
        "'\(oneLine(name))' can't be the name of a plug-in in \(language.title): a name has \(allowed)."
      )
    }
    let disk = RealDisk()
    let made =
      try invocation.output(PluginScaffold.output, on: disk)
      ?? invocation.output(at: name, on: disk)
    let folder = made.path
    try made.checkFree()
    let template = PluginTemplate(
      name: name, dependency: language == .swift ? try dependency(for: folder) : "")
    let files = template.files(language, isIncremental: isIncremental)
    try made.make { temporary in
      for file in files {
        let place = temporary.appendingPathComponent(file.path)
        try disk.makeDirectories(for: place)
        try disk.replace(place) { writer in try writer.write(file.bytes) }
      }
    }
    let output = invocation.console.output
    switch invocation.format {
    case .text:
      for file in files { try output.writeLine(oneLine("\(folder.trimmingSlashes)/\(file.path)")) }
    case .json:
      let object = JSON.object([
        "plugin": .string(name), "folder": .string(folder), "files": .strings(files.map(\.path)),
      ])
      try output.writeLine(object)
    }
  }

  /// Returns whether a name can be the name of a module, and of a type in the source.
  private static func isModuleName(_ name: String) -> Bool {
    name.wholeMatch(of: /[A-Z][A-Za-z0-9_]*/) != nil
  }

  // MARK: - Quire's package

  /// Returns the dependency on Quire for the manifest of a Swift package.
  private func dependency(for folder: String) throws(CommandError) -> String {
    guard let place = invocation.value(of: PluginScaffold.quire) else {
      guard let found = PluginScaffold.package(above: ThisProgram.path) else {
        throw .wrongUsage(
          "The path of Quire's package is unknown.",
          hint: "Give the path of its folder, or its URL, with '--quire'.")
      }
      return PluginScaffold.local(found)
    }
    if place.contains("://") || place.hasPrefix("git@") {
      return ".package(url: \(literal(place)), branch: \"main\")"
    }
    let path = URL(filePath: place).standardizedFileURL.path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path + "/Package.swift") else {
      throw CommandError(.inputOutput, "'\(oneLine(place))' contains no package.")
    }
    return PluginScaffold.local(path)
  }

  private static func local(_ path: String) -> String {
    ".package(name: \"quire\", path: \(literal(path)))"
  }

  /// Returns the path of Quire's package, if the tool is still in the folder where it was built.
  private static func package(above executable: String?) -> String? {
    guard let executable else { return nil }
    var folder = URL(filePath: executable).resolvingSymlinksInPath()
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let manifest = folder.appending(path: "Package.swift")
      let marker = folder.appending(path: "Sources/CStorePlugin/include/quire_store_plugin.h")
      if [manifest, marker].allSatisfy({ FileManager.default.fileExists(atPath: $0.path) }) {
        return folder.path(percentEncoded: false).trimmingSlashes
      }
    }
    return nil
  }
}

/// Returns the text as a Swift string literal.
private func literal(_ text: String) -> String {
  "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
}
