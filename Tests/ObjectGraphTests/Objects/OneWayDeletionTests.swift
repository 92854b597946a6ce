import ObjectGraph
import ObjectModel
import ObjectQuery
import SQLiteStore
import StoreInterface
import Testing
import Validation

@Suite("Deletion of objects to which relationships without an inverse lead")
struct OneWayDeletionTests {
  /// The kinds of stores in which several objects may refer to one object by such a to-many relationship. A database
  /// has a column for one of them (spec §10.3.7).
  static let kinds = Kind.allCases.filter { $0 != .sqlite }

  /// The model: notes refer to tags by every kind of relationship without an inverse, and a special tag inherits from a tag.
  private static func model(isRequired: Bool = false, least: Int = 0) throws -> Model {
    let many = Relationship.Count(minimum: least, maximum: 0)
    return try Model(entities: [
      Entity("Tag", properties: [.attribute(Attribute("name", .string))]),
      Entity("Special", superentity: "Tag"),
      Entity(
        "Note",
        properties: [
          .attribute(Attribute("name", .string)),
          .relationship(Relationship("one", to: "Tag", isOptional: !isRequired)),
          .relationship(
            Relationship("many", to: "Tag", count: many, isOptional: least == 0)),
          .relationship(
            Relationship("ordered", to: "Tag", count: .toMany, isOrdered: true)),
        ]),
      Entity("Memo", superentity: "Note"),
    ])
  }

  /// A note and a memo that refer to the tags a and b.
  private struct Scene {
    let graph: Graph
    let context: ManagedObjectContext
    let tags: [ManagedObject]
    let notes: [ManagedObject]

    init(
      _ kind: Kind, _ model: Model, tag: String = "Tag",
      notes entities: [String] = ["Note", "Memo"]
    ) throws {
      graph = try Graph(kind, model: model, classes: [])
      context = graph.context()
      var tags: [ManagedObject] = []
      for name in ["a", "b"] {
        let made = try context.insert(tag)
        made["name"] = .string(name)
        tags.append(made)
      }
      var notes: [ManagedObject] = []
      for entity in entities {
        let note = try context.insert(entity)
        note["name"] = .string(entity)
        note.setObjects([tags[0]], forKey: "one")
        note.setObjects(tags, forKey: "many")
        note.setObjects(Array(tags.reversed()), forKey: "ordered")
        notes.append(note)
      }
      (self.tags, self.notes) = (tags, notes)
      try context.save()
    }

    /// Expects that the file is valid, and that a fresh context shows the given text.
    func expect(_ expected: String, _ place: SourceLocation = #_sourceLocation) throws {
      let other = try graph.again()
      let found = try other.fetch(FetchRequest("Note", sortedBy: [SortKey("name")])).map(Self.text)
      #expect(found.joined(separator: " ") == expected, sourceLocation: place)
      guard graph.kind != .memory else { return }
      let report = try Validator(backends: StoreBackends([SQLiteStoreBackend()])).validate(
        graph.path("/main.store"), on: graph.ground.disk)
      #expect(
        report.verdict == .valid && report.counts.isEmpty, "\(report.findings)",
        sourceLocation: place)
    }

