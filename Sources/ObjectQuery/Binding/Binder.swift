import Foundation
import ObjectModel
import Rows
import TextMatching

/// Binds predicates and expressions to an entity.
///
/// The binder resolves names to columns, substitutes the values of variables, and computes parts that are the same
/// for every object. It throws for parts that never have a meaning.
struct Binder {
  let model: Model
  let schema: Schema
  let store: StoreTag?
  /// The entity of the evaluated objects; `nil` without an object.
  let entity: String?
  let variables: [String: QueryExpression]
  /// The time that `now()` returns.
  let now: Date

  /// The variables of the enclosing subqueries with their entities, the outermost first.
  private var slots: [(name: String, entity: String?)] = []
  /// The number of slots for subquery variables that the evaluation needs.
  private(set) var slotCount = 0
  private(set) var sharedFetchCount = 0
  /// Whether the part that is being bound reads the object or a variable of an outer subquery.
  private var usesThis = false
  private var lowestSlot = Int.max
  private var depth = 0
  /// The treatment of parts without a value.
  private let missing: MissingValues
  /// Whether a constant part without a value is an error.
  var refusesMissingValues: Bool { missing != .allowed }
  /// The state for binding the values of groups; `nil` while values of objects are bound.
  var groups: GroupBinding?

  init(
    _ model: Model, _ schema: Schema, store: StoreTag?, entity: String?,
    variables: [String: QueryExpression] = [:], now: Date, missing: MissingValues = .refused
  ) {
    self.missing = missing
    self.model = model
    self.schema = schema
    self.store = store
    self.entity = entity
    self.variables = variables
    self.now = now
  }

  // MARK: - Predicates

  /// Binds a predicate. An error contains the parts around the fault, so that its place in a text can be found.
  mutating func bind(_ predicate: QueryPredicate) throws(QueryError) -> BoundPredicate {
    try descend()
    defer { depth -= 1 }
    do { return try bindOnce(predicate) } catch { throw error.within(.predicate(predicate)) }
  }

  private mutating func bindOnce(
    _ predicate: QueryPredicate
  ) throws(QueryError) -> BoundPredicate {
    switch predicate {
    case .constant(let flag): return .constant(flag)
    case .and(let parts): return .and(try bind(parts))
    case .or(let parts): return .or(try bind(parts))
    case .not(let part): return .not(try bind(part))
    case .comparison(let comparison): return try bind(comparison)
    }
  }

  private mutating func bind(
    _ parts: [QueryPredicate]
  ) throws(QueryError) -> [BoundPredicate] {
    var bound: [BoundPredicate] = []
    for part in parts { bound.append(try bind(part)) }
    return bound
  }

  private mutating func bind(
    _ comparison: QueryPredicate.Comparison
  ) throws(QueryError) -> BoundPredicate {
    var (left, leftType) = try bind(comparison.left)
    var (right, rightType): (BoundExpression, OperandType)
    do { (right, rightType) = try bind(comparison.right) } catch {
      throw error.suggestingQuotes(around: comparison.right, comparedWith: leftType)
    }
    let isFixed = left.isConstant && right.isConstant
    (left, leftType) = coerce(left, leftType, toFit: rightType, isFixed: isFixed)
    (right, rightType) = coerce(right, rightType, toFit: leftType, isFixed: isFixed)
    (right, rightType) = withoutIncomparable(right, rightType, comparison, leftType)
    try check(comparison, leftType, rightType)
    try check(elements: right, comparison, leftType, rightType)
    var pattern: TextPattern?
    if let text = right.constant?.text {
      switch comparison.operation {
      case .in, .between: break
      // The elements of a collection are compared as they are; only a text is searched.
      case .contains where leftType.isCollection: break
      default: pattern = try TextPattern(text, comparison.operation, comparison.options)
      }
    }
    let bound = BoundComparison(
      left: left, operation: comparison.operation, right: right, modifier: comparison.modifier,
      options: comparison.options, pattern: pattern)
    if left.isConstant, right.isConstant {
      return .constant(try Interpreter.withoutObjects(now).holds(bound))
    }
    return bound.asDateRange ?? .comparison(bound)
  }

