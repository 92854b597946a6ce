import Foundation
import ProgramRuns
import Testing

/// The decisions of the plug-in `GenerateModel` for a target, without SwiftPM's part, which is in another file.
@Suite("Models of a target that is built")
struct TargetModelsTests {
  /// A main file that prints all commands for a folder.
  private static let main = """
    import Foundation
    let words = CommandLine.arguments
    do {
      let models = try TargetModels(in: URL(filePath: words[1], directoryHint: .isDirectory))
      if models.isEmpty { print("empty") }
      let folder = URL(filePath: "/made", directoryHint: .isDirectory)
      for making in models.makings(into: folder, module: words.count > 2 ? words[2] : nil) {
        for argument in making.arguments { print("argument \\(argument)") }
        for input in making.inputs { print("input \\(input.path)") }
        print("output \\(making.output.path)")
      }
    } catch { print("error \\(error)") }
    """

  private static let program = Result {
    let folder = try Folder()
    let main = folder.url.appending(path: "main.swift")
    try Data(TargetModelsTests.main.utf8).write(to: main)
    return try Compiler().makeProgram(
      [Compiler.root.appending(path: "Plugins/GenerateModel/TargetModels.swift"), main],
      named: "target-models")
  }

  private let folder: Folder

  init() throws { folder = try Folder() }

  private func write(_ path: String, _ text: String = "") throws {
    let file = folder.url.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// Returns the plug-in's commands for the folder, without the folder's path.
  private func said(_ words: String...) throws -> [String] {
    try ProgramRun(Self.program.get().path, [folder.url.path] + words, reading: .output).text
      .replacing(folder.url.path(percentEncoded: false), with: "/").replacing(
        folder.url.path, with: ""
      )
      .split(separator: "\n").map(String.init)
  }

  @Test("Each model has a file of its own, which depends on all of its versions")
  func models() throws {
    try write("Model/Trips.xcdatamodeld/.xccurrentversion")
    try write("Model/Trips.xcdatamodeld/Trips.xcdatamodel/contents")
    try write("Model/Trips.xcdatamodeld/Trips 2.xcdatamodel/contents")
    try write("Model/Trips.xcdatamodeld/Trips.xcdatamodel/layout")
    try write("Books.xcdatamodel/contents")
    try write("main.swift")

    #expect(
      try said("Made") == [
        "argument /Books.xcdatamodel", "argument /made/Books+Classes.swift", "argument public",
        "argument class", "argument Made", "input /Books.xcdatamodel",
        "input /Books.xcdatamodel/contents", "output /made/Books+Classes.swift",
        "argument /Model/Trips.xcdatamodeld", "argument /made/Trips+Classes.swift",
        "argument public", "argument class", "argument Made", "input /Model/Trips.xcdatamodeld",
        "input /Model/Trips.xcdatamodeld/.xccurrentversion",
        "input /Model/Trips.xcdatamodeld/Trips 2.xcdatamodel/contents",
        "input /Model/Trips.xcdatamodeld/Trips.xcdatamodel/contents",
        "output /made/Trips+Classes.swift",
      ])
  }

  @Test("A target without a model needs no command")
  func noModel() throws {
    try write("main.swift")
    try write("Trips.xcdatamodelx/contents")

    #expect(try said() == ["empty"])
  }

  @Test("Two models that would make the same file are refused in any folders")
  func sameName() throws {
    try write("A/Trips.xcdatamodeld/.xccurrentversion")
    try write("B/trips.xcdatamodel/contents")

    #expect(
      try said() == [
        "error /A/Trips.xcdatamodeld and /B/trips.xcdatamodel have the same name, so the plug-in "
          + "would write the same file twice."
      ])
  }

  @Test("The settings become arguments, and the settings file is an input")
  func settings() throws {
    try write("T.xcdatamodel/contents")
    try write("GenerateModel.json", #"{"access": "internal", "unmarkedEntities": "none"}"#)

    #expect(
      try said() == [
        "argument /T.xcdatamodel", "argument /made/T+Classes.swift", "argument internal",
        "argument none", "input /T.xcdatamodel", "input /T.xcdatamodel/contents",
        "input /GenerateModel.json", "output /made/T+Classes.swift",
      ])
  }

  @Test(
    "Meaningless settings are refused with their name and value",
    arguments: [
      (
        #"{"acess": "public"}"#,
        "has the unknown key 'acess'. The known keys are 'access' and 'unmarkedEntities'."
      ),
      (
        #"{"access": "private"}"#,
        "has 'private' for 'access'. The possible values are public, package, internal."
      ),
      (
        #"{"unmarkedEntities": "extension"}"#,
        "has 'extension' for 'unmarkedEntities'. The possible values are class, category, none."
      ),
      (#"{"access": 1}"#, "is not a JSON object of texts"), ("[]", "is not a JSON object of texts"),
      ("", "is not a JSON object of texts"),
    ])
  func wrongSettings(_ text: String, _ part: String) throws {
    try write("T.xcdatamodel/contents")
    try write("GenerateModel.json", text)

    let said = try said()

    #expect(said.first?.hasPrefix("error /GenerateModel.json \(part)") ?? false, "\(said)")
  }
}
