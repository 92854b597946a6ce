import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Insertion of objects with unique values that exist already")
struct UpsertTests {
  /// The model: accounts by number, with cards, a keeper, tags and a seal. A savings account is an account.
  private static let model: Model = try! Model(entities: [
    Entity(
      "Account",
      properties: [
        .attribute(Attribute("number", .string)), .attribute(Attribute("bank", .int32)),
        .attribute(Attribute("mail", .string)), .attribute(Attribute("owner", .string)),
        .attribute(
          Attribute("sum", .int64, isOptional: false, defaultValue: .integer(0))),
        .attribute(Attribute("loud", .string, derivation: .init("uppercase:(owner)"))),
        .attribute(Attribute("cardCount", .int64, derivation: .init("cards.@count"))),
        .relationship(
          Relationship(
            "cards", to: "Card", inverse: "account", count: .toMany, isOrdered: true,
            deleteRule: .cascade)),
        .relationship(Relationship("keeper", to: "Card", inverse: "kept")),
        .relationship(Relationship("tags", to: "Tag", inverse: "accounts", count: .toMany)),
        .relationship(Relationship("seal", to: "Seal", inverse: "account", deleteRule: .cascade)),
        .relationship(
          Relationship(
            "branches", to: "Account", inverse: "head", count: .toMany, deleteRule: .cascade)),
        .relationship(Relationship("head", to: "Account", inverse: "branches")),
      ], uniquenessConstraints: [["number", "bank"], ["mail"]]),
    // Neither relationship has an inverse.
    Entity(
      "Letter",
      properties: [
        .relationship(Relationship("about", to: "Account", inverse: nil)),
        .relationship(Relationship("copies", to: "Account", inverse: nil, count: .toMany)),
      ]),
    Entity("Savings", superentity: "Account", properties: [.attribute(Attribute("rate", .double))]),
    Entity(
      "Card",
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(Relationship("account", to: "Account", inverse: "cards")),
        .relationship(Relationship("kept", to: "Account", inverse: "keeper", count: .toMany)),
      ]),
    Entity(
      "Tag",
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(Relationship("accounts", to: "Account", inverse: "tags", count: .toMany)),
      ]),
    Entity(
      "Seal",
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(Relationship("account", to: "Account", inverse: "seal")),
      ]),
  ])

  /// A store with one account: number 1 of bank 1, with the owner Ada, the sum 10, a card, a tag and a seal.
  private struct Bank {
    let graph: Graph
    let context: ManagedObjectContext
    let ada: ManagedObject

    init(_ kind: Kind) throws {
      graph = try Graph(kind, model: UpsertTests.model, classes: [])
      context = graph.context()
      ada = try context.insert("Account")
      try ada.setValues([
        "number": .string("1"), "bank": .integer(1), "owner": .string("Ada"), "sum": .integer(10),
        "mail": .string("ada@x"),
      ])
      ada.setObjects([try insert("Card", "old")], forKey: "cards")
      ada.setObjects([try insert("Tag", "good")], forKey: "tags")
      ada.setObjects([try insert("Seal", "red")], forKey: "seal")
      try context.save()
    }

    func insert(_ entity: String, _ name: String) throws -> ManagedObject {
      let object = try context.insert(entity)
      object["name"] = .string(name)
      return object
    }

    /// Inserts the same account again, with the owner Bob and a card, a tag and a seal of its own.
    func again(_ entity: String = "Account") throws -> ManagedObject {
      let twin = try context.insert(entity)
      try twin.setValues(["number": .string("1"), "bank": .integer(1), "owner": .string("Bob")])
      twin.setObjects([try insert("Card", "new")], forKey: "cards")
      twin.setObjects([try insert("Tag", "fast")], forKey: "tags")
      twin.setObjects([try insert("Seal", "blue")], forKey: "seal")
      return twin
    }

    /// Returns the accounts as text, and the numbers of further objects, as a new coordinator reads them.
    func found() throws -> [String] {
      let other = try graph.again()
      func names(_ value: Any?) -> String {
        let objects = value as? [ManagedObject] ?? (value as? ManagedObject).map { [$0] } ?? []
        return objects.map { $0.value(forKey: "name") as? String ?? "?" }.joined(separator: "+")
      }
      let accounts = try other.fetch(FetchRequest("Account", sortedBy: [SortKey("number")])).map {
        account in
        let texts = ["owner", "loud", "mail"].map { account.value(forKey: $0) as? String ?? "-" }
        let numbers = ["sum", "cardCount"].map { "\(account.value(forKey: $0) ?? "-")" }
        let tags = names(account.value(forKey: "tags")).split(separator: "+").sorted()
        return
          (texts + numbers + [names(account.value(forKey: "cards")), tags.joined(separator: "+")]
          + [names(account.value(forKey: "seal"))]).joined(separator: " ")
      }
      let counts = try ["Card", "Tag", "Seal"].map { try other.count(for: FetchRequest($0)) }
      return accounts + ["\(counts)"]
    }
  }

  @Test("Without a policy a duplicate is an error that names both", arguments: Kind.allCases)
  func refused(_ kind: Kind) throws {
    let bank = try Bank(kind)
    let twin = try bank.again()
    let error = #expect(throws: ContextError.self) { try bank.context.save() }
    #expect(error?.code == .conflict && error?.failures.isEmpty == true && twin.isInserted)
    let conflict = try #require(error?.constraintConflicts.first)
    #expect(conflict.entity == "Account" && conflict.constraint == ["number", "bank"])
    #expect(conflict.values == ["number": .string("1"), "bank": .integer(1)])
    #expect(conflict.storedObject == bank.ada.objectID)
    #expect(conflict.conflictingObjects == [twin.objectID])
  }

  @Test(
    "objectWins takes the values set in the duplicate, and no default values",
    arguments: Kind.allCases)
  func objectWins(_ kind: Kind) throws {
    let bank = try Bank(kind)
    let twin = try bank.again()
    bank.context.mergePolicy = .objectWins
    try bank.context.save()

    #expect(try bank.found() == ["Bob BOB ada@x 10 2 old+new fast+good blue", "[2, 2, 2]"])
    #expect(twin.isGone && !bank.context.hasChanges)
    #expect(bank.ada["owner"] == .string("Bob"))
  }

  @Test("storeWins keeps stored values, and the missing ones too", arguments: Kind.allCases)
  func storeWins(_ kind: Kind) throws {
    let bank = try Bank(kind)
    bank.ada["mail"] = .null
    try bank.context.save()
    try bank.again()["mail"] = .string("bob@x")
    bank.context.mergePolicy = .storeWins
    try bank.context.save()

    #expect(try bank.found() == ["Ada ADA - 10 2 old+new fast+good red", "[2, 2, 1]"])
  }

  @Test("Overwriting takes every value of the duplicate, rollback none", arguments: Kind.allCases)
  func allOrNone(_ kind: Kind) throws {
    let bank = try Bank(kind)
    _ = try bank.again()
    bank.context.mergePolicy = .rollback
    try bank.context.save()
    #expect(try bank.found() == ["Ada ADA ada@x 10 2 old+new fast+good red", "[2, 2, 1]"])

    let other = try Bank(kind)
    _ = try other.again()
    other.context.mergePolicy = .overwrite
    try other.context.save()
    #expect(try other.found() == ["Bob BOB - 0 2 old+new fast+good blue", "[2, 2, 2]"])
  }

  @Test(
    "A custom policy is given the shared values, and may delete either object",
    arguments: Kind.allCases)
  func custom(_ kind: Kind) throws {
    let bank = try Bank(kind)
    _ = try bank.again()
    let id = bank.ada.objectID
    bank.context.mergePolicy = .custom { conflict in
      guard conflict.object == id, conflict.uniqueKeys == ["number", "bank"],
        conflict.mine?["owner"] == .string("Bob"), conflict.theirs?["sum"] == .integer(10),
        conflict.contestedKeys == ["owner", "seal"], conflict.description.contains("number")
      else { throw Unwanted(what: "\(conflict)") }
      return .save(["sum": .integer(99)])
    }
    try bank.context.save()
    #expect(try bank.found()[0].hasPrefix("Ada ADA ada@x 99 "))

    let second = try bank.again()
    bank.context.mergePolicy = .custom { _ in .delete }
    try bank.context.save()
    #expect(bank.ada.isGone && !second.isDeleted)
    #expect(try bank.found() == ["Bob BOB - 0 1 new fast blue", "[1, 3, 1]"])
    let third = try bank.again()
    bank.context.mergePolicy = .custom { _ in throw Unwanted(what: "third") }
    #expect(throws: Unwanted(what: "third")) { try bank.context.save() }
    #expect(third.isInserted && !second.isDeleted)
  }

  @Test(
    "Several duplicates become one object, by any of the constraints and across subentities",
    arguments: Kind.allCases)
  func several(_ kind: Kind) throws {
    let bank = try Bank(kind)
    bank.context.mergePolicy = .objectWins
    for index in 0..<5 {
      let account = try bank.context.insert(index % 2 == 0 ? "Savings" : "Account")
      try account.setValues([
        "number": .string(index < 3 ? "2" : "3"), "bank": .integer(1),
        "sum": .integer(Int64(index + 1)),
      ])
    }
    let byMail = try bank.context.insert("Savings")
    try byMail.setValues([
      "mail": .string("ada@x"), "number": .string("1"), "owner": .string("Cyd"),
    ])
    try bank.context.save()

    let accounts = try bank.graph.again().fetch(
      FetchRequest("Account", sortedBy: [SortKey("number")]))
    #expect(accounts.map { $0["sum"] } == [.integer(10), .integer(3), .integer(5)])
    #expect(accounts.map { $0["number"] } == ["1", "2", "3"].map { .string($0) })
    #expect(accounts[0]["owner"] == .string("Cyd") && accounts[0]["bank"] == .integer(1))
  }

  @Test("Objects with no value or different values are not duplicates", arguments: Kind.allCases)
  func none(_ kind: Kind) throws {
    let bank = try Bank(kind)
    bank.context.mergePolicy = .objectWins
    for _ in 0..<3 { try bank.context.insert("Account")["number"] = .string("1") }
    let other = try bank.context.insert("Account")
    try other.setValues(["number": .string("1"), "bank": .integer(2)])
    try bank.context.save()

    #expect(try bank.graph.again().count(for: FetchRequest("Account")) == 5 && !other.isDeleted)
  }

  @Test("A duplicate of an object saved meanwhile is merged", arguments: Kind.allCases)
  func meanwhile(_ kind: Kind) throws {
    let bank = try Bank(kind)
    let other = bank.graph.context()
    _ = try other.fetch(FetchRequest("Account"))
    let mine = try bank.context.insert("Account")
    try mine.setValues(["mail": .string("new@x"), "owner": .string("mine")])
    let theirs = try other.insert("Account")
    try theirs.setValues(["mail": .string("new@x"), "sum": .integer(3)])
    try other.save()
    bank.context.mergePolicy = .objectWins
    try bank.context.save()

    let again = try bank.graph.again()
    let found = try again.fetch(
      FetchRequest("Account", where: try QueryPredicate("mail == 'new@x'")))
    #expect(found.map(\.objectID) == [theirs.objectID] && mine.isGone)
    #expect(found.first?["owner"] == .string("mine"))
    #expect(found.first?["sum"] == .integer(3))
  }

  @Test(
    "A batch merges duplicates, and returns the resulting objects", arguments: Kind.allCases)
  func batch(_ kind: Kind) throws {
    let bank = try Bank(kind)
    let rows = (0..<20).map { index -> [String: Value] in
      ["number": .string("\(index % 10)"), "bank": .integer(1), "sum": .integer(Int64(index))]
    }
    var request = BatchInsertRequest("Account", objects: rows)
    request.resultType = .identifiers
    #expect(throws: ContextError.self) { try bank.context.execute(request) }
    bank.context.mergePolicy = .objectWins
    let result = try bank.context.execute(request)

    #expect(result.identifiers.count == 20 && Set(result.identifiers).count == 10)
    #expect(
      result.identifiers[1] == bank.ada.objectID && result.identifiers[11] == bank.ada.objectID)
    #expect(bank.ada["sum"] == .integer(11) && bank.ada["owner"] == .string("Ada"))
    #expect(try bank.graph.again().count(for: FetchRequest("Account")) == 10)
  }

  @Test(
    "A child's save merges a duplicate, and the parent's undo reverts that",
    arguments: Kind.allCases)
  func nested(_ kind: Kind) throws {
    let bank = try Bank(kind)
    let undo = UndoStack()
    bank.context.undoStack = undo
    let child = ManagedObjectContext(parent: bank.context, concurrency: .confined)
    child.mergePolicy = .objectWins
    let twin = try child.insert("Account")
    try twin.setValues(["number": .string("1"), "bank": .integer(1), "owner": .string("Bob")])
    try child.save()
    #expect(bank.ada["owner"] == .string("Bob"))
    #expect(try bank.context.count(for: FetchRequest("Account")) == 1)
    try bank.context.save()
    try undo.undo()
    #expect(bank.ada["owner"] == .string("Ada"))
    try bank.context.save()
    #expect(try bank.found() == ["Ada ADA ada@x 10 1 old good red", "[1, 1, 1]"])
  }

  @Test("References without an inverse lead to the object that stays", arguments: Kind.allCases)
  func oneWay(_ kind: Kind) throws {
    let bank = try Bank(kind)
    bank.context.mergePolicy = .objectWins
    let twin = try bank.again()
    let letter = try bank.context.insert("Letter")
    letter.setObjects([twin], forKey: "about")
    letter.setObjects([twin], forKey: "copies")
    try bank.context.save()

    let other = try bank.graph.again()
    let found = try other.fetch(FetchRequest("Letter"))
    #expect(
      found.map { ($0.value(forKey: "about") as? ManagedObject)?.objectID } == [bank.ada.objectID])
    #expect(found.map { $0.objects(forKey: "copies").map(\.objectID) } == [[bank.ada.objectID]])
  }

  @Test(
    "A duplicate of an object that a delete rule deletes is kept", arguments: Kind.allCases)
  func doomedMatch(_ kind: Kind) throws {
    let bank = try Bank(kind)
    let branch = try bank.context.insert("Account")
    branch["mail"] = .string("branch@x")
    branch.setObjects([bank.ada], forKey: "head")
    try bank.context.save()

    // The policy deletes Ada, which deletes the branch too.
    let ada = bank.ada.objectID
    bank.context.mergePolicy = .custom { conflict in
      conflict.object == ada ? .delete : .save(conflict.mine ?? [:])
    }
    _ = try bank.again()
    let twin = try bank.context.insert("Account")
    twin["mail"] = .string("branch@x")
    try bank.context.save()

    #expect(branch.isGone && bank.ada.isGone && !twin.isGone)
    let mails = try bank.graph.again().fetch(FetchRequest("Account")).map { $0["mail"] }
    #expect(mails.contains(.string("branch@x")))
  }
}
