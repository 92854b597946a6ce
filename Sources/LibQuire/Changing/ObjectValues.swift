import Foundation
import Interchange
import JSONText
import ObjectGraph
import ObjectModel

/// The values of a call that sets properties, read for the objects of one entity.
struct ObjectValues {
  private let attributes: [SharedValue]
  private let relationships: [(name: String, objects: [ManagedObject])]

  /// Reads a JSON object from names of properties to values.
  ///
  /// - Throws: ``CallError`` for an unknown property, or a value that is not of its property's type.
  init(_ json: JSON?, of entity: String, _ connection: Connection) throws {
    guard case .members(let members)? = json else {
      throw CallError(.badArgument, "The values must be a JSON object.")
    }
    var attributes: [SharedValue] = []
    var relationships: [(name: String, objects: [ManagedObject])] = []
    for member in members {
      let path = member.name.split(separator: ".", omittingEmptySubsequences: false).map(
        String.init)
      switch connection.model.property(path[0], of: entity) {
      case .attribute(let attribute):
        try ObjectValues.read(
          member.value, member.name, of: attribute, path.dropFirst(), connection.model,
          into: &attributes)
      case .relationship(let relationship) where path.count == 1:
        let objects = try ObjectValues.identifiers(member.value, of: relationship)
          .map { try connection.object($0) }
        try connection.check(objects, for: relationship)
        relationships.append((relationship.name, objects))
      default:
        throw CallError(
          .unknownName,
          "The entity \"\(entity)\" has no property \"\(member.name)\" that can be set. It has: "
            + connection.model.properties(of: entity).map(\.name).joined(separator: ", ") + ".")
      }
    }
    self.attributes = attributes
    self.relationships = relationships
  }

  /// Sets the values.
  func set(_ object: ManagedObject) throws {
    for value in attributes { try object.set(value) }
    for (name, objects) in relationships { object.setObjects(objects, forKey: name) }
  }

  private static func read(
    _ json: JSON, _ name: String, of attribute: Attribute, _ path: ArraySlice<String>,
    _ model: Model, into values: inout [SharedValue]
  ) throws {
    guard let part = model.part(at: path, of: attribute) else {
      throw CallError(.unknownName, "There is no attribute \"\(name)\".")
    }
    if part.type == .composite {
      // All parts of a composite attribute are set together, and a missing part becomes null.
      guard let parts = model.composite(of: part)?.attributes else { return }
      let isNull = if case .null = json { true } else { false }
      guard case .members(let members) = isNull ? .members([]) : json else {
        throw CallError(.badChange, "The value of \"\(name)\" must be an object of its parts.")
      }
      let known = Set(parts.map(\.name))
      if let wrong = members.first(where: { !known.contains($0.name) }) {
        throw CallError(.unknownName, "\"\(name)\" has no part \"\(wrong.name)\".")
      }
      for inner in parts {
        try read(
          json[inner.name] ?? .null, name + "." + inner.name, of: attribute, path + [inner.name],
          model, into: &values)
      }
      return
    }
    guard !attribute.isTransient, attribute.derivation == nil else {
      throw CallError(.badChange, "\"\(name)\" is computed from other values and can't be set.")
    }
    guard let value = FieldText.value(json, of: part.type) else {
      throw CallError(
        .badChange, "\(json.line) is not a value of \"\(name)\", which has the type \(part.type).")
    }
    values.append(SharedValue(value, forKey: name))
  }

  /// Returns the identifiers in the value of a relationship.
  private static func identifiers(
    _ json: JSON, of relationship: Relationship
  ) throws -> [UInt64] {
    let items: [JSON]
    switch json {
    case .null: items = []
    case .array(let list) where relationship.isToMany: items = list
    case .number where !relationship.isToMany: items = [json]
    default:
      throw CallError(
        .badChange,
        "The value of \"\(relationship.name)\" must be "
          + (relationship.isToMany ? "an array of identifiers." : "an identifier or null."))
    }
    return try items.map { item in
      guard case .number(let digits) = item, let number = UInt64(digits) else {
        throw CallError(.badChange, "\(item.line) is not an identifier.")
      }
      return number
    }
  }
}

extension Connection {
  /// Throws unless a relationship may refer to some objects.
  func check(_ objects: [ManagedObject], for relationship: Relationship) throws {
    for object in objects
    where !model.entity(object.entity.name, isOrInheritsFrom: relationship.destination) {
      throw CallError(
        .badChange,
        "\"\(relationship.name)\" refers to objects of \"\(relationship.destination)\", not of \"\(object.entity.name)\"."
      )
    }
  }
}
