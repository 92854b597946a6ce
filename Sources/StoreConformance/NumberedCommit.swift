import ObjectModel
import Rows
import StoreInterface

/// A commit with values that all follow from its number, so that a torn commit is noticed.
struct NumberedCommit {
  static let things = 1...4 as ClosedRange<UInt64>

  let number: Int64

  init(_ number: Int64) { self.number = number }

  /// The bytes of the first thing. Their count changes from commit to commit.
  private var bytes: Value {
    .binary(
      StoreConformance.bytes(Int(number &* 7919 % 40_000), step: 7, from: Int(number % 256)))
  }

  /// Returns the request that gives all things the number of the commit.
  func request(above base: any StoreSnapshot) throws -> CommitRequest {
    let builder = LayerBuilder(base.schema)
    for thing in Self.things {
      let key = try StoreConformance.thing(thing, in: base)
      let version = try base.view.row(of: key)?.version
      if version == nil { builder.insert(key) }
      builder.set(.integer(number), "large", of: key, base.schema, basis: version ?? 0)
      if thing == 1 { builder.set(bytes, "bytes", of: key, base.schema, basis: version ?? 0) }
    }
    return CommitRequest(builder.freeze(), basedOn: base)
  }

  /// Returns the objects of a store after the commit.
  func objects(in snapshot: any StoreSnapshot) throws -> StoreConformance.Objects {
    var objects: StoreConformance.Objects = [:]
    for thing in Self.things {
      objects[try StoreConformance.thing(thing, in: snapshot)] = ["large": .integer(number)]
    }
    objects[try StoreConformance.thing(1, in: snapshot)]?["bytes"] = bytes
    return objects
  }

  /// Checks that each thing of a snapshot has the number of the newest commit, which changed all things.
  static func checkVersions(
    of snapshot: any StoreSnapshot, _ moment: String, _ run: CaseRun
  ) throws {
    guard run.suite.keepsRows, !snapshot.countsVersions else { return }
    for thing in things {
      let key = try StoreConformance.thing(thing, in: snapshot)
      guard let row = try snapshot.view.row(of: key) else { continue }
      run.check(
        "\(moment), the version of Thing \(thing), which the newest commit changed",
        is: snapshot.commit, found: try row.version)
    }
  }
}
