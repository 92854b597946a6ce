import CommandInterface
import Foundation
import ObjectModel
import ObjectQuery

/// An expression in a list of the command line, with the name that `AS` gives it: `quantity * price AS total`.
struct NamedExpression {
  /// The expression without its name.
  let text: String
  /// The name behind `AS`, if any.
  let given: String?

  /// The name of the value in the results.
  var name: String { given ?? text }

  /// Reads a part of a list.
  init(_ part: String) {
    // A part that ends with a plain word ends outside quotes and brackets.
    if let match = part.wholeMatch(of: /(?s)(.*\S)\s+[Aa][Ss]\s+([\p{L}_][\p{L}\p{N}_]*)\s*/) {
      (text, given) = (String(match.1), String(match.2))
    } else {
      (text, given) = (part, nil)
    }
  }

  /// Reads the parts of a text between its commas.
  static func list(_ text: String) -> [NamedExpression] {
    FetchColumns.parts(of: text).map(NamedExpression.init)
  }
}

extension Option {
  static let zone = Option(
    "zone", value: "ZONE",
    "The time zone in which functions such as YEAR and TRUNC read a date, and in which a fetch writes dates: a name such as "
      + "Europe/Berlin, a difference such as +02:00, or local. The default is UTC.")
}

/// The time zone of a command line, in which the functions of dates are evaluated.
struct CommandZone {
  /// The name of the zone; `nil` for UTC.
  private let name: String?

  init(_ invocation: Invocation) {
    let word = invocation.value(of: .zone)
    name = word == "local" ? TimeZone.current.identifier : word
  }

  /// The texts of values, with dates in the zone.
  var texts: ValueText {
    get throws(CommandError) {
      guard let name else { return .exchange }
      guard let clock = ZoneClock(named: name) else {
        throw .wrongUsage(
          "The time zone \(name.inQuotationMarks()) is unknown.",
          hint: "Give a name such as Europe/Berlin, a difference such as +02:00, or local.")
      }
      return .exchange.showing { seconds in
        // A moment that ISO 8601 can't express is written as a number, which is the same in each zone.
        Int64(exactly: seconds.rounded(.down)).map { Int(clock.offset(at: $0)) } ?? 0
      }
    }
  }

  /// Reads an expression, with the functions of groups as people write them.
  func expression(_ text: String) throws -> QueryExpression {
    placed(try QueryExpression(FetchColumns.aggregates(in: text)))
  }

  /// Reads a condition for groups.
  func groupPredicate(_ text: String) throws -> QueryPredicate {
    placed(try QueryPredicate(FetchColumns.aggregates(in: text)))
  }

  /// Returns an expression with the zone in each function of dates that has none.
  func placed(_ expression: QueryExpression) -> QueryExpression {
    name.map { expression.inTimeZone($0) } ?? expression
  }

  /// Returns a predicate with the zone in each function of dates that has none.
  func placed(_ predicate: QueryPredicate) -> QueryPredicate {
    name.map { predicate.inTimeZone($0) } ?? predicate
  }
}
