import Foundation

extension BinaryPropertyList {
  /// Returns the bytes of a property list. Equal lists give equal bytes, and equal strings are written once.
  public static func write(_ list: PropertyList) -> [UInt8] {
    var writer = BinaryWriter()
    let top = writer.add(list)
    return writer.bytes(top: top)
  }
}

private struct BinaryWriter {
  private enum Object {
    case bytes([UInt8])
    case container(marker: UInt8, members: [Int])
  }

  private var objects: [Object] = []
  private var strings: [String: Int] = [:]

  mutating func add(_ list: PropertyList) -> Int {
    switch list {
    case .null: return append([0x00])
    case .boolean(let value): return append([value ? 0x09 : 0x08])
    case .integer(let value): return append(BinaryWriter.integer(value))
    case .unsigned(let value):
      return append([0x14] + [UInt8](repeating: 0, count: 8) + BinaryWriter.bigEndian(value, 8))
    case .real(let value): return append([0x23] + BinaryWriter.bigEndian(value.bitPattern, 8))
    case .date(let value):
      let bits = value.timeIntervalSinceReferenceDate.bitPattern
      return append([0x33] + BinaryWriter.bigEndian(bits, 8))
    case .data(let value): return append(BinaryWriter.head(0x40, value.count) + value)
    case .string(let value): return add(value)
    case .uid(let value):
      let byteCount = value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFF_FFFF ? 4 : 8
      return append([0x80 | UInt8(byteCount - 1)] + BinaryWriter.bigEndian(value, byteCount))
    case .array(let values): return append(0xA0, values.map { add($0) })
    case .set(let values): return append(0xC0, values.map { add($0) })
    case .dictionary(let values):
      let keys = values.keys.sorted()
      return append(0xD0, keys.map { add($0) } + keys.map { add(values[$0]!) })
    }
  }

  private mutating func add(_ text: String) -> Int {
    if let known = strings[text] { return known }
    let index: Int
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      index = append(BinaryWriter.head(0x50, text.utf8.count) + Array(text.utf8))
    } else {
      let units = Array(text.utf16)
      index = append(
        BinaryWriter.head(0x60, units.count)
          + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    }
    strings[text] = index
    return index
  }

  private mutating func append(_ bytes: [UInt8]) -> Int {
    objects.append(.bytes(bytes))
    return objects.count - 1
  }

  private mutating func append(_ marker: UInt8, _ members: [Int]) -> Int {
    objects.append(.container(marker: marker, members: members))
    return objects.count - 1
  }

  func bytes(top: Int) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    let referenceByteCount = objects.count <= 0xFF ? 1 : objects.count <= 0xFFFF ? 2 : 4
    for object in objects {
      offsets.append(bytes.count)
      switch object {
      case .bytes(let content): bytes += content
      case .container(let marker, let members):
        bytes += BinaryWriter.head(marker, marker == 0xD0 ? members.count / 2 : members.count)
        for member in members {
          bytes += BinaryWriter.bigEndian(UInt64(member), referenceByteCount)
        }
      }
    }
    let table = bytes.count
    let offsetByteCount = table <= 0xFF ? 1 : table <= 0xFFFF ? 2 : table <= 0xFFFF_FFFF ? 4 : 8
    for offset in offsets { bytes += BinaryWriter.bigEndian(UInt64(offset), offsetByteCount) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetByteCount), UInt8(referenceByteCount)]
    for number in [objects.count, top, table] { bytes += BinaryWriter.bigEndian(UInt64(number), 8) }
    return bytes
  }

  private static func head(_ marker: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [marker | UInt8(count)] : [marker | 0xF] + integer(Int64(count))
  }

  private static func integer(_ value: Int64) -> [UInt8] {
    switch value {
    case 0...0xFF: [0x10, UInt8(value)]
    case 0...0xFFFF: [0x11] + bigEndian(UInt64(value), 2)
    case 0...0xFFFF_FFFF: [0x12] + bigEndian(UInt64(value), 4)
    default: [0x13] + bigEndian(UInt64(bitPattern: value), 8)
    }
  }

  private static func bigEndian(_ value: UInt64, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }
}
