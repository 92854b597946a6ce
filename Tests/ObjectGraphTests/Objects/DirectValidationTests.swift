import Entities
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import Testing

/// A class without validation methods of its own.
@Entity private final class Ware: ManagedObject {
  @Attribute(.length(2...5)) var code: String
  @Attribute(.range(0...9)) var count: Int?
  @Transient @Attribute(.length(...3)) var mark: String?
  var shelf: Shelf
  @Relationship(.deny, inverse: \Label.ware) var labels: RelatedObjects<Label>
}

/// A class whose methods call those of `ManagedObject`.
@Entity private final class Shelf: ManagedObject {
  @Attribute(.length(1...)) var name: String
  @Relationship(inverse: \Ware.shelf, minimum: 1, maximum: 2) var wares: RelatedObjects<Ware>
  var note: String?

  override class var validatedKeys: [String] { ["name"] }
  override func validateValue(_ value: inout Value, forKey key: String) throws {
    if key == "name", value == .string("attic") { throw Unwanted(what: "attic") }
    if key == "name", value == .string(" hall ") { value = .string("hall") }
    try super.validateValue(&value, forKey: key)
  }
  override func validateForInsert() throws {
    try super.validateForInsert()
    if note == "never" { throw Unwanted(what: "insert") }
  }
  override func validateForUpdate() throws {
    try super.validateForUpdate()
    if note == "never" { throw Unwanted(what: "update") }
  }
  override func validateForDelete() throws {
    try super.validateForDelete()
    if note == "keep" { throw Unwanted(what: "delete") }
  }
}

@Entity private final class Label: ManagedObject {
  var ware: Ware?
}

@Entity private final class Bill: ManagedObject {
  @Attribute(.day) var due: Date?
  @Attribute(.places(2), .range(0...)) var price: Decimal = 0
}

@Suite("Validation of one object that a program asks for")
struct DirectValidationTests {
  private func context(_ kind: Kind) throws -> ManagedObjectContext {
    let classes: [ManagedObject.Type] = [Ware.self, Shelf.self, Label.self]
    return try Graph(kind, model: Model(classes: classes), classes: classes).context()
  }

  @Test("Options of a class demand days and a number of decimal places")
  func precision() throws {
    let model = try Model(classes: [Bill.self])
    let attributes = try #require(model["Bill"]).declaredAttributes
    #expect(attributes.map(\.validation.precision) == [.day, .places(2)])

    let context = try Graph(.memory, model: model, classes: [Bill.self]).context()
    let bill = try context.insert(Bill.self)
    bill.due = Date(timeIntervalSinceReferenceDate: 86_400)
    bill.price = Decimal(string: "30676.20")!
    #expect(failures { try bill.validateForInsert() } == [])
    bill.due = Date(timeIntervalSinceReferenceDate: 86_401)
    bill.price = Decimal(string: "0.001")!
    #expect(failures { try bill.validateForInsert() } == ["due precision", "price precision"])
    #expect(throws: ContextError.self) { try context.save() }
  }

  private func failures(_ body: () throws -> Void) -> [String] {
    do {
      try body()
      return []
    } catch let error as ContextError {
      return error.failures.map { "\($0.key ?? "-") \($0.rule)" }.sorted()
    } catch { return ["\(error)"] }
  }

