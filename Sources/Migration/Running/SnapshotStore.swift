package import ObjectModel
import Rows
package import StoreInterface

/// A read-only store that shows one snapshot. A migration reads its source objects from it, and an exchange the objects of a version.
package final class SnapshotStore: Store {
  private let shown: any StoreSnapshot
  package let tag: StoreTag
  package let type: StoreType
  package var features: StoreFeatures { StoreFeatures([]) }
  package var path: String? { nil }

  package init(_ snapshot: any StoreSnapshot) throws {
    shown = snapshot
    let metadata = try snapshot.metadata
    guard let uuid = metadata.uuid else {
      throw MigrationError(.badPlace, "The store has no UUID.")
    }
    tag = StoreTag(uuid)
    type = metadata.type ?? .memory
  }

  package func snapshot() throws -> any StoreSnapshot { shown }
  package func commit(_ request: CommitRequest) throws -> any StoreSnapshot { throw refusal }
  package func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    throw refusal
  }
  package func describe() throws -> StoreSummary { StoreSummary() }
  package func close() throws {}

  private var refusal: StoreError {
    StoreError(.readOnly, "The source of a migration can't be changed.")
  }
}

/// A snapshot that is read under a newer model. Its rows are unchanged, and columns are found by number.
struct EvolvedSnapshot: StoreSnapshot {
  private let base: any StoreSnapshot
  private let evolved: Model
  let schema: Schema

  init(_ base: any StoreSnapshot, _ model: Model, _ schema: Schema) {
    self.base = base
    evolved = model
    self.schema = schema
  }

  var commit: Int64 { base.commit }
  var model: Model { get throws { evolved } }
  var tables: [any RowTable] { base.tables }
  var nextKeys: [UInt16: UInt64] { base.nextKeys }
  var metadata: StoreMetadata {
    get throws {
      var metadata = try base.metadata
      metadata.setModel(evolved)
      return metadata
    }
  }
}
