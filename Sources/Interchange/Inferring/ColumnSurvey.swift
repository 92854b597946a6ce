import Foundation
import ModelNotations
import ObjectModel

/// The properties of the values in one column of a file.
struct ColumnSurvey {
  /// The name in the first line of the file.
  let name: String
  /// Whether the column has the name of a key, such as `id` or `code`.
  let isNamedKey: Bool
  /// The number of lines in which the column has no value.
  private(set) var emptyCount = 0
  /// The number of lines in which the column has a value.
  private(set) var valueCount = 0
  private var byteCount = 0
  private var kinds: Kinds = .all
  private var texts: InferredText = .all
  private var digits = Digits()
  /// The hashes of the values, as long as no value occurs twice; `nil` if the column is not a key.
  private(set) var keys: Set<UInt64>?
  /// The hashes of the usual texts of values that have another text, such as `1.5` for `1.50`.
  private var usualTexts: Set<UInt64> = []
  /// Whether two different texts have the same value, such as `1.5` and `1.50`.
  private var repeatsValue = false
  /// Whether every value is a list of object identifiers such as `4/p1`, and whether a value is a list of several.
  private(set) var hasIdentifiers = true
  private(set) var hasLists = false

  /// The digits of the numbers so far.
  private struct Digits {
    /// The number of digits after the point of every value; `nil` if the values differ.
    var fractionCount: Int?
    var greatestCount = 0
    /// Whether the fraction of a value ends in a zero, which only a number with a fixed number of places has.
    var endsInZero = false
    /// Whether a value has more digits than a `Double` keeps.
    var exceedDouble = false
  }

  /// Texts that look like values of another type.
  private struct LookAlikes {
    /// Days or moments, in any form.
    var dates = 0
    /// Whether every value may be a number with a decimal comma.
    var areCommaNumbers = true
    /// Numbers with a comma that is not before three digits, where it may be the comma of thousands.
    var commaFractions = 0
  }

  /// The types that all values so far can have.
  private struct Kinds: OptionSet {
    let rawValue: Int
    static let boolean = Kinds(rawValue: 1)
    static let integer = Kinds(rawValue: 2)
    static let number = Kinds(rawValue: 4)
    static let all: Kinds = [.boolean, .integer, .number]
  }

  /// - Parameters:
  ///   - mayBeKey: Whether the column's values are compared to find out whether they are unique.
  ///   - isNamedKey: Whether the column has the name of a key.
  init(_ name: String, mayBeKey: Bool, isNamedKey: Bool = false) {
    self.name = name
    self.isNamedKey = isNamedKey
    keys = mayBeKey ? [] : nil
  }

  /// Whether every line has a value.
  var isRequired: Bool { emptyCount == 0 && valueCount > 0 }

  /// Whether every line has a value, and all values differ.
  var isKey: Bool { keys != nil && isRequired && !(repeatsValue && type != .string) }

  private var lookAlikes = LookAlikes()
  /// The type that the caller has chosen; `nil` to infer it.
  var chosen: (type: AttributeType, precision: Attribute.Precision?)?

  /// Sentences about facts that the inferred type can't express.
  func notes(of entity: String) -> [String] {
    guard valueCount > 0, chosen == nil else { return [] }
    if type == .string, lookAlikes.dates == valueCount {
      return [
        "The column '\(name)' of \(entity) looks like dates, but is text: dates are written like 2026-05-01."
      ]
    }
    if type == .string, lookAlikes.areCommaNumbers, lookAlikes.commaFractions > 0 {
      return [
        "The column '\(name)' of \(entity) looks like numbers with decimal commas, but is text: --decimal , reads them."
      ]
    }
    // A column such as trip_id usually refers to objects in another file.
    guard isNamedKey, InferredNames.words(of: name).count == 1, keys == nil || repeatsValue else {
      return []
    }
    return ["The column '\(name)' of \(entity) has equal values, so it is not unique."]
  }

  /// Returns whether a text is written like a day in a form that is not read: `12/31/2025`, `31.12.2025`, `Jan 1 2000`.
  private static func isDateLike(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard (6...20).contains(bytes.count), bytes.contains(where: { (0x30...0x39).contains($0) })
    else { return false }
    let words = String(decoding: bytes, as: UTF8.self).split { !$0.isLetter && !$0.isNumber }
    guard words.count == 3, let year = words.first(where: { $0.count == 4 && Int($0) != nil })
    else { return false }
    return words.allSatisfy { word in
      if word == year { return true }
      return Int(word).map { (1...31).contains($0) } ?? months.contains(word.prefix(3).lowercased())
    }
  }

