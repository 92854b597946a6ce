import BinaryStore
import DurableFiles
import Foundation
import ObjectModel
import Quire
import StoreInterface
import Testing

@testable import ToolCommands

@Suite("Outputs of commands")
struct OutputTests {
  private let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    .appending(path: "outputs-\(UUID().uuidString)").path(percentEncoded: false)
  private let disk = RealDisk()

  /// A command that writes, as a function of its output path.
  struct Writer: Sendable, CustomTestStringConvertible {
    let name: String
    /// The path that the command reads.
    var input = "in.store"
    /// The ending of the output's name that the command needs.
    var ending = ""
    var hasForce = true
    /// Whether the command brings its own output up to date, and refuses only other files.
    var renews = false
    let words: @Sendable (_ input: String, _ output: String) -> [String]
    var testDescription: String { name }
  }

  static let writers = [
    Writer(name: "convert") { ["convert", $0, $1] },
    Writer(name: "convert to XML") { ["convert", $0, $1, "--store", "xml"] },
    Writer(name: "recover") { ["recover", $0, "--output", $1] },
    Writer(name: "recover a document", input: "in.quire") { ["recover", $0, "--output", $1] },
    Writer(name: "export") { ["export", $0, "--output", $1, "--format", "jsonl"] },
    Writer(name: "save-as", input: "in.quire") { ["save-as", $0, $1] },
    Writer(name: "save-as XML", input: "in.quire") { ["save-as", $0, $1, "--store", "xml"] },
    Writer(name: "attach get", input: "in.quire") {
      ["attach", "get", $0, "in.store", "--output", $1]
    },
    Writer(name: "merge") { ["merge", $0, $0, $0, "--output", $1] },
    Writer(name: "merge documents", input: "in.quire") { ["merge", $0, $0, $0, "--output", $1] },
    Writer(name: "report") { ["report", $0, "--output", $1] },
    Writer(name: "report of a document", input: "in.quire") { ["report", $0, "--output", $1] },
    Writer(name: "new", input: "in.xcdatamodeld") { ["new", $1, "--model", $0] },
    Writer(name: "new --from", input: "in.csv") { ["new", $1, "--from", $0] },
    Writer(name: "model as text", input: "in.xcdatamodeld", ending: ".model") {
      ["model", $0, "--output", $1]
    },
    Writer(name: "model for Xcode", input: "in.xcdatamodeld", ending: ".xcdatamodel") {
      ["model", $0, "--output", $1, "--format", "xcdatamodel"]
    },
    Writer(name: "backup", renews: true) { ["backup", $0, $1] },
    Writer(name: "backup of a document", input: "in.quire", renews: true) { ["backup", $0, $1] },
    Writer(name: "pack", input: "in.quire") { ["pack", $0, $1] },
    Writer(name: "unpack", input: "in.zip", hasForce: false) { ["unpack", $0, $1] },
    Writer(name: "clone", input: "in.quire", hasForce: false) { ["clone", $0, $1] },
    Writer(name: "migrate --output", hasForce: false) {
      ["migrate", $0, "--model", modelPath($0), "--output", $1]
    },
    Writer(name: "migrate --backup", hasForce: false) {
      ["migrate", $0, "--model", modelPath($0), "--backup", $1]
    },
  ]

  private static func modelPath(_ store: String) -> String {
    String(store.prefix { $0 != "\0" }).split(separator: "/").dropLast().reduce("") {
      $0 + "/" + $1
    }
      + "/in.xcdatamodeld"
  }

  init() throws {
    try disk.makeDirectory(folder)
    let examples = packageRoot.appending(path: "Examples")
    let manager = FileManager.default
    try manager.copyItem(
      atPath: examples.appending(path: "Trips.store").path, toPath: path("in.store"))
    try manager.copyItem(
      atPath: examples.appending(path: "Trips.xcdatamodeld").path, toPath: path("in.xcdatamodeld"))
    try Data("name\nLisbon\n".utf8).write(to: URL(filePath: path("in.csv")))
    #expect(run(["new", path("in.quire"), "--model", path("in.xcdatamodeld")]).exitCode == .done)
    #expect(run(["attach", "add", path("in.quire"), path("in.store")]).exitCode == .done)
    #expect(run(["pack", path("in.quire"), path("in.zip")]).exitCode == .done)
  }

