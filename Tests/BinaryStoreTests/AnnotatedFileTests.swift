import Foundation
import HostileInputs
import SpecVectors
import Testing

/// The file that chapter 4 explains field by field. `RECORD_VECTORS=1` writes the page anew, from its first vector.
@Suite("The annotated block file")
struct AnnotatedFileTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../spec/4-block-file.md").standardizedFileURL
  private static let fence = "```annotated"

  @Test("The annotation equals the bytes of the first vector, in fields that the tables name")
  func annotation() throws {
    if ProcessInfo.processInfo.environment["RECORD_VECTORS"] != nil { try Self.record() }
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let lines = text.components(separatedBy: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix(Self.fence) })
    let shown = lines[(start + 1)...].prefix { $0 != "```" }
    let annotation = try Self.annotation()

    #expect(Array(shown) == annotation.lines)
    #expect(annotation.names.count > 60)
    for name in Set(annotation.names) {
      let isNamed = try text.contains("`\(name)`") || Self.rowsPage().contains("`\(name)`")
      #expect(isNamed, "No table has a field '\(name)'.")
    }
    // The annotation covers every byte in order, each shown or counted.
    #expect(annotation.offset == annotation.end)
  }

  private static func rowsPage() throws -> String {
    let page = page.deletingLastPathComponent().appending(path: "3-rows-and-blocks.md")
    return try String(contentsOf: page, encoding: .utf8)
  }

  private static func annotation() throws -> FileAnnotation {
    let vector = try #require(SpecVector.all("block-file", on: "4-block-file.md").first)
    var annotation = FileAnnotation(bytes: try #require(vector.bytes("bytes")))
    annotation.file()
    return annotation
  }

  private static func record() throws {
    var lines = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix(fence) })
    let end = try #require(lines[start...].firstIndex { $0 == "```" })
    lines.replaceSubrange((start + 1)..<end, with: try annotation().lines)
    try lines.joined(separator: "\n").write(to: page, atomically: true, encoding: .utf8)
  }
}

/// Walks through the first two commits of a file and describes each byte.
private struct FileAnnotation {
  let bytes: [UInt8]
  private(set) var lines: [String] = []
  private(set) var names: [String] = []
  private(set) var offset = 0
  /// The offset of the end of the second commit.
  private(set) var end = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  private func number(_ byteCount: Int, at offset: Int) -> UInt64 {
    (0..<byteCount).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
  }

  /// Writes one field: its offset, its bytes or their count, and its meaning.
  private mutating func line(_ byteCount: Int, _ words: String) {
    let shown =
      byteCount > 16
      ? "(\(byteCount) bytes)"
      : bytes[offset..<offset + byteCount].map {
        String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
      }.joined(separator: " ")
    let place = String(repeating: " ", count: 5 - "\(offset)".count) + "\(offset)"
    let padding = String(repeating: " ", count: max(0, 48 - shown.count))
    let line = "\(place)  \(shown)\(padding) \(words)"
    lines.append(String(line.reversed().drop { $0 == " " }.reversed()))
    offset += byteCount
  }

  @discardableResult
  private mutating func field(_ name: String, _ byteCount: Int, _ words: String? = nil) -> Int {
    let value = number(min(byteCount, 8), at: offset)
    names.append(name)
    line(byteCount, "`\(name)` \(words ?? "\(value)")")
    return Int(truncatingIfNeeded: value)
  }

  private mutating func heading(_ words: String) {
    if !lines.isEmpty { lines.append("") }
    lines.append("       \(words)")
  }

  private mutating func padding() {
    if offset % 8 != 0 { line(8 - offset % 8, "zeros up to a multiple of 8") }
  }

  private func text(_ byteCount: Int) -> String {
    String(decoding: bytes[offset..<offset + byteCount], as: UTF8.self)
  }

  // MARK: - Sections of the file

  mutating func file() {
    heading("The header (4.2.1)")
    field("magic", 8, text(8))
    field("major_version", 2)
    field("minor_version", 2)
    field("flags", 2, "0: plain")
    field("feature_byte_count", 2)
    field("uuid", 16, "")
    field("salt", 8, "")
    for slot in 0..<2 {
      field("slot_\(slot)", 16, offset == 40 ? "names the third commit" : "names the second commit")
    }
    field("place", 4)
    field("checksum", 4, "")
    // The first trailer follows the first record, which contains the places of the sections.
    let first = commits[0]
    let record = BlockFileMap.record(before: first, in: bytes)
    for (name, field, clause) in [
      ("metadata", 48, "4.6.1"), ("model", 64, "4.6.2"), ("schema", 80, "4.6.3"),
    ] {
      precondition(offset == Int(number(8, at: record + field)), "Sections follow one another.")
      heading("The \(name) (\(clause)), which the record refers to")
      let byteCount = Int(number(4, at: record + field + 8))
      if name == "schema" {
        schema(byteCount)
      } else {
        line(byteCount, name == "metadata" ? "a binary property list" : "XML")
      }
      padding()
    }
    commit("The first commit's record (4.4.1)", first)
    heading("A block of the second commit (3.3)")
    block()
    commit("The second commit's record (4.4.1)", commits[1])
    end = commits[1] + 48
  }

