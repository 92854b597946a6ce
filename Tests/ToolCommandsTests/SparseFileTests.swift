import Foundation
import Testing

@testable import ToolCommands

/// Files with a length of terabytes and few bytes, which any program can make.
@Suite("Files that are mostly unwritten")
struct SparseFileTests {
  private let folder: ScaffoldFolder

  init() throws { folder = try ScaffoldFolder() }

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  private func lengthen(_ name: String, to byteCount: UInt64) throws {
    let url = URL(filePath: path(name))
    if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
    let file = try FileHandle(forWritingTo: url)
    try file.truncate(atOffset: byteCount)
    try file.close()
  }

  private func done(_ words: [String]) -> String {
    let run = quire(words)
    #expect(run.exitCode == .done, "\(words): \(run.messages)")
    return run.output
  }

  /// Makes `a.store` with a model.
  private func makeStore(_ model: [String]) {
    _ = done(["new", path("a.quire")] + model)
    _ = done(["convert", path("a.quire"), path("a.store")])
  }

  @Test(
    "A store that ends with a terabyte of nothing is read, checked, changed and recovered at once")
  func store() throws {
    makeStore(["--template", "todo"])
    _ = done(["insert", path("a.store"), "Tag", "name=a"])
    try lengthen("a.store", to: 1 << 40)
    let start = ContinuousClock.now

    #expect(done(["count", path("a.store"), "Tag"]) == "1\n")
    _ = done(["info", path("a.store")])
    _ = done(["validate", path("a.store")])
    // The result says that the bytes behind the last save are not a part of the store.
    let recovery = quire(["recover", path("a.store"), "--output", path("b.store")])
    #expect([.done, .no].contains(recovery.exitCode), "\(recovery.messages)")
    #expect(done(["count", path("b.store"), "Tag"]) == "1\n")
    _ = done(["insert", path("a.store"), "Tag", "name=b"])
    #expect(done(["count", path("a.store"), "Tag"]) == "2\n")

    // Reading all bytes would take minutes.
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  @Test(
    "A file that is too large for a value is refused before it is read", arguments: [513, 1 << 20])
  func value(_ megabytes: UInt64) throws {
    try Data("entity Note\nbytes: Data?\n".utf8).write(to: URL(filePath: path("m.model")))
    makeStore(["--model", path("m.model")])
    try lengthen("large", to: megabytes << 20)

    let run = quire(["insert", path("a.store"), "Note", "bytes=@\(path("large"))"])

    #expect(run.exitCode == .wrongUsage)
    #expect(run.messages.contains("\(megabytes << 20) bytes"), "\(run.messages)")
    #expect(run.messages.contains("quire help attach"), "\(run.messages)")
    #expect(done(["count", path("a.store"), "Note"]) == "0\n")
  }

  @Test("A file of no bytes and a file of one byte are values")
  func smallValues() throws {
    try Data("entity Note\nbytes: Data?\n".utf8).write(to: URL(filePath: path("m.model")))
    makeStore(["--model", path("m.model")])
    for count in 0...1 as ClosedRange<UInt64> {
      try lengthen("small", to: count)
      _ = done(["insert", path("a.store"), "Note", "bytes=@\(path("small"))"])
    }

    #expect(done(["count", path("a.store"), "Note", "--where", "bytes != nil"]) == "2\n")
  }
}
