import Entities
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

/// An object with a class that validates and corrects its values.
@Entity private final class Strict: ManagedObject {
  var name: String?
  var code: String?
  var age: Int32
  var home: Home
  var stamp: Int32

  override class var validatedKeys: [String] { ["name", "code", "age", "home.zip"] }

  override func validateValue(_ value: inout Value, forKey key: String) throws {
    switch (key, value) {
    case ("name", .string(let text)):
      // The class corrects the text: it removes the surrounding spaces.
      value = .string(text.trimmingCharacters(in: .whitespaces))
    case ("name", .null): value = .string("nobody")
    case ("code", .string("bad")), ("home.zip", .string("00000")): throw Unwanted(what: key)
    case ("age", .integer(let age)) where age < 0: value = .integer(0)
    case ("age", .integer(7)): value = .string("seven")
    default: break
    }
  }
  override func validateForInsert() throws {
    self.stamp += 1
    if self.code == "never" { throw Unwanted(what: "insert") }
  }
  override func validateForUpdate() throws {
    if self.code == "never" { throw Unwanted(what: "update") }
    // The validation changes a second object.
    if self.code == "more", let other = more { other.stamp += 1 }
    if self.stamp == 99 { throw Unwanted(what: "stamp") }
  }
  override func willSave() { saves += 1 }
  @Ignored var more: Strict?
  @Ignored var saves = 0
  override func validateForDelete() throws {
    if self.code == "keep" { throw Unwanted(what: "delete") }
  }
}

@Composite private struct Home {
  var zip: String?
}

@Suite("Validation by the classes of objects")
struct ValidationHookTests {
  @Test(
    "An object that another object's validation changes gets willSave and is validated too",
    arguments: Kind.allCases)
  func others(_ kind: Kind) throws {
    let context = try Graph(kind, model: Self.model, classes: [Strict.self]).context()
    let one = try context.insert(Strict.self)
    let other = try context.insert(Strict.self)
    try context.save()
    (other.stamp, other.saves) = (97, 0)
    try context.save()
    one.more = other
    defer { one.more = nil }
    #expect(other.saves == 1)
    one.code = "more"
    try context.save()
    #expect(other.stamp == 98 && other.saves == 2)
    one.age = 3
    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(error?.failures.map(\.object) == [other.objectID])
  }

  private static let model: Model = try! Model(
    Model.Description(
      entities: [
        Entity(
          "Strict",
          properties: [
            .attribute(
              Attribute(
                "name", .string, isOptional: false, validation: .init(maximum: .integer(10)))),
            .attribute(Attribute("code", .string)),
            .attribute(
              Attribute(
                "age", .int32, isOptional: false, defaultValue: .integer(0),
                validation: .init(minimum: .integer(0), maximum: .integer(99)))),
            .attribute(Attribute("home", .composite, compositeName: "Home")),
            .attribute(Attribute("stamp", .int32, defaultValue: .integer(0))),
            .attribute(Attribute("loud", .string, derivation: .init("uppercase:(name)"))),
          ])
      ], composites: [CompositeType("Home", attributes: [Attribute("zip", .string)])]))

  private func graph(_ kind: Kind) throws -> Graph {
    try Graph(kind, model: Self.model, classes: [Strict.self])
  }

  @Test(
    "A value that the class corrects is saved corrected, with the values derived from it",
    arguments: Kind.allCases)
  func mended(_ kind: Kind) throws {
    let graph = try graph(kind)
    let context = graph.context()
    let one = try context.insert(Strict.self) { $0.name = "  Ada  " }
    let two = try context.insert(Strict.self) { $0.age = -5 }
    let long = try context.insert(Strict.self) { $0.name = "  1234567890  " }
    try context.save()

    #expect(!context.hasChanges)
    #expect(one.name == "Ada" && one["loud"] == .string("ADA"))
    #expect(
      two.name == "nobody" && two.age == 0 && long.name == "1234567890")
    let other = try graph.again()
    let found = try other.fetch(Strict.self, sortedBy: [SortKey("name")])
    #expect(found.map { $0.name } == ["1234567890", "Ada", "nobody"])
    #expect(found.map { $0["loud"] } == [.string("1234567890"), .string("ADA"), .string("NOBODY")])
    #expect(found.map { $0.stamp } == [1, 1, 1])
    one.name = " Bob "
    try context.save()
    #expect(
      try other.count(
        for: FetchRequest("Strict", where: QueryPredicate("name == 'Bob' AND loud == 'BOB'"))) == 1)
  }

  @Test(
    "One error reports all failures of all objects, from the model and from classes",
    arguments: Kind.allCases)
  func together(_ kind: Kind) throws {
    let graph = try graph(kind)
    let context = graph.context()
    let kept = try context.insert(Strict.self) {
      $0.name = "kept"
      $0.code = "keep"
    }
    let changed = try context.insert(Strict.self) { $0.name = "changed" }
    try context.save()
    context.delete(kept)
    changed.code = "never"
    changed.age = 100
    let inserted = try context.insert(Strict.self) {
      $0.name = "much too long a name"
      $0.code = "bad"
      $0.home.zip = "00000"
      $0.age = 7
    }

    let error = #expect(throws: ContextError.self) { try context.save() }
    let failures = error?.failures ?? []
    #expect(
      Set(
        failures.map {
          "\($0.object.key.number - kept.objectID.key.number) \($0.key ?? "-") \($0.rule)"
        }) == [
          "0 - custom", "1 - custom", "1 age maximum", "2 name maximum", "2 code custom",
          "2 home.zip custom", "2 age custom",
        ])
    #expect(failures.count == 7)
    #expect(
      Set(failures.compactMap { ($0.cause as? Unwanted)?.what }) == [
        "delete", "update", "code", "home.zip",
      ])
    #expect(failures.first { $0.key == "code" }?.value == .string("bad"))
    #expect(failures.first { $0.key == "code" }?.object == inserted.objectID)
    #expect(error?.description.split(separator: "\n").count == 8)
    #expect(try context.validationFailures().count == 7)

    // After an error all changes are as before, and the program may correct them.
    #expect(context.hasChanges && inserted.isInserted && kept.isDeleted && changed.isUpdated)
    context.delete(inserted)
    kept.code = nil
    context.rollback()
    #expect(!kept.isDeleted && kept.code == "keep" && changed.age == 0)
    kept.code = "free"
    context.delete(kept)
    try context.save()
    #expect(try graph.again().fetch(Strict.self).map { $0.name } == ["changed"])
  }
}
