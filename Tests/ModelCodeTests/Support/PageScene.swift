/// The imports, types and variables that the code on pages uses. Trips, stops and their model are those of the test
/// model `Trips`.
enum PageScene {
  static let text = """
    import DurableFiles
    import Foundation
    import Migration
    import ObjectModel
    import ObjectQuery
    import Observation
    import PostgreSQLStore
    import Quire
    import QuireTools
    import SQLiteStore
    import StoreInterface
    import Synchronization
    import TypedTrips
    import XMLStore

    @Entity final class Voyage: ManagedObject {
      var name: String = "Untitled"
      var start: Date?
      var budget: Decimal = 0
      @Unique var code: String
      @Relationship(.cascade, inverse: \\Port.voyage, ordered: true) var stops: RelatedObjects<Port>
    }
    @Entity final class Port: ManagedObject {
      var name: String
      var nights: Int = 1
      var voyage: Voyage
    }
    @Entity final class Movie: ManagedObject {
      @Unique var title: String
      var year: Int = 2026
      @Relationship(deleteRule: .cascade, inverse: \\Review.movie)
      var reviews: RelatedObjects<Review>
      convenience init(title: String) { self.init() }
    }
    @Entity final class Review: ManagedObject {
      var text: String
      var movie: Movie?
    }
    @Entity final class Guest: ManagedObject {
      var name: String
      convenience init(name: String, on voyage: Voyage?) { self.init() }
    }
    actor Importer: ContextActor {
      let context: ManagedObjectContext
      init(_ container: PersistentContainer) { fatalError() }
      func rename(_ id: ObjectID, to name: String) throws {}
    }
    enum TripsV1: ModelVersion {
      static let classes: [ManagedObject.Type] = [Trip.self]
      @Entity final class Trip: ManagedObject { var name: String }
    }
    enum TripsV2: ModelVersion {
      static let classes: [ManagedObject.Type] = [Trip.self]
      @Entity final class Trip: ManagedObject {
        @Attribute(.originalName("name")) var title: String
      }
    }
    final class StopPolicy: EntityMigrationPolicy {}
    @MainActor final class Label { var text = "" }
    @MainActor func updateLabel() {}

    @MainActor final class Scene {
      var container: PersistentContainer { fatalError() }
      var context: ManagedObjectContext { fatalError() }
      var document: ManagedDocument { fatalError() }
      var options: DocumentOptions { get { fatalError() } set {} }
      var model: Model { fatalError() }
      var things: Model { fatalError() }
      var versions: [KnownVersion] { fatalError() }
      var v1: KnownVersion { fatalError() }
      var v2: KnownVersion { fatalError() }
      var v3: KnownVersion { fatalError() }
      var trip: Trip { fatalError() }
      var voyage: Voyage { fatalError() }
      var port: Port { fatalError() }
      var label: Label { fatalError() }
      var path: String { fatalError() }
      var text: String { fatalError() }
      var now: Date { fatalError() }
      var photograph: [[UInt8]] { fatalError() }
      var received: [UInt8] { get { fatalError() } set {} }
      func show(_ text: String) {}
    }
    """
}
