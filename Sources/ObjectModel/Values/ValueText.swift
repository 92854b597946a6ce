import Foundation
package import JSONText
import PropertyLists

/// Converts values to text and back.
///
/// Objects, models and commands do this in several kinds of files. A dialect lists the few points in which the kinds differ, so
/// each type of values is written and read in this one place.
package struct ValueText: Sendable {
  private let booleans: (yes: String, no: String)
  private let dates: Dates
  /// Whether each value is read back to the last bit. Otherwise decimal numbers are rounded to the digits that fit, and all numbers
  /// that are not numbers are alike.
  private let isExact: Bool
  private let notADecimal: String
  /// Returns the seconds by which the clock of texts is ahead of UTC at a moment; `nil` for UTC.
  private var clock: (@Sendable (_ seconds: Double) -> Int)?

  /// The form of moments.
  private enum Dates {
    /// ISO 8601; if no such text is exact, a mark and the seconds since 2001.
    case iso(mark: String)
    case seconds
  }

  /// The texts in files of objects and on command lines.
  package static let exchange = ValueText(
    booleans: ("true", "false"), dates: .iso(mark: "@"), isExact: true, notADecimal: "nan")
  /// The values in the JSON form of a model.
  package static let modelJSON = ValueText(
    booleans: ("true", "false"), dates: .iso(mark: "@"), isExact: false, notADecimal: "nan")
  package static let modelText = ValueText(
    booleans: ("true", "false"), dates: .iso(mark: ""), isExact: false, notADecimal: "nan")
  /// The values in the source of Apple's model editor.
  package static let modelSource = ValueText(
    booleans: ("YES", "NO"), dates: .seconds, isExact: false, notADecimal: "NaN")
}

extension ValueText {
  /// Returns the same texts with moments as another clock shows them, such as `2026-05-01T11:30:00+02:00`.
  ///
  /// - Parameter clock: Returns the seconds by which the clock is ahead of UTC at a moment, in seconds since 2001.
  package func showing(_ clock: @escaping @Sendable (_ seconds: Double) -> Int) -> ValueText {
    var texts = self
    texts.clock = clock
    return texts
  }

  /// Returns the text of a value.
  ///
  /// - Parameter precision: The precision of the value's attribute, which the text shows.
  package func text(_ value: Value, _ precision: Attribute.Precision? = nil) -> String {
    if let text = precision?.text(value) { return text }
    return switch value {
    case .null: "null"
    case .boolean(let value): value ? booleans.yes : booleans.no
    case .integer(let number): String(number)
    case .float(let number): isExact ? RealText.text(number) : "\(number)"
    case .double(let number): isExact ? RealText.text(number) : "\(number)"
    case .decimal(let number): DecimalParts(number)?.text ?? notADecimal
    case .string(let text), .uri(let text): text
    case .date(let date): self.text(date.timeIntervalSinceReferenceDate)
    case .uuid(let uuid): uuid.uuidString
    case .binary(let bytes): bytes.base64EncodedString()
    case .object(let key): ValueText.text(key)
    }
  }

  private func text(_ seconds: Double) -> String {
    switch dates {
    case .iso(let mark): MomentText.text(seconds, mark: mark, ahead: clock?(seconds) ?? 0)
    case .seconds: Int64(exactly: seconds).map { String($0) } ?? "\(seconds)"
    }
  }

  /// Returns the value of a whole text; `nil` if the text is not a value of the type.
  package func value(_ text: String, of type: AttributeType) -> Value? {
    switch type.traits.content {
    case .boolean: ValueText.boolean(text).map { .boolean($0) }
    case .integer: integer(text, of: type).map { .integer($0) }
    case .float: RealText.float(text).map { .float($0) }
    case .double: RealText.double(text).map { .double($0) }
    case .decimal: decimal(text).map { .decimal($0) }
    case .string: .string(text)
    case .uri: .uri(text)
    case .date: seconds(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .uuid: UUID(spelled: text).map { .uuid($0) }
    case .binary: Base64.data(text).map { .binary($0) }
    case .object: ValueText.key(text).map { .object($0) }
    case nil: nil
    }
  }

  private static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }

  /// The check of a model reports a number that is out of range, with the place in the model.
  private func integer(_ text: String, of type: AttributeType) -> Int64? {
    Int64(text).flatMap { !isExact || type.traits.range?.contains($0) ?? false ? $0 : nil }
  }

  private func decimal(_ text: String) -> Decimal? {
    if text == notADecimal { return .nan }
    if let parts = DecimalParts(text: text.utf8.span) { return parts.decimal }
    // Foundation accepts a text that only begins with a decimal number, and rounds more digits than fit.
    guard !isExact, RealText.double(text)?.isFinite ?? false else { return nil }
    return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
  }

  private func seconds(_ text: String) -> Double? {
    switch dates {
    case .iso(let mark): MomentText.seconds(text, mark: mark)
    case .seconds: RealText.double(text)
    }
  }
}

// MARK: - JSON and identifiers

extension ValueText {
  /// Returns a value as JSON: a number where JSON has one, text otherwise. Decimal numbers and moments are texts, because most
  /// programs read numbers of JSON as floating-point numbers.
  package func json(_ value: Value, _ precision: Attribute.Precision? = nil) -> JSON {
    switch value {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case _ where ValueText.isBare(value): .number(text(value))
    default: .string(text(value, precision))
    }
  }

  /// Whether JSON contains the text of a value without quotation marks.
  package static func isBare(_ value: Value) -> Bool {
    switch value {
    case .null, .boolean, .integer: true
    case .float(let number): number.isFinite
    case .double(let number): number.isFinite
    default: false
    }
  }

  /// Returns an object's identifier within its store.
  package static func text(_ key: ObjectKey) -> String { "\(key.entity)/p\(key.number)" }

  /// Returns the object of an identifier in the form of ``text(_:)-(ObjectKey)``; `nil` if the text has another form.
  package static func key(_ text: some StringProtocol) -> ObjectKey? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let entity = UInt16(parts[0]), parts[1].first == "p",
      let number = UInt64(parts[1].dropFirst()), number > 0, number <= ObjectKey.highestNumber
    else { return nil }
    return ObjectKey(entity: entity, number: number)
  }
}
