import Foundation
import ObjectModel
import Rows

extension Operand {
  /// Casts the value to another type; returns `nil` if that is not possible. Null stays null.
  func cast(to type: QueryExpression.CastType, store: StoreTag?) -> Operand? {
    guard case .value(let value) = self else { return nil }
    if value.isNull { return .null }
    return value.cast(to: type, store: store).map { .value($0) }
  }

  /// Casts the value, or each element of a collection, to another type; returns `nil` if one of them cannot be cast.
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
    case (.date, .string(let text)):
      return ISOMoment.seconds(text.trimmed).map {
        .date(Date(timeIntervalSinceReferenceDate: $0))
      }
    case (.date, _):
      return Number(self).map { .date(Date(timeIntervalSinceReferenceDate: $0.double)) }
    case (.string, _): return text.map { .string($0) }
    case (.uri, .string(let text)), (.uri, .uri(let text)): return .uri(text)
    case (.uuid, .string(let text)): return UUID(spelled: text.trimmed).map { .uuid($0) }
    case (.binary, .string(let text)): return ValueText.exchange.value(text, of: .binary)
    case (.object, .string(let text)), (.object, .uri(let text)):
      guard let id = ObjectID(uri: text) else { return nil }
      return .object(store == nil || store == id.store ? id.key : ObjectKey(rawValue: 0))
    default: return nil
    }
  }

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
  /// Reads a number from the whole text; `nil` if the text is not a number or the number would have to be rounded.
  fileprivate init?(exactText text: String) {
    guard let parts = DecimalParts(text: text.utf8.span) else { return nil }
    self = parts.decimal
  }
}

extension String {
  /// The text without the white space around it.
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
