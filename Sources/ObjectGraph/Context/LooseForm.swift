import ObjectModel
public import ObjectQuery
import StoreInterface
import Synchronization

/// The form of the loose objects of one class: the model that follows from the class, and a source without a context.
///
/// The source belongs to a context that is gone, so any thread may use it, and it is current on no thread. The accessors
/// of an object find that out before they read a row.
final class LooseForm: @unchecked Sendable {
  // Sendable: nothing changes after the initializer, and a source of a context that is gone is only read.

  let source: RowSource
  let row: Int

  private static let known = Mutex<[ObjectIdentifier: LooseForm]>([:])

  /// Returns the form of a class. Stops the program if the class declares no entity.
  static func of(_ type: ManagedObject.Type) -> LooseForm {
    if let form = known.withLock({ $0[ObjectIdentifier(type)] }) { return form }
    do {
      let form = try LooseForm(type)
      return known.withLock { known in
        let first = known[ObjectIdentifier(type)] ?? form
        known[ObjectIdentifier(type)] = first
        return first
      }
    } catch {
      misuse("An object of \(type) can't be made outside of a context. \(error)")
    }
  }

  private init(_ type: ManagedObject.Type) throws {
    let classes = LooseForm.family(of: type)
    let coordinator = PersistentStoreCoordinator(
      model: try Model(classes: classes), places: nil, classes: classes)
    let store = try coordinator.addUnannounced(try MemoryStore(coordinator.model))
    let context = ManagedObjectContext(coordinator)
    let name = type.entityName
    let object = try context.performAndWait {
      let workspace = context.workspace
      let state = try workspace.state(of: store)
      guard coordinator.model[name]?.isAbstract == false, let number = state.graph[name]?.number,
        let entity = state.entity(number, workspace)
      else { throw ContextError.unknownEntity(name, in: coordinator.model) }
      return try entity.insert()
    }
    (source, row) = (object.source, Int(object.row))
    object.holdSource()
  }

  /// Makes a loose object with its default values.
  func make<T: ManagedObject>() -> T {
    // SAFETY: The object releases its values when it ends or is inserted. Their address has 48 bits at most, and no code
    // reads the key of a loose object as a key.
    let values = unsafe Unmanaged.passRetained(LooseValues())
    let address = unsafe UInt64(UInt(bitPattern: values.toOpaque()))
    let object = unsafe T(
      ObjectBirth(
        key: ObjectKey(rawValue: address), source: .passUnretained(source), row: UInt32(row),
        state: [.loose, .detached, .realized]))
    object.setInitialValues()
    return object
  }

  /// Returns a class, and the classes that its relationships refer to.
  private static func family(of type: ManagedObject.Type) -> [ManagedObject.Type] {
    var family: [ManagedObject.Type] = []
    var waiting = [type]
    var known: Set<ObjectIdentifier> = []
    while let next = waiting.popLast() {
      guard known.insert(ObjectIdentifier(next)).inserted,
        let declaration = next.entityDeclaration
      else { continue }
      family.append(next)
      waiting += declaration.properties.compactMap(\.destination)
      if let superclass = declaration.superclass { waiting.append(superclass) }
    }
    return family.isEmpty ? [type] : family
  }
}

extension EntityMapped where Self: ManagedObject {
  /// Makes an object outside of a context, to be inserted later.
  ///
  ///     let trip = Trip()
  ///     trip.name = "Lisbon"
  ///     try context.insert(trip)
  ///
  /// The initializers of a class call it: `convenience init(name: String) { self.init(); self.name = name }`.
  /// The object has the default values, and may be related to further objects outside of contexts. It has no identifier,
  /// and no store contains it before it is inserted and saved.
  public init() { self = LooseForm.of(Self.self).make() }
}
