import Foundation
import Quire
import Testing

@Entity final class Voyage: ManagedObject {
  var name: String = "Untitled"
  var start: Date?
  var budget: Decimal = 0
  @Unique var code: String
  @Relationship(.cascade, inverse: \Port.voyage, ordered: true) var stops: RelatedObjects<Port>
  #Unique<Voyage>([\.name, \.start])
  #Index<Voyage>([\.start], [\.name, \.start])
  #Index<Voyage>(words: \.name)
}

@Entity final class Port: ManagedObject {
  var name: String
  var nights: Int = 1
  var voyage: Voyage
}

enum Cabin: String, AttributeValue { case inside, balcony }

@Entity(.abstract, .originalName("Thing")) class Craft: ManagedObject {
  @Attribute(.length(1...40), .matches("[A-Z].*")) var name: String = "Untitled"
  @Attribute(.range(0...5000), .originalName("tons")) var tonnage: Double = 100
  var id: UUID = UUID()
  @Transient var isSelected: Bool = false
  @Relationship(minimum: 1, maximum: 9) var crew: RelatedObjects<Sailor>
}

@Entity("CruiseShip", .hashModifier("2")) final class Cruiser: Craft {
  var cabin: Cabin = .balcony
  var launched: Date? = nil
  @Attribute(.externalStorage) var picture: Data?
  @Derived("crew.@count") var crewCount: Int
  var captain: Sailor?
  /// A computed variable, which is not a property of the entity.
  var title: String { "SS " + name }
}

@Entity final class Sailor: ManagedObject {
  var name: String = ""
  @Relationship(.deny, inverse: \Craft.crew) var crafts: RelatedObjects<Craft>
  @Relationship(inverse: \Cruiser.captain) var commands: RelatedObjects<Cruiser>
}

