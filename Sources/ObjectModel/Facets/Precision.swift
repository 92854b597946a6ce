import Foundation

extension Attribute {
  /// How fine the values of an attribute are: whole days of a Date, or a number of decimal places of a Decimal.
  ///
  ///     Attribute("born", .date, validation: .init(precision: .day))
  ///     Attribute("price", .decimal, validation: .init(precision: .places(2)))
  ///
  /// A precision is a rule for values, as a bound is, and the form in which they become text: `2026-04-20` and `30676.20`. It
  /// changes neither the stored bytes nor the version hash (decision 0047).
  public enum Precision: Sendable, Hashable {
    /// Dates without a time: midnights in UTC.
    case day
    /// Decimal numbers with at most this number of decimal places, which text shows even if they are zeros.
    case places(Int)
  }
}

extension Attribute.Precision {
  /// The numbers of places that a decimal number can have.
  package static let allowedPlaces = 0...38

  private static let secondsPerDay = 86_400.0
  private static let midnight = "T00:00:00Z"

  /// The type of the attributes that may have the precision.
  package var type: AttributeType {
    switch self {
    case .day: .date
    case .places: .decimal
    }
  }

  /// Returns whether a moment, in seconds since 2001-01-01 00:00 UTC, is the start of a day in UTC.
  package static func isDay(_ seconds: Double) -> Bool {
    seconds.remainder(dividingBy: secondsPerDay) == 0
  }

  /// Returns the start of the day in UTC of a moment, both in seconds since 2001-01-01 00:00 UTC.
  package static func startOfDay(_ seconds: Double) -> Double {
    (seconds / secondsPerDay).rounded(.down) * secondsPerDay
  }

  /// Returns the nearest number of the places, or the day of a moment. Halves are rounded away from zero; other values are
  /// returned as they are.
  package func rounded(_ value: Value) -> Value {
    switch (self, value) {
    case (.places(let places), .decimal(var number)):
      var result = Decimal()
      // SAFETY: Both numbers are variables of this function, which the call only borrows.
      unsafe NSDecimalRound(&result, &number, places, .plain)
      return .decimal(result)
    case (.day, .date(let date)):
      return .date(
        Date(
          timeIntervalSinceReferenceDate: Self.startOfDay(date.timeIntervalSinceReferenceDate)))
    default: return value
    }
  }

  /// Returns whether a value is as coarse as the precision demands. Values that it does not apply to are accepted here.
  package func accepts(_ value: Value) -> Bool {
    switch (self, value) {
    case (.day, .date(let date)):
      Self.isDay(date.timeIntervalSinceReferenceDate)
    case (.places(let places), .decimal(let number)):
      DecimalParts(number).map { -Int($0.exponent) <= places } ?? true
    default: true
    }
  }

  /// The rule for values, as the end of a sentence.
  package var rule: String {
    switch self {
    case .day: "must be a day without a time"
    case .places(1): "must have at most 1 decimal place"
    case .places(let places): "must have at most \(places) decimal places"
    }
  }

  /// The values in words, for messages and comments; as ``AttributeTraits/words``.
  package var words: String {
    switch self {
    case .day: "a day"
    case .places(1): "a decimal number with 1 place"
    case .places(let places): "a decimal number with \(places) places"
    }
  }

  /// Returns the text of a value; `nil` if a text of this precision would not be exact. All texts of values come from
  /// here if their attribute has a precision, so that tables, exports and messages agree.
  package func text(_ value: Value) -> String? {
    switch (self, value) {
    case (.day, .date(let date)):
      ISOMoment.text(date.timeIntervalSinceReferenceDate).flatMap { text in
        text.hasSuffix(Self.midnight) ? String(text.dropLast(Self.midnight.count)) : nil
      }
    case (.places(let places), .decimal(let number)):
      DecimalParts(number).flatMap { -Int($0.exponent) <= places ? $0.text(places: places) : nil }
    default: nil
    }
  }
}

extension Attribute.Validation {
  /// Whether values are days without a time.
  package var isDay: Bool {
    get { precision == .day }
    set { if newValue { precision = .day } else if isDay { precision = nil } }
  }

  /// The number of decimal places of the values; `nil` if they may have any number.
  package var places: Int? {
    get { if case .places(let places) = precision { places } else { nil } }
    set {
      if let newValue { precision = .places(newValue) } else if places != nil { precision = nil }
    }
  }
}
