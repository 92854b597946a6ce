import CArrow
import Foundation
import ObjectModel
import Rows
import SeededRandom
import Testing

@Suite("Rows as Arrow arrays, and back")
struct ArrowTests {
  @Test(
    "Rows of every kind, extreme values and nulls come back equal",
    arguments: [1, 2, 9, 64, 500, 4096])
  func everyKind(_ count: Int) throws {
    let seed = freshSeed()
    var generator = SeededGenerator(seed: seed)
    let (draft, rows) = Sample.insertions(count, using: &generator)

    let read = try draft.freeze(version: 7).flatMap { block in
      let batch = try ArrowBatch(block, layout: Sample.layout)
      return try batch.blocks(Sample.layout)
    }

    #expect(read.allSatisfy { $0.flags == [] })
    #expect(try read.flatMap { try $0.versions } == Array(repeating: 7, count: count))
    let values = try read.flatMap { try $0.allValues(Sample.layout) }
    #expect(values.map(\.key) == rows.map(\.key), "seed \(seed)")
    for (found, given) in zip(values, rows) {
      for (index, pair) in zip(found.values, given.values).enumerated() {
        #expect(
          isSame(pair.0, pair.1), "seed \(seed), column \(Sample.layout.columns[index].name)")
      }
    }
  }

  @Test("Changes come back as changes, without values that they do not give")
  func changes() throws {
    let draft = Draft(Sample.layout, role: .changes)
    let name = Sample.layout.index(of: "string?")!
    let flag = Sample.layout.index(of: "boolean")!
    draft.set(.string("Lisbon"), column: name, row: draft.append(key: 3, basis: 5))
    draft.set(.boolean(true), column: flag, row: draft.append(key: 8, basis: 6))
    draft.set(.null, column: name, row: draft.append(key: 9, basis: 6))

    let batch = try ArrowBatch(draft.freeze(version: 9)[0], layout: Sample.layout)
    let block = try #require(try batch.blocks(Sample.layout).first)

    #expect(block.flags == .changes)
    let names = try #require(try block.column(Sample.layout.columns[name].number))
    let flags = try #require(try block.column(Sample.layout.columns[flag].number))
    #expect((0..<3).map { names.isGiven($0) } == [true, false, true])
    #expect((0..<3).map { flags.isGiven($0) } == [false, true, false])
    #expect(names.value(at: 0) == .string("Lisbon"))
    #expect(names.value(at: 2) == .null)
    let bases = try #require(try block.column(LayoutColumn.Number.basis))
    #expect((0..<3).map { bases.integer(at: $0) } == [5, 6, 6])
    #expect(block.columnNumbers.count == 5)
  }

  @Test("A batch that can't be made leaves no memory behind")
  func failure() throws {
    let layout = Layout(
      entity: "Note", entityNumber: 1,
      columns: [
        LayoutColumn(number: 1, name: "text", kind: .string),
        LayoutColumn(number: 2, name: "bytes", kind: .binary),
      ])
    let draft = Draft(layout, role: .insertions)
    for row in 0..<9 {
      draft.append(key: UInt64(row + 1))
      draft.set(.string("text \(row)"), column: 0, row: row)
      draft.set(.binary(Data(repeating: UInt8(row), count: 100)), column: 1, row: row)
    }
    var bytes = try [UInt8](bytes: draft.freeze()[0])
    // The last bytes are the heap of the second column.
    bytes[bytes.count - 50] ^= 1
    weak var memory: BlockMemory?
    do {
      let source = BlockMemory(bytes)
      memory = source
      let block = try Block(source)
      #expect(throws: BlockError.self) { _ = try ArrowBatch(block, layout: layout) }
    }

    #expect(memory == nil)
  }

  @Test("Removed rows are exchanged as keys only")
  func removals() throws {
    let schema = try Schema(
      Model(entities: [Entity("Trip", properties: [.attribute(Attribute("name", .string))])]))
    let builder = LayerBuilder(schema)
    let trip = schema["Trip"]!
    builder.remove(ObjectKey(entity: trip.entityNumber, number: 4), basis: 2)
    builder.remove(ObjectKey(entity: trip.entityNumber, number: 11), basis: 3)
    let removed = try #require(
      builder.freeze().changes(ofEntity: trip.entityNumber)?.removed.blocks.first)

    let batch = try ArrowBatch(removed, layout: trip)
    let block = try #require(try batch.blocks(trip).first)

    #expect(block.flags == .removals)
    #expect(try block.row(of: 4) == 0)
    #expect(try block.row(of: 11) == 1)
    #expect(block.rowCount == 2)
  }

  @Test("Many rows become blocks of the usual size")
  func manyRows() throws {
    // One batch of another library contains the rows of three blocks.
    let count = 9_000
    let layout = Layout(
      entity: "One", entityNumber: 1,
      columns: [LayoutColumn(number: 1, name: "n", kind: .int32)])
    let keys = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
    let numbers = UnsafeMutablePointer<Int32>.allocate(capacity: count)
    defer {
      keys.deallocate()
      numbers.deallocate()
    }
    for i in 0..<count {
      keys[i] = UInt64(i * 3 + 1)
      numbers[i] = Int32(-i)
    }
    let foreign = ForeignBatch(
      count: count, [("#key", "L", [.init(keys)]), ("n", "i", [.init(numbers)])])

    let blocks = try foreign.take().blocks(layout)

    #expect(blocks.count > 1)
    #expect(blocks.reduce(0) { $0 + $1.rowCount } == count)
    let values = try blocks.flatMap { try $0.allValues(layout) }
    for (i, row) in values.enumerated() {
      #expect(row.key == UInt64(i * 3 + 1) && row.values == [.integer(Int64(-i))])
    }
  }

  @Test("The offsets of a structure and of its children are added")
  func offsets() throws {
    let (array, schema) = try exported(rows: 40)
    defer { free(array, schema) }
    let whole = try Self.block(rows: 40).allValues(Sample.layout)
    array.pointee.offset = 3
    array.pointee.length = 30
    for i in 0..<Int(array.pointee.n_children) {
      let child = array.pointee.children[i]!
      child.pointee.offset = 2
      child.pointee.length = 38
    }

    let blocks = try ArrowBatch(taking: array, schema: schema).blocks(Sample.layout)

    let read = try blocks.flatMap { try $0.allValues(Sample.layout) }
    #expect(read.map(\.key) == whole[5..<35].map(\.key))
    #expect(zip(read, whole[5..<35]).allSatisfy { zip($0.values, $1.values).allSatisfy(isSame) })
  }

  @Test("A batch is released exactly once by its last owner")
  func releases() throws {
    let layout = Layout(entity: "One", entityNumber: 1, columns: [])
    let keys = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
    defer { keys.deallocate() }
    keys[0] = 1
    func foreign() -> ForeignBatch { ForeignBatch(count: 1, [("#key", "L", [.init(keys)])]) }

    // The batch is read and released.
    let one = foreign()
    #expect(try one.take().blocks(layout).count == 1)
    #expect(one.releaseCount == 2)

    // The batch is moved, and the next owner releases it.
    let two = foreign()
    let (array, schema) = emptyPlaces()
    defer { free(array, schema) }
    two.take().move(to: array, schema: schema)
    #expect(two.releaseCount == 0)
    #expect(two.isMarkedAsReleased)
    do { _ = ArrowBatch(taking: array, schema: schema) }
    #expect(two.releaseCount == 2)
    #expect(array.pointee.release == nil)
  }

  @Test("A child can be moved out, and stays valid after the release of the batch")
  func movedChild() throws {
    let (array, schema) = try exported(rows: 5)
    defer { free(array, schema) }
    let child = array.pointee.children[0]!
    var taken = child.pointee
    child.pointee.release = nil
    array.pointee.release!(array)
    schema.pointee.release!(schema)

    let keys = UnsafeRawPointer(taken.buffers[1]!)
    #expect(keys.load(fromByteOffset: 8, as: UInt64.self) > keys.load(as: UInt64.self))
    taken.release!(&taken)
    #expect(taken.release == nil)
  }

  @Test(
    "The error for a faulty batch names the broken rule: of the interface, the layout or the lengths",
    arguments: faults)
  fileprivate func refusing(_ fault: Fault) throws {
    let (array, schema) = try exported(rows: 12)
    defer { free(array, schema) }
    fault.make(array, schema)

    let error = #expect(throws: ArrowError.self) {
      try ArrowBatch(taking: array, schema: schema).blocks(Sample.layout)
    }

    #expect(error?.code.rawValue == fault.code)
    #expect(error?.description.contains(fault.message) == true, "\(error?.description ?? "")")
  }

  // MARK: - Support

  private static func block(rows: Int) throws -> Block {
    var generator = SeededGenerator(seed: 77)
    return Sample.insertions(rows, pattern: .ordinary, using: &generator).draft.freeze()[0]
  }

  private func exported(
    rows: Int
  ) throws -> (UnsafeMutablePointer<ArrowArray>, UnsafeMutablePointer<ArrowSchema>) {
    let (array, schema) = emptyPlaces()
    try ArrowBatch(Self.block(rows: rows), layout: Sample.layout).move(to: array, schema: schema)
    return (array, schema)
  }

  private func emptyPlaces()
    -> (UnsafeMutablePointer<ArrowArray>, UnsafeMutablePointer<ArrowSchema>)
  {
    (.allocate(capacity: 1), .allocate(capacity: 1))
  }

  private func free(
    _ array: UnsafeMutablePointer<ArrowArray>, _ schema: UnsafeMutablePointer<ArrowSchema>
  ) {
    array.deallocate()
    schema.deallocate()
  }
}

