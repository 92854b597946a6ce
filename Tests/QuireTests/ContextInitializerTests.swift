import Quire
import Testing

@Suite("The initializer of a class with its context")
struct ContextInitializerTests {
  @Test("An object is inserted by the initializer of its class")
  func contextInitializer() throws {
    let context = try ManagedObjectContext.inMemory([Voyage.self, Port.self])
    let voyage = try Voyage(context: context)
    voyage.code = "LIS"

    #expect(voyage.name == "Untitled" && voyage.isInserted && context.insertedObjects == [voyage])
    try context.save()
    #expect(try context.fetch(Voyage.self) == [voyage])
    #expect(throws: ContextError.self) { try Cruiser(context: context) }
    #expect(try context.count(for: Voyage.all) == 1)
  }
}
