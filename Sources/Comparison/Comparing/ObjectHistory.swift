package import ObjectModel
import Rows
import StoreInterface

/// The versions that changed one object, and the version that set each of its values.
package struct ObjectHistory {
  /// A version that changed the object.
  package struct Step {
    package let number: Int64
    package let change: ObjectChange
  }

  /// A value of the object now, and the version that set it.
  package struct Origin {
    /// The property with its value, as of an object that was inserted. A property without a value that had one
    /// earlier is not here.
    package let property: PropertyChange
    /// The version; `nil` if it is ``ObjectHistory/end`` or an earlier one.
    package let number: Int64?
  }

  /// The versions, the newest first.
  package let steps: [Step]
  /// The oldest version that was looked at: the one that inserted the object, the oldest version that is kept, or the one before
  /// which the object's model was another.
  package let end: Int64
  /// The object with all its values now; `nil` if it does not exist any more.
  package let object: ObjectChange?

  /// Follows an object back to the version that inserted it.
  ///
  /// - Parameters:
  ///   - key: The object's key.
  ///   - store: The name of its store in a document with several stores; `nil` if there is only one.
  ///   - now: The store at the newest version.
  ///   - versions: The numbers of all versions, the oldest first.
  ///   - change: Returns the difference between two versions.
  package init(
    of key: ObjectKey, store: String?, now: ComparedStore, versions: [Int64],
    change: (_ before: Int64, _ number: Int64) throws -> VersionChange
  ) throws {
    object = try Self.object(key, now)
    let entity = now.schema[key.entity]?.entity
    var steps: [Step] = []
    var end = versions.first ?? 0
    for (before, number) in zip(versions, versions.dropFirst()).reversed() {
      let difference = try change(before, number)
      guard difference.parts != nil else {
        end = number
        break
      }
      var found: ObjectChange?
      try difference.forEachObject(in: entity.map { [$0] }) { change, name in
        if change.object.id == key, name == store { found = change }
      }
      guard let found else { continue }
      steps.append(Step(number: number, change: found))
      guard found.kind != .inserted else {
        end = number
        break
      }
    }
    (self.steps, self.end) = (steps, end)
  }

  /// Returns an object with all its values, as if it was inserted; `nil` if the store does not contain it.
  private static func object(_ key: ObjectKey, _ now: ComparedStore) throws -> ObjectChange? {
    guard let entity = now.schema[key.entity]?.entity, try now.view.contains(key) else {
      return nil
    }
    let row = LayerBuilder(now.schema)
    row.insert(key)
    let comparison = try StoreComparison(
      from: ComparedStore("", withoutObjectsOf: now), to: now, .identifier
    ) { row.freeze() }
    var found: ObjectChange?
    try comparison.forEachChange(of: [entity]) { if $0.object.id == key { found = $0 } }
    return found
  }

  /// The values of the object, in the order of its properties.
  package var origins: [Origin] {
    (object?.properties ?? []).map { property in
      let step = steps.first { step in
        step.change.kind != .deleted && step.change.properties.contains { $0.name == property.name }
      }
      return Origin(property: property, number: step?.number)
    }
  }
}
