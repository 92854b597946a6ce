import Migration
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

/// Relationships that get an inverse, and one-way relationships that become inverses of each other.
@Suite("Relationships that become inverses")
struct InverseJoinTests {
  /// Creates shops `A`, `B`, … and books `1`, `2`, …, and sets relationships in the order of their names: the links are
  /// numbered in this order, and the first ones stay.
  private func fill(
    _ books: [String: [String]], _ shops: [String: [String]], _ context: ManagedObjectContext
  ) throws {
    var objects: [String: ManagedObject] = [:]
    for name in ["A", "B", "C"] { objects[name] = try context.insert("Shop") }
    for name in ["1", "2", "3"] { objects[name] = try context.insert("Book") }
    for (name, object) in objects { object["name"] = .string(name) }
    for (name, targets) in books.sorted(by: { $0.key < $1.key }) {
      objects[name]!.setObjects(targets.map { objects[$0]! }, forKey: "books")
    }
    for (name, targets) in shops.sorted(by: { $0.key < $1.key }) {
      objects[name]!.setObjects(targets.map { objects[$0]! }, forKey: "shop")
    }
  }

  private func model(toMany books: Bool, _ shop: Bool?, areInverses: Bool, ordered: Bool = false)
    -> Model
  {
    let back = areInverses ? "shop" : nil
    var book: [Property] = [.text("name")]
    if let shop {
      let inverse = areInverses ? "books" : nil
      book.append(
        shop ? .many("shop", "Shop", back: inverse) : .one("shop", "Shop", back: inverse))
    }
    let forward: Property =
      books
      ? .many("books", "Book", back: back, ordered: ordered) : .one("books", "Book", back: back)
    do {
      return try Model(entities: [
        Entity("Shop", properties: [.text("name"), forward]), Entity("Book", properties: book),
      ])
    } catch { preconditionFailure("\(error)") }
  }

