/// The class and the folding of each scalar.
///
/// The table contains its own copy of Unicode's properties, because the words of an index must not change with a new
/// version of the standard library. It is built from text when the first text beyond ASCII is split, which
/// takes a few milliseconds.
struct ScalarTable: Sendable {
  /// The facts about one scalar, packed into 32 bits.
  struct Entry {
    fileprivate var bits: UInt32

    /// The role of the scalar in a word.
    @inline(__always)
    var kind: ScalarClass { ScalarClass(rawValue: UInt8(bits & 0xF)) ?? .other }

    @inline(__always)
    var order: UInt8 { UInt8(bits >> 4 & 0xFF) }

    /// The number of scalars in the folding, or 0 if the scalar folds to itself.
    @inline(__always)
    var foldingCount: Int { Int(bits >> 12 & 0x3) }

    /// Whether the scalar may compose with a scalar before it.
    @inline(__always)
    var mayCompose: Bool { bits >> 14 & 1 != 0 }

    @inline(__always)
    fileprivate var foldingStart: Int { Int(bits >> 15) }
  }

  static let shared = ScalarTable()

  private static let blockShift: UInt32 = 7
  /// For each block of scalars, the start of its entries.
  private var blocks = [UInt32](repeating: 0, count: 0x11_0000 >> 7)
  /// The entries. The first block is shared by all blocks without facts.
  private var entries = [UInt32](repeating: 0, count: 1 << 7)
  private var foldings: [UInt32] = []
  private var compositions: [UInt64: UInt32] = [:]

  /// Returns the entry of a number. A number that is not a scalar has the class ``ScalarClass/other``.
  @inline(__always)
  subscript(scalar: UInt32) -> Entry {
    let block = Int(scalar >> Self.blockShift)
    guard block < blocks.count else { return Entry(bits: 0) }
    return Entry(bits: entries[Int(blocks[block] + scalar & 0x7F)])
  }

  /// Returns one scalar of a folding.
  @inline(__always)
  func folding(_ entry: Entry, _ index: Int) -> UInt32 { foldings[entry.foldingStart + index] }

  /// Returns the scalar that Unicode composes from two scalars, or `nil` if they do not compose.
  func composition(_ first: UInt32, _ second: UInt32) -> UInt32? {
    if first &- Hangul.leads < 19, second &- Hangul.vowels < 21 {
      return Hangul.syllables + ((first - Hangul.leads) * 21 + second - Hangul.vowels) * 28
    }
    if first &- Hangul.syllables < 11_172, (first - Hangul.syllables) % 28 == 0,
      second &- Hangul.trails < 28, second != Hangul.trails
    {
      return first + second - Hangul.trails
    }
    return compositions[UInt64(first) << 32 | UInt64(second)]
  }

  /// The first scalars of the ranges for the arithmetic of Hangul syllables. The trailing letters begin after `trails`.
  private enum Hangul {
    static let syllables: UInt32 = 0xAC00
    static let leads: UInt32 = 0x1100
    static let vowels: UInt32 = 0x1161
    static let trails: UInt32 = 0x11A7
  }

  // MARK: - Building

  private init() {
    readClasses()
    readOrders()
    readFoldings()
    readCompositions()
    for scalar in Hangul.vowels..<Hangul.vowels + 21 { change(scalar) { $0 |= 1 << 14 } }
    for scalar in Hangul.trails + 1..<Hangul.trails + 28 { change(scalar) { $0 |= 1 << 14 } }
  }

  private mutating func change(_ scalar: UInt32, _ body: (inout UInt32) -> Void) {
    let block = Int(scalar >> Self.blockShift)
    if blocks[block] == 0 {
      blocks[block] = UInt32(entries.count)
      entries += repeatElement(0, count: 1 << 7)
    }
    body(&entries[Int(blocks[block] + scalar & 0x7F)])
  }

  private mutating func readClasses() {
    var reader = ScalarTableReader(Self.classText)
    var number: UInt32 = 0
    while let symbol = reader.next {
      if let index = ScalarClass.symbols.firstIndex(of: symbol), reader.isSingle {
        number = UInt32(index)
        reader.skip()
        continue
      }
      let first = reader.number()
      let last = reader.take("-") ? reader.number() : first
      for scalar in first...last { change(scalar) { $0 |= number } }
      reader.skip()
    }
  }

  private mutating func readOrders() {
    var reader = ScalarTableReader(Self.orderText)
    var order: UInt32 = 0
    while reader.next != nil {
      if reader.take("=") {
        order = reader.decimal()
      } else {
        let first = reader.number()
        let last = reader.take("-") ? reader.number() : first
        for scalar in first...last { change(scalar) { $0 |= order << 4 | 1 << 14 } }
      }
      reader.skip()
    }
  }

  private mutating func readFoldings() {
    var reader = ScalarTableReader(Self.foldingText)
    while reader.next != nil {
      let first = reader.number()
      if reader.take(">") {
        var folding = [reader.number()]
        while reader.take(",") { folding.append(reader.number()) }
        add(folding, for: first)
      } else {
        let step: UInt32 = reader.take("/") ? 2 : 1
        if step == 1 { _ = reader.take("-") }
        let last = reader.number()
        let isUp = reader.take("+")
        if !isUp { _ = reader.take("~") }
        let difference = reader.number()
        for scalar in stride(from: first, through: last, by: Int(step)) {
          add([isUp ? scalar + difference : scalar - difference], for: scalar)
        }
      }
      reader.skip()
    }
  }

  private mutating func add(_ folding: [UInt32], for scalar: UInt32) {
    let start = UInt32(foldings.count)
    foldings += folding
    change(scalar) { $0 |= start << 15 | UInt32(folding.count) << 12 }
  }

  private mutating func readCompositions() {
    var reader = ScalarTableReader(Self.compositionText)
    while reader.next != nil {
      let first = reader.number()
      _ = reader.take(",")
      let second = reader.number()
      _ = reader.take(">")
      compositions[UInt64(first) << 32 | UInt64(second)] = reader.number()
      change(second) { $0 |= 1 << 14 }
      reader.skip()
    }
  }
}