  private func path(_ name: String) -> String { folder + "/" + name }

  private func run(_ words: [String]) -> RecordedRun { quire(words) }

  /// Returns the names and bytes of all files below the folder.
  private func contents() throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      let isFile = try disk.status(of: path(name), followingLinks: false).kind == .file
      contents[name] = isFile ? try disk.read(path(name), byteLimit: 1 << 24) : []
    }
    return contents
  }

  private func cleanUp() { try? disk.removeTree(folder) }

  @Test(
    "No command writes over its input, also under another name of the input", arguments: writers)
  func ownInput(_ writer: Writer) throws {
    defer { cleanUp() }
    let input = path(writer.input)
    var names = [input, folder + "/./" + writer.input, input + "/"]
    try disk.makeSymbolicLink(path("soft"), to: writer.input)
    names.append(path("soft"))
    if try disk.status(of: input).kind == .file {
      try disk.link(input, to: path("hard"))
      names = names.filter { !$0.hasSuffix("/") } + [path("hard"), input + "-wal"]
    } else {
      names += [input + "/inside", path("soft/inside")]
    }
    let before = try contents()
    for name in names {
      for force in writer.hasForce ? [[], ["--force"]] : [[]] {
        let run = run(writer.words(input, name) + force)
        #expect(run.exitCode == .wrongUsage, "\(name) \(force): \(run.messages)")
        let wanted = #/command reads|input of the command/#
        #expect(run.messages.contains(wanted), "\(name) \(force): \(run.messages)")
        #expect(try contents() == before, "\(name) \(force)")
      }
    }
  }

  @Test("No existing file is replaced without --force", arguments: writers)
  func existing(_ writer: Writer) throws {
    defer { cleanUp() }
    let output = path("there" + writer.ending)
    #expect(!run(writer.words(path(writer.input), output)).messages.contains("error:"))
    if writer.name == "migrate --backup" { try? disk.replace(output) { try $0.write("mine") } }
    if writer.renews {
      let isFolder = try disk.status(of: output).kind == .directory
      try disk.removeTree(output)
      if isFolder {
        _ = run(["save-as", path(writer.input), output])
      } else {
        try disk.replace(output) { try $0.write("mine") }
      }
    }
    let before = try contents()

    let refused = run(writer.words(path(writer.input), output))
    #expect(refused.exitCode == .inputOutput, "\(refused.messages)")
    let wanted = writer.renews ? "Give another path, or --force" : "exists already"
    #expect(refused.messages.contains(wanted), "\(refused.messages)")
    #expect(try contents() == before)

    guard writer.hasForce else { return }
    let isFolder = try disk.status(of: output).kind == .directory
    let mode = FilePermissions(rawValue: isFolder ? 0o700 : 0o600)
    try disk.setPermissions(of: output, isDirectory: isFolder, to: mode)
    let forced = run(writer.words(path(writer.input), output) + ["--force"])
    #expect([.done, .no].contains(forced.exitCode), "\(forced.messages)")
    #expect(try disk.status(of: output).permissions == mode)
    #expect(try disk.list(folder).allSatisfy { !$0.name.hasPrefix(".") })
  }

  @Test("After a failure with --force the old file or folder is still there", arguments: writers)
  func failing(_ writer: Writer) throws {
    defer { cleanUp() }
    guard writer.hasForce else { return }
    let output = path("there" + writer.ending)
    _ = run(writer.words(path(writer.input), output))
    // The input is damaged, or removed.
    let input = path(writer.input)
    if try disk.status(of: input).kind == .directory {
      try disk.removeTree(input)
      try disk.makeDirectory(input)
    } else {
      try disk.replace(input) { try $0.write("damage\n\"open") }
    }
    let before = try contents()

    let run = run(writer.words(input, output) + ["--force"])

    guard writer.name != "pack" else { return }
    #expect(run.exitCode != .done, "\(run.output)")
    #expect(try contents() == before)
  }

  @Test("Each argument and option with a path states how the command uses the path")
  func roles() {
    // This fails if a new command that writes is not in the table above.
    let tested = Set(Self.writers.map { String($0.name.prefix { $0 != " " }) })
    let namesOfPaths: Set = [
      "PATH", "FILE", "FILES", "DOC", "DST", "SRC", "DIR", "FOLDER", "STORE", "MODEL", "OTHER",
    ]
    for command in Tool.quire.commands {
      for argument in command.arguments where namesOfPaths.contains(argument.name) {
        #expect(argument.role != .none, "\(command.name) \(argument.name)")
      }
      for option in command.options where namesOfPaths.contains(option.valueName ?? "") {
        #expect(option.role != .none, "\(command.name) --\(option.name)")
      }
      let writes =
        command.arguments.contains { $0.role == .output }
        || command.options.contains { $0.role == .output }
      if writes, command.name != "plugin" {
        #expect(tested.contains(command.name), "\(command.name)")
      }
    }
  }

  @Test("A name's ending selects the kind of output, or the error names the right command")
  func endings() throws {
    defer { cleanUp() }
    let store = path("in.store")
    #expect(run(["convert", store, path("a.xml")]).output.contains("XML"))
    #expect(run(["convert", store, path("a.store")]).output.contains("Binary"))
    #expect(run(["convert", store, path("plain")]).output.contains("Binary"))
    #expect(run(["convert", store, path("a.sqlite")]).exitCode == .plugin)
    let document = path("in.quire")
    let refused: [([String], String)] = [
      (["convert", store, path("e.jsonl")], "quire export"),
      (["convert", store, path("e.csv")], "quire export"),
      (["convert", store, path("e.quire")], "quire save-as"),
      (["convert", store, path("e.ZIP")], "quire pack"),
      (["recover", store, "--output", path("e.quire")], "quire save-as"),
      (["recover", document, "--output", path("e.store")], "quire convert"),
      (["save-as", document, path("e.sqlite")], "quire convert"),
      (["save-as", document, path("e.zip")], "quire pack"),
      (["new", path("e.xml"), "--model", path("in.xcdatamodeld")], "quire convert"),
      (["export", store, "--output", path("e.xml")], "quire convert"),
      (["export", store, "--output", path("e.quire")], "quire save-as"),
    ]
    let before = try contents()
    for (words, command) in refused {
      let run = run(words)
      #expect(run.exitCode == .wrongUsage, "\(words): \(run.messages)")
      #expect(run.messages.contains(command), "\(words): \(run.messages)")
    }
    #expect(try contents() == before)
  }

  @Test("A file or link with a temporary name of earlier versions is not changed")
  func fixedNames() throws {
    defer { cleanUp() }
    try disk.replace(path("a.xml.quire-new")) { try $0.write("mine") }
    try disk.replace(path("outside")) { try $0.write("outside") }
    try disk.makeSymbolicLink(path("b.xml.quire-new"), to: "outside")
    for name in ["a.xml", "b.xml"] {
      #expect(run(["convert", path("in.store"), path(name)]).exitCode == .done)
    }
    #expect(try disk.read(path("a.xml.quire-new"), byteLimit: 100) == Array("mine".utf8))
    #expect(try disk.read(path("outside"), byteLimit: 100) == Array("outside".utf8))
  }

  @Test("Files of tables are replaced only with --force, and all of them or none")
  func tables() throws {
    defer { cleanUp() }
    let words = ["export", path("in.store"), "--format", "csv", "--output", path("tables")]
    #expect(run(words).exitCode == .done)
    let whole = try contents()
    try disk.replace(path("tables/Trip.csv")) { try $0.write("mine") }
    try disk.replace(path("tables/notes.txt")) { try $0.write("mine") }
    let before = try contents()

    #expect(run(words).exitCode == .inputOutput)
    #expect(try contents() == before)
    #expect(run(words + ["--force"]).exitCode == .done)
    #expect(try contents()["tables/Trip.csv"] == whole["tables/Trip.csv"])
    #expect(try contents()["tables/notes.txt"] == Array("mine".utf8))

    // A folder has the name of the last file, so that the last file can't be written.
    try disk.remove(path("tables/Trip.csv"))
    try disk.makeDirectory(path("tables/Trip.csv"))
    try disk.replace(path("tables/Museum.csv")) { try $0.write("mine") }
    try disk.replace(path("tables/Trip.csv/file")) { try $0.write("mine") }
    let kept = try contents()
    let result = run(words + ["--force"])
    if result.exitCode != .done { #expect(try contents() == kept) }
  }
}