extension Block {
  fileprivate var versions: [Int64] {
    get throws {
      guard let column = try column(LayoutColumn.Number.version) else { return [] }
      return (0..<rowCount).map { column.integer(at: $0) }
    }
  }
}

// MARK: - Arrays in the form of another library

/// A batch of plain buffers, as a library of another language would pass it. The batch counts releases.
private final class ForeignBatch {
  typealias Child = (name: String, format: String, buffers: [UnsafeMutableRawPointer?])

  private let array = UnsafeMutablePointer<ArrowArray>.allocate(capacity: 1)
  private let schema = UnsafeMutablePointer<ArrowSchema>.allocate(capacity: 1)
  private var allocated: [UnsafeMutableRawPointer] = []
  private let count: UnsafeMutablePointer<Int>

  init(count rows: Int, _ children: [Child]) {
    count = .allocate(capacity: 1)
    count.initialize(to: 0)
    allocated = [
      UnsafeMutableRawPointer(array), UnsafeMutableRawPointer(schema),
      UnsafeMutableRawPointer(count),
    ]
    let arrays = keep(UnsafeMutablePointer<UnsafeMutablePointer<ArrowArray>?>.self, children.count)
    let schemas = keep(
      UnsafeMutablePointer<UnsafeMutablePointer<ArrowSchema>?>.self, children.count)
    for (i, child) in children.enumerated() {
      let buffers = keep(UnsafeMutablePointer<UnsafeRawPointer?>.self, child.buffers.count + 1)
      buffers[0] = nil
      for (j, buffer) in child.buffers.enumerated() { buffers[j + 1] = UnsafeRawPointer(buffer) }
      arrays[i] = keep(UnsafeMutablePointer<ArrowArray>.self, 1)
      arrays[i]!.initialize(
        to: ArrowArray(
          length: Int64(rows), null_count: 0, offset: 0, n_buffers: Int64(child.buffers.count + 1),
          n_children: 0, buffers: buffers, children: nil, dictionary: nil,
          release: { $0!.pointee.release = nil }, private_data: nil))
      schemas[i] = keep(UnsafeMutablePointer<ArrowSchema>.self, 1)
      schemas[i]!.initialize(
        to: ArrowSchema(
          format: text(child.format), name: text(child.name), metadata: nil, flags: 0,
          n_children: 0, children: nil, dictionary: nil, release: { $0!.pointee.release = nil },
          private_data: nil))
    }
    let buffers = keep(UnsafeMutablePointer<UnsafeRawPointer?>.self, 1)
    buffers[0] = nil
    array.initialize(
      to: ArrowArray(
        length: Int64(rows), null_count: 0, offset: 0, n_buffers: 1,
        n_children: Int64(children.count), buffers: buffers, children: arrays, dictionary: nil,
        release: {
          $0!.pointee.release = nil
          $0!.pointee.private_data.assumingMemoryBound(to: Int.self).pointee += 1
        }, private_data: UnsafeMutableRawPointer(count)))
    schema.initialize(
      to: ArrowSchema(
        format: text("+s"), name: text(""), metadata: nil, flags: 0,
        n_children: Int64(children.count), children: schemas, dictionary: nil,
        release: {
          $0!.pointee.release = nil
          $0!.pointee.private_data.assumingMemoryBound(to: Int.self).pointee += 1
        }, private_data: UnsafeMutableRawPointer(count)))
  }

