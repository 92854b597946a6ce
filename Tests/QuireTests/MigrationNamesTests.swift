import Foundation
import Quire
import Testing

enum FlagsV1: ModelVersion {
  static let classes: [ManagedObject.Type] = [Flag.self]

  @Entity final class Flag: ManagedObject {
    var name: String = ""
    @Attribute("colour", .transformable(by: "Colours", of: "Colour")) var colourData: Data?
  }
}

enum FlagsV2: ModelVersion {
  static let classes: [ManagedObject.Type] = [Flag.self]

  @Entity final class Flag: ManagedObject {
    var name: String = ""
    var places: Int = 0
    @Attribute("colour", .transformable(by: "Colours", of: "Colour")) var colourData: Data?
  }
}

/// Programs that migrate import `Quire` alone.
@Suite("What `import Quire` gives to migrations")
struct MigrationNamesTests {
  private static let colours = ValueTransformer.coding("Colours", [Int].self)

  /// A policy with a function that uses a transformer.
  final class ColourPolicy: EntityMigrationPolicy {
    override func value(
      of function: String, _ arguments: [MappingValue], _ manager: MigrationManager
    ) throws -> MappingValue {
      guard case .value(.binary(let bytes))? = arguments.first,
        let transformer = manager.transformers["Colours"]
      else { return .value(.null) }
      let colour = try transformer.decoded(bytes, as: [Int].self)
      return .value(.binary(try transformer.encoded(Array(colour.reversed()))))
    }
  }

  @MainActor
  @Test("Mappings, policies and transformers can be named, and a policy can use a transformer")
  func policy() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "Flags.store").path
    do {
      let container = try PersistentContainer(
        at: path, for: FlagsV1.self, transformers: [Self.colours])
      let flag = try container.viewContext.insert(FlagsV1.Flag.self) { $0.name = "Italy" }
      try flag.setTransformed([1, 2, 3], \.colourData)
      try container.viewContext.save()
    }
    let written = try WrittenMapping(
      """
      from "FlagsV1"
      to "FlagsV2"
      map Flag -> Flag using ColourPolicy
        colour = FUNCTION($entityPolicy, "turned:manager:", $source.colour, $manager)
      """)
    let property: PropertyMapping? = written.entityMappings[0]["colour"]
    #expect(property != nil)
    var migrator = try Migrator(FlagsV1.self, FlagsV2.self)
    migrator.mappings = [try written.completed(among: migrator.versions)]
    migrator.policies["ColourPolicy"] = { ColourPolicy() }
    migrator.transformers = [Self.colours]

    let container = try PersistentContainer(
      at: path, for: FlagsV2.self, migrator: migrator, transformers: [Self.colours])

    let flags = try container.viewContext.fetch(FlagsV2.Flag.all)
    #expect(try flags.map { try $0.transformed(\.colourData, as: [Int].self) } == [[3, 2, 1]])
    #expect(flags.map(\.name) == ["Italy"])
  }

  @Test("A transformer refuses values of another type")
  func otherTypes() throws {
    let bytes = try Self.colours.encoded([3])
    #expect(try Self.colours.decoded(bytes, as: [Int].self) == [3])
    #expect(throws: ContextError.self) { try Self.colours.decoded(bytes, as: String.self) }
    #expect(throws: ContextError.self) { try Self.colours.encoded("text") }
  }
}
