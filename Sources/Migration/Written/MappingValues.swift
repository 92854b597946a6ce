import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// Evaluates the expressions of mappings. Each expression is bound once.
struct MappingValues {
  private let source: ViewSource
  /// The methods that mappings may call in addition to the predicate language.
  private enum Method {
    static let instances = "destinationInstancesForEntityMappingNamed:sourceInstances:"
    static let related = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
  }

  /// An expression, split into its calls and the parts that depend on the source only.
  enum Plan {
    /// A column of the source object's row.
    case column(LayoutColumn)
    /// An expression over the source object: a key path or a computed value.
    case source(CompiledExpression)
    /// The destination objects that one named mapping made from the objects of the inner plan.
    indirect case instances(mapping: String, Plan)
    /// A function of the policy.
    case policy(String, [Plan])
    case object
    case destination
    /// The running migration, an argument of a policy's function.
    case manager
    /// The mapping of the entity, an argument of a policy's function.
    case entityMapping
    /// The mapping of the property, an argument of a policy's function.
    case propertyMapping(PropertyMapping)

    /// Whether the value follows from the source object's row alone.
    var readsSourceOnly: Bool {
      switch self {
      case .column, .source: true
      default: false
      }
    }

    /// Whether the value is objects, whatever the source object is.
    var givesObjects: Bool {
      switch self {
      case .object, .destination, .instances: true
      default: false
      }
    }

    /// The mappings that the plan names.
    var mappingNames: [String] {
      switch self {
      case .instances(mapping: let name, let inner): [name] + inner.mappingNames
      case .policy(_, let arguments): arguments.flatMap(\.mappingNames)
      default: []
      }
    }
  }

  /// The values that a mapping gives to the objects it makes.
  struct Prepared {
    /// The mapped attributes with their values; a `nil` plan stands for no value.
    var attributes: [(property: PropertyMapping, attribute: Attribute, plan: Plan?)] = []
    /// The mapped relationships with the objects that they refer to.
    var relationships: [(property: PropertyMapping, relationship: Relationship, plan: Plan)] = []
  }
  private var prepared: [String: Prepared] = [:]

  init(_ snapshot: any StoreSnapshot, _ model: Model) {
    source = ViewSource(snapshot.view, model: model, schema: snapshot.schema)
  }

  /// Creates values without objects, to find out whether expressions can be bound.
  init(_ model: Model) throws {
    source = ViewSource(View(), model: model, schema: try Schema(model))
  }

  /// Returns the values of a mapping, with every expression bound once.
  mutating func prepare(_ mapping: EntityMapping, _ destination: Model) throws -> Prepared {
    if let known = prepared[mapping.name] { return known }
    var made = Prepared()
    for property in mapping.properties {
      guard let entity = mapping.destinationEntity else { continue }
      if let attribute = destination.attribute(at: property.name, of: entity) {
        made.attributes.append((property, attribute, try plan(property, mapping)))
      } else if case .relationship(let relationship)? = destination.property(
        property.name, of: entity), !relationship.isTransient,
        let plan = try plan(property, mapping)
      {
        made.relationships.append((property, relationship, plan))
      }
    }
    prepared[mapping.name] = made
    return made
  }

  /// Returns the plan for the value of a property; `nil` if the property stays empty.
  func plan(_ property: PropertyMapping, _ mapping: EntityMapping) throws -> Plan? {
    guard let expression = property.expression else { return nil }
    do {
      return try plan(expression, property, mapping)
    } catch {
      throw MigrationError(
        .badMapping,
        """
        The value of "\(property.name)" in the mapping "\(mapping.name)" can't be computed, \(expression): \(error)
        """, cause: error)
    }
  }

