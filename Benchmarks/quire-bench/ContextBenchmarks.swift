import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery

/// Measures child contexts, several contexts of one coordinator, undo, and links. Most reports also state the ratio of
/// two times.
func runContextBenchmarks(_ count: Int) throws {
  let bench = try ObjectBench(count)
  defer { bench.clean() }
  try bench.measureChildren()
  try bench.measureFollowing()
  try bench.measureUndo()
  try bench.measureLinks()
}

extension ObjectBench {
  private var hundredth: QueryPredicate { try! QueryPredicate("modulus:by:(id, 100) == 1") }

  /// Changes the people that match a predicate, saves the context, and then saves its ancestors in order.
  private func change(_ context: ManagedObjectContext, savingInto parents: [ManagedObjectContext]) {
    for person in try! context.fetch(PersonObject.self, where: hundredth) { person.balance += 1 }
    try! context.save()
    for parent in parents { try! parent.save() }
  }

  func measureChildren() throws {
    var measurement = Measurement(rounds: 5)
    let path = folder.appending(path: "new").path
    func insert(into context: ManagedObjectContext, _ parent: ManagedObjectContext?) -> Int {
      for i in 0..<count / 10 {
        try! context.insert(PersonObject.self).fill(i, Person(i, companies: companies))
      }
      try! context.save()
      try! parent?.save()
      return 1
    }
    var context: ManagedObjectContext?
    measurement.add("insert and save", count / 10, "object") { insert(into: context!, nil) }
    measurement.prepare { [self] in
      try? FileManager.default.removeItem(atPath: path)
      context = open(path)
    }
    measurement.add("insert in a child, save twice", count / 10, "object") {
      insert(into: ManagedObjectContext(parent: context!, concurrency: .confined), context)
    }
    measurement.prepare { [self] in
      try? FileManager.default.removeItem(atPath: path)
      context = open(path)
    }
    measurement.add("fetch, change and save", count / 100, "object") { [self] in
      change(context!, savingInto: [])
      return 1
    }
    measurement.prepare { [self] in context = copy("copy") }
    measurement.add("the same in a child", count / 100, "object") { [self] in
      let parent = context!
      change(ManagedObjectContext(parent: parent, concurrency: .confined), savingInto: [parent])
      return 1
    }
    measurement.prepare { [self] in context = copy("copy") }
    measurement.add("the same in a child of a child", count / 100, "object") { [self] in
      let parent = context!
      let child = ManagedObjectContext(parent: parent, concurrency: .confined)
      change(
        ManagedObjectContext(parent: child, concurrency: .confined),
        savingInto: [child, parent])
      return 1
    }
    measurement.prepare { [self] in context = copy("copy") }
    let times = measurement.report("Contexts above one another")
    showRatio(times, "insert in a child, save twice", to: "insert and save")
    showRatio(times, "the same in a child", to: "fetch, change and save")
    showRatio(times, "the same in a child of a child", to: "fetch, change and save")
  }

  /// Measures a save that fetched results and other contexts observe.
  func measureFollowing() throws {
    var measurement = Measurement(rounds: 5)
    var context: ManagedObjectContext?
    var others: [ManagedObjectContext] = []
    var lists: [FetchedResults<PersonObject>] = []
    let request = FetchRequest(
      PersonObject.self, where: try QueryPredicate("age > 40"),
      sortedBy: [SortKey("lastName"), SortKey("id")])
    func add(_ name: String, _ prepare: @escaping () -> Void) {
      measurement.add(name, count / 100, "object") { [self] in
        change(context!, savingInto: [])
        for list in lists { _ = list.count }
        return others.count
      }
      measurement.prepare { [self] in
        lists = []
        others = []
        context = copy("copy")
        prepare()
      }
    }
    add("fetch, change and save") {}
    add("the same beside ten that follow") { [self] in
      others = (0..<10).map { _ in
        let other = ManagedObjectContext(context!.coordinator, concurrency: .confined)
        other.automaticallyMergesChangesFromParent = true
        _ = try! other.fetch(PersonObject.self, where: hundredth)
        return other
      }
    }
    add("the same with a live list of most") {
      lists = [try! FetchedResults(request, in: context!)]
    }
    measurement.add("fetch the list anew", count / 100, "object") {
      try! context!.fetch(request).count
    }
    let times = measurement.report("Contexts beside one another, and live lists")
    showRatio(times, "the same beside ten that follow", to: "fetch, change and save")
    showRatio(times, "the same with a live list of most", to: "fetch, change and save")
  }

