import ObjectModel
import Rows

/// A reference to an object that is copied in a later commit. A store that checks references would refuse it before the
/// object is there, so it is set when all objects are copied.
struct LateReference {
  /// The row in the target, the index of its column, and the object that the column refers to.
  let row: ObjectKey
  let column: Int
  let target: ObjectKey
}

/// The objects of the source that were copied so far. The objects of an entity are copied in the order of their keys.
struct ArrivedObjects {
  private var last: [UInt16: UInt64] = [:]

  mutating func add(_ key: ObjectKey) { last[key.entity] = key.number }

  func contains(_ key: ObjectKey) -> Bool { last[key.entity].map { key.number <= $0 } ?? false }
}

extension StoreType {
  /// Whether a store of the type may refuse a commit that refers to objects which do not exist yet, as a database with
  /// foreign keys does. Types that a plug-in adds may.
  var mayCheckReferences: Bool {
    !numbersEachEntity && self != .xml && rawValue != "SQLite"
  }
}

extension StoreCopy {
  /// Returns the origins in an order in which few objects refer to later ones: the objects of an entity come after the
  /// objects that they refer to, and links come last.
  func ordered(_ origins: [RowOrigin], in model: Model) -> [RowOrigin] {
    var waiting = origins.filter { !$0.isLinks }
    var ordered: [RowOrigin] = []
    while !waiting.isEmpty {
      let names = Set(waiting.map(\.target.entity))
      let next =
        waiting.firstIndex { origin in
          destinations(of: origin.target, in: model).intersection(names)
            .subtracting([origin.target.entity]).isEmpty
        } ?? 0
      ordered.append(waiting.remove(at: next))
    }
    return ordered + origins.filter(\.isLinks)
  }

  /// Returns the entities to whose objects the references of a layout may refer.
  private func destinations(of layout: Layout, in model: Model) -> Set<String> {
    var names: Set<String> = []
    for column in layout.columns where column.kind == .reference {
      guard
        case .relationship(let relationship)? = model.property(column.name, of: layout.entity)
      else { continue }
      names.formUnion(model.family(of: relationship.destination).map(\.name))
    }
    return names
  }

  /// Sets the references to objects that were copied after the objects that refer to them.
  ///
  /// - Returns: The newest snapshot of the target.
  func set(_ late: [LateReference], above base: any StoreSnapshot) throws -> any StoreSnapshot {
    var base = base
    var rest = late[...]
    while !rest.isEmpty {
      let builder = LayerBuilder(base.schema)
      for reference in rest.prefix(StoreCopy.rowCount) {
        guard let row = try base.view.row(of: reference.row) else { continue }
        builder.set(
          .object(reference.target), column: reference.column, of: reference.row,
          basis: try row.version)
      }
      rest = rest.dropFirst(StoreCopy.rowCount)
      base = try target.commit(CommitRequest(builder.freeze(), basedOn: base))
    }
    return base
  }
}
