import ObjectModel

@testable import ObjectGraph

/// A step with the name of an object and values of its properties: `set("trip", cost: 1)`.
///
/// The call is dynamic, so a scenario can name the properties of any model without declaring each of them.
@dynamicCallable
struct PropertyStep {
  typealias Body = (_ label: String, _ name: String, _ values: [(String, StepValue)]) throws -> Void
  private let context: ScenarioContext
  private let verb: String
  private let body: Body

  init(_ context: ScenarioContext, _ verb: String, _ body: @escaping Body) {
    self.context = context
    self.verb = verb
    self.body = body
  }

  @discardableResult
  func dynamicallyCall(
    withKeywordArguments arguments: KeyValuePairs<String, StepValue>
  ) -> ScenarioContext {
    context.step("\(verb) \(words(of: arguments))") { _ in
      guard let first = arguments.first, case .text(let name) = first.value else {
        throw StepFailure("The step names no object.")
      }
      try body(first.key, name, arguments.dropFirst().map { ($0.key, $0.value) })
    }
  }
}

/// A step with entities and names of their objects: `contains(trip: ["trip"], stop: [])`.
@dynamicCallable
struct EntityStep {
  private let context: ScenarioContext
  private let verb: String
  private let body: (_ entity: String, _ names: [String]) throws -> Void

  init(
    _ context: ScenarioContext, _ verb: String,
    _ body: @escaping (_ entity: String, _ names: [String]) throws -> Void
  ) {
    self.context = context
    self.verb = verb
    self.body = body
  }

  @discardableResult
  func dynamicallyCall(
    withKeywordArguments arguments: KeyValuePairs<String, StepValue>
  ) -> ScenarioContext {
    context.step("\(verb) \(words(of: arguments))") { _ in
      for (key, value) in arguments {
        try body(key.prefix(1).uppercased() + key.dropFirst(), value.names)
      }
    }
  }
}

private func words(of arguments: KeyValuePairs<String, StepValue>) -> String {
  arguments.map { $0.key.isEmpty ? "\($0.value)" : "\($0.key): \($0.value)" }
    .joined(separator: ", ")
}

/// A value as a scenario writes it: a number, a text, the name of an object, or several names.
enum StepValue: Hashable, CustomStringConvertible {
  case none
  case flag(Bool)
  case number(Double)
  case text(String)
  case list([StepValue])

  /// The value of an attribute.
  init(_ value: Value) {
    switch value {
    case .null: self = .none
    case .boolean(let flag): self = .flag(flag)
    case .integer(let number): self = .number(Double(number))
    case .double(let number): self = .number(number)
    case .string(let text): self = .text(text)
    default: self = .text("\(value)")
    }
  }

  /// The names of the objects of a relationship.
  var names: [String] {
    switch self {
    case .text(let name): [name]
    case .list(let values): values.flatMap(\.names)
    default: []
    }
  }

  /// The value. The elements of a list are sorted, so that lists are compared regardless of their order.
  var sorted: StepValue {
    if case .list(let values) = self { .list(values.sorted { "\($0)" < "\($1)" }) } else { self }
  }

  /// The value for an attribute of the object.
  func value(for key: String, of object: ManagedObject) throws -> Value {
    let type = object.entity.attributes.first { $0.name == key }?.type
    switch (self, type) {
    case (.none, _?): return .null
    case (.flag(let flag), .boolean?): return .boolean(flag)
    case (.number(let number), .double?): return .double(number)
    case (.number(let number), .int16?), (.number(let number), .int32?),
      (.number(let number), .int64?):
      return .integer(Int64(number))
    case (.text(let text), .string?): return .string(text)
    default:
      throw StepFailure("\(object.entity.name) has no property \"\(key)\" for the value \(self).")
    }
  }

  var description: String {
    switch self {
    case .none: "nil"
    case .flag(let flag): "\(flag)"
    case .number(let number): number == number.rounded() ? "\(Int(number))" : "\(number)"
    case .text(let text): text
    case .list(let values): "[\(values.map(\.description).joined(separator: ", "))]"
    }
  }
}

extension StepValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral
{
  init(stringLiteral text: String) { self = .text(text) }
  init(integerLiteral number: Int) { self = .number(Double(number)) }
  init(floatLiteral number: Double) { self = .number(number) }
  init(booleanLiteral flag: Bool) { self = .flag(flag) }
  init(nilLiteral: ()) { self = .none }
  init(arrayLiteral values: StepValue...) { self = .list(values) }
}
