import CommandInterface
import DurableFiles
import Foundation
import ObjectModel
import PropertyLists
import Rows

/// One assignment of a command line to a property: `name=Lisbon`, `stops+=4/p7`.
struct Assignment {
  let key: String
  let sign: Sign
  /// The text behind the sign.
  let text: String

  /// The effect of an assignment on the property: set the value or the result of an expression, or add or remove objects.
  enum Sign: String {
    case set = "="
    case compute = ":="
    case add = "+="
    case remove = "-="
  }

  init(_ word: String) throws(CommandError) {
    guard let place = word.firstIndex(of: "="), place != word.startIndex else {
      throw .wrongUsage("'\(word)' is not an assignment.", hint: "Write KEY=VALUE.")
    }
    var key = word[..<place]
    switch key.last {
    case "+": sign = .add
    case "-": sign = .remove
    case ":": sign = .compute
    default: sign = .set
    }
    if sign != .set { key = key.dropLast() }
    self.key = String(key)
    text = String(word[word.index(after: place)...])
  }

  /// The property, without the part of a composite attribute.
  var rootKey: String { String(key.prefix { $0 != "." }) }

  /// The objects to which the relationship is to refer; empty for `null`.
  ///
  /// - Throws: ``CommandError`` if the text is empty, as it is for a shell variable that is not set.
  var targets: [String] {
    get throws(CommandError) {
      if text.isEmpty {
        throw .wrongUsage(
          "'\(key)' has an empty value.", hint: "Write \(key)=null to remove the value.")
      }
      return text == "null" ? [] : FetchColumns.parts(of: text)
    }
  }

  /// Returns the value, converted to the type of the attribute.
  func value(of attribute: Attribute, on disk: any Disk) throws -> Value {
    if text == "null" { return .null }
    let traits = attribute.type.traits
    switch traits.content {
    case .string: return .string(text == "\\null" ? "null" : text)
    case .date: return .date(try parsed(moment(of: attribute), traits.words))
    case .binary: return .binary(try bytes(on: disk))
    case .object, nil: throw CommandError.wrongUsage("'\(key)' can't be set from a command line.")
    default:
      return try parsed(ValueText.exchange.value(text, of: attribute.type), traits.words)
    }
  }

  /// Returns the moment of the text. A time relative to now is the start of its day in an attribute of days.
  private func moment(of attribute: Attribute) -> Date? {
    let moment = date(now: Date())
    guard attribute.validation.isDay, MomentText.seconds(text) == nil, let moment else {
      return moment
    }
    // The words for days are midnights in UTC already; the others are the moment that a wall clock shows.
    let seconds = moment.timeIntervalSinceReferenceDate
    if Attribute.Precision.isDay(seconds) { return moment }
    let wall = seconds + Double(TimeZone.current.secondsFromGMT(for: moment))
    return Date(timeIntervalSinceReferenceDate: Attribute.Precision.startOfDay(wall))
  }

  private func bytes(on disk: any Disk) throws -> Data {
    guard text.hasPrefix("@") else {
      return try parsed(Base64.data(text), "base64, or @FILE")
    }
    let path = String(text.dropFirst())
    do {
      let file = try disk.open(path, for: .read)
      let byteCount = try file.byteCount()
      guard byteCount <= Draft.maximumRowByteCount else {
        throw CommandError(
          .wrongUsage,
          "'\(oneLine(path))' has \(byteCount) bytes, but the texts and bytes of one object can have at most \(Draft.maximumRowByteCount) bytes together.",
          hint: "A document keeps files of any size: see 'quire help attach'.")
      }
      var bytes = Data(count: byteCount)
      // SAFETY: The memory is valid during the call, and only this call uses it. The span of no bytes needs no memory.
      unsafe try bytes.withUnsafeMutableBytes { memory in
        var span = unsafe MutableRawSpan(_unsafeBytes: memory)
        try file.read(into: &span, at: 0)
      }
      return bytes
    } catch let error as DiskError {
      throw CommandError(.inputOutput, error.message)
    }
  }

  /// Returns the moment that the text stands for: ISO 8601, seconds since 2001 as `@123.5`, or a time relative to now.
  ///
  /// The text is in UTC unless it names another zone, because the tool prints moments in UTC. `today` is the day that a wall
  /// clock shows in `zone`, and means the same moment as that day's date.
  func date(now: Date, in zone: TimeZone = .current) -> Date? {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    func day(_ offset: Int) -> Date? {
      let wall = now.addingTimeInterval(Double(zone.secondsFromGMT(for: now)))
      return calendar.date(byAdding: .day, value: offset, to: calendar.startOfDay(for: wall))
    }
    switch text {
    case "now": return now
    case "today": return day(0)
    case "tomorrow": return day(1)
    case "yesterday": return day(-1)
    default: break
    }
    guard let match = text.wholeMatch(of: /([+-][0-9]{1,9})([smhdwMy])/) else {
      return MomentText.seconds(text).map { Date(timeIntervalSinceReferenceDate: $0) }
    }
    guard let count = Int(match.1) else { return nil }
    let component: Calendar.Component
    switch match.2 {
    case "s": component = .second
    case "m": component = .minute
    case "h": component = .hour
    case "d": component = .day
    case "w": component = .weekOfYear
    case "M": component = .month
    default: component = .year
    }
    return calendar.date(byAdding: component, value: count, to: now)
  }

  private func parsed<R>(_ result: R?, _ what: String) throws(CommandError) -> R {
    if let result { return result }
    throw wrong(what)
  }

  private func wrong(_ what: String) -> CommandError {
    .wrongUsage("'\(key)' needs \(what), not '\(text)'.", hint: hint(for: what))
  }

  /// Returns the form to write in place of forms that people know from elsewhere.
  private func hint(for what: String) -> String? {
    if what == AttributeType.date.traits.words {
      return "Write a date as 2026-01-31, 2026-01-31T12:00:00Z, today, now or -3d."
    }
    if let match = text.wholeMatch(of: /([+-]?)([0-9]+)(?:\.[0-9]+)?%/) {
      let factor = 1 + (Double(text.dropLast()) ?? 0) / 100
      return match.1.isEmpty ? nil : "Write '\(key)=\(key)*\(RealText.text(factor))'."
    }
    guard text.wholeMatch(of: /-?[0-9]+,[0-9]+/) != nil else { return nil }
    return "Write \(key)=\(text.replacing(",", with: ".")): numbers have a decimal point."
  }
}