  @Test(
    "An importer that validates each object drops exactly the objects that a save refuses",
    arguments: Kind.allCases)
  func importer(_ kind: Kind) throws {
    let context = try context(kind)
    let shelf = try context.insert(Shelf.self) { $0.name = "hall" }
    let rows: [(code: String, count: Int?, mark: String?, expected: [String])] = [
      ("ab", 1, nil, []), ("a", nil, nil, ["code minimum"]),
      ("", 10, nil, ["code minimum", "count maximum"]),
      ("abcdef", -1, "abcd", ["code maximum", "count minimum", "mark maximum"]),
      ("abcde", 9, "abc", []),
    ]

    var kept = 0
    for row in rows {
      let ware = try context.insert(Ware.self) {
        $0.code = row.code
        $0.count = row.count
        $0.mark = row.mark
        $0.shelf = shelf
      }
      let found = failures { try ware.validateForInsert() }
      #expect(found == row.expected)
      if found.isEmpty { kept += 1 } else { context.delete(ware) }
    }
    let lost = try context.insert(Ware.self) { $0.code = "ab" }
    #expect(failures { try lost.validateForInsert() } == ["shelf required"])
    context.delete(lost)

    #expect(kept == 2)
    try context.save()
    let ware = try #require(try context.fetch(Ware.self).first)
    ware.code = "much too long"
    #expect(failures { try ware.validateForUpdate() } == ["code maximum"])
    ware.code = "ok"
    #expect(failures { try ware.validateForUpdate() } == [])
  }

  @Test("A class's own rules and the rules of the model are found together, and once by a save")
  func own() throws {
    let context = try context(.memory)
    let shelf = try context.insert(Shelf.self) { $0.name = "attic" }
    #expect(failures { try shelf.validateForInsert() } == ["name custom", "wares tooFewObjects"])
    _ = try context.insert(Ware.self) {
      $0.code = "ab"
      $0.shelf = shelf
    }
    shelf.name = " hall "
    #expect(failures { try shelf.validateForInsert() } == [])
    #expect(shelf.name == "hall")
    shelf.note = "never"
    #expect(failures { try shelf.validateForInsert() } == ["\(Unwanted(what: "insert"))"])

    shelf.name = ""
    #expect(failures { try context.save() } == ["- custom", "name minimum"])
    shelf.name = "hall"
    shelf.note = nil
    try context.save()
    shelf.note = "never"
    #expect(failures { try shelf.validateForUpdate() } == ["\(Unwanted(what: "update"))"])
  }

  @Test("A form asks about a value before it sets the value")
  func values() throws {
    let context = try context(.memory)
    let shelf = try context.insert(Shelf.self) { $0.name = "hall" }
    let ware = try context.insert(Ware.self) { $0.code = "ab" }
    func ask(_ object: ManagedObject, _ key: String, _ value: Value) -> [String] {
      var value = value
      return failures { try object.validateValue(&value, forKey: key) }
    }

    #expect(ask(ware, "code", .string("a")) == ["code minimum"])
    #expect(ask(ware, "code", .null) == ["code required"])
    #expect(ask(ware, "code", .string("abc")) == [] && ask(ware, "count", .null) == [])
    #expect(ask(ware, "mark", .string("abcd")) == ["mark maximum"])
    #expect(ask(ware, "shelf", .null) == ["shelf required"])
    #expect(ask(shelf, "name", .string("")) == ["name minimum"])
    #expect(ask(shelf, "name", .string("attic")) == ["\(Unwanted(what: "attic"))"])
    #expect(ware.code == "ab" && shelf.name == "hall")
    var number = Value.integer(1)
    let error = #expect(throws: ContextError.self) {
      try ware.validateValue(&number, forKey: "code")
    }
    #expect(error?.code == .wrongType)
  }

  @Test(
    "A deletion is asked before it is made, and each denial is reported", arguments: Kind.allCases)
  func deletion(_ kind: Kind) throws {
    let context = try context(kind)
    let shelf = try context.insert(Shelf.self) { $0.name = "hall" }
    let ware = try context.insert(Ware.self) {
      $0.code = "ab"
      $0.shelf = shelf
    }
    let label = try context.insert(Label.self) { $0.ware = ware }
    try context.save()

    #expect(failures { try ware.validateForDelete() } == ["labels deletionDenied"])
    label.ware = nil
    #expect(failures { try ware.validateForDelete() } == [])
    shelf.note = "keep"
    #expect(failures { try shelf.validateForDelete() } == ["\(Unwanted(what: "delete"))"])
    #expect(!ware.isDeleted)
  }
}