/// Programs with the classes above, as in docs/features.md.
@Suite("Classes are the model")
struct EntityClassTests {
  @MainActor
  @Test("The program of docs/features.md runs")
  func callSite() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "Voyages.store").path
    let container = try PersistentContainer(at: path, for: Voyage.self, Port.self)
    let context = container.viewContext
    let voyage = try context.insert(Voyage.self) {
      $0.name = "Lisbon"
      $0.code = "LIS"
      $0.start = .now.addingTimeInterval(60)
    }
    for (name, nights) in [("Porto", 1), ("Lisbon", 4)] {
      try context.insert(Port.self) {
        $0.name = name
        $0.nights = nights
        $0.voyage = voyage
      }
    }
    try context.save()
    let soon = try context.fetch(
      Voyage.where { $0.start > .now && $0.stops.count >= 2 }.sorted(by: \.start))
    let same = try context.fetch(#Predicate<Voyage> { $0.name.contains("Lis") })
    #expect(soon == [voyage] && same == [voyage])
    #expect(voyage.stops.map(\.name) == ["Porto", "Lisbon"] && voyage.budget == 0)
    #expect(try context.count(for: Voyage.where { $0.stops.any { $0.nights > 3 } }) == 1)
    #expect(try context.fetch(Port.where { $0.voyage.code == "LIS" && $0.nights < 4 }).count == 1)
  }

  @Test("The model of classes has the hashes of the equal model file")
  func hashes() throws {
    let source = """
      <?xml version="1.0" encoding="UTF-8"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Craft" representedClassName="Craft" isAbstract="YES" elementID="Thing">
          <attribute name="name" attributeType="String" minValueString="1" maxValueString="40" regularExpressionString="[A-Z].*" defaultValueString="Untitled"/>
          <attribute name="tonnage" attributeType="Double" elementID="tons" minValueString="0" maxValueString="5000" defaultValueString="100" usesScalarValueType="YES"/>
          <attribute name="id" attributeType="UUID" usesScalarValueType="NO"/>
          <attribute name="isSelected" attributeType="Boolean" transient="YES" defaultValueString="NO" usesScalarValueType="YES"/>
          <relationship name="crew" toMany="YES" minCount="1" maxCount="9" deletionRule="Nullify" destinationEntity="Sailor" inverseName="crafts" inverseEntity="Sailor"/>
        </entity>
        <entity name="CruiseShip" representedClassName="Cruiser" parentEntity="Craft" versionHashModifier="2">
          <attribute name="cabin" attributeType="String" defaultValueString="balcony"/>
          <attribute name="launched" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
          <attribute name="picture" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
          <attribute name="crewCount" attributeType="Integer 64" derived="YES" derivationExpression="crew.@count" usesScalarValueType="YES"/>
          <relationship name="captain" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Sailor" inverseName="commands" inverseEntity="Sailor"/>
        </entity>
        <entity name="Sailor" representedClassName="Sailor">
          <attribute name="name" attributeType="String" defaultValueString=""/>
          <relationship name="crafts" optional="YES" toMany="YES" deletionRule="Deny" destinationEntity="Craft" inverseName="crew" inverseEntity="Craft"/>
          <relationship name="commands" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="CruiseShip" inverseName="captain" inverseEntity="CruiseShip"/>
        </entity>
      </model>
      """
    let file = try Model(ModelSource.read(Array(source.utf8)))
    // The superclass of a class belongs to the model too.
    let model = try Model(classes: [Cruiser.self, Sailor.self])
    #expect(model.versionHashes == file.versionHashes)
    for entity in file.entities {
      let made = try #require(model[entity.name])
      #expect(made.className == entity.className && made.isAbstract == entity.isAbstract)
      #expect(made.renamingIdentifier == entity.renamingIdentifier)
      #expect(
        made.declaredAttributes.map(\.validation) == entity.declaredAttributes.map(\.validation))
      #expect(
        made.declaredAttributes.map(\.defaultValue)
          == entity.declaredAttributes.map(\.defaultValue))
      #expect(made.declaredRelationships == entity.declaredRelationships)
    }
  }

  @Test("A class inherits properties, and key paths through the subclass name them")
  func inheritance() throws {
    let context = try ManagedObjectContext.inMemory([Cruiser.self, Craft.self, Sailor.self])
    let sailor = try context.insert(Sailor.self) { $0.name = "Ann" }
    let ship = try context.insert(Cruiser.self) {
      $0.name = "Aurora"
      $0.crew = [sailor]
      $0.captain = sailor
    }
    let other = try context.insert(Cruiser.self) {
      $0.name = "Borealis"
      $0.crew = [sailor]
      $0.cabin = .inside
      $0.launched = .now
    }
    #expect(ship.id != other.id && ship.tonnage == 100 && ship.cabin == .balcony)
    try context.save()
    #expect(ship.crewCount == 1 && !ship.isSelected && ship.launched == nil)
    #expect(sailor.crafts.count == 2 && sailor.commands == [ship])
    // By its key, a property has the type that the class declares.
    #expect(ship.value(forKey: "cabin") as? Cabin == ship.cabin)
    #expect(ship.value(forKey: "crewCount") as? Int == ship.crewCount)
    #expect(ship.value(forKey: "launched") == nil && ship.value(forKey: "id") as? UUID == ship.id)
    #expect(try context.fetch(Cruiser.where { $0.name == "Aurora" }) == [ship])
    #expect(
      try context.fetch(Craft.where { $0.tonnage >= 100 }.sorted(by: \.name)) == [ship, other])
    #expect(try context.fetch(#Predicate<Cruiser> { $0.name == "Borealis" }) == [other])
    #expect(try context.fetch(Cruiser.where { $0.cabin == .inside }) == [other])
    #expect(
      try context.fetch(Cruiser.where { $0.launched == nil && $0.captain == sailor }) == [ship])
    #expect(try context.fetch(Cruiser.where { $0.captain == nil }) == [other])
    #expect(try context.fetch(Cruiser.where { $0.captain.name == "Ann" }) == [ship])
    #expect(
      try context.fetch(
        Sailor.where { $0.crafts.all { $0.tonnage < 200 } && $0.crafts.contains(other) }) == [
          sailor
        ])
    #expect(
      try context.count(
        for: Sailor.where {
          $0.crafts.sum(of: \.tonnage) == 200.0
            && $0.crafts.count(where: { $0.name == "Aurora" }) == 1
        }) == 1)
    #expect(try context.fetch(Sailor.where { $0.commands.isEmpty }).isEmpty)
    let first = Cruiser.all.sorted(by: \.name, ascending: false).limited(to: 1)
    #expect(try context.fetch(first.prefetching(\.crew)) == [other])
    ship.name = "low"
    #expect(throws: ContextError.self) { try context.save() }
  }

  @Test("A key path that is not a property of the entity is refused with its text")
  func noProperty() throws {
    let context = try ManagedObjectContext.inMemory([Cruiser.self, Sailor.self])
    #expect(throws: QueryError.self) { try context.fetch(Cruiser.where { $0.title == "SS" }) }
    #expect(throws: QueryError.self) { try context.fetch(Cruiser.all.sorted(by: \.title)) }
    #expect(throws: QueryError.self) {
      try context.fetch(#Predicate<Cruiser> { $0.title == "SS" })
    }
  }

  @Test("Fetched results follow a typed request")
  func following() throws {
    let context = try ManagedObjectContext.inMemory([Voyage.self, Port.self])
    let results = try FetchedResults(
      Voyage.where { $0.stops.any { $0.nights > 3 } }.sorted(by: \.name), in: context)
    let voyage = try context.insert(Voyage.self) { $0.code = "A" }
    let port = try context.insert(Port.self) {
      $0.name = "Faro"
      $0.voyage = voyage
    }
    try context.save()
    #expect(results.objects.isEmpty)
    port.nights = 4
    try context.processPendingChanges()
    #expect(results.objects == [voyage])
  }

  @Test("Groups and batches take key paths")
  func requests() throws {
    let context = try ManagedObjectContext.inMemory([Cruiser.self, Sailor.self])
    let sailor = try context.insert(Sailor.self)
    for (name, tonnage) in [("A", 10.0), ("A", 20.0), ("B", 30.0)] {
      try context.insert(Cruiser.self) {
        $0.name = name
        $0.tonnage = tonnage
        $0.crew = [sailor]
      }
    }
    try context.save()
    let request = Cruiser.all.sorted(by: \.name).grouped(
      by: \.name, fetching: FetchedValue("sum", .function(.sum, [.path("tonnage")])))
    #expect(
      try context.fetchTable(request).rows == [
        [.string("A"), .double(30)], [.string("B"), .double(30)],
      ])
    var update = BatchUpdateRequest(Cruiser.where { $0.name == "A" })
    update.set(\Cruiser.tonnage, to: 5)
    try context.execute(update)
    context.refreshAllObjects()
    #expect(try context.fetch(Cruiser.where { $0.tonnage == 5 }).count == 2)
  }

  @Test("Constraints and indexes over several properties are in the model")
  func constraints() throws {
    let model = try Model(classes: [Voyage.self, Port.self])
    #expect(model["Voyage"]?.uniquenessConstraints == [["code"], ["name", "start"]])
    #expect(
      model["Voyage"]?.fetchIndexes.map { $0.elements.map(\.property) } == [
        ["start"], ["name", "start"], ["name"],
      ])
    let words = try #require(model["Voyage"]?.fetchIndexes.last)
    #expect(words.name == "words_of_name" && words.elements.map(\.kind) == [.fullText])
  }

  @Test("A class without an entity, or with an inverse outside, makes no model")
  func noModel() {
    #expect(throws: ContextError.self) { try Model(classes: [ManagedObject.self]) }
    // The destination is not a class of the model.
    #expect(throws: ModelError.self) { try Model(classes: [Voyage.self]) }
  }
}
