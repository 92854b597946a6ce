import Foundation
import ObjectModel

extension Operand {
  /// The value as one of another type; `nil` when it can't be one. Null stays null.
  func cast(to type: QueryExpression.CastType, store: StoreTag?) -> Operand? {
    guard case .value(let value) = self else { return nil }
    if value.isNull { return .null }
    return value.cast(to: type, store: store).map { .value($0) }
  }

  /// Each element of a collection as one of another type, or the value itself; `nil` when one of
  /// them can't be.
  func cast(each type: QueryExpression.CastType, store: StoreTag?) -> Operand? {
    guard case .list(let items) = self else { return cast(to: type, store: store) }
    let cast = items.compactMap { $0.cast(to: type, store: store) }
    return cast.count == items.count ? .list(cast) : nil
  }
}

extension Value {
  fileprivate func cast(to type: QueryExpression.CastType, store: StoreTag?) -> Value? {
    switch (type, self) {
    case (.number, .string(let text)), (.number, .uri(let text)):
      let text = text.trimmed
      if let whole = Int64(text) { return .integer(whole) }
      return Double(text).map { .double($0) }
    case (.number, .date(let date)): return .double(date.timeIntervalSinceReferenceDate)
    case (.number, _): return Number(self)?.value
    case (.decimal, .string(let text)): return Decimal(exactText: text.trimmed).map { .decimal($0) }
    case (.decimal, _):
      return Number(self).flatMap { number in
        if case .double(let real) = number, !real.isFinite { return nil }
        return Decimal(exactText: number.text).map { .decimal($0) }
      }
    case (.date, .date), (.uuid, .uuid), (.binary, .binary), (.object, .object): return self
    case (.date, .string(let text)): return Date(isoText: text.trimmed).map { .date($0) }
    case (.date, _):
      return Number(self).map { .date(Date(timeIntervalSinceReferenceDate: $0.double)) }
    case (.string, _): return text.map { .string($0) }
    case (.uri, .string(let text)), (.uri, .uri(let text)): return .uri(text)
    case (.uuid, .string(let text)): return UUID(uuidString: text.trimmed).map { .uuid($0) }
    case (.binary, .string(let text)): return Data(base64Encoded: text).map { .binary($0) }
    case (.object, .string(let text)), (.object, .uri(let text)):
      guard let id = ObjectID(uri: text) else { return nil }
      return .object(store == nil || store == id.store ? id.key : ObjectKey(rawValue: 0))
    default: return nil
    }
  }

  /// The value as text.
  private var text: String? {
    switch self {
    case .string(let text), .uri(let text): text
    case .date(let date): date.isoText(includingFractions: true)
    case .uuid(let uuid): uuid.uuidString
    case .binary(let bytes): bytes.base64EncodedString()
    case .null, .object: nil
    default: Number(self)?.text
    }
  }
}

extension Number {
  fileprivate var text: String {
    switch self {
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .decimal(let number): "\(number)"
    }
  }
}

extension Decimal {
  /// The number that the whole text is; `nil` when it is none or would have to be rounded.
  fileprivate init?(exactText text: String) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let isNumber = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
    }
    guard isNumber, !parts.isEmpty, let number = Decimal(string: text, locale: nil) else {
      return nil
    }
    self = number
  }
}

extension Date {
  /// The moment that a text in the manner of ISO 8601 names: `2026-01-31`, `2026-01-31T09:30:00Z`,
  /// with or without seconds, fractions and an offset. Without an offset it is UTC.
  init?(isoText text: String) {
    var scanner = ISOScanner(text)
    guard let date = scanner.date() else { return nil }
    self = date
  }
}

/// Reads dates such as `2026-01-31T09:30:00.5+02:00`.
private struct ISOScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  mutating func date() -> Date? {
    guard let year = number(4), take("-"), let month = number(2), take("-"),
      let day = number(2), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    var seconds = 0.0
    var offset = 0
    if !rest.isEmpty {
      guard take("T") || take("t") || take(" ") else { return nil }
      guard let hour = number(2), take(":"), let minute = number(2), hour < 24, minute < 60 else {
        return nil
      }
      seconds = Double(hour * 3600 + minute * 60)
      if take(":") {
        guard let second = number(2), second < 61 else { return nil }
        seconds += Double(second)
        if take(".") {
          guard let fraction = fraction() else { return nil }
          seconds += fraction
        }
      }
      guard let zone = zone() else { return nil }
      offset = zone
    }
    guard rest.isEmpty, let days = ISOScanner.days(year, month, day) else { return nil }
    return Date(
      timeIntervalSinceReferenceDate: Double(days) * 86400 + seconds - Double(offset))
  }

  private mutating func zone() -> Int? {
    if rest.isEmpty || take("Z") || take("z") { return 0 }
    let isNegative = take("-")
    guard isNegative || take("+"), let hours = number(2), hours < 24 else { return nil }
    _ = take(":")
    let minutes = rest.isEmpty ? 0 : number(2)
    guard let minutes, minutes < 60 else { return nil }
    return (isNegative ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func number(_ digits: Int) -> Int? {
    var value = 0
    for _ in 0..<digits {
      guard let byte = rest.first, (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
      rest.removeFirst()
    }
    return value
  }

  private mutating func fraction() -> Double? {
    var value = 0.0
    var unit = 0.1
    var count = 0
    while let byte = rest.first, (0x30...0x39).contains(byte) {
      value += Double(byte - 0x30) * unit
      unit /= 10
      count += 1
      rest.removeFirst()
    }
    return count > 0 ? value : nil
  }

  /// The days from 2001-01-01 to a day of the Gregorian calendar; `nil` when the month has no such
  /// day.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[month - 1] else { return nil }
    func leaps(before year: Int) -> Int {
      let last = year - 1
      return last / 4 - last / 100 + last / 400
    }
    let years = (year - 2001) * 365 + leaps(before: year) - leaps(before: 2001)
    return years + lengths[..<(month - 1)].reduce(0, +) + day - 1
  }
}

extension String {
  /// The text without the white space around it.
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
