import Testing

/// Programs that use a context or its objects in the wrong place, with the errors of the compiler.
@Suite("Uses in the wrong place are errors of the compiler")
struct IsolationErrorTests {
  private func errors(_ function: String) throws -> [String] {
    try Compiler().errors(
      in: """
        import Foundation
        import Quire
        @Entity final class Note: ManagedObject {
          var title: String
        }
        actor Library: ContextActor {
          let context: ManagedObjectContext
          var first: Note?
          init(_ container: PersistentContainer) { context = container.newBackgroundContext() }
          func titles() throws -> [String] { try context.fetch(Note.all).map(\\.title) }
          func id() throws -> ObjectID { try context.insert(Note.self).objectID }
        }
        \(function)
        """)
  }

  @Test(
    "A right program has no error",
    arguments: [
      "@MainActor func f(_ c: PersistentContainer) throws { _ = try c.viewContext.fetch(Note.all) }",
      "func f(_ c: PersistentContainer) async throws { _ = try await MainActor.run { try c.viewContext.fetch(Note.all).map(\\.title) } }",
      "func f(_ l: Library) async throws -> ([String], ObjectID) { (try await l.titles(), try await l.id()) }",
      "func f(_ c: ManagedObjectContext) throws { let n = Note(); n.title = \"x\"; try c.insert(n) }",
      "func f(_ c: PersistentContainer) { let b = c.newBackgroundContext(); b.performAndWait { _ = try? b.fetch(Note.all) } }",
    ])
  func right(_ function: String) throws {
    #expect(try errors(function) == [])
  }

  // The compiler finds an object that is sent to another actor only after type checking, which these tests stop at.
  @Test(
    "The view context outside of the main actor, and objects that leave their actor, are errors",
    arguments: [
      (
        "func f(_ c: PersistentContainer) throws { _ = try c.viewContext.fetch(Note.all) }",
        "'viewContext'"
      ),
      (
        "func f(_ c: PersistentContainer) throws { _ = try FetchedResults(Note.all, in: c.viewContext) }",
        "'viewContext'"
      ),
      (
        "func f(_ c: PersistentContainer) { Task.detached { try c.viewContext.save() } }",
        "'viewContext'"
      ),
      (
        "@MainActor func f(_ c: PersistentContainer) { Task.detached { print(c.viewContext.hasChanges) } }",
        "'viewContext'"
      ),
      ("func f(_ l: Library) async { _ = await l.first }", "Note"),
    ])
  func wrong(_ function: String, _ words: String) throws {
    let errors = try errors(function)
    #expect(errors.contains { $0.contains(words) }, "\(errors)")
  }
}