  func measureUndo() throws {
    var measurement = Measurement(rounds: 5)
    var context: ManagedObjectContext?
    func add(
      _ name: String, inserting: Bool = false, _ work: @escaping (ManagedObjectContext) -> Void
    ) {
      measurement.add(name, count / 100, "object") {
        work(context!)
        return 1
      }
      measurement.prepare { [self] in
        context = copy("copy")
        if inserting {
          for index in 0..<count / 100 {
            let person = try! context!.insert(PersonObject.self)
            person.balance = Double(index)
          }
        } else {
          for person in try! context!.fetch(PersonObject.self, where: hundredth) {
            person.balance += 1
          }
        }
        try! context!.processPendingChanges()
        if name.hasPrefix("redo") { _ = try! context!.undoStack!.undo() }
      }
    }
    add("undo") { _ = try! $0.undoStack!.undo() }
    add("redo") { _ = try! $0.undoStack!.redo() }
    add("undo an insertion", inserting: true) { _ = try! $0.undoStack!.undo() }
    add("redo an insertion", inserting: true) { _ = try! $0.undoStack!.redo() }
    add("roll back") { $0.rollback() }
    add("refresh each by itself") { context in
      for object in context.updatedObjects { context.refresh(object, mergeChanges: false) }
    }
    add("save") { try! $0.save() }
    let times = measurement.report("Undo of one step")
    showRatio(times, "undo", to: "save")
    showRatio(times, "redo", to: "save")
  }

  /// Measures links from very many objects to one object, set at either end.
  func measureLinks() throws {
    var measurement = Measurement(rounds: 3)
    let photos = "photos"
    let tags = "tags"
    let model = try Model(entities: [
      Entity(
        "Tag",
        properties: [
          .relationship(Relationship("photos", to: "Photo", inverse: "tags", count: .toMany))
        ]),
      Entity(
        "Photo",
        properties: [
          .relationship(Relationship("tags", to: "Tag", inverse: "photos", count: .toMany))
        ]),
    ])
    let path = folder.appending(path: "links").path
    var context: ManagedObjectContext?
    var tag: ManagedObject?
    var all: [ManagedObject] = []
    func add(_ name: String, isLinked: Bool, _ work: @escaping (ManagedObject) -> Void) {
      measurement.add(name, count / 100, "object") {
        work(tag!)
        try! context!.save()
        return all.count
      }
      measurement.prepare { [self] in
        (tag, all, context) = (nil, [], nil)
        try? FileManager.default.removeItem(atPath: path)
        let coordinator = PersistentStoreCoordinator(model: model, places: ObjectBench.places)
        try! coordinator.addStore(at: path)
        context = ManagedObjectContext(coordinator, concurrency: .confined)
        tag = try! context!.insert("Tag")
        all = (0..<count / 100).map { _ in try! context!.insert("Photo") }
        if isLinked { tag!.setObjects(all, forKey: photos) }
        try! context!.save()
      }
    }
    add("link to one", isLinked: false) { $0.setObjects(all, forKey: photos) }
    add("link to one, each by itself, with saves", isLinked: false) { tag in
      for (number, photo) in all.enumerated() {
        tag.add(photo, to: photos)
        if number % 1000 == 999 { try! context!.save() }
      }
    }
    add("link to one from the other side", isLinked: false) { tag in
      for photo in all { photo.setObjects([tag], forKey: tags) }
    }
    add("take all out", isLinked: true) { $0.setObjects([], forKey: photos) }
    measurement.report("Links of very many to one")
  }
}
