import Foundation
import ObjectModel

/// The Swift attributes in front of an attribute of an entity, or of a part of a composite type.
struct AttributeMarkers {
  let lines: [String]

  /// - Parameter name: The name in Swift.
  init(_ attribute: Attribute, _ plan: ClassPlan, named name: String, isUnique: Bool = false) {
    var lines: [String] = []
    if attribute.isTransient { lines.append("@Transient") }
    if isUnique { lines.append("@Unique") }
    if let derivation = attribute.derivation {
      let filter = derivation.filter.map { ", where: \(CodeText.literal($0))" } ?? ""
      lines.append("@Derived(\(CodeText.literal(derivation.expression))\(filter))")
    }
    var options = attribute.name == name ? [] : [CodeText.literal(attribute.name)]
    options += AttributeMarkers.options(of: attribute, PropertyLiterals(plan.types))
    if !options.isEmpty { lines.append("@Attribute(\(options.joined(separator: ", ")))") }
    self.lines = lines
  }

  private static func options(
    of attribute: Attribute, _ literals: PropertyLiterals
  ) -> [String] {
    var options: [String] = []
    let validation = attribute.validation
    let isText = attribute.type == .string || attribute.type == .uri
    let bounds = (
      literals.bound(validation.minimum),
      literals.bound(validation.maximum).map {
        // Directly after the dots, the minus sign would become part of the operator.
        $0.hasPrefix("-") ? "(\($0))" : $0
      }
    )
    if bounds.0 != nil || bounds.1 != nil {
      options.append(".\(isText ? "length" : "range")(\(bounds.0 ?? "")...\(bounds.1 ?? ""))")
    }
    if let pattern = validation.pattern { options.append(".matches(\(CodeText.literal(pattern)))") }
    switch validation.precision {
    case .day: options.append(".day")
    case .places(let places): options.append(".places(\(places))")
    case nil: break
    }
    for predicate in validation.predicates {
      let message = predicate.message.map { ", message: \(CodeText.literal($0))" } ?? ""
      options.append(".validated(\(CodeText.literal(predicate.predicate))\(message))")
    }
    if attribute.type == .transformable {
      let arguments = [
        attribute.valueTransformerName.map { "by: \(CodeText.literal($0))" },
        attribute.valueClassName.map { "of: \(CodeText.literal($0))" },
      ].compactMap(\.self)
      options.append(".transformable(\(arguments.joined(separator: ", ")))")
    }
    let readsOptional = attribute.type == .transformable || attribute.type == .composite
    if readsOptional, !attribute.isOptional { options.append(".required") }
    if attribute.options.contains(.allowsExternalStorage) { options.append(".externalStorage") }
    if attribute.options.contains(.preservesValueOnDeletion) {
      options.append(".preservesValueOnDeletion")
    }
    if let value = literals.laterDefault(of: attribute) { options.append(".default(\(value))") }
    if let name = attribute.renamingIdentifier {
      options.append(".originalName(\(CodeText.literal(name)))")
    }
    if let modifier = attribute.versionHashModifier {
      options.append(".hashModifier(\(CodeText.literal(modifier)))")
    }
    return options
  }
}

/// The Swift attribute in front of a relationship.
struct RelationshipMarker {
  let lines: [String]

  init(
    _ relationship: Relationship, of entity: PlannedEntity, _ plan: ClassPlan, named name: String
  ) {
    var arguments = relationship.name == name ? [] : [CodeText.literal(relationship.name)]
    if relationship.deleteRule != .nullify { arguments.append(".\(relationship.deleteRule)") }
    if let inverse = RelationshipMarker.inverse(of: relationship, in: entity, plan) {
      arguments.append("inverse: \(inverse)")
    }
    if relationship.isOrdered { arguments.append("ordered: true") }
    let minimum = relationship.count.minimum
    if minimum > 0 { arguments.append("minimum: \(minimum)") }
    if relationship.isToMany, relationship.count.maximum > 0 {
      arguments.append("maximum: \(relationship.count.maximum)")
    }
    if relationship.isOptional != (minimum == 0) {
      arguments.append("optional: \(relationship.isOptional)")
    }
    if let name = relationship.renamingIdentifier {
      arguments.append("originalName: \(CodeText.literal(name))")
    }
    if let modifier = relationship.versionHashModifier {
      arguments.append("hashModifier: \(CodeText.literal(modifier))")
    }
    let transient = relationship.isTransient ? ["@Transient"] : []
    if arguments.isEmpty {
      lines = transient + (relationship.isToMany ? ["@Relationship"] : [])
    } else {
      lines = transient + ["@Relationship(\(arguments.joined(separator: ", ")))"]
    }
  }

