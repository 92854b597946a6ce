// SAFETY: An array is valid during the call that writes it. Its buffers have the lengths that its format and its length
// imply, as the interface demands; a bitmap may be missing, and a buffer of no bytes has no address.

package import CArrow

/// Writes Arrow arrays as a stream or as a file of Arrow's IPC format, which data frames and databases read in place.
///
/// The format is described by FlatBuffers. Debian has no library for it, and what is needed here are five tables
/// (decision 0044).
package struct ArrowFileWriter {
  /// The form of the bytes.
  package enum Form: Sendable {
    /// For a pipe: it can be read while it is written.
    case stream
    /// For a file: a list of its parts at the end lets readers open any part.
    case file
  }

  /// The receiver of each piece of bytes.
  package typealias Sink = ([UInt8]) throws -> Void

  private let description: ArrowDescription
  private let form: Form
  private var byteCount: Int64 = 0
  private var parts: [[Int64]] = []

  private static let mark = Array("ARROW1".utf8)
  private static let version: Int16 = 4
  private static let alignment = 64

  /// Writes the start: the description of the columns.
  ///
  /// - Parameter schema: The description of an array of structures.
  /// - Throws: ``RecordError`` for a format that is not written; the error of `sink`.
  @unsafe package init(
    _ schema: UnsafePointer<ArrowSchema>, as form: Form, to sink: Sink
  ) throws {
    description = unsafe ArrowDescription(schema)
    self.form = form
    try ArrowFileWriter.check(description)
    if form == .file { try put(ArrowFileWriter.mark + [0, 0], to: sink) }
    var buffer = FlatBuffer()
    let header = writeSchema(to: &buffer)
    try put(message: 1, header, &buffer, bodyLength: 0, to: sink)
  }

  private static func check(_ description: ArrowDescription) throws {
    guard description.buffers != nil else {
      throw RecordError(
        description:
          "The column \(description.name) has the format \(description.format), which files don't contain."
      )
    }
    for child in description.children { try check(child) }
  }

  /// Writes the rows of an array.
  @unsafe package mutating func write(_ array: UnsafePointer<ArrowArray>, to sink: Sink) throws {
    var body = Body()
    for (index, child) in description.children.enumerated() {
      unsafe body.add(array.pointee.children[index]!, child)
    }
    var buffer = FlatBuffer()
    let buffers = buffer.structures(body.places)
    let nodes = buffer.structures(body.nodes)
    let header = buffer.table([
      .number(0, unsafe array.pointee.length), .place(1, nodes), .place(2, buffers),
    ])
    let start = byteCount
    try put(message: 3, header, &buffer, bodyLength: body.byteCount, to: sink)
    parts.append([start, byteCount - start, body.byteCount])
    for unsafe(bytes, length) in unsafe body.buffers {
      // The buffer of a large column is not copied as a whole.
      var place = 0
      while place < length {
        let count = min(1 << 20, length - place)
        let piece = unsafe UnsafeRawBufferPointer(start: bytes! + place, count: count)
        try put(unsafe Array(piece), to: sink)
        place += count
      }
      let padding = ArrowFileWriter.padded(length) - length
      if padding > 0 { try put([UInt8](repeating: 0, count: padding), to: sink) }
    }
  }

  /// Writes the end.
  package mutating func end(to sink: Sink) throws {
    try put([0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], to: sink)
    guard form == .file else { return }
    var buffer = FlatBuffer()
    // A structure `Block` contains 32 bits for the length of the description, and 32 bits that nobody reads.
    let blocks = buffer.structures(parts)
    let none = buffer.structures([])
    let schema = writeSchema(to: &buffer)
    let footer = buffer.table([
      .number(0, ArrowFileWriter.version), .place(1, schema), .place(2, none), .place(3, blocks),
    ])
    let bytes = buffer.finished(footer)
    try put(bytes + ArrowFileWriter.bytes(Int32(bytes.count)) + ArrowFileWriter.mark, to: sink)
  }

  private func writeSchema(to buffer: inout FlatBuffer) -> FlatBuffer.Place {
    let fields = buffer.list(description.children.map { $0.write(to: &buffer) })
    let metadata = ArrowDescription.write(description.metadata, to: &buffer)
    return buffer.table(
      [.number(0, Int16(0)), .place(1, fields)] + (metadata.map { [.place(2, $0)] } ?? []))
  }

  /// Writes a message, whose body follows.
  private mutating func put(
    message type: UInt8, _ header: FlatBuffer.Place, _ buffer: inout FlatBuffer,
    bodyLength: Int64, to sink: Sink
  ) throws {
    let root = buffer.table([
      .number(0, ArrowFileWriter.version), .number(1, type), .place(2, header),
      .number(3, bodyLength),
    ])
    var bytes = buffer.finished(root)
    // The body begins at a multiple of the alignment.
    while (Int(byteCount) + 8 + bytes.count) % ArrowFileWriter.alignment != 0 { bytes.append(0) }
    try put(
      [0xFF, 0xFF, 0xFF, 0xFF] + ArrowFileWriter.bytes(Int32(bytes.count)) + bytes, to: sink)
  }

  private mutating func put(_ bytes: [UInt8], to sink: Sink) throws {
    byteCount += Int64(bytes.count)
    try sink(bytes)
  }

  private static func bytes(_ number: Int32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  fileprivate static func padded(_ count: Int) -> Int {
    (count + alignment - 1) / alignment * alignment
  }
}

/// The buffers of an array, with their places in the body of a message.
@safe
private struct Body {
  private(set) var nodes: [[Int64]] = []
  private(set) var places: [[Int64]] = []
  private(set) var buffers: [(start: UnsafeRawPointer?, byteCount: Int)] = unsafe []
  private(set) var byteCount: Int64 = 0

  @unsafe mutating func add(
    _ array: UnsafePointer<ArrowArray>, _ description: ArrowDescription
  ) {
    let count = unsafe Int(array.pointee.length)
    precondition(
      unsafe array.pointee.offset == 0, "Arrays of this package begin at their first row.")
    nodes.append([Int64(count), unsafe array.pointee.null_count])
    let hasBitmap = unsafe array.pointee.buffers[0] != nil
    unsafe add(array.pointee.buffers[0], hasBitmap ? (count + 7) / 8 : 0)
    switch description.buffers {
    case .values(let bits): unsafe add(array.pointee.buffers[1], (count * bits + 7) / 8)
    case .strings(let width):
      let ends = unsafe array.pointee.buffers[1]
      unsafe add(ends, (count + 1) * width)
      unsafe add(array.pointee.buffers[2], Body.number(ends, at: count, width))
    case .lists(let width): unsafe add(array.pointee.buffers[1], (count + 1) * width)
    case .some(.none), nil: break
    }
    for (index, child) in description.children.enumerated() {
      unsafe add(array.pointee.children[index]!, child)
    }
  }

  @unsafe private static func number(_ start: UnsafeRawPointer?, at index: Int, _ width: Int) -> Int
  {
    guard let start = unsafe start else { return 0 }
    return width == 4
      ? unsafe Int(start.loadUnaligned(fromByteOffset: index * 4, as: Int32.self))
      : unsafe Int(start.loadUnaligned(fromByteOffset: index * 8, as: Int64.self))
  }

  @unsafe private mutating func add(_ start: UnsafeRawPointer?, _ count: Int) {
    let count = unsafe start == nil ? 0 : count
    places.append([byteCount, Int64(count)])
    unsafe buffers.append((start, count))
    byteCount += Int64(ArrowFileWriter.padded(count))
  }
}
