import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Access to values by key")
struct KeyAccessTests {
  /// Keys and values that can't be set, with the code of the error.
  private static let wrong: [(key: String, value: Value, code: ContextError.Code)] = [
    ("nothing", .null, .unknownProperty), ("", .null, .unknownProperty),
    ("title ", .null, .unknownProperty),
    ("Title", .string("x"), .unknownProperty), ("title.length", .integer(1), .unknownProperty),
    ("address.nothing", .null, .unknownProperty), ("address.", .null, .unknownProperty),
    ("shelf#order", .integer(1), .unknownProperty), ("\0", .null, .unknownProperty),
    (String(repeating: "k", count: 100_000), .null, .unknownProperty),
    ("title", .integer(1), .wrongType), ("title", .uri("x"), .wrongType),
    ("title", .binary(Data()), .wrongType),
    ("int16", .integer(32_768), .wrongType), ("int16", .integer(.min), .wrongType),
    ("int32", .integer(1 << 31), .wrongType), ("int32", .double(1), .wrongType),
    ("int64", .string("1"), .wrongType), ("int64", .boolean(true), .wrongType),
    ("double", .integer(1), .wrongType), ("double", .float(1), .wrongType),
    ("float", .double(1), .wrongType),
    ("decimal", .double(1), .wrongType), ("flag", .integer(1), .wrongType),
    ("date", .double(1), .wrongType),
    ("date", .string("2026-01-01"), .wrongType), ("bytes", .string(""), .wrongType),
    ("uuid", .string("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"), .wrongType),
    ("uri", .string("x"), .wrongType),
    ("colour", .string("red"), .wrongType), ("visits", .string("1"), .wrongType),
    ("visits", .integer(1 << 40), .wrongType), ("address.street", .integer(1), .wrongType),
    ("upper", .string("X"), .wrongType), ("upper", .null, .wrongType),
    ("address", .string("x"), .wrongType), ("address", .null, .wrongType),
    ("address.place", .null, .wrongType), ("namesakes", .null, .wrongType),
    ("shelf", .string("x"), .wrongType), ("shelf", .integer(1), .wrongType),
    ("shelf", .object(ObjectKey(rawValue: 0)), .wrongType),
    ("shelf", .object(ObjectKey(rawValue: .max)), .wrongType),
    ("shelf", .object(ObjectKey(entity: 2, number: 12_345)), .wrongType),
  ]