  private static let months: Set<String> = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// The type of the values. A column without any value contains text.
  var type: AttributeType {
    if let chosen { return chosen.type }
    guard valueCount > 0 else { return .string }
    if kinds.contains(.boolean) { return .boolean }
    if kinds.contains(.integer) { return .int64 }
    if kinds.contains(.number) {
      // Amounts of money and similar numbers all have the same number of digits after the point. Binary numbers would
      // change such values.
      let isDecimal = digits.fractionCount.map { (1...4).contains($0) } ?? false
      if (isDecimal || digits.exceedDouble) && digits.greatestCount <= 30 { return .decimal }
      return digits.exceedDouble ? .string : .double
    }
    return texts.type ?? .string
  }

  /// The precision of the values: days, or the number of decimal places that all values are written with.
  var precision: Attribute.Precision? {
    if let chosen { return chosen.precision }
    switch type {
    case .date: return texts.precision
    case .decimal:
      guard let count = digits.fractionCount, count >= 1 else { return nil }
      return count == 2 || digits.endsInZero ? .places(count) : nil
    default: return nil
    }
  }

  /// Whether the values are long texts.
  var hasLongTexts: Bool {
    type == .string && byteCount > valueCount * InferredText.longTextByteCount
  }

  mutating func addEmpty() { emptyCount += 1 }

