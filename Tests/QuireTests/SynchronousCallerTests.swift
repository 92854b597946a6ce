import Dispatch
import Quire
import Testing

@Suite("Callers that are not asynchronous")
struct SynchronousCallerTests {
  @Test("A task of the background runs without a caller that waits for it")
  func backgroundTask() async throws {
    let container = try PersistentContainer(at: "/dev/null", for: Voyage.self, Port.self)
    let count = await withCheckedContinuation { (done: CheckedContinuation<Int, Never>) in
      func start() {
        container.performBackgroundTask { context in
          _ = try? Voyage(context: context)
          done.resume(returning: context.insertedObjects.count)
        }
      }
      start()
    }
    #expect(count == 1)
  }

  @Test("A turn of a context runs without a caller that waits for it")
  func perform() async throws {
    let context = ManagedObjectContext(
      try PersistentContainer(at: "/dev/null", for: Voyage.self, Port.self).coordinator)
    let counts = await withCheckedContinuation { (done: CheckedContinuation<[Int], Never>) in
      func start() {
        let gate = DispatchSemaphore(value: 0)
        context.perform {
          gate.wait()
          _ = try? Voyage(context: context)
        }
        // The first turn waits for this line, so `perform` has not waited for the turn.
        gate.signal()
        context.perform { done.resume(returning: [context.insertedObjects.count]) }
      }
      start()
    }
    let later = try await context.perform { context.insertedObjects.count }
    #expect(counts == [1] && later == 1)
  }
}
