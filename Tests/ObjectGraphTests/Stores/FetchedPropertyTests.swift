import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Fetched properties")
struct FetchedPropertyTests {
  /// The model: readers in one store, books and shelves in another, and a note about the readers' taste in both.
  private static let model: Model = try! Model(
    Model.Description(
      entities: [
        Entity(
          "Reader",
          properties: [
            .attribute(Attribute("name", .string)), .attribute(Attribute("taste", .string)),
            .attribute(Attribute("home", .composite, compositeName: "Home")),
            .relationship(
              Relationship("friends", to: "Reader", inverse: "friends", count: .toMany)),
            .relationship(Relationship("best", to: "Reader", inverse: "bestOf")),
            .relationship(Relationship("bestOf", to: "Reader", inverse: "best", count: .toMany)),
            fetched("books", "Book", "kind == $FETCH_SOURCE.taste", sortedBy: "title"),
            fetched("oneOf", "Book", "kind IN $FETCH_SOURCE.friends.taste", sortedBy: "title"),
            fetched("likedByBest", "Book", "kind == $FETCH_SOURCE.best.taste", sortedBy: "title"),
            fetched("near", "Book", "town == $FETCH_SOURCE.home.town", sortedBy: "title"),
            fetched("shelved", "Book", "rank <= $FETCH_SOURCE.friends.@count", sortedBy: "title"),
            fetched("others", "Reader", "SELF != $FETCH_SOURCE", sortedBy: "name"),
            fetched("mates", "Reader", "ANY friends == $FETCH_SOURCE", sortedBy: "name"),
            fetched("sameKey", "Book", "owner == $FETCH_SOURCE"),
            fetched("all", "Book", nil, sortedBy: "title", limit: 2),
            fetched("wrong", "Book", "kind == $FETCH_SOURCE.nothing"),
            fetched("unreadable", "Book", "kind == == 3"),
            fetched("described", "Book", "kind == $FETCHED_PROPERTY.name"),
          ]),
        Entity(
          "Book",
          properties: [
            .attribute(Attribute("title", .string)), .attribute(Attribute("kind", .string)),
            .attribute(Attribute("town", .string)), .attribute(Attribute("rank", .int32)),
            .relationship(Relationship("owner", to: "Book", inverse: "owned")),
            .relationship(Relationship("owned", to: "Book", inverse: "owner", count: .toMany)),
          ]),
      ],
      composites: [CompositeType("Home", attributes: [Attribute("town", .string)])],
      configurations: [
        Configuration("readers", entities: ["Reader"]),
        Configuration("books", entities: ["Book"]),
      ]))

  private static func fetched(
    _ name: String, _ entity: String, _ predicate: String?, sortedBy key: String? = nil,
    limit: Int = 0
  ) -> Property {
    .fetched(
      FetchedProperty(
        name,
        request: FetchRequestTemplate(
          name, entity: entity, predicate: predicate, sortKeys: key.map { [.init($0)] } ?? [],
          fetchLimit: limit)))
  }

  private struct Library {
    let context: ManagedObjectContext
    let ada: ManagedObject
    let bob: ManagedObject

    init(_ kind: Kind) throws {
      let ground = Ground(kind)
      let coordinator = PersistentStoreCoordinator(
        model: FetchedPropertyTests.model, places: ground.places)
      try coordinator.addStore(
        at: ground.path("/readers"), type: kind.type, configuration: "readers")
      try coordinator.addStore(at: ground.path("/books"), type: kind.type, configuration: "books")
      context = ManagedObjectContext(coordinator, concurrency: .confined)
      ada = try context.insert("Reader")
      bob = try context.insert("Reader")
      try ada.setValues([
        "name": .string("Ada"), "taste": .string("crime"), "home.town": .string("Faro"),
      ])
      try bob.setValues(["name": .string("Bob"), "taste": .string("poems")])
      ada.setObjects([bob], forKey: "friends")
      bob.setObjects([ada], forKey: "best")
      for (rank, title) in ["A crime", "B poems", "C crime", "D maps"].enumerated() {
        let book = try context.insert("Book")
        let kind = title.split(separator: " ").last.map(String.init) ?? ""
        try book.setValues([
          "title": .string(title), "kind": .string(kind), "rank": .integer(Int64(rank)),
          "town": .string(rank == 3 ? "Faro" : "Rome"),
        ])
      }
    }

