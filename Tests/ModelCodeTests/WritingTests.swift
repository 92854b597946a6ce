import Foundation
import ModelCode
import ObjectModel
import Testing

@Suite("Writing code")
struct WritingTests {
  @Test("Only changed files are written, and other files stay")
  func unchanged() throws {
    let folder = try Folder()
    let path = folder.url.appending(path: "Made").path
    let classes = try ModelClasses(of: Zoo.model, named: "Zoo")
    let other = folder.url.appending(path: "Made/Other.swift")

    #expect(try classes.write(to: path).written == classes.files.map(\.name))
    try Data("// Mine.".utf8).write(to: other)
    #expect(try classes.write(to: path) == ModelClasses.FolderChange())
    try Data().write(to: folder.url.appending(path: "Made/Lion+Generated.swift"))
    #expect(try classes.write(to: path).written == ["Lion+Generated.swift"])
    #expect(FileManager.default.fileExists(atPath: other.path))

    let lion = folder.url.appending(path: "Made/Lion+Generated.swift")
    try Data("// Mine.".utf8).write(to: lion)
    let error = #expect(throws: ModelCodeError.self) { try classes.write(to: path) }
    #expect(error?.code == .foreignFile)
    #expect(try String(contentsOf: lion, encoding: .utf8) == "// Mine.")
    #expect(
      try classes.write(to: path, replacingForeignFiles: true).written
        == ["Lion+Generated.swift"])
  }

  @Test("Files of removed entities are removed, and no other files, for any version")
  func vanished() throws {
    let folder = try Folder()
    let path = folder.url.path
    var description = try Zoo.model.description
    func add(_ name: String) { description.entities.append(Entity(name)) }
    add("Gone")
    try ModelClasses(of: Model(description), named: "Zoo", version: "Zoo 7").write(to: path)
    try ModelClasses(of: Model(description), named: "Farm").write(to: path + "/farm")
    let foreign = try String(contentsOfFile: path + "/farm/Gone+Generated.swift", encoding: .utf8)
    let mine = try String(contentsOfFile: path + "/Gone+Generated.swift", encoding: .utf8)
    let kept = [
      "Farm.swift": foreign, "Mine.swift": "// Mine.\n" + mine,
      "Cut.swift": String(mine.prefix(40)),
      "Edited.swift": mine.replacing("by Quire", with: "by me"), "Gone.txt": mine,
      "Empty.swift": "",
    ]
    for (name, text) in kept { try Data(text.utf8).write(to: folder.url.appending(path: name)) }
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "Folder.swift"), withIntermediateDirectories: true)

    let change = try ModelClasses(of: Zoo.model, named: "Zoo").write(to: path)

    #expect(change.removed == ["Gone+Generated.swift"])
    let names = try Set(FileManager.default.contentsOfDirectory(atPath: path))
    #expect(names.isSuperset(of: Array(kept.keys) + ["Folder.swift", "Lion+Generated.swift"]))
    #expect(!names.contains("Gone+Generated.swift"))
  }

  @Test("A folder that can't be created is an error that names the file")
  func noFolder() throws {
    let folder = try Folder()
    let file = folder.url.appending(path: "file")
    try Data().write(to: file)
    let classes = try ModelClasses(of: Zoo.model, named: "Zoo")

    let error = #expect(throws: ModelCodeError.self) {
      try classes.writeOneFile(to: file.path + "/Zoo+Classes.swift")
    }
    #expect(error?.code == .notWritten)
    #expect(error?.message.contains("Zoo+Classes.swift") ?? false)
  }
}
