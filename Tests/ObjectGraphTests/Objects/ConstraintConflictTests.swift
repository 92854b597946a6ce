import ObjectGraph
import ObjectModel
import ObjectQuery
import Testing

@Suite("Conflicts over unique values")
struct ConstraintConflictTests {
  private static let model: Model = try! Model(entities: [
    Entity(
      "Party",
      properties: [
        .attribute(Attribute("name", .string)), .attribute(Attribute("code", .int32)),
        .attribute(Attribute("note", .string, validation: .init(maximum: .integer(3)))),
      ],
      uniquenessConstraints: [["name"], ["code", "name"]]),
    Entity("Person", superentity: "Party", properties: [.attribute(Attribute("age", .int16))]),
  ])

  private func context(_ kind: Kind) throws -> ManagedObjectContext {
    try Graph(kind, model: Self.model, classes: []).context()
  }

  @discardableResult
  private func insert(
    _ context: ManagedObjectContext, _ name: String?, _ code: Int64? = nil,
    as entity: String = "Party"
  ) throws -> ManagedObject {
    let object = try context.insert(entity)
    if let name { object["name"] = .string(name) }
    if let code { object["code"] = .integer(code) }
    return object
  }

  @Test(
    "A conflict names constraint, values, stored object and new objects, also across subentities",
    arguments: Kind.allCases)
  func inserted(_ kind: Kind) throws {
    let context = try context(kind)
    let stored = try insert(context, "Ada", 1)
    try insert(context, nil, 1)
    try context.save()
    let twin = try insert(context, "Ada", 2, as: "Person")
    try insert(context, nil, 1)

    let error = #expect(throws: ContextError.self) { try context.save() }

    #expect(error?.code == .conflict && error?.failures.isEmpty == true)
    #expect(
      error?.constraintConflicts == [
        ConstraintConflict(
          entity: "Party", constraint: ["name"], values: ["name": .string("Ada")],
          storedObject: stored.objectID, conflictingObjects: [twin.objectID])
      ])
    let text = "\(error!)"
    #expect(text.contains("\"name\" must be unique") && text.contains(stored.objectID.uri))
    #expect(text.contains(twin.objectID.uri) && text.contains("Ada"))
    #expect(try context.constraintConflicts() == error?.constraintConflicts)
    #expect(try context.validationFailures().isEmpty)
    #expect(twin.isInserted)
    twin["name"] = .string("Bob")
    try context.save()
  }

  @Test("Objects that are all new conflict with one another", arguments: Kind.allCases)
  func amongNew(_ kind: Kind) throws {
    let context = try context(kind)
    let twins = try (0..<3).map { _ in try insert(context, "Ada", 1) }

    let conflicts = try context.constraintConflicts()

    #expect(conflicts.map(\.constraint) == [["name"], ["code", "name"]])
    #expect(conflicts.map(\.storedObject) == [nil, nil])
    #expect(conflicts.allSatisfy { $0.conflictingObjects == twins.map(\.objectID) })
    #expect(conflicts.last?.values == ["name": .string("Ada"), "code": .integer(1)])
  }

  @Test(
    "The stored object is the one that had the values, changed or not", arguments: Kind.allCases)
  func changed(_ kind: Kind) throws {
    let context = try context(kind)
    let bob = try insert(context, "Bob")
    let ada = try insert(context, "Ada")
    try context.save()
    ada["code"] = .integer(7)
    bob["name"] = .string("Ada")

    let conflict = try #require(try context.constraintConflicts().first)

    #expect(conflict.storedObject == ada.objectID)
    #expect(conflict.conflictingObjects == [bob.objectID])
    // The two objects exchange their values, which is not a conflict.
    ada["name"] = .string("Bob")
    #expect(try context.constraintConflicts().isEmpty)
    try context.save()
  }

  @Test("Failures and conflicts are in one error", arguments: Kind.allCases)
  func both(_ kind: Kind) throws {
    let context = try context(kind)
    for _ in 0..<2 { try insert(context, "Ada")["note"] = .string("long") }

    let error = #expect(throws: ContextError.self) { try context.save() }

    #expect(error?.code == .validation && error?.failures.map(\.rule) == [.maximum, .maximum])
    #expect(error?.constraintConflicts.count == 1)
    #expect("\(error!)".split(separator: "\n").count == 4)
  }

  @Test("A child context and a batch find the same conflict", arguments: [Kind.binary, .sqlite])
  func otherWays(_ kind: Kind) throws {
    let context = try context(kind)
    let stored = try insert(context, "Ada")
    try context.save()
    let child = ManagedObjectContext(parent: context, concurrency: .confined)
    let twin = try insert(child, "Ada")

    let error = #expect(throws: ContextError.self) { try child.save() }

    #expect(error?.constraintConflicts.map(\.storedObject) == [stored.objectID])
    #expect(error?.constraintConflicts.map(\.conflictingObjects) == [[twin.objectID]])
    let rows: [[String: Value]] = [["name": .string("Ada")]]
    let batch = #expect(throws: ContextError.self) {
      try context.execute(BatchInsertRequest("Party", objects: rows))
    }
    #expect(batch?.code == .conflict)
    #expect(batch?.constraintConflicts.map(\.storedObject) == [stored.objectID])
  }
}
