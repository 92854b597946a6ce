import Foundation
import PropertyLists
import SeededRandom
import Testing

@Suite("Binary property lists")
struct BinaryPropertyListTests {
  private static func random(_ depth: Int, _ random: inout SeededGenerator) -> PropertyList {
    switch Int.random(in: 0..<(depth > 0 ? 12 : 8), using: &random) {
    case 0:
      .string(
        ["", "plain", "ümlaut 🚂", String(repeating: "long ", count: 9)].randomElement(
          using: &random)!)
    case 1: .integer([0, 1, 255, 256, 65_536, -1, .min, .max].randomElement(using: &random)!)
    case 2: .real([0.5, -1e300, 0].randomElement(using: &random)!)
    case 3: .boolean(Bool.random(using: &random))
    case 4:
      .date(Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -9...9, using: &random))))
    case 5: .data(Data((0..<Int.random(in: 0..<40, using: &random)).map { UInt8($0) }))
    case 6: .uid(UInt64.random(in: 0...70_000, using: &random))
    case 7: .unsigned(.max)
    case 8, 9:
      .array(
        (0..<Int.random(in: 0..<20, using: &random)).map { _ in Self.random(depth - 1, &random) })
    case 10: .set([.integer(7)])
    default:
      .dictionary(
        Dictionary(
          (0..<Int.random(in: 0..<18, using: &random)).map {
            ("k\($0)", Self.random(depth - 1, &random))
          },
          uniquingKeysWith: { first, _ in first }))
    }
  }

  @Test("A written list reads back equal", arguments: 0..<20)
  func roundTrip(_ part: Int) throws {
    var random = SeededGenerator()
    let list = Self.random(4, &random)
    #expect(try BinaryPropertyList.read(BinaryPropertyList.write(list)) == list, "\(random)")
  }

  @Test("Foundation reads a written list, and Quire reads Foundation's")
  func foundation() throws {
    let list = PropertyList.dictionary([
      "a": .array([.integer(1), .real(2.5), .boolean(true), .string("ü")]),
      "b": .data(Data([1, 2])),
    ])
    let read = try PropertyListSerialization.propertyList(
      from: Data(BinaryPropertyList.write(list)), format: nil)
    let back = try PropertyListSerialization.data(
      fromPropertyList: read, format: .binary, options: 0)
    #expect(try BinaryPropertyList.read(Array(back)) == list)
  }

  @Test("A cut or changed list is read or refused")
  func damage() throws {
    let bytes = BinaryPropertyList.write(
      .dictionary(["a": .array([.string("b"), .uid(3), .date(.distantPast)]), "c": .string("ü")]))
    for count in 0..<bytes.count {
      #expect(throws: PropertyListError.self, "\(count) bytes") {
        try BinaryPropertyList.read(Array(bytes[..<count]))
      }
    }
    for index in bytes.indices {
      for mask: UInt8 in [0x01, 0x10, 0x80, 0xFF] {
        var changed = bytes
        changed[index] ^= mask
        _ = try? BinaryPropertyList.read(changed)
        _ = try? KeyedArchive(changed)
      }
    }
  }

  @Test("A list that contains itself, and one that unfolds without end, are refused")
  func bombs() {
    // An array that contains itself only.
    var own = Array("bplist00".utf8) + [0xA1, 0x00, 0x08]
    own += [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0]
    own += [0, 0, 0, 0, 0, 0, 0, 10]
    let error = #expect(throws: PropertyListError.self) { try BinaryPropertyList.read(own) }
    #expect(error?.code == .damaged)
    // Arrays of two references to the next, sixty deep.
    var bomb = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for level in 0..<60 {
      offsets.append(UInt8(bomb.count))
      bomb += [0xA2, UInt8(level + 1), UInt8(level + 1)]
    }
    offsets.append(UInt8(bomb.count))
    bomb += [0x09]
    let table = UInt8(bomb.count)
    bomb += offsets + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 61]
    bomb += [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, table]
    let limit = #expect(throws: PropertyListError.self) { try BinaryPropertyList.read(bomb) }
    #expect(limit?.code == .limit)
  }

  @Test("A list with more values than the limit is read if it has a byte for each")
  func many() throws {
    // An array whose members are all the same Boolean, one byte each.
    let count = BinaryPropertyList.maximumValueCount + 10
    let list = {
      let number = (0..<4).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
      var bytes = Array("bplist00".utf8) + [0xAF, 0x12] + number
      bytes += [UInt8](repeating: 1, count: count)
      let boolean = bytes.count
      bytes.append(0x09)
      let table = bytes.count
      for offset in [8, boolean] {
        bytes += (0..<4).reversed().map { UInt8(truncatingIfNeeded: offset >> (8 * $0)) }
      }
      bytes += [0, 0, 0, 0, 0, 0, 4, 1]
      for number in [2, 0, table] {
        bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      }
      return bytes
    }()
    #expect(try BinaryPropertyList.read(list).array?.count == count)
  }
}
