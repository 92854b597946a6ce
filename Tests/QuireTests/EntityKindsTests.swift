import Foundation
import ObjectModel
import Quire
import Testing

@Composite struct Position: Hashable {
  var latitude: Double = 0
  var longitude: Double = 0
}

@Composite struct Address: Hashable {
  @Attribute(.length(1...100)) var street: String?
  @Attribute("postcode") var code: String?
  var position: Position = Position()
}

enum Condition: CodableValue, Hashable {
  case sound
  case worn(rooms: [Int], cost: Double)
}

@Entity final class Flat: ManagedObject {
  var condition: Condition = .sound
  var former: Condition?
}

@Entity final class House: ManagedObject {
  var name: String
  var address: Address
  @Attribute("colour", .transformable(by: "Colours", of: "Colour")) var colourData: Data?
  @Fetched(where: "address.street == $FETCH_SOURCE.address.street", sortedBy: [SortKey("name")])
  var neighbours: [House]
}

/// Composite, transformable and fetched properties of classes.
@Suite("Kinds of properties of classes")
struct EntityKindsTests {
  private func context() throws -> ManagedObjectContext {
    try .inMemory([House.self], [.coding("Colours", [Int].self)])
  }

  private func house(_ name: String, _ street: String, in context: ManagedObjectContext) throws
    -> House
  {
    try context.insert(House.self) {
      $0.name = name
      $0.address.street = street
      $0.address.position = Position(latitude: 1, longitude: 2)
    }
  }

  @Test("The model of the class equals the model in a file")
  func model() throws {
    let written = try Model(
      Model.Description(
        entities: [
          Entity(
            "House",
            properties: [
              .attribute(Attribute("name", .string, isOptional: false)),
              .attribute(Attribute("address", .composite, compositeName: "Address")),
              .attribute(
                Attribute(
                  "colour", .transformable, valueTransformerName: "Colours",
                  valueClassName: "Colour")),
              .fetched(
                FetchedProperty(
                  "neighbours",
                  request: FetchRequestTemplate(
                    "neighbours", entity: "House",
                    predicate: "address.street == $FETCH_SOURCE.address.street",
                    sortKeys: [.init("name")]))),
            ])
        ],
        composites: [
          CompositeType(
            "Address",
            attributes: [
              Attribute(
                "street", .string,
                validation: .init(minimum: .integer(1), maximum: .integer(100))),
              Attribute("postcode", .string),
              Attribute("position", .composite, compositeName: "Position"),
            ]),
          CompositeType(
            "Position",
            attributes: [
              Attribute("latitude", .double, isOptional: false, defaultValue: .double(0)),
              Attribute("longitude", .double, isOptional: false, defaultValue: .double(0)),
            ]),
        ]))
    let model = try Model(classes: [House.self])
    #expect(model.versionHashes == written.versionHashes)
    #expect(model.description.composites == written.description.composites)
    #expect(model["House"]?.declaredProperties == written["House"]?.declaredProperties)
  }

  @Test("A composite attribute is read and set as a structure, and by its parts")
  func composites() throws {
    let context = try context()
    let house = try house("A", "Elm Street", in: context)
    try context.save()
    #expect(
      house.address
        == Address(street: "Elm Street", position: Position(latitude: 1, longitude: 2)))
    #expect(house["address.position.longitude"] == .double(2))
    house.address.code = "12345"
    #expect(house.changedValues() == ["address.postcode": .string("12345")])
    house.address.position.latitude = 7
    try context.save()
    #expect(house["address.position.latitude"] == .double(7))
    #expect(try context.fetch(House.where { $0.address.code == "12345" }) == [house])
    #expect(try context.fetch(House.where { $0.address.position.latitude > 7 }).isEmpty)
    #expect(
      try context.fetch(#Predicate<House> { $0.address.position.latitude == 7 }) == [house])
    house.address.street = ""
    #expect(throws: ContextError.self) { try context.save() }
  }

  @Test("A transformable attribute is read and set through its transformer")
  func transformables() throws {
    let context = try context()
    let house = try house("A", "Elm Street", in: context)
    try house.setTransformed([1, 2, 3], \.colourData)
    #expect(try house.transformed(\.colourData, as: [Int].self) == [1, 2, 3])
    try context.save()
    #expect(house.colourData != nil)
  }

  @Test("An enumeration with associated values is stored as JSON text")
  func codables() throws {
    let context = try ManagedObjectContext.inMemory([Flat.self])
    let worn = Condition.worn(rooms: [1, 2], cost: .infinity)
    let flat = try context.insert(Flat.self) { $0.former = worn }
    try context.save()
    #expect(flat.condition == .sound && flat.former == worn)
    #expect(flat["former"] == .string(#"{"worn":{"cost":"inf","rooms":[1,2]}}"#))
    #expect(flat["condition"] == .string(#"{"sound":{}}"#))
    #expect(try context.fetch(Flat.where { $0.former == worn }) == [flat])
    #expect(try context.fetch(Flat.where { $0.condition != .sound }).isEmpty)
    #expect(Condition(storedValue: .string("{}")) == nil && Condition(storedValue: .null) == nil)
  }

  @Test("A fetched property fetches its objects at each access")
  func fetched() throws {
    let context = try context()
    let house = try house("A", "Elm Street", in: context)
    #expect(try house.neighbours == [house])
    let other = try self.house("B", "Elm Street", in: context)
    #expect(try house.neighbours == [house, other])
    house.address.street = "Oak Street"
    #expect(try house.neighbours == [house])
  }
}