  private func plan(
    _ expression: QueryExpression, _ property: PropertyMapping, _ mapping: EntityMapping
  ) throws -> Plan {
    func inner(_ expression: QueryExpression) throws -> Plan {
      try plan(expression, property, mapping)
    }
    switch expression {
    case .variable("source"): return .object
    case .variable("destination"): return .destination
    case .keyPath(of: .variable("source"), let path):
      // Most values are carried over unchanged.
      if let layout = source.schema[mapping.sourceEntity ?? ""],
        let index = layout.index(of: path.joined(separator: "."))
      {
        return .column(layout.columns[index])
      }
      return .source(try compiled(mapping.ofSource(path, source.model), mapping))
    case .call(.variable("manager"), Method.instances, let arguments):
      guard arguments.count == 2, case .constant(.string(let name)) = arguments[0] else {
        throw MigrationError(
          .badMapping, "\(Method.instances) needs the name of a mapping and source instances.")
      }
      return .instances(mapping: name, try inner(arguments[1]))
    case .call(.variable("manager"), Method.related, let arguments):
      // The objects are found under every mapping, so the relationship's name is not needed.
      guard arguments.count == 2 else {
        throw MigrationError(
          .badMapping, "\(Method.related) needs the name of a relationship and source instances.")
      }
      return try inner(arguments[1])
    case .call(.variable("entityPolicy"), let function, let arguments):
      guard mapping.policyName != nil else {
        throw MigrationError(
          .badMapping, "The mapping names no policy, so it has no function \"\(function)\".")
      }
      return .policy(
        function,
        try arguments.map { argument in
          switch argument {
          case .variable("manager"): .manager
          case .variable("entityMapping"): .entityMapping
          case .variable("propertyMapping"): .propertyMapping(property)
          default: try inner(argument)
          }
        })
    default:
      let rooted = try expression.replacing("source") { mapping.ofSource($0, source.model) }
      if let other = rooted.variables.min() {
        throw MigrationError(
          .badMapping,
          """
          The variable "$\(other)" is unknown here. Use $source, which is the object that is mapped. \
          FUNCTION($entityPolicy, …) and FUNCTION($manager, "\(Method.instances)", …) must not be part \
          of another expression, and $manager, $entityMapping and $propertyMapping are arguments of \
          FUNCTION($entityPolicy, …) only.
          """)
      }
      return .source(try compiled(rooted, mapping))
    }
  }

  private func compiled(
    _ expression: QueryExpression, _ mapping: EntityMapping
  ) throws -> CompiledExpression {
    try CompiledExpression(
      expression, entity: mapping.sourceEntity ?? "", model: source.model, schema: source.schema)
  }

  /// Returns the row of a source object. The caller reuses the row for all values of the object.
  func row(of key: ObjectKey) throws -> ViewRow? { try source.row(of: key) }

  /// Returns the value of a plan that reads the source object only; `nil` if the plan gives several values.
  func value(_ plan: Plan, _ key: ObjectKey, _ row: ViewRow) throws -> Value? {
    switch plan {
    case .column(let column): return try row.value(column)
    case .source(let expression):
      if case .value(let value) = try result(expression, key, row) { return value }
      return nil
    default: return nil
    }
  }

  /// Returns a value in the type of an attribute; `nil` if the attribute keeps its default value.
  ///
  /// - Throws: ``MigrationError`` that names the source object if the value does not fit.
  static func fitting(
    _ value: Value?, _ attribute: Attribute, _ property: PropertyMapping, _ mapping: EntityMapping,
    _ source: ManagedObject
  ) throws(MigrationError) -> Value? {
    guard let value else {
      throw refused(
        property, mapping, source,
        "the expression does not give a value, but the property is an attribute")
    }
    if value.isNull, !attribute.isOptional, !attribute.defaultValue.isNull { return nil }
    guard let fitting = attribute.taking(value) else {
      throw refused(
        property, mapping, source,
        attribute.type.problem(with: value) ?? "\(value.text) is not a value of its type")
    }
    return fitting
  }

  /// Returns the error for a value that a property can't have.
  static func refused(
    _ property: PropertyMapping, _ mapping: EntityMapping, _ source: ManagedObject, _ reason: String
  ) -> MigrationError {
    MigrationError(
      .badMapping,
      """
      The mapping "\(mapping.name)" can't give \(source) a value for "\(property.name)" \
      (\(property.expression.map { "\($0)" } ?? "null")): \(reason).
      """)
  }

  /// Returns the result of an expression for a source object.
  func result(
    _ expression: CompiledExpression, _ key: ObjectKey, _ row: ViewRow
  ) throws -> CompiledExpression.Result {
    try expression.value(for: key, row, in: source)
  }
}

