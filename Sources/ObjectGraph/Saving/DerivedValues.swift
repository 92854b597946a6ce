import Foundation
import ObjectModel
import ObjectQuery
import Rows

/// Computes derived attributes before a save. The result is the same on every type of store.
struct DerivedValues {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Computes the derived values that may depend on the changes.
  func update() throws {
    guard workspace.coordinator.stores.contains(where: \.graph.hasDerivations) else { return }
    var concerned: Set<ManagedObject> = []
    for object in workspace.drafts.changedObjects {
      if !object.source.entity.graph.derived.isEmpty, !object.state.contains(.deleted) {
        concerned.insert(object)
      }
      for owner in try owners(deriving: object) where !owner.state.contains(.deleted) {
        concerned.insert(owner)
      }
    }
    let now = Date()
    // All values are computed before the first is set. A set value opens a draft, and drafts must be frozen to be read.
    var computed: [(object: ManagedObject, column: Int, value: Value)] = []
    for object in concerned.sorted(by: { $0.key < $1.key }) {
      for index in object.source.entity.graph.derived {
        guard
          case .attribute(let attribute, let column) = object.source.entity.graph.properties[index]
            .place
        else { continue }
        workspace.realize(object)
        guard !object.state.contains(.missing) else { continue }
        let derivation = DerivedValue(attribute: attribute, object: object, workspace: workspace)
        let old = object.source.value(column, Int(object.row))
        if derivation.isMoment, !object.hasChanges { continue }
        if derivation.isMoment {
          // Rounds of the same save have the same time.
          if object.state.contains(.timed) { continue }
          object.state.insert(.timed)
        }
        let value = try derivation.value(now: now)
        guard value != old, attribute.type.accepts(value) else { continue }
        computed.append((object, column, value))
      }
    }
    for (object, column, value) in computed {
      guard let source = workspace.beginChange(of: object) else { continue }
      source.draft!.set(value, column: column, row: Int(object.row))
    }
  }

  /// Returns the objects that derive a value from the given object, over any number of relationships.
  private func owners(deriving object: ManagedObject) throws -> [ManagedObject] {
    var owners: Set<ManagedObject> = []
    let entity = object.source.entity
    for way in entity.store.graph.ways(toThoseDerivingFrom: entity.graph) {
      var current: Set<ManagedObject> = [object]
      for name in way {
        var next: Set<ManagedObject> = []
        for one in current {
          try next.formUnion(RelationshipReader(workspace).members(of: one, name, andBefore: true))
        }
        current = next
      }
      owners.formUnion(current)
    }
    return owners.filter { owner in
      workspace.realize(owner)
      return !owner.state.contains(.missing)
    }
  }
}

extension Attribute.Derivation.Form {
  /// The path to the values that the attribute is derived from; empty for the time of the save.
  var path: [String] {
    switch self {
    case .value(let path), .function(_, let path): path
    case .now: []
    }
  }
}

/// One derived attribute of one object.
private struct DerivedValue {
  let attribute: Attribute
  let object: ManagedObject
  let workspace: Workspace

  /// Whether the value is the time of the save.
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

  /// Returns a number as a value of the attribute's type.
  private func converted(_ number: Decimal) -> Value {
    let real = NSDecimalNumber(decimal: number).doubleValue
    switch attribute.type.traits.content {
    case .integer: return .integer(NSDecimalNumber(decimal: number).int64Value)
    case .decimal: return .decimal(number)
    case .float: return .float(Float(real))
    default: return .double(real)
    }
  }

  /// Returns the values of an attribute at the end of a path.
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
            let other = workspace.object(at: key, in: one.source.entity.store),
            workspace.isThere(other)
          {
            next.append(other)
          }
        case .toMany(let toMany):
          var members = RelationshipReader(workspace).objects(of: one, toMany)
          if position == 0, let filter = attribute.derivation?.filter {
            members = try DerivedValues(workspace).filtered(members, by: filter)
          }
          next += members
        default: break
        }
      }
      for one in next { workspace.realize(one) }
      current = next.filter { !$0.state.contains(.missing) }
    }
    return current
  }
}

extension DerivedValues {
  /// Returns the objects that meet a predicate in text form.
  fileprivate func filtered(_ objects: [ManagedObject], by text: String) throws -> [ManagedObject] {
    let predicate = try QueryPredicate(text)
    return try objects.filter { object in
      guard let state = workspace.state(of: object) else { return false }
      try workspace.sealAll()
      return try CompiledPredicate(
        predicate, entity: object.source.entity.graph.name, model: state.graph.model,
        schema: state.graph.schema, store: state.tag
      ).holds(for: object.key, in: state.source)
    }
  }
}

extension String {
  /// The text without case and diacritics.
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
