import ObjectModel
import Rows
import StoreInterface

/// The cases of a store whose model changes.
struct ModelCases {
  let run: CaseRun

  /// Checks that stored rows are read through the new model, and that changes made for the old model are
  /// refused.
  func modelChanges() throws {
    var store = try run.make()
    let first = try store.snapshot()
    let key = try run.key(first, "Thing", 3)
    let builder = LayerBuilder(first.schema)
    builder.insert(key)
    builder.set(.string("kept"), "name", of: key, first.schema)
    builder.set(.integer(7), "small", of: key, first.schema)
    let before = try store.commit(CommitRequest(builder.freeze(), basedOn: first))
    let next = try ModelCases.nextModel()

    // One commit contains the model and rows that need it.
    let schema = try Schema(next, evolving: before.schema)
    let changes = LayerBuilder(schema)
    let stamp = ObjectKey(entity: schema["Stamp"]!.entityNumber, number: 1)
    changes.insert(stamp)
    changes.set(.string("new"), "title", of: stamp, schema)
    let after = try store.commit(
      CommitRequest(changes.freeze(), basedOn: before, model: next))

    let expected: StoreConformance.Objects = [
      key: ["title": .string("kept"), "small": .integer(7), "colour": .string("grey")],
      stamp: ["title": .string("new")],
    ]
    run.check(
      "The snapshot that a commit of a new model returns", after.schema, holds: expected,
      found: try StoreConformance.objects(after))
    run.check(
      "A snapshot from before the model changed", before.schema,
      holds: [key: ["name": .string("kept"), "small": .integer(7)]],
      found: try StoreConformance.objects(before))
    run.check(
      try after.model == next,
      "The snapshot that a commit of a new model returns does not have the new model.")
    run.check(
      try after.metadata.versionHashes == next.versionHashes,
      "After the model changed, the version hashes in the metadata are not those of the new model.")
    let late = LayerBuilder(before.schema)
    late.set(.string("late"), "name", of: key, before.schema, basis: before.commit)
    let lateChanges = late.freeze()
    func checkLate(_ when: String) throws {
      run.refused(.incompatibleModel, "Changes for the previous model, \(when),") {
        try store.commit(CommitRequest(lateChanges, basedOn: before))
      }
      try run.check(
        "After changes for the previous model were refused, \(when)", store, holds: expected)
    }
    try checkLate("after the new model was saved")
    try checkPast(of: store, at: before)
    store = try run.reopen(store)
    try checkPast(of: store, at: before)
    let reopened = try store.snapshot()
    run.check(
      "A store that was reopened after its model changed", reopened.schema, holds: expected,
      found: try StoreConformance.objects(reopened))
    if run.suite.keepsRows {
      run.check(
        reopened.schema == schema,
        "A store that was reopened after its model changed has other numbers for its entities or properties."
      )
    } else {
      // The objects keep their identifiers.
      run.check(
        "The entities and their numbers, reopened after the model changed",
        is: schema.layouts.map { "\($0.entity) \($0.entityNumber)" },
        found: reopened.schema.layouts.map { "\($0.entity) \($0.entityNumber)" })
    }
    run.check(
      try reopened.model == next,
      "A store that was reopened after its model changed does not have the saved model.")

    // A store that keeps commit numbers still knows that the changes are for the previous model.
    if run.suite.keepsRows { try checkLate("after the store was reopened") }
    try store.close()
  }

  /// Checks that a commit from before the model changed is read with its own model, if the store keeps it.
  private func checkPast(of store: any Store, at before: any StoreSnapshot) throws {
    guard try store.commits().contains(where: { $0.number == before.commit }) else { return }
    let past = try store.snapshot(ofCommit: before.commit)
    run.check(
      "An earlier commit, opened after the model changed", past.schema,
      holds: try StoreConformance.objects(before), found: try StoreConformance.objects(past))
    run.check(
      try past.model == before.model,
      "An earlier commit, opened after the model changed, does not have its own model.")
  }

  /// Checks a change of model by way of another model: `name` becomes `title`, then `heading`, and no row is
  /// rewritten.
  func modelChains() throws {
    let store = try run.make()
    let first = try store.snapshot()
    let key = try run.key(first, "Thing", 3)
    let builder = LayerBuilder(first.schema)
    builder.insert(key)
    builder.set(.string("kept"), "name", of: key, first.schema)
    let before = try store.commit(CommitRequest(builder.freeze(), basedOn: first))
    let between = try ModelCases.nextModel()
    var heading = Attribute("heading", .string)
    heading.renamingIdentifier = "title"
    let last = try Model(entities: [Entity("Thing", properties: [.attribute(heading)])])
    var request = CommitRequest(Layer(), basedOn: before, model: last)
    request.modelsBetween = [between]
    try store.commit(request)
    let reopened = try run.reopen(store)
    try run.check(
      "A store that was reopened after two renamings through an intermediate model", reopened,
      holds: [key: ["heading": .string("kept")]])
    run.check(
      try reopened.snapshot().model == last,
      "A store that went through an intermediate model does not have the last model.")
    try reopened.close()
  }

  /// Returns a model with `name` renamed to `title`, a wider `small`, a new `colour`, and stamps instead of
  /// owners.
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