  /// The places of the trailers, the oldest first.
  private var commits: [Int] {
    var trailers = [bytes.count - 48]
    while true {
      let record = BlockFileMap.record(before: trailers[0], in: bytes)
      let previous = Int(number(8, at: record + 24))
      if previous == 0 { return trailers }
      trailers.insert(previous, at: 0)
    }
  }

  private mutating func schema(_ byteCount: Int) {
    let end = offset + byteCount
    field("magic", 4, text(4))
    field("highest_entity", 2)
    line(2, "one family of entities")
    line(4, "its root entity's number, and the highest number of a property")
    line(2, "one entity")
    line(2, "its number")
    name("its name")
    let columnCount = number(2, at: offset)
    line(2, "\(columnCount) columns")
    for _ in 0..<columnCount {
      line(4, "number, kind \(bytes[offset + 2]), flags \(bytes[offset + 3])")
      name("the column's name")
    }
    line(2, "no relationships without a column")
    line(2, "no link tables")
    line(2, "no indexes")
    precondition(offset == end, "The schema's fields are its bytes.")
  }

  private mutating func name(_ words: String) {
    let byteCount = Int(number(2, at: offset))
    let text = String(decoding: bytes[offset + 2..<offset + 2 + byteCount], as: UTF8.self)
    line(2 + byteCount, "\(words): \(text)")
  }

  private mutating func commit(_ words: String, _ trailer: Int) {
    heading(words)
    field("magic", 4, text(4))
    field("author_byte_count", 2)
    field("context_byte_count", 2)
    field("number", 8)
    field("time", 8)
    field("previous_trailer", 8)
    field("start", 8)
    field("live_byte_count", 8)
    for name in ["metadata", "model", "schema"] {
      let (place, count) = (number(8, at: offset), number(4, at: offset + 8))
      field(name, 16, "at \(place), \(count) bytes, their checksum")
    }
    field("schema_number", 8)
    let keys = field("key_count", 4)
    let segments = field("segment_count", 4)
    for _ in 0..<keys {
      field("next_key", 8)
      field("entity_number", 2)
      line(6, "reserved")
    }
    for _ in 0..<segments { segment() }
    padding()
    precondition(offset == trailer, "The trailer follows the record.")
    heading("Its trailer (4.3.1)")
    field("magic", 4, text(4))
    field("flags", 4, "0: not settled")
    field("salt", 8, "the header's")
    field("trailer_offset", 8)
    field("record_byte_count", 4)
    field("record_checksum", 4, "")
    field("commit_checksum", 4, "")
    field("checksum", 4, "")
    field("acknowledgement", 8)
  }

  private mutating func segment() {
    heading("A segment of the record (4.5.1)")
    field("row_count", 8)
    field("byte_count", 8)
    field("highest_index", 2)
    line(6, "reserved")
    let entries = field("entry_count", 4)
    field("page_count", 4)
    for _ in 0..<entries {
      heading("Its entry (4.5.2)")
      field("offset", 8)
      field("byte_count", 4)
      field("row_count", 4)
      field("minimum_key", 8)
      field("maximum_key", 8)
      field("version", 8)
      field("entity_number", 2)
      field("run", 1, "0: put")
      field("codec", 1, "0: plain")
      field("block_byte_count", 4)
      field("outside_byte_count", 8)
    }
  }

  private mutating func block() {
    let start = offset
    field("magic", 4, text(4))
    field("header_byte_count", 4)
    let byteCount = field("block_byte_count", 4)
    field("checksum", 4, "")
    field("entity_number", 2)
    let columnCount = field("column_count", 2)
    field("row_count", 4)
    field("minimum_key", 8)
    field("maximum_key", 8)
    field("flags", 4)
    line(4, "reserved")
    var chunks: [(place: Int, byteCount: Int, words: String)] = []
    for _ in 0..<columnCount {
      let number = Int(number(2, at: offset))
      heading("A column's entry in the directory (3.3.4)")
      field("number", 2, number == 0xFFFF ? "65535: the keys" : nil)
      field("kind", 1)
      let encoding = field("encoding", 1)
      field("width", 1)
      field("offset_width", 1)
      let flags = field("flags", 1)
      field("scale", 1)
      let place = field("chunk_offset", 4)
      let count = field("body_byte_count", 4)
      field("checksum", 4, "")
      field("dictionary_count", 4)
      chunks.append((start + place, count, "the body of column \(number) (3.3.5)"))
      if encoding == 1 || encoding == 2 {
        field("base", 8)
        if flags & 4 != 0 { field("step", 8) }
      } else if encoding == 5 || encoding == 6 {
        field("offset_base", 8)
        field("offset_step", 8)
      }
    }
    heading("The columns' bodies")
    for chunk in chunks.sorted(by: { $0.place < $1.place }) where chunk.byteCount > 0 {
      precondition(chunk.place == offset, "Chunks follow one another.")
      line(chunk.byteCount, chunk.words)
      padding()
    }
    precondition(offset == start + byteCount, "The block's fields are its bytes.")
  }
}
