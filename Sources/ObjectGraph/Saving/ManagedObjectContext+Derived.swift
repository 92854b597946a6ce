import Foundation
import ObjectModel
import ObjectQuery
import Rows

// Derived attributes: values that follow from others, brought up to date before saving, on every store.
extension ManagedObjectContext {
  /// Computes the derived values of all objects that what is changed may concern.
  func updateDerivedValues() throws {
    guard coordinator.hasDerivations else { return }
    var concerned: Set<ManagedObject> = []
    for object in changedObjects {
      if !object.source.entity.graph.derived.isEmpty, !object.state.contains(.deleted) {
        concerned.insert(object)
      }
      for owner in try owners(deriving: object) where !owner.state.contains(.deleted) {
        concerned.insert(owner)
      }
    }
    let now = Date()
    // All are computed before the first is set: what lies in open drafts has to be sealed to be read.
    var computed: [(object: ManagedObject, column: Int, value: Value)] = []
    for object in concerned.sorted(by: { $0.key < $1.key }) {
      for index in object.source.entity.graph.derived {
        guard
          case .attribute(let attribute, let column) = object.source.entity.graph.properties[index]
            .place
        else { continue }
        realize(object)
        guard !object.state.contains(.missing) else { continue }
        let derivation = DerivedValue(attribute: attribute, object: object, context: self)
        let old = object.source.value(column, Int(object.row))
        if derivation.isMoment, !object.hasChanges { continue }
        if derivation.isMoment, !momentsTaken.insert(object.objectID).inserted { continue }
        let value = try derivation.value(now: now)
        guard value != old, attribute.type.accepts(value) else { continue }
        computed.append((object, column, value))
      }
    }
    for (object, column, value) in computed {
      guard let source = beginChange(of: object) else { continue }
      source.draft!.set(value, column: column, row: Int(object.row))
    }
  }

  /// The objects that derive a value from the given one, over a relationship.
  private func owners(deriving object: ManagedObject) throws -> [ManagedObject] {
    let graph = object.source.entity.graph
    var owners: [ManagedObject] = []
    for index in graph.relationships {
      guard let relationship = graph.properties[index].relationship,
        coordinator.derives(relationship.destination, over: relationship.inverse)
      else { continue }
      switch graph.properties[index].place {
      case .toOne(let toOne):
        var keys: [ObjectKey] = []
        if let key = object.reference(column: toOne.column) { keys.append(key) }
        // Whoever led here before is concerned too.
        if let place = object.committedPlace,
          case .object(let key) = place.source.value(toOne.column, place.row)
        {
          keys.append(key)
        }
        owners += keys.compactMap { self.object(at: $0, in: object.source.entity.store) }
      case .toMany(let toMany):
        owners += relatedObjects(of: object, toMany)
      default: continue
      }
    }
    if let state = state(of: object) {
      for owner in owners { lookAgain(at: owner, in: state) }
    }
    return owners.filter { !$0.state.contains(.missing) }
  }
}

extension PersistentStoreCoordinator {
  /// Whether any attribute is derived.
  var hasDerivations: Bool { !derivations.isEmpty }

  /// Whether an entity, or one that inherits from it, derives a value over a relationship.
  func derives(_ entity: String, over relationship: String?) -> Bool {
    guard let relationship else { return false }
    return derivations.contains {
      $0.relationship == relationship
        && (model.entity($0.entity, isOrInheritsFrom: entity)
          || model.entity(entity, isOrInheritsFrom: $0.entity))
    }
  }

  /// The relationships that some attribute of an entity is derived over.
  static func derivations(in model: Model) -> Set<DerivedPath> {
    var paths: Set<DerivedPath> = []
    for entity in model.entities {
      for attribute in entity.attributes {
        switch attribute.derivation?.form {
        case .value(let path), .function(_, let path):
          paths.insert(DerivedPath(entity: entity.name, relationship: path.first ?? ""))
        case .now: paths.insert(DerivedPath(entity: entity.name, relationship: ""))
        case nil: continue
        }
      }
    }
    return paths
  }
}

/// The first step of what a derived attribute follows from.
struct DerivedPath: Hashable, Sendable {
  var entity: String
  var relationship: String
}

