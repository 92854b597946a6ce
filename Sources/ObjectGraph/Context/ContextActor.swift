// SAFETY: The actor stores its context, so `context` is the same object each time and lives as long as the actor. The
// context retains the executor.

/// An actor that works in its own context. Each of its methods is a turn of the context, so it uses the context and
/// its objects without `perform`.
///
///     actor Planner: ContextActor {
///       let context: ManagedObjectContext
///       private var count = 0
///
///       init(_ container: PersistentContainer) { context = container.newBackgroundContext() }
///
///       func add(_ name: String) throws -> ObjectID {
///         count += 1
///         let trip = try context.insert(Trip.self) { $0.name = name }
///         try context.save()
///         return trip.objectID
///       }
///     }
///
/// The compiler refuses to give an object to a caller outside of the actor: return values, or the identifier. Changes are
/// processed when a method ends, and at each `await` within it.
public protocol ContextActor: Actor {
  /// The context of the actor: one with a private queue, which no other code uses. The actor stores it, and returns the
  /// same context each time.
  nonisolated var context: ManagedObjectContext { get }
}

extension ContextActor {
  /// The executor that runs the actor's work in turns of its context.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe context.turnExecutor.asUnownedSerialExecutor()
  }
}
