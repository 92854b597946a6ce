import Foundation
import ModelCode
import ModelNotations
import ObjectModel
import ProgramRuns
import Testing

/// Runs the tool that builds use to make classes, as a process.
@Suite("quire-classes")
struct BuildToolTests {
  private let folder: Folder
  private var output: String { folder.url.appending(path: "made/T+Classes.swift").path }

  init() throws { folder = try Folder() }

  /// Writes the model of a document of the given name, with one entity.
  private func write(_ entity: String, _ attribute: String, named name: String = "T") throws
    -> String
  {
    let path = folder.url.appending(path: "\(name).xcdatamodeld").path
    let model = try Model(entities: [
      Entity(entity, properties: [.attribute(Attribute(attribute, .string))])
    ])
    try ModelVersions([.init(name, model: model)], currentName: name).write(to: path)
    return path
  }

  /// Runs the tool, and returns its exit status and messages.
  private func run(_ words: String...) throws -> (status: Int32, messages: String) {
    let tool = try Compiler.build().appending(path: "quire-classes").path
    let run = try ProgramRun(tool, words, reading: .errors)
    return (run.status, run.text)
  }

  private func made() throws -> String { try String(contentsOfFile: output, encoding: .utf8) }

  @Test("The tool writes the requested file with the code of the library")
  func writing() throws {
    let model = try write("Trip", "name")

    let run = try run(model, output)

    #expect(run == (0, ""))
    #expect(try made() == ModelClasses(of: ModelVersions.read(model), named: "T").text)
    #expect(try Compiler().check(["A.swift": made()]) == "")
  }

  @Test("The tool writes the file anew only if the model has changed")
  func changes() throws {
    let model = try write("Trip", "name")
    #expect(try run(model, output).status == 0)
    let long = Date(timeIntervalSinceReferenceDate: 0)
    try FileManager.default.setAttributes([.modificationDate: long], ofItemAtPath: output)

    #expect(try run(model, output).status == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: output)
    #expect(attributes[.modificationDate] as? Date == long)

    try FileManager.default.removeItem(atPath: model)
    _ = try write("Trip", "title")
    #expect(try run(model, output).status == 0)
    #expect(try made().contains("var title: String?") && !made().contains("var name"))
  }

  @Test("Options set the access level, the default kind of code, and the module")
  func choices() throws {
    let model = try write("Trip", "name")

    #expect(try run(model, output, "internal", "category", "Made").status == 0)
    #expect(try made().contains("\nextension Trip {") && !made().contains("public"))
    #expect(try run(model, output, "package", "none").status == 0)
    #expect(try made().contains("package enum TModel") && !made().contains("Trip {"))
  }

  @Test("Errors have the format of build systems, and nothing is written")
  func faults() throws {
    let model = try write("Trip", "name")
    func expect(_ run: (status: Int32, messages: String), _ part: String) {
      #expect(run.status == 1 && run.messages.hasPrefix("error: "), "\(run)")
      #expect(run.messages.contains(part), "\(run)")
    }
    expect(try run(), "usage: ")
    expect(try run(model), "usage: ")
    expect(try run(model, output, "private"), "usage: ")
    expect(try run(model, output, "public", "classes"), "usage: ")
    expect(try run(model, output, "public", "class", "Made", "more"), "usage: ")
    expect(try run(folder.url.path + "/none.xcdatamodeld", output), "none.xcdatamodeld")

    let broken = folder.url.appending(path: "Broken.xcdatamodel")
    try FileManager.default.createDirectory(at: broken, withIntermediateDirectories: true)
    try Data("<model>".utf8).write(to: broken.appending(path: "contents"))
    expect(try run(broken.path, output), "contents:1:")

    let bad = folder.url.appending(path: "Bad.xcdatamodel").path
    let description = Model.Description(
      entities: [Entity("Trip")],
      fetchRequestTemplates: [FetchRequestTemplate("late", entity: "Trip", predicate: "start >")])
    try FileManager.default.createDirectory(atPath: bad, withIntermediateDirectories: true)
    try ModelSource.write(Model(description)).withUnsafeBytes {
      try Data($0).write(to: URL(filePath: bad + "/contents"))
    }
    expect(try run(bad, output), "\"late\"")

    #expect(!FileManager.default.fileExists(atPath: output))
    let file = folder.url.appending(path: "file").path
    try Data().write(to: URL(filePath: file))
    expect(try run(model, file + "/T.swift"), "T.swift")
  }
}
