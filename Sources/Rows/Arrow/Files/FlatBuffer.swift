/// Bytes in the form of FlatBuffers, in which Arrow files describe their contents.
///
/// A buffer is written from its end to its start, so that each part exists before something refers to it. Only what the
/// descriptions of Arrow need is here: tables, texts, and lists of tables or of structures.
struct FlatBuffer {
  /// The bytes in reverse order.
  private var reversed: [UInt8] = []
  private var greatestAlignment = 1

  /// The place of a written part, counted from the end of the buffer.
  struct Place: Hashable {
    let distance: Int
  }

  /// A field of a table.
  struct Field {
    enum Content {
      case number(any FixedWidthInteger)
      case place(Place)
    }
    let number: Int
    let content: Content

    static func number(_ number: Int, _ value: some FixedWidthInteger) -> Field {
      Field(number: number, content: .number(value))
    }

    /// A reference to a part.
    static func place(_ number: Int, _ place: Place) -> Field {
      Field(number: number, content: .place(place))
    }
  }

  private mutating func put(_ value: some FixedWidthInteger) {
    for byte in 0..<value.bitWidth / 8 {
      let shift = value.bitWidth - 8 - byte * 8
      reversed.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Adds bytes so that the buffer has a multiple of `alignment` after `byteCount` further bytes.
  private mutating func align(_ alignment: Int, before byteCount: Int) {
    greatestAlignment = max(greatestAlignment, alignment)
    while (reversed.count + byteCount) % alignment != 0 { reversed.append(0) }
  }

  private mutating func put(_ place: Place) {
    align(4, before: 4)
    put(UInt32(reversed.count + 4 - place.distance))
  }

  private var place: Place { Place(distance: reversed.count) }

  mutating func text(_ text: String) -> Place {
    let bytes = Array(text.utf8)
    align(4, before: bytes.count + 1)
    reversed.append(0)
    reversed.append(contentsOf: bytes.reversed())
    align(4, before: 4)
    put(UInt32(bytes.count))
    return place
  }

  /// Adds a list of parts.
  mutating func list(_ places: [Place]) -> Place {
    align(4, before: places.count * 4)
    for one in places.reversed() { put(one) }
    put(UInt32(places.count))
    return place
  }

  /// Adds a list of structures of numbers of 64 bits.
  mutating func structures(_ values: [[Int64]]) -> Place {
    align(4, before: values.count * 8)
    align(8, before: 0)
    for one in values.reversed() {
      for value in one.reversed() { put(value) }
    }
    align(4, before: 4)
    put(UInt32(values.count))
    return place
  }

  mutating func table(_ fields: [Field]) -> Place {
    let start = reversed.count
    var places: [Int: Int] = [:]
    // The largest fields come first, so that little room is lost.
    for field in fields.sorted(by: { FlatBuffer.size($0) > FlatBuffer.size($1) }) {
      switch field.content {
      case .number(let number):
        align(FlatBuffer.size(field), before: FlatBuffer.size(field))
        put(number)
      case .place(let place): put(place)
      }
      places[field.number] = reversed.count
    }
    align(4, before: 4)
    let count = (fields.map(\.number).max() ?? -1) + 1
    let table = reversed.count + 4
    // The table begins with the distance to the list of its fields, which lies before it.
    put(Int32(4 + count * 2))
    for number in (0..<count).reversed() {
      put(UInt16(places[number].map { table - $0 } ?? 0))
    }
    put(UInt16(table - start))
    put(UInt16(4 + count * 2))
    return Place(distance: table)
  }

  private static func size(_ field: Field) -> Int {
    switch field.content {
    case .number(let number): number.bitWidth / 8
    case .place: 4
    }
  }

  /// Returns the whole buffer, whose root is a table.
  mutating func finished(_ root: Place) -> [UInt8] {
    align(max(greatestAlignment, 8), before: 4)
    put(UInt32(reversed.count + 4 - root.distance))
    return reversed.reversed()
  }
}