  deinit { for piece in allocated { piece.deallocate() } }

  private func keep<T>(_: UnsafeMutablePointer<T>.Type, _ count: Int) -> UnsafeMutablePointer<T> {
    let piece = UnsafeMutablePointer<T>.allocate(capacity: count)
    allocated.append(UnsafeMutableRawPointer(piece))
    return piece
  }

  private func text(_ text: String) -> UnsafePointer<CChar> {
    let bytes = text.utf8CString
    let place = keep(UnsafeMutablePointer<CChar>.self, bytes.count)
    for (i, byte) in bytes.enumerated() { place[i] = byte }
    return UnsafePointer(place)
  }

  func take() -> ArrowBatch { ArrowBatch(taking: array, schema: schema) }

  var releaseCount: Int { count.pointee }
  var isMarkedAsReleased: Bool { array.pointee.release == nil && schema.pointee.release == nil }
}

// MARK: - Invalid arrays

private typealias Places = (UnsafeMutablePointer<ArrowArray>, UnsafeMutablePointer<ArrowSchema>)

private struct Fault: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let code: String
  let message: String
  let make: @Sendable (UnsafeMutablePointer<ArrowArray>, UnsafeMutablePointer<ArrowSchema>) -> Void

  init(
    _ description: String, _ code: String, _ message: String,
    _ make:
      @escaping @Sendable (
        UnsafeMutablePointer<ArrowArray>, UnsafeMutablePointer<ArrowSchema>
      ) -> Void
  ) {
    testDescription = description
    self.code = code
    self.message = message
    self.make = make
  }
}