  // MARK: - Expressions

  mutating func bind(
    _ expression: QueryExpression
  ) throws(QueryError) -> (BoundExpression, OperandType) {
    try descend()
    defer { depth -= 1 }
    do { return try bindComputed(expression) } catch {
      throw error.within(.expression(expression))
    }
  }

  private mutating func bindComputed(
    _ expression: QueryExpression
  ) throws(QueryError) -> (BoundExpression, OperandType) {
    if let known = try bindGroupValue(expression) { return known }
    let (bound, type) = try bindOnce(expression)
    guard !bound.isConstant, bound.canBeComputedNow else {
      guard bound.constant?.isNull == true, !expression.isNullOrVariable else {
        return (bound, type)
      }
      // A `TERNARY` returned NULL.
      try refuseMissingValue(of: bound)
      return (.function(.noIndex, [bound]), type)
    }
    let operand = try Interpreter.withoutObjects(now).value(bound)
    if operand.isNull {
      // Only the constant NULL matches rows without a value, so this part must not become that constant.
      try refuseMissingValue(of: bound)
      return (bound, type)
    }
    return (.constant(operand), type == .unknown ? OperandType(operand) : type)
  }

  private mutating func bindOnce(
    _ expression: QueryExpression
  ) throws(QueryError) -> (BoundExpression, OperandType) {
    switch expression {
    case .constant(.float(let number)):
      return (.constant(.value(.double(Double(number)))), .number)
    case .constant(let value): return (.constant(.value(value)), OperandType(value))
    case .object(let id):
      // An object of another store does not exist here: no object has number 0 of entity 0.
      let isHere = store == nil || store == id.store
      let key = isHere ? id.key : ObjectKey(rawValue: 0)
      return (.constant(.value(.object(key))), .object(nil))
    case .aggregate(let parts): return try bindAggregate(parts)
    case .evaluatedObject:
      usesThis = true
      guard entity != nil else {
        throw QueryError(.notSupported, "SELF can't be used here: the expression has no object.")
      }
      return (.this, .object(entity))
    case .variable(let name): return try bindVariable(name)
    case .keyPath(of: let base, let path): return try bindPath(path, of: base)
    case .function(let function, let arguments): return try bindCall(of: function, arguments)
    case .call(let target, let name, let arguments):
      return try bindCall(of: name, target, arguments)
    case .element(of: let collection, let index): return try bindElement(index, of: collection)
    case .set(let operation, let left, let right):
      let (left, leftType) = try bind(left)
      let (right, rightType) = try bind(right)
      for type in [leftType, rightType] where !type.isCollection && type != .unknown {
        throw QueryError(
          .typeMismatch, "\(operation.rawValue) needs collections, not \(type.words).")
      }
      return (.set(operation, left, right), leftType)
    case .subquery(let collection, variable: let name, let predicate):
      return try bindSubquery(collection, name, predicate)
    case .conditional(let predicate, let then, let otherwise):
      let condition = try bind(predicate)
      let (then, thenType) = try bind(then)
      let (otherwise, otherType) = try bind(otherwise)
      if case .constant(let flag) = condition {
        return flag ? (then, thenType) : (otherwise, otherType)
      }
      let type =
        thenType == otherType || otherType == .null
        ? thenType : thenType == .null ? otherType : .unknown
      return (.conditional(condition, then, otherwise), type)
    case .cast(let value, let target):
      let (bound, _) = try bind(value)
      return (.cast(bound, target), OperandType(target))
    case .fetch(entity: let name, let predicate, let countOnly):
      return try bindFetch(name, predicate, countOnly)
    }
  }

  private mutating func bindAggregate(
    _ parts: [QueryExpression]
  ) throws(QueryError) -> (BoundExpression, OperandType) {
    var bound: [BoundExpression] = []
    var element: OperandType?
    for part in parts {
      let (expression, type) = try bind(part)
      bound.append(expression)
      if type != .null { element = element == nil || element == type ? type : .unknown }
    }
    let type = OperandType.collection(element ?? .unknown)
    let operands = bound.compactMap(\.constant)
    return (operands.count == bound.count ? .constant(.list(operands)) : .list(bound), type)
  }

