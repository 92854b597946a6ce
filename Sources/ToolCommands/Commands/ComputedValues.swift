import CommandInterface
import DurableFiles
import Foundation
import Interchange
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows

/// The values that the expressions of a `quire set` have for each object.
///
/// All of them are evaluated before an object changes. So `a=b b=a` exchanges two values, and an expression that reads
/// other objects does not depend on the order of the edit.
final class ComputedValues {
  private let context: ManagedObjectContext
  private let tag: StoreTag
  private let schema: Schema
  private let zone: CommandZone
  /// The expressions, by the entities of the objects that they are evaluated for.
  private var targets: [String: [Target]] = [:]
  private var values: [ObjectKey: [Value]] = [:]
  /// The objects that had a value for which an expression has none.
  private var emptied: Set<ObjectKey> = []

  /// An expression and the attribute that gets its value.
  private struct Target {
    let key: String
    let attribute: Attribute
    let expression: QueryExpression
    let text: String
  }

  /// The greatest number of objects that one request names.
  private static let partCount = 4096

  init(
    _ context: ManagedObjectContext, _ tag: StoreTag, _ schema: Schema, _ zone: CommandZone
  ) {
    self.context = context
    self.tag = tag
    self.schema = schema
    self.zone = zone
  }

  /// The number of objects that had a value for which an expression has none.
  var emptiedCount: Int { emptied.count }

  // MARK: - Reading

  /// Returns the change by an assignment of an expression; `nil` if the text is a value of the attribute.
  ///
  /// - Throws: `QueryError` with its place for a wrong expression.
  func change(
    _ assignment: Assignment, of attribute: Attribute, _ entity: String
  ) throws -> StoreEdit.Change? {
    let text = assignment.text
    guard let expression = try expression(assignment, of: attribute, entity) else { return nil }
    let target = Target(
      key: assignment.key, attribute: attribute, expression: expression, text: text)
    let index = targets[entity]?.count ?? 0
    targets[entity, default: []].append(target)
    return { [unowned self] object in
      guard let value = values[object.objectID.key]?[index] else { return false }
      let isChanged = try ObjectEdit(object).set(SharedValue(value, forKey: target.key))
      if isChanged, value.isNull { emptied.insert(object.objectID.key) }
      return isChanged
    }
  }

  private func expression(
    _ assignment: Assignment, of attribute: Attribute, _ entity: String
  ) throws -> QueryExpression? {
    let text = assignment.text
    let isForced = assignment.sign == .compute
    let isText = attribute.type.traits.content == .string
    if !isForced {
      if text == "null" || attribute.type.traits.content == .binary { return nil }
      if !isText, (try? assignment.value(of: attribute, on: RealDisk())) != nil { return nil }
    }
    var expression: QueryExpression
    do { expression = zone.placed(try QueryExpression(text)) } catch {
      // Without a sign of an expression the text is a wrong value, whose error names the wanted form.
      guard isForced || !isText && text.contains(where: { "(*/".contains($0) }) else { return nil }
      throw error
    }
    // A day that does not exist is not a difference of numbers.
    let isDate = attribute.type.traits.content == .date
    if isDate, text.wholeMatch(of: /[0-9]+-[0-9]+-[0-9]+/) != nil { return nil }
    if !isForced {
      switch expression {
      // A text is an expression only if it computes something. A name alone is a text.
      case .constant, .variable, .aggregate, .object, .evaluatedObject: return nil
      case .keyPath(of: .evaluatedObject, let path):
        guard !isText, context.coordinator.model.property(path[0], of: entity) != nil else {
          return nil
        }
      default: break
      }
    }
    if attribute.type == .decimal { expression = expression.withDecimalConstants }
    do {
      let checked = try AssignedExpression(
        expression, entity: entity, model: context.coordinator.model, schema: schema, store: tag)
      if isText, !isForced, !(checked.isText && checked.readsObject) { return nil }
      guard checked.suits(attribute) else {
        throw CommandError.wrongUsage(
          "'\(assignment.key)' needs \(attribute.type.traits.words), and '\(oneLine(text))' is "
            + "\(checked.words).")
      }
    } catch let error as QueryError {
      if isText, !isForced { return nil }
      throw error.located(in: text)
    }
    return expression
  }

  // MARK: - Evaluating

