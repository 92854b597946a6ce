// SAFETY: The structures are valid during the calls that get them; their texts end with a zero byte, as the interface demands.

internal import CArrow

/// A column of an Arrow array, with what a file says about it.
struct ArrowDescription {
  let name: String
  let format: String
  let isOptional: Bool
  let metadata: [(key: String, value: String)]
  let children: [ArrowDescription]

  /// Reads the description of an array.
  @unsafe init(_ schema: UnsafePointer<ArrowSchema>) {
    name = unsafe schema.pointee.name.map { unsafe String(cString: $0) } ?? ""
    format = unsafe String(cString: schema.pointee.format)
    isOptional = unsafe schema.pointee.flags & Int64(ARROW_FLAG_NULLABLE) != 0
    metadata = unsafe ArrowDescription.pairs(schema.pointee.metadata)
    children = unsafe (0..<Int(schema.pointee.n_children)).map {
      unsafe ArrowDescription(schema.pointee.children[$0]!)
    }
  }

  /// Reads metadata: counts and lengths as native integers of 32 bits.
  @unsafe private static func pairs(
    _ start: UnsafePointer<CChar>?
  ) -> [(key: String, value: String)] {
    guard let start = unsafe start else { return [] }
    var place = unsafe UnsafeRawPointer(start)
    func number() -> Int {
      defer { unsafe place += 4 }
      return unsafe Int(place.loadUnaligned(as: Int32.self))
    }
    func text() -> String {
      let count = number()
      defer { unsafe place += count }
      return unsafe String(
        decoding: UnsafeRawBufferPointer(start: place, count: count), as: UTF8.self)
    }
    return (0..<number()).map { _ in (text(), text()) }
  }

  /// The widths of the buffers after the bitmap.
  enum Buffers: Hashable {
    /// One value for each row, of some bits.
    case values(bits: Int)
    /// Byte strings, with offsets of some bytes.
    case strings(offset: Int)
    /// Lists of the child's values, with offsets of some bytes.
    case lists(offset: Int)
    /// None: a value is the children's values.
    case none
  }

  /// The buffers after the bitmap; `nil` for a format that is not written.
  var buffers: Buffers? {
    switch format.first {
    case "b": .values(bits: 1)
    case "c", "C": .values(bits: 8)
    case "s", "S": .values(bits: 16)
    case "i", "I", "f": .values(bits: 32)
    case "l", "L", "g": .values(bits: 64)
    case "u", "z": .strings(offset: 4)
    case "U", "Z": .strings(offset: 8)
    case "w": Int(format.dropFirst(2)).map { .values(bits: $0 * 8) }
    case "d" where format.hasPrefix("d:"): .values(bits: 128)
    case "t" where format.hasPrefix("tsu:"): .values(bits: 64)
    case "t" where format == "tdD": .values(bits: 32)
    default:
      switch format {
      case "+s": Buffers.none
      case "+l": .lists(offset: 4)
      case "+L": .lists(offset: 8)
      default: nil
      }
    }
  }
}

// The types of Arrow's Schema.fbs.
extension ArrowDescription {
  /// Adds the column as a table `Field`.
  func write(to buffer: inout FlatBuffer) -> FlatBuffer.Place {
    let children = buffer.list(self.children.map { $0.write(to: &buffer) })
    let metadata = ArrowDescription.write(self.metadata, to: &buffer)
    let (number, type) = type(&buffer)
    let name = buffer.text(self.name)
    return buffer.table(
      [
        .place(0, name), .number(1, UInt8(isOptional ? 1 : 0)), .number(2, number),
        .place(3, type), .place(5, children),
      ] + (metadata.map { [.place(6, $0)] } ?? []))
  }

  /// Adds metadata as a list of tables `KeyValue`; `nil` if there are none.
  static func write(
    _ metadata: [(key: String, value: String)], to buffer: inout FlatBuffer
  ) -> FlatBuffer.Place? {
    guard !metadata.isEmpty else { return nil }
    let pairs = metadata.map { key, value in
      let (key, value) = (buffer.text(key), buffer.text(value))
      return buffer.table([.place(0, key), .place(1, value)])
    }
    return buffer.list(pairs)
  }

  /// Adds the table of the type, and returns its number in the union `Type`.
  private func type(_ buffer: inout FlatBuffer) -> (UInt8, FlatBuffer.Place) {
    func integer(_ bits: Int32, isSigned: Bool) -> (UInt8, FlatBuffer.Place) {
      (2, buffer.table([.number(0, bits), .number(1, UInt8(isSigned ? 1 : 0))]))
    }
    switch format.first {
    case "b": return (6, buffer.table([]))
    case "c", "C": return integer(8, isSigned: format == "c")
    case "s", "S": return integer(16, isSigned: format == "s")
    case "i", "I": return integer(32, isSigned: format == "i")
    case "l", "L": return integer(64, isSigned: format == "l")
    case "f": return (3, buffer.table([.number(0, Int16(1))]))
    case "g": return (3, buffer.table([.number(0, Int16(2))]))
    case "u": return (5, buffer.table([]))
    case "U": return (20, buffer.table([]))
    case "z": return (4, buffer.table([]))
    case "Z": return (19, buffer.table([]))
    case "w": return (15, buffer.table([.number(0, Int32(format.dropFirst(2)) ?? 0)]))
    case "d":
      let parts = format.dropFirst(2).split(separator: ",").compactMap { Int32($0) }
      return (
        7,
        buffer.table([
          .number(0, parts.first ?? 38), .number(1, parts.last ?? 0), .number(2, Int32(128)),
        ])
      )
    case "t" where format == "tdD": return (8, buffer.table([.number(0, Int16(0))]))
    case "t":
      let zone = format.dropFirst(4)
      let text = zone.isEmpty ? nil : buffer.text(String(zone))
      return (
        10,
        buffer.table([.number(0, Int16(2))] + (text.map { [.place(1, $0)] } ?? []))
      )
    default: return (format == "+s" ? 13 : format == "+l" ? 12 : 21, buffer.table([]))
    }
  }
}