  private mutating func bindVariable(
    _ name: String
  ) throws(QueryError) -> (BoundExpression, OperandType) {
    if let slot = slots.lastIndex(where: { $0.name == name }) {
      lowestSlot = min(lowestSlot, slot)
      return (.slot(slot), .object(slots[slot].entity))
    }
    guard let value = variables[name] else {
      // This slot stands for a variable without a value. It is never evaluated.
      if missing == .openVariables { return (.slot(.max), .unknown) }
      throw QueryError(
        .missingVariable,
        "The variable \"$\(name)\" has no value."
          + suggestion(name, among: variables.keys.sorted() + slots.map(\.name)), name: name)
    }
    return try bind(value)
  }

  private mutating func bindPath(
    _ path: [String], of base: QueryExpression
  ) throws(QueryError) -> (BoundExpression, OperandType) {
    let (base, type) = try bind(base)
    let whole = path.joined(separator: ".")
    guard !path.isEmpty else { return (base, type) }
    if path.first?.first == "@", type.isCollection || type == .unknown {
      // The elements of a collection of values, such as "{1, 2, 3}.@sum", do not have properties.
      let inner = type.element
      var entity: String?
      if case .object(let name) = inner { entity = name }
      let (steps, result) =
        if case .object = inner {
          try steps(path, from: entity, isCollection: true, whole: whole)
        } else {
          try steps(ofValues: inner, path, whole: whole)
        }
      return (.path(base, steps), result)
    }
    switch type {
    case .object(let entity), .collection(.object(let entity)):
      let (steps, result) = try steps(
        path, from: entity, isCollection: type.isCollection, whole: whole)
      return (.path(base, steps), result)
    case .unknown where missing == .openVariables: return (.path(base, []), .unknown)
    default:
      throw QueryError(
        .unknownProperty, "Can't follow \"\(whole)\" from \(type.words), which is not an object.")
    }
  }

  private func steps(
    ofValues element: OperandType, _ path: [String], whole: String
  ) throws(QueryError) -> ([PathStep], OperandType) {
    let name = path[0].dropFirst()
    guard path.count <= 2, path.count == 1 || path[1] == "self",
      let operation = CollectionOperator(rawValue: String(name))
    else {
      throw QueryError(.unknownProperty, "Can't follow \"\(whole)\" from a collection of values.")
    }
    let type: OperandType =
      switch operation {
      case .count, .sum, .average: .number
      case .minimum, .maximum: element
      default: .collection(element)
      }
    return ([.collection(operation, [])], type)
  }

  private mutating func bindElement(
    _ index: QueryExpression.Index, of collection: QueryExpression
  ) throws(QueryError) -> (BoundExpression, OperandType) {
    let (bound, type) = try bind(collection)
    guard type.isCollection || type == .unknown else {
      throw QueryError(.typeMismatch, "Only a collection has elements, not \(type.words).")
    }
    switch index {
    case .first: return (.element(bound, .first), type.element)
    case .last: return (.element(bound, .last), type.element)
    case .size: return (.element(bound, .size), .number)
    case .at(let place):
      let (place, placeType) = try bind(place)
      guard placeType.isComparable(to: .number) else {
        throw QueryError(
          .typeMismatch, "The index of an element must be a number, not \(placeType.words).")
      }
      return (.element(bound, .at(place)), type.element)
    }
  }