  /// Returns the key path of the inverse if this end has to state it; `nil` otherwise. Only one of the two ends states
  /// it: the to-many end, or, if both ends are of the same kind, the end of the entity whose name comes first.
  private static func inverse(
    of relationship: Relationship, in entity: PlannedEntity, _ plan: ClassPlan
  ) -> String? {
    guard entity.kind == .class, let name = relationship.inverse,
      let back = plan.model[relationship.inverseEntity ?? relationship.destination]?
        .declaredRelationships.first(where: { $0.name == name })
    else { return nil }
    let owner = plan[relationship.inverseEntity ?? relationship.destination]
    // The compiler rejects a key path of the class itself as circular, so `#Inverse` states it.
    guard owner.kind == .class, owner.className != entity.className,
      let member = owner.members[name]
    else { return nil }
    if relationship.isToMany != back.isToMany {
      guard relationship.isToMany else { return nil }
    } else {
      let own = (entity.entity.name, relationship.name)
      guard own <= (owner.entity.name, back.name) else { return nil }
    }
    return "\\\(owner.className).\(SwiftNames.declared(member))"
  }
}

/// The Swift attribute in front of a fetched property.
enum FetchedMarker {
  static func line(_ fetched: FetchedProperty, _ plan: ClassPlan) -> String {
    let request = fetched.request
    var arguments: [String] = []
    if let predicate = request.predicate {
      arguments.append("where: \(CodeText.literal(predicate))")
    }
    if !request.sortKeys.isEmpty {
      let keys = request.sortKeys.map { key in
        let order = key.isAscending ? "" : ", ascending: false"
        return "\(plan.types.quire("SortKey"))(\(CodeText.literal(key.keyPath))\(order))"
      }
      arguments.append("sortedBy: [\(keys.joined(separator: ", "))]")
    }
    if request.fetchLimit > 0 { arguments.append("limit: \(request.fetchLimit)") }
    return arguments.isEmpty ? "@Fetched" : "@Fetched(\(arguments.joined(separator: ", ")))"
  }
}

/// Writes values of a model as expressions in Swift.
struct PropertyLiterals {
  private let types: TypeNames

  init(_ types: TypeNames) { self.types = types }

  /// Returns the default value of an attribute, if a plain literal expresses it.
  static func plainDefault(of attribute: Attribute) -> String? {
    guard attribute.derivation == nil else { return nil }
    switch (attribute.type.traits.content, attribute.defaultValue) {
    case (.boolean, .boolean(let value)): return "\(value)"
    case (.integer, .integer(let number)):
      return "\(number)"
    case (.double, .double(let number)) where number.isFinite: return "\(number)"
    case (.float, .float(let number)) where number.isFinite: return "\(number)"
    case (.string, .string(let text)): return CodeText.literal(text)
    case (.decimal, .decimal(let number)): return whole(number)
    default: return nil
    }
  }

  /// Returns a decimal number as a literal, if it is a whole number. The compiler would round other literals to a
  /// binary fraction.
  private static func whole(_ number: Decimal) -> String? {
    Int32("\(number)").map { "\($0)" }
  }

  /// Returns the default value of an attribute, if a plain literal can't express it.
  func laterDefault(of attribute: Attribute) -> String? {
    guard attribute.derivation == nil, PropertyLiterals.plainDefault(of: attribute) == nil else {
      return nil
    }
    return expression(attribute.defaultValue)
  }

  /// Returns a bound of an attribute's values.
  func bound(_ value: Value) -> String? {
    if case .integer(let number) = value { return "\(number)" }
    return expression(value)
  }

  private func expression(_ value: Value) -> String? {
    switch value {
    case .double(let number) where number.isFinite: "\(number)"
    case .float(let number) where number.isFinite: "\(types.swift("Float"))(\(number))"
    case .decimal(let number):
      PropertyLiterals.whole(number)
        ?? "(\(types.foundation("Decimal"))(string: \(CodeText.literal("\(number)")))!)"
    case .date(let date):
      "\(types.foundation("Date"))(timeIntervalSinceReferenceDate: \(date.timeIntervalSinceReferenceDate))"
    case .uuid(let uuid):
      "(\(types.foundation("UUID"))(uuidString: \(CodeText.literal(uuid.uuidString)))!)"
    case .uri(let text) where URL(string: text) != nil:
      "(\(types.foundation("URL"))(string: \(CodeText.literal(text)))!)"
    case .boolean, .integer, .string, .null, .object, .binary, .uri, .double, .float: nil
    }
  }
}
