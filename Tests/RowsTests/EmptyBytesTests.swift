import CArrow
import Foundation
import ObjectModel
import Rows
import Testing

// The address sanitizer runs these tests, and finds each byte that is read outside of its memory.
@Suite("Byte strings without bytes, and at the end of their memory")
struct EmptyBytesTests {
  private static let layout = Layout(
    entity: "Note", entityNumber: 1,
    columns: [
      LayoutColumn(number: 1, name: "text", kind: .string),
      LayoutColumn(number: 2, name: "bytes", kind: .binary),
      LayoutColumn(number: 3, name: "number", kind: .decimal),
    ])

  @Test("The prefix of a byte string is computed from its own bytes alone")
  func prefixes() {
    #expect(ByteHash.prefix(UnsafeRawBufferPointer(start: nil, count: 0)) == 0)
    for count in 0...20 {
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
      defer { bytes.deallocate() }
      for index in 0..<count { bytes[index] = UInt8(0xF0 + index % 16) }
      var wanted: UInt64 = 0
      for index in 0..<8 { wanted = wanted << 8 | UInt64(index < count ? bytes[index] : 0) }
      #expect(ByteHash.prefix(UnsafeRawBufferPointer(bytes)) == wanted, "\(count) bytes")
    }
  }

  @Test(
    "The memory of values that are all empty or missing has addresses that other languages can read",
    arguments: [1, 2, 300], [true, false])
  func foreignReaders(_ count: Int, _ isMissing: Bool) throws {
    let draft = Draft(Self.layout, role: .insertions)
    for number in 1...count {
      let row = draft.append(key: UInt64(number))
      if isMissing { continue }
      draft.set(.string(""), column: 0, row: row)
      draft.set(.binary(.init()), column: 1, row: row)
      draft.set(.decimal(.nan), column: 2, row: row)
    }
    let block = try Block([UInt8](bytes: draft.freeze()[0]))
    let (array, schema) = (
      UnsafeMutablePointer<ArrowArray>.allocate(capacity: 1),
      UnsafeMutablePointer<ArrowSchema>.allocate(capacity: 1)
    )
    defer {
      array.pointee.release?(array)
      schema.pointee.release?(schema)
      array.deallocate()
      schema.deallocate()
    }

    try ArrowBatch(block, layout: Self.layout).move(to: array, schema: schema)

    // A C program may load a byte from each buffer. The bitmap of values that all exist may be absent.
    for child in 0..<Int(array.pointee.n_children) {
      let column = array.pointee.children[child]!.pointee
      for buffer in 1..<Int(column.n_buffers) {
        let start = try #require(column.buffers[buffer], "child \(child), buffer \(buffer)")
        _ = start.load(as: UInt8.self)
      }
    }
    let read = try block.allValues(Self.layout)
    let value = [Value.string(""), .binary(.init()), .decimal(.nan)]
    #expect(read.allSatisfy { $0.values == (isMissing ? [.null, .null, .null] : value) })
  }
}
