package import ObjectModel
package import Rows

/// A validation predicate of an attribute, prepared for single values.
package struct ValueCondition: Sendable {
  /// The name of an entity whose only property is the attribute, under a fixed name.
  private static let entity = "Value"
  private static let property = "value"

  private let predicate: QueryPredicate
  private let model: Model
  private let schema: Schema
  private let column: LayoutColumn
  /// The predicate bound to the entity; `nil` if the result depends on the current time or on chance.
  private let compiled: CompiledPredicate?

  /// Binds a predicate to the values of an attribute.
  ///
  /// - Throws: ``QueryError`` if the predicate can't be read or uses a key that the value does not have.
  package init(_ condition: ValidationPredicate, of attribute: Attribute) throws(QueryError) {
    predicate = try condition.asked(of: attribute, at: [Self.property])
    do {
      model = try Model(entities: [
        Entity(Self.entity, properties: [.attribute(Attribute(Self.property, attribute.type))])
      ])
      schema = try Schema(model)
    } catch { throw QueryError(.notSupported, "\(error)") }
    guard let layout = schema[Self.entity], let index = layout.index(of: Self.property) else {
      throw QueryError(
        .notSupported, "Values of the type \(attribute.type.sourceName) can't be compared.")
    }
    column = layout.columns[index]
    let bound = try CompiledPredicate(predicate, entity: Self.entity, model: model, schema: schema)
    compiled = condition.isOfMoment ? nil : bound
  }

  /// Returns whether a value meets the predicate. Null does.
  package func holds(for value: Value) throws -> Bool {
    if value.isNull { return true }
    let compiled =
      try compiled
      ?? CompiledPredicate(predicate, entity: Self.entity, model: model, schema: schema)
    return try compiled.holds(for: SingleValue(value: value))
  }

  private struct SingleValue: ObjectValues {
    let value: Value
    func value(of column: LayoutColumn) -> Value { value }
  }
}

/// A validation predicate of a relationship or of a composite attribute, prepared for objects.
package struct PropertyCondition: Sendable {
  private let predicate: QueryPredicate
  private let entity: String
  private let model: Model
  private let schema: Schema
  private let compiled: CompiledPredicate?

  /// Binds a predicate to a property of an entity's objects.
  ///
  /// - Throws: ``QueryError`` if the predicate can't be read or does not fit the model.
  package init(
    _ condition: ValidationPredicate, of property: Property, in entity: String, _ model: Model,
    _ schema: Schema
  ) throws(QueryError) {
    if case .attribute(let attribute) = property {
      predicate = try condition.asked(of: attribute, at: [property.name])
    } else {
      predicate = try QueryPredicate(condition.predicate).rooted(at: .path(property.name))
    }
    (self.entity, self.model, self.schema) = (entity, model, schema)
    let bound = try CompiledPredicate(predicate, entity: entity, model: model, schema: schema)
    compiled = condition.isOfMoment ? nil : bound
  }

  /// Returns whether an object of a source meets the predicate.
  package func holds(for key: ObjectKey, in source: some QuerySource) throws -> Bool {
    let compiled =
      try compiled
      ?? CompiledPredicate(predicate, entity: entity, model: model, schema: schema)
    return try compiled.holds(for: key, in: source)
  }
}

extension ValidationPredicate {
  /// Whether the time for one evaluation may grow faster than the number of objects, because the predicate fetches
  /// objects, uses subqueries or follows long paths.
  package var mayTakeLong: Bool {
    let text = predicate.uppercased()
    return text.contains("FETCH") || text.contains("SUBQUERY")
      || predicate.split(whereSeparator: { !($0.isLetter || $0.isNumber || "._@$".contains($0)) })
        .contains { $0.count { $0 == "." } > 2 }
  }

  /// Whether the result may depend on the current time or on chance.
  fileprivate var isOfMoment: Bool {
    let text = predicate.lowercased()
    return text.contains("now") || text.contains("random")
  }

  /// Returns the predicate on the attribute's value as a predicate on the object that has the attribute.
  fileprivate func asked(
    of attribute: Attribute, at path: [String]
  ) throws(QueryError) -> QueryPredicate {
    let predicate = try QueryPredicate(self.predicate)
    let name = predicate.freeVariable
    do {
      return try predicate.rooted(at: .variable(name)).replacing(name) { rest in
        let value = QueryExpression.keyPath(of: .evaluatedObject, path)
        guard let first = rest.first, rest != ["self"] else { return value }
        if attribute.type == .composite { return .keyPath(of: .evaluatedObject, path + rest) }
        guard rest.count == 1, Self.keys(of: attribute.type).contains(first) else {
          throw QueryError(
            .unknownProperty,
            "A value of the type \(attribute.type.sourceName) has no \"\(rest.joined(separator: "."))\".",
            name: first)
        }
        return .call(value, first, [])
      }
    } catch let error as QueryError {
      throw error
    } catch {
      throw QueryError(.notSupported, "\(error)")
    }
  }

  /// Returns the keys that values of a type have, as in Foundation's classes.
  private static func keys(of type: AttributeType) -> [String] {
    switch type.traits.content {
    case .string:
      [
        "length", "uppercaseString", "lowercaseString", "capitalizedString", "integerValue",
        "intValue", "doubleValue", "boolValue",
      ]
    case .integer, .decimal, .double, .float, .boolean:
      ["integerValue", "intValue", "doubleValue", "boolValue"]
    case .date: ["timeIntervalSinceReferenceDate", "timeIntervalSince1970"]
    case .binary: ["length"]
    default: []
    }
  }
}
