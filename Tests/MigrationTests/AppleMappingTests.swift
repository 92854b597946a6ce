import AppleFixtures
import Foundation
import Migration
import ModelNotations
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

/// The mapping and the models of another project. Tests that need these files are skipped on machines without them.
@Suite("Mappings that Apple's tools wrote")
struct AppleMappingTests {
  private static let project = "alemar11+CoreDataPlus/Tests/Resources/SampleModel"
  private static var mappings: URL? {
    AppleFixtures.folder?.appendingPathComponent("mappingmodel/\(project)")
  }

  private func versions() throws -> [KnownVersion] {
    let folder = try #require(AppleFixtures.folder)
    return [KnownVersion](
      try ModelVersions.read(
        folder.appendingPathComponent("xcdatamodeld/\(Self.project)/SampleModel.xcdatamodeld").path)
    )
  }

  @Test(
    "The editor's document and its compiled form contain the same mapping",
    .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"))
  func read() throws {
    let folder = try #require(Self.mappings)
    let compiled = try WrittenMapping(
      contentsOf: folder.appendingPathComponent("Fixtures/V2toV3.cdm").path)
    let written = try WrittenMapping(
      contentsOf: folder.appendingPathComponent("MappingModels/V2toV3.xcmappingmodel").path)
    #expect(
      compiled.entityMappings.map(\.name) == [
        "CarToCar", "LuxuryCarToLuxuryCar", "PersonToPerson", "SportCarToSportCar", "Maker",
      ])
    #expect(
      Set(written.entityMappings.compactMap(\.destinationEntity))
        == Set(compiled.entityMappings.compactMap(\.destinationEntity)))
    let car = try #require(compiled.entityMappings.first)
    #expect(car.policyName == "REPLACE_AT_RUNTIME.V2to3MakerPolicy" && car.kind == .custom)
    #expect(car["model"]?.expression?.description == "$source.model")
    #expect(
      car["owner"]?.expression?.description
        == "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"PersonToPerson\", $source.owner)"
    )
    let known = try versions()
    for mapping in [compiled, written] {
      let completed = try mapping.completed(among: known)
      #expect(completed.source.versionHashes == known[1].model.versionHashes)
      #expect(completed.destination.versionHashes == known[2].model.versionHashes)
    }
  }

  /// Creates a maker for each car's maker name, and relates the cars to the maker. The mapping needs the policy for this.
  final class MakerPolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
      for source: ManagedObject, _ mapping: EntityMapping, _ manager: MigrationManager
    ) throws {
      try super.createDestinationInstances(for: source, mapping, manager)
      guard case .string(let name) = source["maker"],
        let car = manager.destinationInstances(of: mapping.name, for: [source]).first
      else { return }
      let known = try manager.destinationContext.fetch(
        FetchRequest("Maker", matching: ["name": .string(name)]))
      let maker = try known.first ?? manager.destinationContext.insert("Maker")
      maker["name"] = .string(name)
      car.setObjects([maker], forKey: "createdBy")
    }
  }

  private func fill(_ context: ManagedObjectContext) throws {
    let person = try context.insert("Person")
    try person.setValues([
      "firstName": .string("Ada"), "lastName": .string("Byron"), "id": .uuid(UUID()),
      "updatedAt": .date(Date()),
    ])
    for (kind, maker, number) in [
      ("Car", "FIAT", 1), ("SportCar", "FIAT", 2), ("ExpensiveSportCar", "BMW", 3),
    ] {
      let car = try context.insert(kind)
      try car.setValues(["maker": .string(maker), "numberPlate": .string("N\(number)")])
      car.setObjects([person], forKey: "owner")
    }
  }

  @Test(
    "A store is migrated over three versions of a project and keeps its objects",
    .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"), arguments: [Kind.binary, .xml])
  func versionsOneToThree(_ kind: Kind) throws {
    let known = try versions()
    let mapping = try WrittenMapping(
      contentsOf: try #require(Self.mappings).appendingPathComponent("Fixtures/V2toV3.cdm").path)
    let world = World(kind)
    try world.make(known[0].model, fill)
    var migrator = Migrator(
      knowing: known, mappings: [try mapping.completed(among: known)]
    ).allowingLoss
    migrator.policies["REPLACE_AT_RUNTIME.V2to3MakerPolicy"] = { MakerPolicy() }
    try migrator.migrate(storeAt: World.path, to: known[1].model, in: world.places)
    #expect(try world.metadata().versionHashes == known[1].model.versionHashes)
    let second = try world.read(known[1].model) { context in
      try context.fetch(FetchRequest("Car", sortedBy: [SortKey("numberPlate")])).map {
        "\($0.entity.name) \($0["numberPlate"].text)"
      }
    }
    #expect(second.count >= 3, "\(second)")
    try migrator.migrate(storeAt: World.path, to: known[2].model, in: world.places)
    let makers = try world.read(known[2].model) { context in
      try context.fetch(FetchRequest("Maker", sortedBy: [SortKey("name")])).map { maker in
        let cars = (maker.value(forKey: "cars") as? [ManagedObject] ?? []).map { car in
          "\(car["numberPlate"].text) of \((car.value(forKey: "owner") as? ManagedObject)?["lastName"].text ?? "nobody")"
        }
        return "\(maker["name"].text): \(cars.sorted().joined(separator: ", "))"
      }
    }
    #expect(makers.count == 2 && makers.allSatisfy { $0.contains("of \"Byron\"") }, "\(makers)")
    #expect(try world.faults() == [])
    #expect(try world.files() == ["Trips.store"])
  }

  /// The mappings of the editor and of the compiler.
  private static let files =
    AppleFixtures.paths(".xcmappingmodel", in: "mappingmodel")
    + AppleFixtures.paths(".cdm", in: "mappingmodel")

  @Test(
    "Each mapping runs with the policies that it names, and its dry run finds nothing else",
    .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"), arguments: files)
  func all(_ path: String) throws {
    let known = try versions()
    let mapping = try WrittenMapping(contentsOf: path).completed(among: known)
    let world = World(.binary)
    // Each entity gets an object with every value, and one without any that is not required.
    try world.make(mapping.source) { context in
      for entity in mapping.source.entities where !entity.isAbstract {
        for isFull in [true, false] {
          let object = try context.insert(entity.name)
          for case .attribute(let attribute) in mapping.source.properties(of: entity.name)
          where isFull || !attribute.isOptional {
            switch attribute.type {
            case .string: object[attribute.name] = .string("\(entity.name) \(isFull)")
            case .date: object[attribute.name] = .date(Date(timeIntervalSinceReferenceDate: 1))
            case .uuid: object[attribute.name] = .uuid(UUID())
            case .boolean: object[attribute.name] = .boolean(isFull)
            default: break
            }
          }
        }
      }
    }
    var migrator = Migrator(knowing: known, mappings: [mapping]).allowingLoss
    for name in mapping.entityMappings.compactMap(\.policyName) {
      migrator.policies[name] = { EntityMigrationPolicy() }
    }

    let plan = try migrator.plan(forStoreAt: World.path, to: mapping.destination, in: world.places)
    #expect(plan.violations.isEmpty, "\(plan)")
    try migrator.migrate(storeAt: World.path, to: mapping.destination, in: world.places)

    #expect(try world.faults() == [])
    #expect(try world.dump(mapping.destination).count >= 8)
  }

  @Test("A file that contains no mapping is refused with the reason")
  func noMapping() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (bytes, words) in [
      ([0xFF, 0xFE, 0x00], "it is not text"), (Array("<plist/>".utf8), "not <database>"),
      (Array("<database/>".utf8), "contains no mapping model"),
      (Array("bplist00".utf8), "can't be read"),
      (Array("<database".utf8), "Not well-formed XML"), (Array("hello".utf8), "found \"hello\""),
    ] as [([UInt8], String)] {
      let file = folder.appendingPathComponent("m")
      try Data(bytes).write(to: file)
      let error = #expect(throws: (any Error).self) { try WrittenMapping(contentsOf: file.path) }
      #expect("\(error!)".contains(words), "\(error!)")
    }
    #expect(throws: ModelFileError.self) {
      try WrittenMapping(contentsOf: folder.appendingPathComponent("none").path)
    }
  }
}