extension EntityMapping {
  /// Returns the expression for `$source`, or a path from it, on the evaluated object.
  ///
  /// Names behind an attribute are methods of its value: `$source.link.absoluteString`.
  func ofSource(_ path: [String], _ model: Model) -> QueryExpression {
    guard !path.isEmpty else { return .evaluatedObject }
    var entity = sourceEntity ?? ""
    for (index, name) in path.enumerated() {
      switch model.property(name, of: entity) {
      case .relationship(let relationship)? where !relationship.isToMany:
        entity = relationship.destination
      case .attribute(var attribute)?:
        var rest = path[(index + 1)...]
        while let next = rest.first, let part = model.part(at: [next], of: attribute),
          part != attribute
        {
          attribute = part
          rest.removeFirst()
        }
        let value = QueryExpression.keyPath(of: .evaluatedObject, Array(path[..<rest.startIndex]))
        return rest.reduce(value) { .call($0, $1, []) }
      default: return .keyPath(of: .evaluatedObject, path)
      }
    }
    return .keyPath(of: .evaluatedObject, path)
  }
}

extension Model {
  /// Returns an attribute, or a part of a composite attribute.
  fileprivate func attribute(at path: String, of entity: String) -> Attribute? {
    let names = path.split(separator: ".").map(String.init)
    guard let first = names.first, case .attribute(let attribute)? = property(first, of: entity)
    else { return nil }
    return part(at: names.dropFirst(), of: attribute)
  }
}

extension AttributeType {
  /// Whether values of this type may fit another type, which a migration finds out for each value.
  func mayBecome(_ other: AttributeType) -> Bool {
    // The expression of a written mapping says how a text is read, and a property without one is not read as a text.
    let isOfText = ValueConversion(from: self, to: other)?.isOfText ?? false
    if !isOfText, becomes(other) { return true }
    return switch (traits.content, other.traits.content) {
    case (.integer, .boolean), (.integer, .integer), (.double, .integer), (.string, .uri),
      (.string, .uuid), (.binary, .binary):
      true
    default: false
    }
  }
}

extension Attribute {
  /// Returns the value in the attribute's type; `nil` if it is not convertible.
  func taking(_ value: Value) -> Value? {
    if type.accepts(value) { return value }
    switch (type.traits.content, value) {
    case (.double, .boolean(let flag)): return .double(flag ? 1 : 0)
    case (.float, .boolean(let flag)): return .float(flag ? 1 : 0)
    case (.decimal, .boolean(let flag)): return .decimal(flag ? 1 : 0)
    case (.decimal, .float(let number)):
      return ValueConversion(from: .float, to: .decimal)?.converted(.float(number))
    case (.float, .decimal(let number)):
      return .float(NSDecimalNumber(decimal: number).floatValue)
    case (.uri, .uuid): return ValueConversion(from: .uuid, to: .uri)?.converted(value)
    case (.double, .integer(let number)): return .double(Double(number))
    case (.float, .integer(let number)): return .float(Float(number))
    case (.double, .float(let number)): return .double(Double(number))
    case (.float, .double(let number)): return .float(Float(number))
    case (.decimal, .integer(let number)): return .decimal(Decimal(number))
    case (.decimal, .double(let number)) where number.isFinite: return .decimal(Decimal(number))
    case (.double, .decimal(let number)):
      return .double(NSDecimalNumber(decimal: number).doubleValue)
    case (.boolean, .integer(let number)) where number == 0 || number == 1:
      return .boolean(number == 1)
    case (.integer, .boolean(let flag)):
      return .integer(flag ? 1 : 0)
    case (.integer, .double(let number)):
      return Int64(exactly: number).map { .integer($0) }.flatMap { type.accepts($0) ? $0 : nil }
    case (.uri, .string(let text)): return .uri(text)
    case (.string, .uri(let text)): return .string(text)
    case (.string, .uuid(let uuid)): return .string(uuid.uuidString)
    case (.uuid, .string(let text)): return UUID(spelled: text).map { .uuid($0) }
    default: return nil
    }
  }
}
