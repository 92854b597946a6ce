import Foundation

/// The binary form of property lists.
///
///     let list = try BinaryPropertyList.read(bytes)
///
/// Safe for any input: every offset and count is checked before it is used. Circular references are rejected, and so
/// are references that expand to too many values.
public enum BinaryPropertyList {
  /// The maximum depth of nested values.
  public static let maximumDepth = 256
  /// The number of values that any list may have. A list of more bytes may have as many values as bytes.
  ///
  /// An object that is referenced twice counts twice: nested lists that share objects could otherwise grow without bound.
  public static let maximumValueCount = 2_000_000

  /// Reads a property list.
  ///
  /// - Throws: ``PropertyListError`` if the bytes are not a valid binary property list.
  public static func read(_ bytes: [UInt8]) throws -> PropertyList {
    var reader = try BinaryReader(bytes)
    return try reader.object(reader.topObject, depth: 0)
  }

  /// Whether the bytes begin like a binary property list.
  static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("bplist".utf8)) }
}

private struct BinaryReader {
  private let bytes: [UInt8]
  private let offsetByteCount: Int
  private let referenceByteCount: Int
  private let objectCount: Int
  private let tableOffset: Int
  let topObject: Int
  private var open: Set<Int> = []
  private var valueCount = 0

  init(_ bytes: [UInt8]) throws {
    guard bytes.count >= 40, BinaryPropertyList.isBinary(bytes) else {
      throw PropertyListError(.notBinary, "The bytes do not begin with 'bplist'.")
    }
    self.bytes = bytes
    let trailer = bytes.count - 32
    func number(_ at: Int) -> UInt64 { (0..<8).reduce(0) { $0 << 8 | UInt64(bytes[at + $1]) } }
    offsetByteCount = Int(bytes[trailer + 6])
    referenceByteCount = Int(bytes[trailer + 7])
    let (objects, top, table) = (number(trailer + 8), number(trailer + 16), number(trailer + 24))
    guard (1...8).contains(offsetByteCount), (1...8).contains(referenceByteCount) else {
      throw PropertyListError(.damaged, "The trailer gives offsets of \(offsetByteCount) bytes.")
    }
    guard objects >= 1, objects <= UInt64(bytes.count), top < objects, table >= 8,
      table <= UInt64(trailer), objects * UInt64(offsetByteCount) <= UInt64(trailer) - table
    else {
      throw PropertyListError(
        .damaged, "A table of \(objects) offsets at \(table) does not fit \(bytes.count) bytes.")
    }
    objectCount = Int(objects)
    topObject = Int(top)
    tableOffset = Int(table)
  }

