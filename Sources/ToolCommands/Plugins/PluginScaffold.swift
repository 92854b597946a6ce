import CommandInterface
import DurableFiles
import JSONText
import PluginKit
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
    guard PluginTemplate.isName(name, in: language) else {
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
      name: name, dependency: language == .swift ? try dependency() : "")
    let files = template.files(language, isIncremental: isIncremental)
    try made.make { temporary in
      for file in files { try file.write(into: temporary, on: disk) }
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

  /// Returns the dependency on Quire for the manifest of a Swift package.
  private func dependency() throws -> String {
    if let place = invocation.value(of: PluginScaffold.quire) {
      return try QuirePackage.dependency(onPackageAt: place)
    }
    guard let found = QuirePackage.dependency(onPackageOf: ThisProgram.path) else {
      throw CommandError.wrongUsage(
        "The path of Quire's package is unknown.",
        hint: "Give the path of its folder, or its URL, with '--quire'.")
    }
    return found
  }
}