    func names(_ object: ManagedObject, _ property: String) throws -> [String] {
      (object.value(forKey: property) as? [ManagedObject] ?? []).map {
        ($0.value(forKey: $0.entity.name == "Book" ? "title" : "name") as? String) ?? "?"
      }
    }
  }

  @Test("A fetched property shows each change at the next read", arguments: Kind.allCases)
  func current(_ kind: Kind) throws {
    let library = try Library(kind)
    let ada = library.ada
    #expect(try library.names(ada, "books") == ["A crime", "C crime"])

    ada["taste"] = .string("poems")
    #expect(try library.names(ada, "books") == ["B poems"])
    let book = try library.context.insert("Book")
    try book.setValues(["title": .string("A poem"), "kind": .string("poems")])
    #expect(try library.names(ada, "books") == ["A poem", "B poems"])
  }

  @Test(
    "A fetched property uses its owner's values in another store", arguments: Kind.allCases,
    [true, false])
  func across(_ kind: Kind, _ isSaved: Bool) throws {
    let library = try Library(kind)
    if isSaved {
      try library.context.save()
      library.context.refreshAllObjects()
    }
    let (ada, bob) = (library.ada, library.bob)

    #expect(try library.names(ada, "books") == ["A crime", "C crime"])
    #expect(try library.names(bob, "books") == ["B poems"])
    #expect(try library.names(ada, "oneOf") == ["B poems"])
    #expect(try library.names(bob, "oneOf") == ["A crime", "C crime"])
    #expect(try library.names(bob, "likedByBest") == ["A crime", "C crime"])
    #expect(try library.names(ada, "likedByBest") == [])
    #expect(try library.names(ada, "near") == ["D maps"])
    #expect(try library.names(ada, "shelved") == ["A crime", "B poems"])
    #expect(try library.names(ada, "others") == ["Bob"] && library.names(ada, "mates") == ["Bob"])
    #expect(try library.names(ada, "all") == ["A crime", "B poems"])
    ada["taste"] = .string("maps")
    #expect(try library.names(ada, "books") == ["D maps"])
  }

  @Test(
    "An object is not confused with the object of another store that has the same number",
    arguments: Kind.allCases)
  func sameKey(_ kind: Kind) throws {
    let library = try Library(kind)
    let books = try library.context.fetch(FetchRequest("Book", sortedBy: [SortKey("title")]))
    for book in books { book.setObjects([books[0]], forKey: "owner") }
    try library.context.save()

    #expect(try library.names(library.ada, "sameKey") == [])
    #expect(try library.names(library.bob, "sameKey") == [])
  }

  @Test("A request of a fetched property that fails throws its error", arguments: Kind.allCases)
  func wrong(_ kind: Kind) throws {
    let library = try Library(kind)
    let error = #expect(throws: ContextError.self) {
      try library.ada.fetchedObjects(forKey: "wrong")
    }
    #expect(error?.code == .unknownProperty && error?.message.contains("nothing") ?? false)
    #expect(throws: QueryError.self) {
      try library.ada.fetchedObjects(forKey: "unreadable")
    }
    #expect(try library.ada.fetchedObjects(forKey: "books").count == 2)
  }

  @Test(
    "The variable FETCH_SOURCE has a value, and FETCHED_PROPERTY has none", arguments: Kind.allCases
  )
  func variables(_ kind: Kind) throws {
    let library = try Library(kind)
    #expect(try library.ada.fetchedObjects(forKey: "others") == [library.bob])
    let error = #expect(throws: QueryError.self) {
      try library.ada.fetchedObjects(forKey: "described")
    }
    #expect(error?.code == .missingVariable)
    #expect(error?.message.contains("FETCHED_PROPERTY") ?? false, "\(error!)")
  }
}
