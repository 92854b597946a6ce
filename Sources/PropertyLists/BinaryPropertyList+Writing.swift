import Foundation

extension BinaryPropertyList {
  /// Returns the bytes of a property list. Equal lists give equal bytes, and equal strings are written once.
  public static func write(_ list: PropertyList) -> [UInt8] {
    var writer = BinaryWriter()
    let top = writer.add(list)
    return writer.bytes(top: top)
  }
}

/// Collects the objects of a list, each after its members, and then writes all of them.
private struct BinaryWriter {
  /// An object: bytes, or a container of other objects. Both lie one behind another, because a document writes a list with
  /// each save, and an array for each object would take most of the time.
  private enum Object {
    case bytes(end: Int)
    case container(marker: UInt8, end: Int)
  }

  private var objects: [Object] = []
  private var bytes: [UInt8] = []
  private var members: [Int] = []
  private var strings: [String: Int] = [:]

  mutating func add(_ list: PropertyList) -> Int {
    switch list {
    case .null: bytes.append(0x00)
    case .boolean(let value): bytes.append(value ? 0x09 : 0x08)
    case .integer(let value): bytes.append(integer: value)
    case .unsigned(let value):
      bytes.append(0x14)
      bytes.append(bigEndian: 0, 8)
      bytes.append(bigEndian: value, 8)
    case .real(let value):
      bytes.append(0x23)
      bytes.append(bigEndian: value.bitPattern, 8)
    case .date(let value):
      bytes.append(0x33)
      bytes.append(bigEndian: value.timeIntervalSinceReferenceDate.bitPattern, 8)
    case .data(let value):
      bytes.append(head: 0x40, value.count)
      bytes += value
    case .string(let value): return add(value)
    case .uid(let value):
      let byteCount = value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFF_FFFF ? 4 : 8
      bytes.append(0x80 | UInt8(byteCount - 1))
      bytes.append(bigEndian: value, byteCount)
    case .array(let values): return append(0xA0, values.map { add($0) })
    case .set(let values): return append(0xC0, values.map { add($0) })
    case .dictionary(let values):
      let pairs = values.sorted { $0.key < $1.key }
      return append(0xD0, pairs.map { add($0.key) } + pairs.map { add($0.value) })
    }
    return finish(.bytes(end: bytes.count))
  }

  private mutating func add(_ text: String) -> Int {
    if let known = strings[text] { return known }
    let start = bytes.count
    bytes.append(head: 0x50, text.utf8.count)
    let first = bytes.count
    bytes.append(contentsOf: text.utf8)
    if !bytes[first...].allSatisfy({ $0 < 0x80 }) {
      bytes.removeLast(bytes.count - start)
      bytes.append(head: 0x60, text.utf16.count)
      for unit in text.utf16 { bytes.append(bigEndian: UInt64(unit), 2) }
    }
    let index = finish(.bytes(end: bytes.count))
    strings[text] = index
    return index
  }

  private mutating func append(_ marker: UInt8, _ members: [Int]) -> Int {
    self.members += members
    return finish(.container(marker: marker, end: self.members.count))
  }

  private mutating func finish(_ object: Object) -> Int {
    objects.append(object)
    return objects.count - 1
  }

  func bytes(top: Int) -> [UInt8] {
    var all = Array("bplist00".utf8)
    var offsets: [Int] = []
    offsets.reserveCapacity(objects.count)
    let referenceByteCount = objects.count <= 0xFF ? 1 : objects.count <= 0xFFFF ? 2 : 4
    all.reserveCapacity(
      bytes.count + members.count * referenceByteCount + objects.count * 8 + 64)
    var (byte, member) = (0, 0)
    for object in objects {
      offsets.append(all.count)
      switch object {
      case .bytes(let end):
        all += bytes[byte..<end]
        byte = end
      case .container(let marker, let end):
        let count = end - member
        all.append(head: marker, marker == 0xD0 ? count / 2 : count)
        for reference in members[member..<end] {
          all.append(bigEndian: UInt64(reference), referenceByteCount)
        }
        member = end
      }
    }
    let table = all.count
    let offsetByteCount = table <= 0xFF ? 1 : table <= 0xFFFF ? 2 : table <= 0xFFFF_FFFF ? 4 : 8
    for offset in offsets { all.append(bigEndian: UInt64(offset), offsetByteCount) }
    all += [0, 0, 0, 0, 0, 0, UInt8(offsetByteCount), UInt8(referenceByteCount)]
    for number in [objects.count, top, table] { all.append(bigEndian: UInt64(number), 8) }
    return all
  }
}

extension [UInt8] {
  fileprivate mutating func append(head marker: UInt8, _ count: Int) {
    append(marker | UInt8(Swift.min(count, 15)))
    if count >= 15 { append(integer: Int64(count)) }
  }

  fileprivate mutating func append(integer value: Int64) {
    let (marker, byteCount): (UInt8, Int) =
      switch value {
      case 0...0xFF: (0x10, 1)
      case 0...0xFFFF: (0x11, 2)
      case 0...0xFFFF_FFFF: (0x12, 4)
      default: (0x13, 8)
      }
    append(marker)
    append(bigEndian: UInt64(bitPattern: value), byteCount)
  }

  fileprivate mutating func append(bigEndian value: UInt64, _ byteCount: Int) {
    var shift = 8 * UInt64(byteCount)
    while shift > 0 {
      shift -= 8
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
