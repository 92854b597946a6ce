import Foundation
import ModelCode
import ObjectModel
import Testing

@Suite("Writing code")
struct WritingTests {
  @Test("Only files that are to change are written, and others stay")
  func unchanged() throws {
    let folder = try Folder()
    let path = folder.url.appending(path: "Made").path
    let classes = try ModelClasses(of: Zoo.model, named: "Zoo")
    let other = folder.url.appending(path: "Made/Other.swift")

    #expect(try classes.write(to: path) == classes.files.map(\.name))
    try Data("// Mine.".utf8).write(to: other)
    #expect(try classes.write(to: path) == [])
    try Data().write(to: folder.url.appending(path: "Made/Lion+Generated.swift"))
    #expect(try classes.write(to: path) == ["Lion+Generated.swift"])
    #expect(FileManager.default.fileExists(atPath: other.path))
  }

  @Test("A folder that can't be made is an error that names the file")
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