  @Test(
    "A wrong value is an error that names it, and no value is set",
    arguments: Kind.allCases)
  func refused(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    let good = try context.insert(Good.self) { $0.title = "before" }
    try context.save()
    for (key, value, code) in Self.wrong {
      for filler in ["a", "text", "uuid2", "zzz"] {
        // A dictionary is unordered: the right value may come before the wrong value or after it.
        var values: [String: Value] = [key: value]
        if filler == "text" || filler == "a" { values["text"] = .string(filler) }
        if key != "title" { values["title"] = .string("after") }
        let error = #expect(throws: ContextError.self, "\(key.prefix(20)) \(value)") {
          try good.setValues(values)
        }
        #expect(error?.code == code, "\(key.prefix(20)) \(value): \(error?.message ?? "")")
        #expect(key.isEmpty || error?.message.contains(key) ?? false)
      }
    }
    #expect(good.changedValues().isEmpty && good.title == "before" && !context.hasChanges)
    try context.save()
  }

  @Test(
    "A relationship refuses an object of another entity, of no entity, or that was deleted",
    arguments: Kind.allCases)
  func destinations(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    let good = try context.insert(Good.self)
    let shelf = try context.insert("Shelf")
    let gone = try context.insert("Shelf")
    try context.save()
    context.delete(gone)
    try context.save()
    for other in [good.objectID.key, gone.objectID.key] {
      #expect(throws: ContextError.self) { try good.setValues(["shelf": .object(other)]) }
    }
    try good.setValues(["shelf": .object(shelf.objectID.key), "title": .string("x")])
    try context.save()

    let other = try graph.again()
    let found = try #require(try other.fetch(Good.self).first)
    #expect((found.value(forKey: "shelf") as? ManagedObject)?.objectID == shelf.objectID)
    try found.setValues(["shelf": .null])
    #expect(found.value(forKey: "shelf") == nil)
  }

  @Test("Every property has a value by its key, with its type in Swift", arguments: Kind.allCases)
  func natural(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    let good = try context.insert(Good.self)
    let moment = Date(timeIntervalSinceReferenceDate: 1)
    let values: [String: Value] = [
      "int16": .integer(1), "int32": .integer(2), "int64": .integer(3), "double": .double(4),
      "float": .float(5),
      "decimal": .decimal(6), "flag": .boolean(true), "date": .date(moment),
      "bytes": .binary(Data([7])), "uuid": .uuid(UUID()), "uri": .uri("u:v"), "text": .string("t"),
    ]
    try good.setValues(values)
    try context.save()
    let other = try graph.again()
    let found = try #require(try other.fetch(Good.self).first)

    #expect(found.value(forKey: "int16") as? Int16 == 1)
    #expect(
      found.value(forKey: "int32") as? Int32 == 2 && found.value(forKey: "int64") as? Int == 3)
    #expect(
      found.value(forKey: "double") as? Double == 4 && found.value(forKey: "float") as? Float == 5)
    #expect(
      found.value(forKey: "decimal") as? Decimal == 6
        && found.value(forKey: "flag") as? Bool == true)
    #expect(found.value(forKey: "date") as? Date == moment)
    #expect(
      found.value(forKey: "bytes") as? Data == Data([7]) && found.value(forKey: "uuid") is UUID)
    #expect(
      found.value(forKey: "uri") as? String == "u:v"
        && found.value(forKey: "text") as? String == "t")
    #expect(found.value(forKey: "colour") == nil && found.value(forKey: "upper") as? String == "?")
    for (key, value) in values { #expect(found[key] == value) }
  }

  /// A person with an accessor that shows another text than the stored one.
  private final class Loud: ManagedObject {
    override static var entityName: String { "Person" }
    var name: String {
      get {
        if case .string(let name) = primitiveValue(forKey: "name") { name.uppercased() } else { "" }
      }
      set { setPrimitiveValue(.string(newValue.lowercased()), forKey: "name") }
    }
  }

  @Test("An accessor with a property's name may store any value", arguments: Kind.allCases)
  func primitive(_ kind: Kind) throws {
    let context = try Graph(kind, classes: [Loud.self]).context()
    context.undoStack = UndoStack()
    let person = try context.insert(Loud.self) { $0.name = "Ada" }
    try context.save()
    #expect(person.name == "ADA" && person["name"] == .string("ada"))
    person.name = "Bob"
    #expect(person.changedValues() == ["name": .string("bob")])
    try context.processPendingChanges()
    try context.undoStack?.undo()
    #expect(person.name == "ADA" && person.primitiveValue(forKey: "age") == .integer(0))
  }

  @Test("An impossible name or value stops the program with a message that names it")
  func traps() async {
    var results: [(ExitTest.Result?, String)] = []
    results.append(
      (
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          _ = try Good.made().value(forKey: "nmae")
        }, #"has no property "nmae""#
      ))
    results.append(
      (
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try Good.made().setValue(70_000, forKey: "int16")
        }, "is out of range"
      ))
    results.append(
      (
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try Good.made().setValue("x", forKey: "upper")
        }, "is derived from other properties"
      ))
    results.append(
      (
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try Good.made().setObjects([], forKey: "title")
        }, "is not a relationship"
      ))
    results.append(
      (
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          let good = try Good.made()
          let context = try #require(good.managedObjectContext)
          good.setObjects(
            [try context.insert("Shelf"), try context.insert("Shelf")], forKey: "shelf")
        }, "refers to at most one object"
      ))

    results.append(
      (
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          let good = try Good.made()
          good.setObjects([good], forKey: "shelf")
        }, #"its destination is the entity "Shelf""#
      ))
    results.append(
      (
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          let good = try Good.made()
          let shelf = try #require(try good.managedObjectContext?.insert("Shelf"))
          shelf.add(shelf, to: "goods")
        }, #"its destination is the entity "Good""#
      ))

    for (result, sentence) in results { #expect(MisuseTests.text(result).contains(sentence)) }
  }
}

extension Good {
  /// Returns an object of a context that lives as long as the program, for tests that end the program.
  fileprivate static func made() throws -> Good {
    let context = try Goods.graph(.memory).context()
    _ = Unmanaged.passRetained(context)
    return try context.insert(Good.self)
  }
}