  /// Evaluates all expressions for the objects.
  ///
  /// - Throws: ``CommandError`` for values that their attributes can't have.
  func evaluate(for objects: [ManagedObject], checking interruption: Interruption) throws {
    guard !targets.isEmpty else { return }
    var problems = ValueProblems()
    for (entity, keys) in Dictionary(grouping: objects, by: \.entity.name) {
      guard let targets = targets[entity], !targets.isEmpty else { continue }
      for start in stride(from: 0, to: keys.count, by: ComputedValues.partCount) {
        try interruption.check()
        let part = keys[start..<min(start + ComputedValues.partCount, keys.count)]
        try evaluate(targets, of: entity, for: part.map(\.objectID.key), &problems)
      }
    }
    try problems.check()
  }

  private func evaluate(
    _ targets: [Target], of entity: String, for keys: [ObjectKey], _ problems: inout ValueProblems
  ) throws {
    var request = QueryRequest(entity, where: FetchSelection.predicate(for: keys, in: tag))
    request.includesSubentities = false
    request.propertiesToFetch =
      [FetchedValue("@", .evaluatedObject)]
      + targets.enumerated().map { FetchedValue("\($0.offset)", $0.element.expression) }
    let table = try context.fetchTable(FetchRequest<ManagedObject>(request))
    for row in table.rows {
      guard case .object(let key) = row[0] else { continue }
      values[key] = zip(targets, row.dropFirst()).map { target, value in
        if let fitting = value.fitting(target.attribute) { return fitting }
        problems.add(key, target.key, target.attribute, value)
        return .null
      }
    }
  }
}

/// The values that attributes can't have, each with its object.
private struct ValueProblems {
  private var errors: [CommandError] = []
  private var count = 0
  private static let mostShown = 5

  mutating func add(_ object: ObjectKey, _ key: String, _ attribute: Attribute, _ value: Value) {
    count += 1
    guard errors.count < ValueProblems.mostShown else { return }
    let isFraction = attribute.type.traits.content == .integer && value.isNumber
    errors.append(
      .wrongUsage(
        "\(Wording.text(.object(object))): '\(key)' needs \(attribute.type.traits.words), and the expression gives "
          + "\(Wording.text(.value(value))).",
        hint: isFraction && count == 1
          ? "ROUND(x), FLOOR(x) and CEILING(x) make a whole number." : nil))
  }

  func check() throws {
    guard count > 0 else { return }
    var errors = errors
    if count > errors.count {
      errors.append(
        .wrongUsage("\(Wording.count(count - errors.count, "more value")) can't be stored either."))
    }
    try CommandError.throwAll(errors)
  }
}

extension Value {
  fileprivate var isNumber: Bool { Number(self) != nil }

  /// Returns the value in the type of an attribute, without a loss; `nil` if the attribute can't have it.
  fileprivate func fitting(_ attribute: Attribute) -> Value? {
    if isNull { return self }
    guard let content = attribute.type.traits.content else { return nil }
    let value: Value?
    switch (content, self) {
    case (.boolean, .boolean), (.string, .string), (.uri, .uri), (.date, .date), (.uuid, .uuid),
      (.binary, .binary), (.decimal, .decimal), (.integer, .integer), (.double, .double):
      value = self
    case (.string, .uri(let text)): value = .string(text)
    case (.uri, .string(let text)), (.uuid, .string(let text)):
      value = ValueText.exchange.value(text, of: attribute.type)
    case (.integer, .boolean), (.double, .boolean), (.decimal, .boolean), (.float, .boolean):
      value = nil
    case (.integer, _): value = whole
    case (.double, _): value = Number(self).map { .double($0.double) }
    case (.float, _): value = Number(self).map { .float(Float($0.double)) }
    case (.decimal, .integer(let number)): value = .decimal(Decimal(number))
    case (.decimal, .double(let number)) where number.isFinite:
      value = ValueText.exchange.value(number.description, of: attribute.type)
    default: value = nil
    }
    guard let value, attribute.type.problem(with: value) == nil else { return nil }
    // A tenth more than a price has three places, and must be a price again.
    return attribute.validation.precision?.rounded(value) ?? value
  }

  private var whole: Value? {
    switch self {
    case .double(let number): Int64(exactly: number).map { .integer($0) }
    case .decimal(let number):
      Int64(number.description).map { .integer($0) }
    default: nil
    }
  }
}
