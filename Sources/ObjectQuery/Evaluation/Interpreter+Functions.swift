import Foundation
import ObjectModel

extension Interpreter {
  /// Returns the value of a function; null if an argument has an unsuitable type.
  func compute(_ function: QueryExpression.Function, _ arguments: [Operand]) -> Operand {
    switch function {
    case .add, .subtract: sum(function, arguments[0], arguments[1])
    case .multiply, .divide, .modulus, .power:
      numbers(arguments).flatMap { arithmetic(function, $0[0], $0[1]) } ?? .null
    case .abs, .floor, .ceiling, .trunc, .sqrt, .log, .ln, .exp:
      arguments[0].number.flatMap { Number.compute(function, $0) }.map { .value($0.value) } ?? .null
    case .random: .value(.double(.random(in: 0..<1)))
    case .randomBelow:
      arguments[0].number?.integer.map {
        .value(.integer($0 > 0 ? .random(in: 0..<$0) : 0))
      } ?? .null
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement:
      bits(function, arguments)
    case .count: Operand(collection(arguments).count)
    case .sum, .average, .min, .max, .median, .mode, .standardDeviation:
      aggregate(function, collection(arguments).filter { !$0.isNull })
    case .distinct: .list(arguments[0].items.distinct)
    case .now: .value(.date(now))
    case .uppercase: arguments[0].text.map { .value(.string($0.uppercased())) } ?? .null
    case .lowercase: arguments[0].text.map { .value(.string($0.lowercased())) } ?? .null
    case .canonical:
      arguments[0].text.map {
        .value(.string($0.folded([.caseInsensitive, .diacriticInsensitive])))
      } ?? .null
    case .length: length(arguments[0])
    case .noIndex: arguments[0]
    }
  }

  /// Returns the operands of an aggregate: the elements of a single collection, or else the arguments.
  private func collection(_ arguments: [Operand]) -> [Operand] {
    arguments.count == 1 ? arguments[0].items : arguments
  }

  private func numbers(_ operands: [Operand]) -> [Number]? {
    let numbers = operands.compactMap(\.number)
    return numbers.count == operands.count ? numbers : nil
  }

  // MARK: - Arithmetic

  private func sum(
    _ function: QueryExpression.Function, _ left: Operand, _ right: Operand
  ) -> Operand {
    switch (left, right) {
    case (.value(.date(let left)), .value(.date(let right))):
      guard function == .subtract else { return .null }
      return .value(.double(left.timeIntervalSince(right)))
    case (.value(.date(let date)), _):
      guard let seconds = right.number?.double else { return .null }
      return .value(.date(date.addingTimeInterval(function == .add ? seconds : -seconds)))
    case (_, .value(.date(let date))):
      guard function == .add, let seconds = left.number?.double else { return .null }
      return .value(.date(date.addingTimeInterval(seconds)))
    default:
      if function == .add, let left = left.text, let right = right.text {
        return .value(.string(left + right))
      }
      return numbers([left, right]).flatMap { arithmetic(function, $0[0], $0[1]) } ?? .null
    }
  }

  private func arithmetic(
    _ function: QueryExpression.Function, _ left: Number, _ right: Number
  ) -> Operand? {
    Number.compute(function, left, right).map { .value($0.value) }
  }

  private func bits(_ function: QueryExpression.Function, _ arguments: [Operand]) -> Operand {
    guard let numbers = numbers(arguments), let left = numbers[0].integer else { return .null }
    if function == .onesComplement { return .value(.integer(~left)) }
    guard let right = numbers[1].integer else { return .null }
    let result: Int64 =
      switch function {
      case .bitwiseAnd: left & right
      case .bitwiseOr: left | right
      case .bitwiseXor: left ^ right
      case .leftShift: left << right
      default: left >> right
      }
    return .value(.integer(result))
  }

  // MARK: - Aggregates

  private func aggregate(_ function: QueryExpression.Function, _ items: [Operand]) -> Operand {
    switch function {
    case .min, .max:
      var best: Operand?
      for item in items {
        guard let known = best else {
          best = item
          continue
        }
        if order(item, known, []) == (function == .min ? .less : .greater) { best = item }
      }
      return best ?? .null
    case .mode:
      let counts = items.reduce(into: [Operand: Int]()) { $0[$1, default: 0] += 1 }
      let most = counts.values.max() ?? 0
      return .list(items.distinct.filter { counts[$0] == most })
    default: break
    }
    guard let numbers = numbers(items) else { return .null }
    if numbers.isEmpty { return function == .sum ? .value(.integer(0)) : .null }
    switch function {
    case .sum:
      return .value(numbers.dropFirst().reduce(numbers[0]) { Number.sum($0, $1) }.value)
    case .average:
      let total = numbers.dropFirst().reduce(numbers[0]) { Number.sum($0, $1) }
      return .value(Number.quotient(total, numbers.count).value)
    case .median:
      guard !numbers.contains(where: \.isNaN) else { return .null }
      let sorted = numbers.sorted { Number.order($0, $1) == .less }
      let middle = sorted[sorted.count / 2]
      if sorted.count % 2 == 1 { return .value(middle.value) }
      return .value(Number.quotient(Number.sum(sorted[sorted.count / 2 - 1], middle), 2).value)
    default:
      let values = numbers.map(\.double)
      let mean = values.reduce(0, +) / Double(values.count)
      let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return .value(.double((squares / Double(values.count)).squareRoot()))
    }
  }

  private func length(_ operand: Operand) -> Operand {
    switch operand {
    case .list(let items): Operand(items.count)
    case .value(.binary(let bytes)): Operand(bytes.count)
    case .value: operand.text.map { Operand($0.count) } ?? .null
    }
  }

  // MARK: - Methods

  /// Returns the value of a method of a value; null if the value has no such method.
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
    case .length: return length(target)
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