  /// Migrates, after a dry run, and returns the drops of the dry run and the objects with a relationship.
  private func migrated(
    _ kind: Kind, from old: Model, to new: Model, _ books: [String: [String]],
    _ shops: [String: [String]] = [:]
  ) throws -> (drops: [String], objects: [String]) {
    let world = World(kind)
    try world.make(old) { try fill(books, shops, $0) }
    let plan = try Migrator().plan(forStoreAt: World.path, to: new, in: world.places)
    let error =
      plan.drops.isEmpty
      ? nil
      : #expect(throws: MigrationError.self) {
        try Migrator().migrate(storeAt: World.path, to: new, in: world.places)
      }
    #expect(plan.drops.isEmpty || error?.code == .wouldLose)
    try Migrator().allowingLoss.migrate(storeAt: World.path, to: new, in: world.places)
    #expect(try world.faults() == [])
    let objects = try world.dump(new).filter { $0.contains("books=") || $0.contains("shop=") }
    return (plan.drops.map(\.description), objects)
  }

  @Test(
    "Links for which a new to-one inverse has no room count as drops, and the first one stays",
    arguments: Kind.allCases)
  func newInverse(_ kind: Kind) throws {
    let toMany = try migrated(
      kind, from: model(toMany: true, nil, areInverses: false),
      to: model(toMany: true, false, areInverses: true),
      ["A": ["1", "2"], "B": ["2", "3"], "C": ["2"]])
    #expect(toMany.drops == ["Shop.books: in 2 objects"])
    #expect(
      toMany.objects == [
        "Book name=1 shop=A", "Book name=2 shop=A", "Book name=3 shop=B", "Shop books=[1,2] name=A",
        "Shop books=[3] name=B",
      ])

    let toOne = try migrated(
      kind, from: model(toMany: false, nil, areInverses: false),
      to: model(toMany: false, false, areInverses: true), ["A": ["1"], "B": ["1"], "C": ["2"]])
    #expect(toOne.drops == ["Shop.books: in 1 object"])
    #expect(
      toOne.objects == [
        "Book name=1 shop=A", "Book name=2 shop=C", "Shop books=1 name=A", "Shop books=2 name=C",
      ])
  }

  @Test("An order stays when the relationship gets an inverse", arguments: Kind.allCases)
  func ordered(_ kind: Kind) throws {
    let result = try migrated(
      kind, from: model(toMany: true, nil, areInverses: false, ordered: true),
      to: model(toMany: true, false, areInverses: true, ordered: true),
      ["A": ["3", "1", "2"]])
    #expect(result.drops == [])
    #expect(result.objects.contains("Shop books=[3,1,2] name=A"), "\(result.objects)")
  }

  @Test(
    "Two one-way relationships that become inverses keep the links of both",
    arguments: Kind.allCases)
  func joined(_ kind: Kind) throws {
    let many = try migrated(
      kind, from: model(toMany: true, true, areInverses: false),
      to: model(toMany: true, true, areInverses: true), ["A": ["1", "2"], "B": ["1"]],
      ["1": ["A", "C"], "3": ["B"]])
    #expect(many.drops == [])
    #expect(
      many.objects == [
        "Book name=1 shop=[A,B,C]", "Book name=2 shop=[A]", "Book name=3 shop=[B]",
        "Shop books=[1,2] name=A", "Shop books=[1,3] name=B", "Shop books=[1] name=C",
      ])

    // The book's own shop counts before the shops that list it.
    let oneToMany = try migrated(
      kind, from: model(toMany: true, false, areInverses: false),
      to: model(toMany: true, false, areInverses: true), ["A": ["1", "2"], "B": ["3"]],
      ["1": ["B"], "3": ["B"]])
    #expect(oneToMany.drops == ["Shop.books: in 1 object"])
    #expect(
      oneToMany.objects == [
        "Book name=1 shop=B", "Book name=2 shop=A", "Book name=3 shop=B", "Shop books=[1,3] name=B",
        "Shop books=[2] name=A",
      ])

    let oneToOne = try migrated(
      kind, from: model(toMany: false, false, areInverses: false),
      to: model(toMany: false, false, areInverses: true), ["A": ["1"], "B": ["2"]],
      ["1": ["A"], "2": ["C"], "3": ["C"]])
    #expect(oneToOne.drops == ["Book.shop: in 1 object"])
    #expect(
      oneToOne.objects == [
        "Book name=1 shop=A", "Book name=2 shop=B", "Book name=3 shop=C", "Shop books=1 name=A",
        "Shop books=2 name=B", "Shop books=3 name=C",
      ])
  }

  @Test("A one-way relationship becomes its own inverse", arguments: Kind.allCases)
  func ownInverse(_ kind: Kind) throws {
    for isToMany in [false, true] {
      func version(_ back: String?) throws -> Model {
        try Model(entities: [
          Entity(
            "Person",
            properties: [
              .text("name"),
              isToMany ? .many("knows", "Person", back: back) : .one("knows", "Person", back: back),
            ])
        ])
      }
      let (old, new) = (try version(nil), try version("knows"))
      let world = World(kind)
      try world.make(old) { context in
        var people: [String: ManagedObject] = [:]
        for name in ["A", "B", "C", "D"] {
          people[name] = try context.insert("Person")
          people[name]!["name"] = .string(name)
        }
        for (name, other) in [("A", "B"), ("B", "A"), ("C", "A"), ("D", "D")] {
          people[name]!.setObjects([people[other]!], forKey: "knows")
        }
      }
      let plan = try Migrator().plan(forStoreAt: World.path, to: new, in: world.places)
      #expect(
        plan.drops.map(\.description) == (isToMany ? [] : ["Person.knows: in 1 object"]))
      try Migrator().allowingLoss.migrate(storeAt: World.path, to: new, in: world.places)
      #expect(try world.faults() == [])
      #expect(
        try world.dump(new)
          == (isToMany
            ? [
              "Person knows=[A] name=B", "Person knows=[A] name=C", "Person knows=[B,C] name=A",
              "Person knows=[D] name=D",
            ]
            : [
              "Person knows=A name=B", "Person knows=B name=A", "Person knows=D name=D",
              "Person name=C",
            ]))
    }
  }

  @Test(
    "A dry run finds the rules that objects would break when their rows are written again",
    arguments: Kind.allCases)
  func rules(_ kind: Kind) throws {
    let old = model(toMany: true, nil, areInverses: false)
    func new(required: Bool, unique: Bool) throws -> Model {
      var book = Entity(
        "Book",
        properties: [.text("name"), .one("shop", "Shop", back: "books", required: required)])
      if unique { book.uniquenessConstraints = [["name"]] }
      return try Model(entities: [
        Entity("Shop", properties: [.text("name"), .many("books", "Book", back: "shop")]), book,
      ])
    }
    for (required, unique) in [(true, false), (false, true), (false, false)] {
      let target = try new(required: required, unique: unique)
      let world = World(kind)
      try world.make(old) { context in
        try fill(["A": ["1", "2"]], [:], context)
        for book in try context.fetch(FetchRequest("Book")) where book["name"] == .string("2") {
          book["name"] = .string("1")
        }
      }
      let plan = try Migrator().plan(forStoreAt: World.path, to: target, in: world.places)
      #expect(plan.violations.map(\.key) == (required ? ["shop"] : []))
      #expect(plan.constraintConflicts.count == (unique ? 1 : 0))
      if required || unique {
        let error = #expect(throws: MigrationError.self) {
          try Migrator().migrate(storeAt: World.path, to: target, in: world.places)
        }
        #expect(error?.code == .invalidResult)
        #expect(error?.failures.map(\.key) == plan.violations.map(\.key))
        #expect(error?.constraintConflicts.count == plan.constraintConflicts.count)
      } else {
        try Migrator().migrate(storeAt: World.path, to: target, in: world.places)
      }
    }
  }

  @Test("The loss of one property may be allowed alone")
  func allowed() throws {
    let old = model(toMany: true, nil, areInverses: false)
    let new = model(toMany: true, false, areInverses: true)
    for (names, isAllowed) in [
      (["Shop.books"], true), (["Shop"], true), (["Book", "Shop.name"], false), ([], false),
    ] as [([String], Bool)] {
      let world = World(.binary)
      try world.make(old) { try fill(["A": ["1"], "B": ["1"]], [:], $0) }
      var migrator = Migrator()
      for name in names { migrator.allowsLoss(of: name) }
      if isAllowed {
        try migrator.migrate(storeAt: World.path, to: new, in: world.places)
      } else {
        let error = #expect(throws: MigrationError.self) {
          try migrator.migrate(storeAt: World.path, to: new, in: world.places)
        }
        #expect(error?.code == .wouldLose)
      }
    }
  }
}