  private mutating func bindSubquery(
    _ collection: QueryExpression, _ name: String, _ predicate: QueryPredicate
  ) throws(QueryError) -> (BoundExpression, OperandType) {
    let (bound, type) = try bind(collection)
    guard case .collection(.object(let entity)) = type else {
      throw QueryError(
        .typeMismatch, "SUBQUERY needs a collection of objects, not \(type.words).")
    }
    let outer = (usesThis, lowestSlot)
    usesThis = false
    lowestSlot = .max
    let slot = slots.count
    slots.append((name, entity))
    slotCount = max(slotCount, slots.count)
    let condition = try bind(predicate)
    slots.removeLast()
    let standsAlone = !usesThis && lowestSlot >= slot
    usesThis = usesThis || outer.0
    lowestSlot = min(lowestSlot, outer.1)
    let own = standsAlone ? condition.replacingSlot(slot) : nil
    return (
      .subquery(
        BoundSubquery(collection: bound, slot: slot, predicate: condition, own: own)), type
    )
  }

  private mutating func bindFetch(
    _ name: String, _ predicate: QueryPredicate, _ countOnly: Bool
  ) throws(QueryError) -> (BoundExpression, OperandType) {
    guard model[name] != nil else { throw Binder.unknownEntity(name, in: model) }
    var inner = Binder(
      model, schema, store: store, entity: name, variables: variables, now: now,
      missing: missing)
    inner.slots = slots
    inner.slotCount = slotCount
    inner.sharedFetchCount = sharedFetchCount
    inner.depth = depth
    let condition = try inner.bind(predicate)
    slotCount = inner.slotCount
    sharedFetchCount = inner.sharedFetchCount
    lowestSlot = min(lowestSlot, inner.lowestSlot)
    let isShared = inner.lowestSlot == .max
    if isShared { sharedFetchCount += 1 }
    let fetch = BoundFetch(
      layouts: schema.layouts(ofFamily: name, in: model), predicate: condition,
      countOnly: countOnly, sharedIndex: isShared ? sharedFetchCount - 1 : nil)
    return (.fetch(fetch), countOnly ? .number : .collection(.object(name)))
  }

  private mutating func descend() throws(QueryError) {
    depth += 1
    if depth > 2 * QueryLimits.depth {
      throw QueryError(
        .tooLarge, "The predicate is nested more than \(QueryLimits.depth) levels deep.")
    }
  }

  static func unknownEntity(_ name: String, in model: Model) -> QueryError {
    var suggestion = NameSuggestion()
    return QueryError(
      .unknownEntity,
      "The model has no entity \"\(name)\"."
        + suggestion.sentence(for: name, among: model.entities.map(\.name)), name: name)
  }
}

extension OperandType {
  init(_ operand: Operand) {
    switch operand {
    case .value(let value): self.init(value)
    case .list(let items):
      let types = Set(items.map(OperandType.init)).subtracting([.null])
      self = .collection(types.count == 1 ? types.first! : .unknown)
    }
  }

  init(_ type: QueryExpression.CastType) {
    switch type {
    case .number, .decimal: self = .number
    case .date: self = .date
    case .string, .uri: self = .text
    case .uuid: self = .uuid
    case .binary: self = .binary
    case .object: self = .object(nil)
    }
  }
}

extension BoundExpression {
  /// Whether every part is a constant, so that the value can be computed at binding.
  fileprivate var canBeComputedNow: Bool {
    switch self {
    case .constant: true
    case .this, .slot, .subquery, .fetch, .groupValue: false
    case .path(let base, _): base.isConstant && base.constant?.holdsObjects == false
    case .list(let parts): parts.allSatisfy(\.isConstant)
    case .function(let function, let arguments):
      !function.traits.isRandom && arguments.allSatisfy(\.isConstant)
    case .call(let target, _, let arguments):
      target.isConstant && arguments.allSatisfy(\.isConstant)
    case .element(let collection, .at(let place)): collection.isConstant && place.isConstant
    case .element(let collection, _): collection.isConstant
    case .set(_, let left, let right): left.isConstant && right.isConstant
    case .conditional(_, _, _): false
    case .cast(let value, _): value.isConstant
    }
  }
}

extension Operand {
  /// Whether the operand is or contains an object, whose properties are in a store.
  fileprivate var holdsObjects: Bool {
    switch self {
    case .value(.object): true
    case .value: false
    case .list(let items): items.contains(where: \.holdsObjects)
    }
  }
}