  /// Returns a big-endian number of up to eight bytes.
  private func number(at offset: Int, _ byteCount: Int) throws -> UInt64 {
    guard offset >= 0, byteCount >= 0, offset <= tableOffset - byteCount else {
      throw PropertyListError(.damaged, "A number of \(byteCount) bytes at \(offset) is cut off.")
    }
    return bytes[offset..<offset + byteCount].reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func object(_ index: Int, depth: Int) throws -> PropertyList {
    guard depth <= BinaryPropertyList.maximumDepth else {
      throw PropertyListError(
        .limit, "The list is nested more than \(BinaryPropertyList.maximumDepth) deep.")
    }
    valueCount += 1
    guard valueCount <= max(BinaryPropertyList.maximumValueCount, bytes.count) else {
      throw PropertyListError(.limit, "The list expands to more than \(valueCount - 1) values.")
    }
    let place = tableOffset + index * offsetByteCount
    let offset64 = bytes[place..<place + offsetByteCount].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard offset64 >= 8, offset64 < UInt64(tableOffset) else {
      throw PropertyListError(
        .damaged, "Object \(index) is at \(offset64), outside of the objects.")
    }
    let offset = Int(offset64)
    let marker = bytes[offset]
    let low = Int(marker & 0xF)
    switch marker >> 4 {
    case 0x0:
      switch marker {
      case 0x00: return .null
      case 0x08: return .boolean(false)
      case 0x09: return .boolean(true)
      default: throw unknown(marker, index)
      }
    case 0x1:
      guard low <= 4 else { throw unknown(marker, index) }
      return try integer(at: offset + 1, byteCount: 1 << low)
    case 0x2:
      guard low == 2 || low == 3 else { throw unknown(marker, index) }
      let bits = try number(at: offset + 1, 1 << low)
      return .real(
        low == 2 ? Double(Float(bitPattern: UInt32(bits))) : Double(bitPattern: bits))
    case 0x3:
      guard low == 3 else { throw unknown(marker, index) }
      return .date(
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: try number(at: offset + 1, 8))))
    case 0x4:
      let (start, count) = try extent(offset, low, unitByteCount: 1, index)
      return .data(Data(bytes[start..<start + count]))
    case 0x5:
      let (start, count) = try extent(offset, low, unitByteCount: 1, index)
      return .string(String(decoding: bytes[start..<start + count], as: UTF8.self))
    case 0x6:
      let (start, count) = try extent(offset, low, unitByteCount: 2, index)
      let units = (0..<count).map {
        UInt16(bytes[start + $0 * 2]) << 8 | UInt16(bytes[start + $0 * 2 + 1])
      }
      return .string(String(decoding: units, as: UTF16.self))
    case 0x8: return .uid(try number(at: offset + 1, min(low + 1, 8)))
    case 0xA: return .array(try members(index, offset, low, depth))
    case 0xB, 0xC: return .set(try members(index, offset, low, depth))
    case 0xD: return try dictionary(index, offset, low, depth)
    default: throw unknown(marker, index)
    }
  }

  private func integer(at offset: Int, byteCount: Int) throws -> PropertyList {
    if byteCount == 16 {
      let high = try number(at: offset, 8)
      let lowHalf = try number(at: offset + 8, 8)
      if high == 0 { return Int64(exactly: lowHalf).map { .integer($0) } ?? .unsigned(lowHalf) }
      guard high == .max, lowHalf >> 63 == 1 else {
        throw PropertyListError(.damaged, "The number at \(offset) has more than 64 bits.")
      }
      return .integer(Int64(bitPattern: lowHalf))
    }
    // Numbers of fewer than eight bytes are unsigned; numbers of eight bytes are signed.
    return .integer(Int64(bitPattern: try number(at: offset, byteCount)))
  }

  /// Returns the start of an object's content and its number of units.
  private func extent(
    _ offset: Int, _ low: Int, unitByteCount: Int, _ index: Int
  ) throws -> (start: Int, count: Int) {
    var start = offset + 1
    var count = UInt64(low)
    if low == 0xF {
      let marker = try number(at: start, 1)
      guard marker >> 4 == 1, marker & 0xF <= 3 else { throw unknown(UInt8(marker), index) }
      let byteCount = 1 << Int(marker & 0xF)
      count = try number(at: start + 1, byteCount)
      start += 1 + byteCount
    }
    guard start <= tableOffset, count <= UInt64((tableOffset - start) / unitByteCount) else {
      throw PropertyListError(
        .damaged,
        "Object \(index) at \(offset) gives \(count) parts, more than the list has bytes.")
    }
    return (start, Int(count))
  }

  private mutating func members(
    _ index: Int, _ offset: Int, _ low: Int, _ depth: Int
  ) throws -> [PropertyList] {
    let (start, count) = try extent(offset, low, unitByteCount: referenceByteCount, index)
    return try entering(index) { reader in
      try (0..<count).map { try reader.member(start, $0, depth) }
    }
  }

  private mutating func dictionary(
    _ index: Int, _ offset: Int, _ low: Int, _ depth: Int
  ) throws -> PropertyList {
    let (start, count) = try extent(offset, low, unitByteCount: referenceByteCount * 2, index)
    return try entering(index) { reader in
      var values: [String: PropertyList] = [:]
      for position in 0..<count {
        guard case .string(let key) = try reader.member(start, position, depth) else {
          throw PropertyListError(.damaged, "A key of dictionary \(index) is not text.")
        }
        values[key] = try reader.member(start, count + position, depth)
      }
      return .dictionary(values)
    }
  }

  private mutating func member(
    _ start: Int, _ position: Int, _ depth: Int
  ) throws -> PropertyList {
    let reference = try number(at: start + position * referenceByteCount, referenceByteCount)
    guard reference < UInt64(objectCount) else {
      throw PropertyListError(
        .damaged, "Object \(reference) does not exist; the list has \(objectCount) objects.")
    }
    return try object(Int(reference), depth: depth + 1)
  }

  /// Calls `body` within a container, and throws if the container contains itself.
  private mutating func entering<R>(
    _ index: Int, _ body: (inout BinaryReader) throws -> R
  ) throws -> R {
    guard open.insert(index).inserted else {
      throw PropertyListError(.damaged, "Object \(index) contains itself.")
    }
    defer { open.remove(index) }
    return try body(&self)
  }

  private func unknown(_ marker: UInt8, _ index: Int) -> PropertyListError {
    PropertyListError(
      .damaged, "Object \(index) has the marker 0x\(String(marker, radix: 16)), which is unknown.")
  }
}