    static func text(_ note: ManagedObject) -> String {
      func names(_ key: String) -> String {
        let value = note.value(forKey: key)
        let others = value as? [ManagedObject] ?? (value as? ManagedObject).map { [$0] } ?? []
        let names = others.map { $0.value(forKey: "name") as? String ?? "?" }
        return key == "ordered" ? names.joined() : names.sorted().joined()
      }
      return ["one", "many", "ordered"].map(names).joined(separator: "/")
    }
  }

  @Test(
    "A deletion clears the references and links to the object, and the store is valid",
    arguments: OneWayDeletionTests.kinds,
    ["Tag", "Special"])
  func cleared(_ kind: Kind, _ tag: String) throws {
    let scene = try Scene(kind, Self.model(), tag: tag)
    scene.context.delete(scene.tags[0])
    #expect(scene.notes.map(Scene.text) == ["/b/b", "/b/b"])
    try scene.context.save()
    try scene.expect("/b/b /b/b")

    scene.notes[0]["name"] = .string("Note again")
    scene.context.delete(scene.tags[1])
    try scene.context.save()
    try scene.expect("// //")
  }

  @Test(
    "In a database, a deletion clears the references and links of one note",
    arguments: ["Tag", "Special"],
    ["Note", "Memo"])
  func clearedInDatabase(_ tag: String, _ note: String) throws {
    let scene = try Scene(.sqlite, Self.model(), tag: tag, notes: [note])
    try scene.expect("a/ab/ba")

    scene.context.delete(scene.tags[0])
    try scene.context.save()
    try scene.expect("/b/b")

    scene.context.delete(scene.tags[1])
    try scene.context.save()
    try scene.expect("//")
  }

  @Test(
    "A deletion or a batch clears references of objects that are not in memory",
    arguments: OneWayDeletionTests.kinds,
    [true, false])
  func unregistered(_ kind: Kind, _ isBatch: Bool) throws {
    let scene = try Scene(kind, Self.model())
    let other = try scene.graph.again()
    let request = FetchRequest("Tag", where: try QueryPredicate("name == 'a'"))
    if isBatch {
      #expect(try other.execute(BatchDeleteRequest(request)).count == 1)
    } else {
      for tag in try other.fetch(request) { other.delete(tag) }
      try other.save()
    }
    try scene.expect("/b/b /b/b")
  }

  @Test("Many deletions at once clear every reference", arguments: OneWayDeletionTests.kinds)
  func crowd(_ kind: Kind) throws {
    let scene = try Scene(kind, Self.model())
    let tags = try (0..<300).map { _ in try scene.context.insert("Tag") }
    for tag in tags {
      let note = try scene.context.insert("Note")
      note.setObjects([tag], forKey: "one")
    }
    scene.notes[0].setObjects(tags, forKey: "many")
    try scene.context.save()
    for tag in tags { scene.context.delete(tag) }
    try scene.context.save()
    let led = FetchRequest("Note", where: try QueryPredicate("one != NULL OR many.@count > 0"))
    let other = try scene.graph.again()
    #expect(try other.fetch(led).map(Scene.text).sorted() == ["a//ba", "a/ab/ba"])
  }

  @Test("Undo and rollback restore the references and links", arguments: OneWayDeletionTests.kinds)
  func takenBack(_ kind: Kind) throws {
    let scene = try Scene(kind, Self.model())
    let undo = UndoStack()
    scene.context.undoStack = undo
    for isUndone in [true, false] {
      scene.context.delete(scene.tags[0])
      try scene.context.processPendingChanges()
      if isUndone { try undo.undo() } else { scene.context.rollback() }
      #expect(scene.notes.map(Scene.text) == ["a/ab/ba", "a/ab/ba"])
      #expect(!scene.context.hasChanges)
    }
    scene.context.delete(scene.tags[0])
    try scene.context.save()
    try undo.undo()
    try scene.context.save()
    try scene.expect("a/ab/ba a/ab/ba")
    try undo.redo()
    try scene.context.save()
    try scene.expect("/b/b /b/b")
  }

  @Test(
    "A note leads to no deleted tag after the changes of the note are discarded",
    arguments: OneWayDeletionTests.kinds)
  func refreshed(_ kind: Kind) throws {
    let scene = try Scene(kind, Self.model())
    scene.context.delete(scene.tags[0])
    try scene.context.processPendingChanges()
    scene.context.refresh(scene.notes[0], mergeChanges: false)
    try scene.context.save()
    try scene.expect("/b/b /b/b")
  }

  @Test(
    "A required relationship refuses its object's deletion", arguments: OneWayDeletionTests.kinds)
  func required(_ kind: Kind) throws {
    let scene = try Scene(kind, Self.model(isRequired: true, least: 1))
    scene.context.delete(scene.tags[0])
    let error = #expect(throws: ContextError.self) { try scene.context.save() }
    #expect(error?.failures.map(\.rule) == [.required, .required])
    #expect(Set(error?.failures.map(\.object) ?? []) == Set(scene.notes.map(\.objectID)))
    scene.context.rollback()
    try scene.expect("a/ab/ba a/ab/ba")

    for note in scene.notes {
      note.setObjects([scene.tags[1]], forKey: "one")
      note.setObjects([scene.tags[0]], forKey: "many")
    }
    try scene.context.save()
    scene.context.delete(scene.tags[0])
    let few = #expect(throws: ContextError.self) { try scene.context.save() }
    #expect(few?.failures.map(\.rule) == [.tooFewObjects, .tooFewObjects])
    scene.context.rollback()
    try scene.expect("b/a/ba b/a/ba")
  }

  @Test(
    "A deletion also clears references that another context saves at the same time",
    arguments: OneWayDeletionTests.kinds, [true, false])
  func meanwhile(_ kind: Kind, _ deletesFirst: Bool) throws {
    let scene = try Scene(kind, Self.model())
    scene.context.delete(scene.tags[0])
    try scene.context.save()
    let other = ManagedObjectContext(scene.graph.coordinator, concurrency: .confined)
    for context in [scene.context, other] { context.mergePolicy = .objectWins }
    let note = try other.insert("Note")
    note["name"] = .string("New")
    note.setObjects([other.object(scene.tags[1])], forKey: "one")
    note.setObjects([other.object(scene.tags[1])], forKey: "many")
    note.setObjects([other.object(scene.tags[1])], forKey: "ordered")
    scene.context.delete(scene.tags[1])
    try scene.context.processPendingChanges()
    for context in deletesFirst ? [scene.context, other] : [other, scene.context] {
      try context.save()
    }
    try scene.expect("// // //")
  }

  @Test(
    "A child's deletion clears references set by its parent", arguments: OneWayDeletionTests.kinds)
  func child(_ kind: Kind) throws {
    let scene = try Scene(kind, Self.model())
    let child = ManagedObjectContext(parent: scene.context, concurrency: .confined)
    scene.notes[0].setObjects([scene.tags[1]], forKey: "one")
    child.delete(child.object(scene.tags[1]))
    child.delete(child.object(scene.tags[0]))
    try child.handOver()
    try scene.context.save()
    try scene.expect("// //")
  }

  @Test(
    "No action leaves no reference that can't be saved", arguments: OneWayDeletionTests.kinds,
    [true, false])
  func noAction(_ kind: Kind, _ isOne: Bool) throws {
    let model = try Model(entities: [
      Entity(
        "Note",
        properties: [
          .attribute(Attribute("name", .string)),
          .relationship(
            Relationship("one", to: "Tag", inverse: "notes", deleteRule: .noAction)),
          .relationship(
            Relationship(
              "many", to: "Tag", inverse: "all", count: .toMany, deleteRule: .noAction)),
          .relationship(
            Relationship("ordered", to: "Tag", count: .toMany, deleteRule: .noAction)),
        ]),
      Entity(
        "Tag",
        properties: [
          .attribute(Attribute("name", .string)),
          .relationship(
            Relationship(
              "notes", to: "Note", inverse: "one", count: isOne ? .toOne : .toMany,
              deleteRule: .noAction)),
          .relationship(
            Relationship(
              "all", to: "Note", inverse: "many", count: .toMany, deleteRule: .noAction)),
        ]),
      Entity("Memo", superentity: "Note"),
    ])
    let scene = try Scene(kind, model)
    scene.context.delete(scene.tags[0])
    try scene.context.save()
    try scene.expect("/b/b /b/b")
    for note in scene.notes { scene.context.delete(note) }
    try scene.context.save()
    try scene.expect("")
  }
}