/// Returns the child of the given name.
private func child(
  _ name: String, _ array: UnsafeMutablePointer<ArrowArray>,
  _ schema: UnsafeMutablePointer<ArrowSchema>
) -> Places {
  let index = (0..<Int(schema.pointee.n_children)).first {
    String(cString: schema.pointee.children[$0]!.pointee.name) == name
  }!
  return (array.pointee.children[index]!, schema.pointee.children[index]!)
}

/// Returns a text that lives as long as the process.
private func text(_ text: String) -> UnsafePointer<CChar> { UnsafePointer(strdup(text)!) }

/// Returns a buffer of the given values that lives as long as the process.
private func buffer<T>(_ values: [T]) -> UnsafeRawPointer {
  let place = UnsafeMutablePointer<T>.allocate(capacity: values.count)
  place.initialize(from: values, count: values.count)
  return UnsafeRawPointer(place)
}

private let faults: [Fault] = [
  Fault("no structure", "bad-format", "array of structures") { $1.pointee.format = text("l") },
  Fault("no format", "bad-format", "array of structures") { $1.pointee.format = nil },
  Fault("a negative length", "bad-structure", "-1 rows") { array, _ in array.pointee.length = -1 },
  Fault("a length past counting", "bad-structure", "rows from row") { array, _ in
    array.pointee.length = .max
  },
  Fault("a negative offset", "bad-structure", "from row -1") { array, _ in
    array.pointee.offset = -1
  },
  Fault("an offset that overflows", "bad-structure", "from row 9223372036854775807") { array, _ in
    array.pointee.offset = .max
  },
  Fault("fewer children than described", "bad-structure", "children, but its description") {
    $0.pointee.n_children -= 1
    _ = $1
  },
  Fault("no buffers at all", "bad-structure", "no buffers") { array, _ in
    array.pointee.n_buffers = 0
  },
  Fault("a row that is null as a whole", "bad-structure", "null as a whole") { array, _ in
    array.pointee.buffers[0] = buffer([UInt16(0xFFF0)])
  },
  Fault("another word for rows", "bad-structure", "'pul'") { _, schema in
    var bytes: [UInt8] = [1, 0, 0, 0, 10, 0, 0, 0] + Array("quire.rows".utf8)
    bytes += [3, 0, 0, 0] + Array("pul".utf8)
    schema.pointee.metadata = buffer(bytes).assumingMemoryBound(to: CChar.self)
  },
  Fault("metadata of negative length", "bad-structure", "a length of -1") { _, schema in
    schema.pointee.metadata = buffer([Int32(1), Int32(-1)]).assumingMemoryBound(to: CChar.self)
  },
  Fault("no key", "bad-column", "'#key'") { child("#key", $0, $1).1.pointee.name = text("uuid!") },
  Fault("a name nobody knows", "bad-column", "Did you mean \"string\"") {
    child("string", $0, $1).1.pointee.name = text("strin")
  },
  Fault("a name twice", "bad-column", "Two columns") {
    child("uri", $0, $1).1.pointee.name = text("string")
  },
  Fault("a name that is not text", "bad-structure", "has no name") {
    child("uri", $0, $1).1.pointee.name = buffer([UInt8(0xFF), 0])
      .assumingMemoryBound(to: CChar.self)
  },
  Fault("whole rows that give only some", "bad-structure", "a value for every column") {
    child("boolean?", $0, $1).1.pointee.name = text("string#given")
  },
  Fault("another type", "bad-format", "Column 'int16': The format is 'l' instead of 's'") {
    child("int16", $0, $1).1.pointee.format = text("l")
  },
  Fault("a dictionary", "bad-structure", "Dictionaries") {
    child("string", $0, $1).0.pointee.dictionary = $0
  },
  Fault("a child that was released", "bad-structure", "Column 'string': The array") {
    let child = child("string", $0, $1).0
    child.pointee.release!(child)
  },
  Fault("a child with fewer rows", "bad-structure", "11 values") {
    child("double", $0, $1).0.pointee.length = 11
  },
  Fault("a child with a negative offset", "bad-structure", "from -2") {
    child("double", $0, $1).0.pointee.offset = -2
  },
  Fault("nulls without a bitmap", "bad-structure", "the bitmap of null values is missing") {
    child("double", $0, $1).0.pointee.null_count = 2
  },
  Fault("four buffers", "bad-structure", "4 buffers") {
    child("double", $0, $1).0.pointee.n_buffers = 4
  },
  Fault("no values", "bad-structure", "buffer 1 is missing") {
    child("double", $0, $1).0.pointee.buffers[1] = nil
  },
  Fault("no heap", "bad-structure", "buffer 2 is missing") {
    child("string", $0, $1).0.pointee.buffers[2] = nil
  },
  Fault("offsets that descend", "bad-value", "offsets are 5 and 2") {
    child("string", $0, $1).0.pointee.buffers[1] = buffer(
      [0, 5, 2] + [Int32](repeating: 2, count: 10))
  },
  Fault("negative offsets", "bad-value", "offsets are -4") {
    child("binary", $0, $1).0.pointee.buffers[1] = buffer([Int32](repeating: -4, count: 13))
  },
  Fault("text that is none", "bad-value", "Row 1: The text is not valid UTF-8") {
    let places = child("string", $0, $1)
    places.0.pointee.buffers[1] = buffer([Int32(0), 1, 2] + [Int32](repeating: 2, count: 10))
    places.0.pointee.buffers[2] = buffer([UInt8(65), 0xC3, 0])
  },
  Fault("a decimal that is none", "bad-value", "'1.2.3'") {
    let places = child("decimal", $0, $1)
    places.0.pointee.buffers[1] = buffer([Int32(0)] + [Int32](repeating: 5, count: 12))
    places.0.pointee.buffers[2] = buffer(Array("1.2.3".utf8))
  },
  Fault("a decimal with more digits than decimals have", "bad-value", "is not a decimal number") {
    let places = child("decimal", $0, $1)
    places.0.pointee.buffers[1] = buffer([Int32(0)] + [Int32](repeating: 41, count: 12))
    places.0.pointee.buffers[2] = buffer([UInt8](repeating: UInt8(ascii: "7"), count: 41))
  },
  Fault("a reference to nothing", "bad-value", "0 is not the key of an object") {
    child("reference", $0, $1).0.pointee.buffers[1] = buffer([UInt64](repeating: 0, count: 12))
  },
  Fault("keys that do not ascend", "bad-keys", "Row 2: The key 5 is not above the previous key, 5")
  {
    child("#key", $0, $1).0.pointee.buffers[1] = buffer([UInt64(1), 5, 5] + Array(6...14))
  },
  Fault("a key too high", "bad-keys", "the highest") {
    child("#key", $0, $1).0.pointee.buffers[1] = buffer([UInt64](repeating: 1 << 48, count: 12))
  },
  Fault("the key of nobody", "bad-keys", "Row 0: The key 0") {
    child("#key", $0, $1).0.pointee.buffers[1] = buffer([UInt64](0...11))
  },
]
