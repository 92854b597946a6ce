import DurableFiles
import Foundation
import ObjectModel
import SQLiteStore
import SeededRandom
import StoreInterface
import TestEffort
import Testing

@Suite("Files that are not databases, and damaged databases")
struct DamagedFileTests {
  private func write(_ bytes: [UInt8], _ path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  @Test("A file that is not a database is not a store, and a missing file is not found")
  func others() throws {
    let folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: 1)
    let mark = Array("SQLite format 3\0".utf8)
    let path = folder.file("a.sqlite")
    for (bytes, code) in [
      (Array("some words".utf8), StoreError.Code.notAStore),
      ((0..<5000).map { _ in UInt8.random(in: 0...255, using: &generator) }, .notAStore),
      (mark, .notAStore), (mark + [UInt8](repeating: 0, count: 4080), .notAStore),
      ([], .notAStore),
    ] {
      try write(bytes, path)
      let error = Hostile.read(path, "\(bytes.count) bytes").error
      #expect(error?.code == code, "\(bytes.count) bytes: \(String(describing: error))")
      #expect(Hostile.read(path, writes: true, "\(bytes.count) bytes").error != nil)
      let metadata = #expect(throws: StoreError.self) {
        try SQLiteStoreBackend().metadata(at: path, on: RealDisk())
      }
      #expect(metadata?.code == code, "\(bytes.count) bytes")
    }
    #expect(Hostile.read(folder.file("none.sqlite")).error?.code == .notFound)
    #expect(Hostile.read(folder.path).error?.code == .notAStore)
  }

  @Test("A database without tables is not a store")
  func noTables() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.sqlite")
    try RawDatabase(path).run(
      "CREATE TABLE words (word TEXT); DROP TABLE words; CREATE VIEW v AS SELECT 1")
    let bytes = try Data(contentsOf: URL(filePath: path))
    for writes in [false, true] {
      let error = Hostile.read(path, writes: writes).error
      #expect(error?.code == .notAStore, "\(String(describing: error))")
      #expect(error?.message.contains("Z_METADATA") == true)
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    #expect(folder.names == ["a.sqlite"])
  }

  @Test("A file that is cut at any place is refused or read, and never shows more than before")
  func truncated() throws {
    let folder = try TemporaryFolder()
    let made = try HandMade("library", HandMade.library, at: folder.file("a.sqlite"))
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: made.path)))
    guard case .read(let whole) = Hostile.read(made.path) else {
      Issue.record("The whole file can't be read.")
      return
    }
    let path = folder.file("b.sqlite")
    for count in stride(from: 0, to: bytes.count, by: 512) {
      try write(Array(bytes[..<count]), path)
      if case .read(let some) = Hostile.read(path, "\(count) bytes") {
        #expect(some <= whole, "\(count) bytes")
      }
    }
  }

  @Test("Changed bytes are refused or read, and cause no crash", arguments: [false, true])
  func flipped(isOwn: Bool) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.sqlite")
    if isOwn {
      let made = try HandMade("library", HandMade.library, at: folder.file("from.sqlite"))
      let from = try SQLiteStoreBackend().open(
        made.path, on: RealDisk(), StoreOpening(readOnly: true))
      let store = try SQLiteStoreBackend().create(
        at: path, model: HandMade.library, on: RealDisk(), StoreCreation())
      try StoreCopy(from: from.snapshot(), to: store).run()
      try store.close()
    } else {
      _ = try HandMade("library", HandMade.library, at: path)
    }
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let other = folder.file("b.sqlite")
    for seed in Effort.seeds(300) {
      var generator = SeededGenerator(seed: seed)
      var changed = bytes
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        // Half of the changes are at the beginnings of pages, where they do the most damage.
        var place = Int.random(in: 0..<bytes.count, using: &generator)
        if Bool.random(using: &generator) {
          place = place / 4096 * 4096 + Int.random(in: 0..<128, using: &generator)
        }
        changed[place] = UInt8.random(in: 0...255, using: &generator)
      }
      try write(changed, other)
      _ = Hostile.read(other, "\(generator)")
    }
  }
}