  /// Adds the value of one line.
  ///
  /// - Parameters:
  ///   - isText: Whether the value is a text even if it looks like a number or a truth value.
  ///   - hasDecimalComma: Whether a number has a comma in place of the decimal point.
  mutating func add(
    _ written: ArraySlice<UInt8>, isText: Bool = false, hasDecimalComma: Bool = false
  ) {
    var bytes = written
    if hasDecimalComma {
      if let pointed = DecimalComma.pointed(written) {
        bytes = pointed[...]
      } else {
        kinds.subtract([.integer, .number])
      }
    }
    valueCount += 1
    byteCount += bytes.count
    defer { addKey(bytes) }
    if lookAlikes.dates == valueCount - 1, ColumnSurvey.isDateLike(bytes) { lookAlikes.dates += 1 }
    if hasIdentifiers {
      let parts = bytes.split(separator: 0x20)
      hasIdentifiers = !parts.isEmpty && parts.allSatisfy(Self.isIdentifier)
      if parts.count > 1 { hasLists = true }
    }
    if isText { kinds.subtract([.boolean, .integer, .number]) }
    if kinds.contains(.number) || kinds.contains(.integer) { addNumber(bytes) }
    // Most columns contain plain numbers or plain texts, so this costs at most one look at a text.
    if lookAlikes.areCommaNumbers, !kinds.contains(.number), !isText, !hasDecimalComma {
      addComma(bytes)
    }
    guard kinds.contains(.boolean) || !texts.isEmpty else { return }
    guard bytes.count <= 2048 else {
      kinds.remove(.boolean)
      texts = []
      return
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if kinds.contains(.boolean), !["true", "false", "yes", "no"].contains(text.lowercased()) {
      kinds.remove(.boolean)
    }
    texts.narrow(by: text)
  }

  private mutating func addComma(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count <= 40, DecimalComma.pointed(bytes) != nil else {
      lookAlikes.areCommaNumbers = false
      return
    }
    let fraction = bytes.lastIndex(of: UInt8(ascii: ",")).map { bytes[$0...].count - 1 } ?? 0
    if fraction > 0, fraction != 3 { lookAlikes.commaFractions += 1 }
  }

  /// Compares a value with the earlier ones.
  private mutating func addKey(_ bytes: ArraySlice<UInt8>) {
    guard keys != nil else { return }
    let hash = Self.hash(bytes)
    guard keys!.insert(hash).inserted else {
      keys = nil
      return
    }
    guard !kinds.isEmpty || !texts.isEmpty, !repeatsValue else { return }
    if let usual = usualText(bytes) {
      let usualHash = Self.hash(Array(usual.utf8)[...])
      repeatsValue = keys!.contains(usualHash) || !usualTexts.insert(usualHash).inserted
    } else {
      repeatsValue = usualTexts.contains(hash)
    }
  }

  /// Returns the text that stands for all texts of the same value; `nil` if it is the given text.
  private func usualText(_ bytes: ArraySlice<UInt8>) -> String? {
    if !kinds.isDisjoint(with: [.integer, .number]) {
      let isWhole = bytes.allSatisfy { $0 != 0x2E && $0 != 0x65 && $0 != 0x45 }
      if isWhole, !bytes.elementsEqual([0x2D, 0x30]) { return nil }
      let text = String(decoding: bytes, as: UTF8.self)
      let usual =
        Decimal(string: text).map { "\($0)" } ?? RealText.double(text).map { RealText.text($0) }
      return usual == text ? nil : usual
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if kinds.contains(.boolean) { return ["true", "yes"].contains(text.lowercased()) ? "1" : "0" }
    if texts.contains(.date) { return MomentText.seconds(text).map { MomentText.text($0) } }
    if texts.contains(.uuid) { return text.uppercased() == text ? nil : text.uppercased() }
    return nil
  }

  /// Narrows the type by a value: digits with an optional sign, and for a number a point and an exponent.
  private mutating func addNumber(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    if rest.first == 0x2D { rest = rest.dropFirst() }
    let whole = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(whole.count)
    // A code such as 007 is text: as a number it would lose its zeros.
    let hasLeadingZero = whole.first == 0x30 && whole.count > 1
    guard !whole.isEmpty, !hasLeadingZero else {
      kinds.subtract([.integer, .number])
      return
    }
    var fraction = rest.prefix(0)
    if rest.first == 0x2E {
      rest = rest.dropFirst()
      fraction = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(fraction.count)
      if fraction.isEmpty { kinds.subtract([.integer, .number]) }
    }
    let hasExponent = rest.first == 0x65 || rest.first == 0x45
    if !fraction.isEmpty || hasExponent { kinds.remove(.integer) }
    if kinds.contains(.integer), Int64(String(decoding: bytes, as: UTF8.self)) == nil {
      // A whole number that is too large for an integer is a code, and not a measure.
      kinds.subtract([.integer, .number])
    }
    if hasExponent {
      rest = rest.dropFirst()
      if rest.first == 0x2D || rest.first == 0x2B { rest = rest.dropFirst() }
      let exponent = rest.prefix { (0x30...0x39).contains($0) }
      if exponent.isEmpty || exponent.count > 3 { kinds.subtract([.integer, .number]) }
      rest = rest.dropFirst(exponent.count)
      digits.fractionCount = -1
    }
    // A number that is too large for a `Double` stays as it is written.
    let isInfinite =
      hasExponent && Double(String(decoding: bytes, as: UTF8.self))?.isFinite == false
    if !rest.isEmpty || isInfinite { kinds.subtract([.integer, .number]) }
    if fraction.last == 0x30 { digits.endsInZero = true }
    if valueCount == 1, !hasExponent { digits.fractionCount = fraction.count }
    if digits.fractionCount != fraction.count { digits.fractionCount = -1 }
    digits.greatestCount = max(digits.greatestCount, whole.count + fraction.count)
    // A `Double` keeps every number of 15 digits.
    if whole.count + fraction.count > 15, !digits.exceedDouble {
      digits.exceedDouble = !Self.isDouble(bytes)
    }
  }

  /// Returns whether a number is the shortest text, or an exact text, of a `Double`.
  private static func isDouble(_ bytes: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let number = Double(text), let exact = Decimal(string: text),
      let shortest = Decimal(string: "\(number)")
    else { return false }
    return exact == shortest
  }

  private static func isIdentifier(_ bytes: ArraySlice<UInt8>) -> Bool {
    let entity = bytes.prefix { (0x30...0x39).contains($0) }
    let rest = bytes.dropFirst(entity.count)
    guard !entity.isEmpty, rest.starts(with: [0x2F, 0x70]) else { return false }
    let number = rest.dropFirst(2)
    return !number.isEmpty && number.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Returns a hash (FNV-1a of 64 bits) of a value.
  static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return hash
  }
}
