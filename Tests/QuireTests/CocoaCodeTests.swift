import Foundation
import Quire
import Testing

@Suite("The numbers of errors")
struct CocoaCodeTests {
  /// The error that `body` throws.
  private func failure<E: Error>(_ type: E.Type = ContextError.self, _ body: () throws -> Void)
    -> E?
  {
    do {
      try body()
      return nil
    } catch { return error as? E }
  }

  @Test("A save that breaks rules has the number of the only failure, or that of several")
  func validation() throws {
    let context = try ManagedObjectContext.inMemory([Cruiser.self, Craft.self, Sailor.self])
    let sailor = try context.insert(Sailor.self)
    let ship = try context.insert(Cruiser.self) { $0.name = "Aurora" }
    func code(_ body: () throws -> Void) rethrows -> Int? {
      try body()
      let error = failure { try context.save() }
      #expect(error?.code == .validation)
      return error?.cocoaCode
    }
    #expect(code {} == 1580)
    ship.crew = [sailor, try context.insert(Sailor.self)]
    try context.save()
    #expect(code { ship.name = "aurora" } == 1680)
    #expect(code { ship.name = "" } == 1670)
    #expect(code { ship.tonnage = -1 } == 1560)
    ship.tonnage = 1
    #expect(code { ship.name = "A" + String(repeating: "a", count: 40) } == 1660)
    ship.name = "Aurora"
    #expect(code { ship.tonnage = 5001 } == 1610)
    #expect(code { ship.tonnage = -1 } == 1620)
    ship.tonnage = 1
    #expect(code { context.delete(sailor) } == 1600)
    context.rollback()
    #expect(code { ship.setValue(.null, forKey: "name") } == 1570)
  }

  @Test("Conflicts, missing objects and other models have their numbers")
  func contexts() throws {
    let context = try ManagedObjectContext.inMemory([Voyage.self, Port.self])
    let other = ManagedObjectContext(context.coordinator, concurrency: .confined)
    func insert(_ context: ManagedObjectContext) throws -> Voyage {
      try context.insert(Voyage.self) { $0.code = "LIS" }
    }
    let voyage = try insert(context)
    try context.save()
    let theirs = other.object(voyage)
    (voyage.budget, theirs.budget) = (1, 2)
    try other.save()
    #expect(failure { try context.save() }?.cocoaCode == 133020)
    context.rollback()
    _ = try insert(context)
    #expect(failure { try context.save() }?.cocoaCode == 133021)
    context.rollback()
    other.delete(theirs)
    try other.save()
    let missing = failure { _ = try context.existingObject(with: theirs.objectID) }
    #expect(missing?.cocoaCode == 133000)
    #expect(failure { try context.insert("Harbour") }?.cocoaCode == 134060)
  }

  @Test("Stores have their numbers")
  func stores() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "a.store").path
    do {
      let first = try PersistentContainer(at: path, for: Voyage.self, Port.self).coordinator
      try first.remove(first.stores[0])
    }
    let other = failure {
      _ = try PersistentContainer(at: path, for: Sailor.self, Craft.self, Cruiser.self)
    }
    #expect(other?.cocoaCode == 134100)
    let coordinator = PersistentStoreCoordinator(
      model: try Model(classes: [Voyage.self, Port.self]))
    let missing = failure(StoreError.self) {
      try coordinator.addStore(at: path + ".missing", readOnly: true)
    }
    #expect(missing?.cocoaCode == 260)
    try Data("no store".utf8).write(to: URL(fileURLWithPath: path))
    #expect(failure(StoreError.self) { try coordinator.addStore(at: path) }?.cocoaCode == 259)
    let cause = StoreError(.damaged, "A damaged block.")
    #expect(ContextError(.unreadable, "A value.", cause: cause).cocoaCode == 259)
  }

  @Test("The page lists each number with the code that has it")
  func page() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/from-core-data.md")
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
    func isListed(_ number: Int, _ type: String, _ name: String) -> Bool {
      rows.contains {
        $0.hasPrefix("| \(number) | `NS") && $0.contains("`\(type)`") && $0.contains("`\(name)`")
      }
    }

    let stores: [StoreError.Code] = [
      .notFound, .exists, .notAStore, .newerFormat, .damaged, .inputOutput, .uncertain, .readOnly,
      .locked, .conflict, .overtaken, .incompatibleModel, .closed, .badChange, .cancelled,
      .notSupported, .badPlugin, .failed,
    ]
    for code in stores {
      let number = StoreError(code, "").cocoaCode
      #expect(isListed(number, "StoreError", code.rawValue), "\(code.rawValue) \(number)")
    }
    let contexts: [ContextError.Code] = [
      .noObject, .crossStore, .validation, .conflict, .incompatibleModel, .historyExpired,
    ]
    for code in contexts {
      let number = ContextError(code, "").cocoaCode
      #expect(isListed(number, "ContextError", code.rawValue), "\(code.rawValue) \(number)")
    }
    let migrations: [MigrationError.Code] = [
      .noPath, .notInferable, .badMapping, .missingPolicy, .badStages, .wouldLose, .invalidResult,
      .badPlace,
    ]
    for code in migrations {
      let number = MigrationError(code, "").cocoaCode
      #expect(isListed(number, "MigrationError", code.rawValue), "\(code.rawValue) \(number)")
    }
    let rules: [ValidationFailure.Rule] = [
      .required, .minimum, .maximum, .pattern, .tooFewObjects, .tooManyObjects, .deletionDenied,
      .predicate, .custom, .precision,
    ]
    let object = try ManagedObjectContext.inMemory([Voyage.self, Port.self]).insert(Voyage.self)
    for rule in rules {
      for value: StoredValue in [.integer(1), .date(.now), .string("a")] {
        func failure(_ code: Int? = nil) -> ValidationFailure {
          ValidationFailure(
            object: object.objectID, entity: "Voyage", value: value, rule: rule, message: "",
            code: code)
        }
        let number = failure().cocoaCode
        #expect(isListed(number, "ValidationFailure", rule.rawValue), "\(rule) \(number)")
        #expect(failure(4711).cocoaCode == 4711)
      }
    }
  }
}
