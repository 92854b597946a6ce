import ObjectModel
import Rows
import StoreInterface
import Testing

/// A store that goes on with another model.
extension StoreConformance {
  /// Rows that are there are read through the new model; changes made for the old one are refused.
  func modelChanges() throws {
    var store = try make(Self.model)
    let first = try store.snapshot()
    let key = ObjectKey(entity: first.schema["Thing"]!.entityNumber, number: 3)
    let builder = LayerBuilder(first.schema)
    builder.insert(key)
    builder.set(.string("kept"), "name", of: key, first.schema)
    builder.set(.integer(7), "small", of: key, first.schema)
    let before = try store.commit(CommitRequest(builder.freeze(), basedOn: first))
    let next = try Self.nextModel()

    // The model and rows that need it come in one commit.
    let schema = try Schema(next, evolving: before.schema)
    let changes = LayerBuilder(schema)
    let stamp = ObjectKey(entity: schema["Stamp"]!.entityNumber, number: 1)
    changes.insert(stamp)
    changes.set(.string("new"), "title", of: stamp, schema)
    let after = try store.commit(
      CommitRequest(changes.freeze(), basedOn: before, model: next))

    let expected: Objects = [
      key: ["title": .string("kept"), "small": .integer(7), "colour": .string("grey")],
      stamp: ["title": .string("new")],
    ]
    #expect(try Self.objects(after) == expected)
    #expect(try Self.objects(before)[key]?["name"] == .string("kept"))
    #expect(try after.model == next)
    #expect(try after.metadata.versionHashes == next.versionHashes)
    let late = LayerBuilder(before.schema)
    late.set(.string("late"), "name", of: key, before.schema, basis: before.commit)
    func checkLate() throws {
      let error = #expect(throws: StoreError.self) {
        try store.commit(CommitRequest(late.freeze(), basedOn: before))
      }
      #expect(error?.code == .incompatibleModel)
      #expect(try Self.objects(store.snapshot()) == expected)
    }
    try checkLate()
    store = try reopen(store)
    let reopened = try store.snapshot()
    #expect(try Self.objects(reopened) == expected)
    if keepsRows {
      #expect(reopened.schema == schema)
    } else {
      // Objects stay who they are.
      #expect(
        reopened.schema.layouts.map { [$0.entity, "\($0.entityNumber)"] }
          == schema.layouts.map { [$0.entity, "\($0.entityNumber)"] })
    }
    #expect(try reopened.model == next)

    // Where commits keep their numbers, this one is still known to be of before.
    if keepsRows { try checkLate() }
    try store.close()
  }

  /// Models between that of the store and the new one are gone through: what was called `name`, then `title`,
  /// is called `heading`, and no row is written anew.
  func modelChains() throws {
    let store = try make(Self.model)
    let first = try store.snapshot()
    let key = ObjectKey(entity: first.schema["Thing"]!.entityNumber, number: 3)
    let builder = LayerBuilder(first.schema)
    builder.insert(key)
    builder.set(.string("kept"), "name", of: key, first.schema)
    let before = try store.commit(CommitRequest(builder.freeze(), basedOn: first))
    let between = try Self.nextModel()
    var heading = Attribute("heading", .string)
    heading.renamingIdentifier = "title"
    let last = try Model(entities: [Entity("Thing", properties: [.attribute(heading)])])
    var request = CommitRequest(Layer(), basedOn: before, model: last)
    request.modelsBetween = [between]
    try store.commit(request)
    let reopened = try reopen(store)
    #expect(try Self.objects(reopened.snapshot()) == [key: ["heading": .string("kept")]])
    #expect(try reopened.snapshot().model == last)
    try reopened.close()
  }

  /// While somebody holds the store at a commit nobody else commits, and only the newest commit can be held.
  func holding() throws {
    let store = try make(Self.model)
    let first = try store.snapshot()
    let builder = LayerBuilder(first.schema)
    builder.insert(ObjectKey(entity: first.schema["Thing"]!.entityNumber, number: 3))
    let next = try store.commit(CommitRequest(builder.freeze(), basedOn: first))
    #expect(try store.holding(commit: next.commit) { try store.snapshot().commit } == next.commit)
    let error = #expect(throws: StoreError.self) {
      try store.holding(commit: first.commit) { Issue.record("It is not the newest.") }
    }
    #expect(error?.code == .overtaken)
    struct Enough: Error {}
    #expect(throws: Enough.self) { try store.holding(commit: next.commit) { throw Enough() } }
    // It was given back.
    try store.commit(CommitRequest(Layer(), basedOn: next, metadata: next.metadata))
    try store.close()
  }

  /// `name` is called `title`, `small` is wider, there is a colour, and stamps in place of owners.
  private static func nextModel() throws -> Model {
    var title = Attribute("title", .string)
    title.renamingIdentifier = "name"
    let thing = Entity(
      "Thing",
      properties: [
        .attribute(title), .attribute(Attribute("small", .int64)),
        .attribute(Attribute("colour", .string, defaultValue: .string("grey"))),
      ])
    return try Model(entities: [
      thing, Entity("Stamp", properties: [.attribute(Attribute("title", .string))]),
    ])
  }
}
