import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Values at the edges of their types")
struct StrangeValueTests {
  /// A text made from a C string that is broken off in the middle of a character.
  private static let cText = [0x61, 0xE2, 0x82, 0x62, 0].map(UInt8.init).withUnsafeBufferPointer {
    String(cString: $0.baseAddress!)
  }

  /// Texts that are difficult for formats and comparisons.
  private static let texts: [String] = [
    "", " ", "\0", "a\0b", "\u{1}\u{8}\u{1B}", "\r", "\n", "\r\n", "\t", " lead and trail ",
    "\u{85}\u{2028}",
    "\u{FEFF}bom", "\u{FFFE}\u{FFFF}", "\u{10FFFF}", "\u{E000}", "e\u{301}", "\u{E9}", "\u{301}",
    "\u{202E}abc\u{202C}", "&amp;<![CDATA[]]>", "]]>", "'\"\\", "%@ %K $x", "𝔘𝔫𝔦", "null", "NaN",
    "-0",
    String(repeating: "\u{300}", count: 1000),
    String(decoding: [0xC3, 0x28, 0xFF, 0xFE, 0xED, 0xA0, 0x80], as: UTF8.self),
    cText,
    NSString(characters: [0x61, 0xD800, 0x62], length: 3) as String,
  ]

  @Test("Any text is stored and read back to the last scalar", arguments: Kind.allCases)
  func texts(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    for (index, text) in Self.texts.enumerated() {
      try context.insert(Good.self) {
        $0.title = text
        $0.address.street = text
        $0["int32"] = .integer(Int64(index))
      }
    }
    try context.save()

    let other = try graph.again()
    let found = try other.fetch(Good.self, sortedBy: [SortKey("int32")])
    for (good, text) in zip(found, Self.texts) {
      let wanted = Array(text.utf8)
      #expect(Array(good.title.utf8) == wanted, "\(text.debugDescription)")
      #expect(good.address.street.map { Array($0.utf8) } == wanted, "\(text.debugDescription)")
      #expect(good["upper"] == .string(text.uppercased()))
      let same = try other.fetch(
        Good.self,
        where: QueryPredicate(
          "title == %@ AND int32 == %d", text, Int(good.value(forKey: "int32") as! Int32)))
      #expect(same == [good], "\(text.debugDescription)")
    }
    #expect(found.count == Self.texts.count)
  }