/// One derived attribute of one object.
private struct DerivedValue {
  let attribute: Attribute
  let object: ManagedObject
  let context: ManagedObjectContext

  /// Whether the value is the moment of saving.
  var isMoment: Bool { attribute.derivation?.form == .now }

  func value(now: Date) throws -> Value {
    switch attribute.derivation?.form {
    case .now: return .date(now)
    case .value(let path): return try values(at: path).first ?? .null
    case .function(let function, let path):
      if function == .count { return .integer(Int64(try objects(at: path[...]).count)) }
      let values = try values(at: path)
      switch function {
      case .canonical: return text(values) { $0.canonical }
      case .uppercase: return text(values) { $0.uppercased() }
      case .lowercase: return text(values) { $0.lowercased() }
      default: return number(function, values.filter { !$0.isNull })
      }
    case nil: return .null
    }
  }

  private func text(_ values: [Value], _ change: (String) -> String) -> Value {
    guard case .string(let text)? = values.first else { return .null }
    return .string(change(text))
  }

  private func number(_ function: Attribute.Derivation.Function, _ values: [Value]) -> Value {
    let numbers = values.compactMap(\.asDecimal)
    switch function {
    case .sum: return converted(numbers.reduce(0, +))
    case .min, .max:
      let sorted = values.sorted { ($0.order(comparedTo: $1) ?? 0) < 0 }
      return (function == .min ? sorted.first : sorted.last) ?? .null
    case .average:
      return numbers.isEmpty ? .null : converted(numbers.reduce(0, +) / Decimal(numbers.count))
    default: return .null
    }
  }

  /// A number as a value of the attribute's type.
  private func converted(_ number: Decimal) -> Value {
    let real = NSDecimalNumber(decimal: number).doubleValue
    switch attribute.type {
    case .int16, .int32, .int64: return .integer(NSDecimalNumber(decimal: number).int64Value)
    case .decimal: return .decimal(number)
    case .float: return .float(Float(real))
    default: return .double(real)
    }
  }

  /// The values of an attribute at the end of a path.
  private func values(at path: [String]) throws -> [Value] {
    guard let last = path.last else { return [] }
    return try objects(at: path.dropLast()).map { object in
      guard case .attribute(_, let column)? = object.source.entity.graph[last]?.place else {
        return .null
      }
      return object.source.value(column, Int(object.row))
    }
  }

  private func objects(at path: ArraySlice<String>) throws -> [ManagedObject] {
    var current = [object]
    for (position, name) in path.enumerated() {
      var next: [ManagedObject] = []
      for one in current {
        switch one.source.entity.graph[name]?.place {
        case .toOne(let toOne):
          if let key = one.reference(column: toOne.column),
            let other = context.object(at: key, in: one.source.entity.store), context.isThere(other)
          {
            next.append(other)
          }
        case .toMany(let toMany):
          var members = context.relatedObjects(of: one, toMany)
          if position == 0, let filter = attribute.derivation?.filter {
            members = try context.filtered(members, by: filter)
          }
          next += members
        default: break
        }
      }
      // What is computed is saved, so that it has to follow from what there is by now.
      if let state = context.state(of: object) {
        for one in next { context.lookAgain(at: one, in: state) }
      }
      current = next.filter { !$0.state.contains(.missing) }
    }
    return current
  }
}

extension ManagedObjectContext {
  /// Those of some objects that meet a predicate in text form.
  fileprivate func filtered(_ objects: [ManagedObject], by text: String) throws -> [ManagedObject] {
    let predicate = try QueryPredicate(text)
    return try objects.filter { object in
      guard let state = state(of: object) else { return false }
      try sealAll()
      return try CompiledPredicate(
        predicate, entity: object.source.entity.graph.name, model: state.graph.model,
        schema: state.graph.schema, store: state.tag
      ).holds(for: object.key, in: state.source)
    }
  }
}

extension String {
  /// Without case and diacritics.
  fileprivate var canonical: String {
    folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
  }
}

extension Value {
  fileprivate var asDecimal: Decimal? {
    switch self {
    case .integer(let number): Decimal(number)
    case .decimal(let number): number
    case .double(let number): number.isFinite ? Decimal(number) : nil
    case .float(let number): number.isFinite ? Decimal(Double(number)) : nil
    default: nil
    }
  }
}
