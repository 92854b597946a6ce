import Foundation
import ObjectModel

extension Interpreter {
  /// Returns the value of a function; null if an argument has an unsuitable type.
  func compute(_ function: QueryExpression.Function, _ arguments: [Operand]) -> Operand {
    function.traits.value(arguments, now)
  }

  // MARK: - Methods

  /// Returns the value of a method of a value; null if the value's type lacks the method.
  func call(_ method: ValueMethod, on target: Operand, _ arguments: [Operand]) -> Operand {
    func text(_ change: (String) -> String?) -> Operand {
      target.text.flatMap(change).map { .value(.string($0)) } ?? .null
    }
    func date(_ change: (Date) -> Value?) -> Operand {
      guard case .value(.date(let date)) = target else { return .null }
      return change(date).map { .value($0) } ?? .null
    }
    var number: Number? {
      target.number ?? target.cast(to: .number, store: nil)?.number
    }
    switch method {
    case .length: return target.length
    case .count:
      if case .list(let items) = target { return Operand(items.count) }
      return .null
    case .uppercase: return text { $0.uppercased() }
    case .lowercase: return text { $0.lowercased() }
    case .capitalized: return text { $0.capitalized }
    case .appending: return text { text in arguments[0].text.map { text + $0 } }
    case .substringFrom:
      return text { text in
        guard let place = arguments[0].number?.integer, (0...Int64(text.count)).contains(place)
        else { return nil }
        return String(text.dropFirst(Int(place)))
      }
    case .substringTo:
      return text { text in
        guard let place = arguments[0].number?.integer, (0...Int64(text.count)).contains(place)
        else { return nil }
        return String(text.prefix(Int(place)))
      }
    case .replacing:
      return text { text in
        guard let part = arguments[0].text, let other = arguments[1].text else { return nil }
        return part.isEmpty ? text : text.replacingOccurrences(of: part, with: other)
      }
    case .lastPathComponent: return text { ($0.path as NSString).lastPathComponent }
    case .pathExtension: return text { ($0.path as NSString).pathExtension }
    case .deletingPathExtension: return text { ($0 as NSString).deletingPathExtension }
    case .deletingLastPathComponent: return text { ($0 as NSString).deletingLastPathComponent }
    case .appendingPathComponent:
      return text { text in
        arguments[0].text.map { (text as NSString).appendingPathComponent($0) }
      }
    case .uuidText:
      guard case .value(.uuid(let uuid)) = target else { return .null }
      return .value(.string(uuid.uuidString))
    case .numberText:
      return target.cast(to: .string, store: nil) ?? .null
    case .absoluteText, .relativeText: return text { $0 }
    case .scheme: return text { NSURL(string: $0)?.scheme }
    case .host: return text { NSURL(string: $0)?.host }
    case .port:
      return target.text.flatMap { NSURL(string: $0)?.port }.map { Operand($0.intValue) } ?? .null
    case .path: return text { NSURL(string: $0)?.path }
    case .query: return text { NSURL(string: $0)?.query }
    case .fragment: return text { NSURL(string: $0)?.fragment }
    case .longLongValue: return number?.integer.map { .value(.integer($0)) } ?? .null
    case .floatValue: return number.map { .value(.double(Double(Float($0.double)))) } ?? .null
    case .integerValue: return number?.integer.map { .value(.integer($0)) } ?? .null
    case .intValue:
      return number?.integer.map { .value(.integer(Int64(Int32(clamping: $0)))) } ?? .null
    case .doubleValue: return number.map { .value(.double($0.double)) } ?? .null
    case .boolValue: return number.map { Operand($0.double != 0) } ?? .null
    case .secondsSinceReferenceDate: return date { .double($0.timeIntervalSinceReferenceDate) }
    case .secondsSince1970: return date { .double($0.timeIntervalSince1970) }
    case .secondsSince:
      return date { date in
        guard case .value(.date(let other)) = arguments[0] else { return nil }
        return .double(date.timeIntervalSince(other))
      }
    case .addingSeconds:
      return date { date in
        arguments[0].number.map { .date(date.addingTimeInterval($0.double)) }
      }
    }
  }
}

extension String {
  /// The path of a URL, or the text itself if it is not a URL.
  fileprivate var path: String {
    guard let url = NSURL(string: self), url.scheme != nil else { return self }
    return url.path ?? ""
  }
}