  /// Values at the limits of each type, or with an unusual form.
  private static let values: [(key: String, value: Value)] = [
    ("int16", .integer(.init(Int16.min))), ("int16", .integer(.init(Int16.max))),
    ("int32", .integer(.init(Int32.min))), ("int32", .integer(.init(Int32.max))),
    ("int64", .integer(.min)), ("int64", .integer(.max)), ("int64", .integer(-1)),
    ("double", .double(.nan)), ("double", .double(.infinity)), ("double", .double(-.infinity)),
    ("double", .double(-0.0)), ("double", .double(.leastNonzeroMagnitude)),
    ("double", .double(.greatestFiniteMagnitude)), ("double", .double(0.1)),
    ("float", .float(.nan)), ("float", .float(-.infinity)),
    ("float", .float(.leastNonzeroMagnitude)),
    ("float", .float(.greatestFiniteMagnitude)), ("float", .float(-0.0)),
    ("date", .date(.distantPast)), ("date", .date(.distantFuture)),
    ("date", .date(Date(timeIntervalSinceReferenceDate: 1e300))),
    ("date", .date(Date(timeIntervalSinceReferenceDate: -.infinity))),
    ("date", .date(Date(timeIntervalSinceReferenceDate: .nan))),
    ("date", .date(Date(timeIntervalSinceReferenceDate: 0.000_001))),
    ("decimal", .decimal(.greatestFiniteMagnitude)), ("decimal", .decimal(.leastFiniteMagnitude)),
    ("decimal", .decimal(.leastNonzeroMagnitude)), ("decimal", .decimal(.nan)),
    ("decimal", .decimal(Decimal(string: "-0.00000000000000000000000000000000000001")!)),
    ("decimal", .decimal(Decimal(string: "12345678901234567890123456789012345678")!)),
    ("flag", .boolean(true)), ("flag", .boolean(false)),
    ("bytes", .binary(Data())), ("bytes", .binary(Data(0...255))),
    ("plain", .binary(Data(repeating: 0, count: 70_000))),
    ("uuid", .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))),
    ("uuid", .uuid(UUID(uuidString: "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF")!)),
    ("uri", .uri("")), ("uri", .uri("not a uri at all \u{0}\u{FFFF}")),
    ("uri", .uri("x-quire://a/b?c#d")),
  ]

  /// Returns whether two values are identical. Compares NaN and the sign of zero too.
  private func same(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.double(let left), .double(let right)):
      left.bitPattern == right.bitPattern || left.isNaN && right.isNaN
    case (.float(let left), .float(let right)):
      left.bitPattern == right.bitPattern || left.isNaN && right.isNaN
    case (.date(let left), .date(let right)):
      same(
        .double(left.timeIntervalSinceReferenceDate), .double(right.timeIntervalSinceReferenceDate))
    case (.decimal(let left), .decimal(let right)): left == right || left.isNaN && right.isNaN
    case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)):
      Array(left.utf8) == Array(right.utf8)
    default: left == right
    }
  }

  /// Expects the same value, but does not print the values: Foundation ends the program over a date that is not a number.
  private func check(_ found: Value, _ wanted: Value, _ key: String) {
    func words(_ value: Value) -> String {
      if case .date(let date) = value { return "\(date.timeIntervalSinceReferenceDate) s" }
      return "\(value)"
    }
    let isSame = same(found, wanted)
    #expect(isSame, "\(key): \(words(found)), wanted \(words(wanted))")
  }

  @Test("Any value of a type is stored and read back without harm", arguments: Kind.allCases)
  func values(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    let ids = try Self.values.map { key, value in
      let good = try context.insert(Good.self)
      try good.setValues([key: value])
      check(good[key], value, key)
      return good.objectID
    }
    try context.save()

    let other = try graph.again()
    for (id, (key, value)) in zip(ids, Self.values) {
      let good = try other.existingObject(with: id)
      check(good[key], value, key)
      good["title"] = .string("touched")
    }
    try other.save()
    for key in Set(Self.values.map(\.key)) where key != "plain" {
      let request = FetchRequest(
        "Good", where: try QueryPredicate("%K != nil", key), sortedBy: [SortKey(key)])
      let found = try other.fetch(request)
      #expect(found.count == Self.values.count { $0.key == key }, "\(key)")
      if key != "flag", key != "bytes", key != "uuid" {
        _ = try other.count(
          for: FetchRequest(
            "Good", where: try QueryPredicate("CAST(%K, 'NSString') CONTAINS '1'", key)))
      }
    }
  }

  @Test("NaN and infinite values lie outside of all bounds", arguments: Kind.allCases)
  func bounds(_ kind: Kind) throws {
    let context = try Goods.graph(kind).context()
    let wrong: [(String, Value)] = [
      ("bounded", .double(.nan)), ("bounded", .double(1.000_001)), ("bounded", .double(-.infinity)),
      ("since", .date(Date(timeIntervalSinceReferenceDate: .nan))),
      ("since", .date(Date(timeIntervalSinceReferenceDate: -1e300))),
    ]
    for (key, value) in wrong { try context.insert("Good").setValues([key: value]) }
    for value in [-1, 0, 1] {
      try context.insert("Good").setValues(["bounded": .double(Double(value))])
    }

    // The test does not print the error: Foundation ends the program over a date that is not a number.
    var words: [String] = []
    do { try context.save() } catch let error as ContextError {
      words = error.failures.map { "\($0.key ?? "") \($0.rule)" }
      #expect(error.description.split(separator: "\n").count == 6)
    }
    #expect(
      words == [
        "bounded minimum", "bounded maximum", "bounded minimum", "since minimum", "since minimum",
      ])
  }
}
