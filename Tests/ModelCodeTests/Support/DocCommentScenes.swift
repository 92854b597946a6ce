/// The imports, classes and variables that the code in documentation comments uses, by module.
///
/// Most comments show one expression in the middle of a program. A scene is the rest of that program.
enum DocCommentScenes {
  /// The scene of the modules with types that an application names.
  static let application = """
    import BinaryStore
    import DurableFiles
    import Foundation
    import Migration
    import ObjectModel
    import ObjectQuery
    import Quire
    import Rows
    import StoreInterface

    @Entity final class Person: ManagedObject {
      var name: String
      var age: Int = 0
      @Relationship(inverse: \\Trip.owner) var trips: RelatedObjects<Trip>
    }
    @Entity final class Trip: ManagedObject {
      var name: String
      var title: String?
      var start: Date?
      var cost: Double = 0
      var owner: Person?
      @Relationship(.cascade, inverse: \\Stop.trip, ordered: true) var stops: RelatedObjects<Stop>
      var monthTitle: String { "" }
    }
    @Entity final class Stop: ManagedObject {
      var name: String
      var nights: Int = 1
      var trip: Trip?
    }
    @Entity final class ToDo: ManagedObject { var isDone: Bool = false }
    @Entity final class Tour: ManagedObject { var isOpen: Bool = false }
    @Entity final class Animal: ManagedObject { var name: String }
    struct Colour: Codable {}
    enum TripsV1: ModelVersion {
      static let classes: [ManagedObject.Type] = [Trip.self]
      @Entity final class Trip: ManagedObject { var name: String }
    }
    enum TripsV2: ModelVersion {
      static let classes: [ManagedObject.Type] = [Trip.self]
      @Entity final class Trip: ManagedObject { var title: String }
    }
    final class ToDoPolicy: EntityMigrationPolicy {}
    struct Made: Sendable { var name: String }
    let people: [Made] = []

    final class Scene {
      var context: ManagedObjectContext { fatalError() }
      var workspace: ManagedObjectContext { fatalError() }
      var coordinator: PersistentStoreCoordinator { fatalError() }
      var container: PersistentContainer { fatalError() }
      var model: Model { fatalError() }
      var places: StorePlaces { fatalError() }
      var document: Document { fatalError() }
      var undo: UndoStack { fatalError() }
      var trip: Trip { fatalError() }
      var lisbon: Stop { fatalError() }
      var porto: Stop { fatalError() }
      var request: FetchRequest<Trip> { fatalError() }
      var table: ResultTable { fatalError() }
      var progress: Progress { fatalError() }
      var results: FetchedResults<Trip> { fatalError() }
      var id: ObjectID { fatalError() }
      var now: Date { fatalError() }
      var name: String { fatalError() }
      var names: [String] { fatalError() }
      var path: String { fatalError() }
      var token: HistoryToken { get { fatalError() } set {} }
      var old: Model { fatalError() }
      var new: Model { fatalError() }
      var v1: KnownVersion { fatalError() }
      var v2: KnownVersion { fatalError() }
      var v3: KnownVersion { fatalError() }
      var template: QueryPredicate { fatalError() }
      var longNamed: QueryPredicate { fatalError() }
      func next() throws -> [UInt8]? { nil }
    }
    """

  /// The scenes of the lower modules, of stores, of plug-ins and of the tool.
  static let others: [String: String] = [
    "Archives": """
    @testable import Archives
    import BinaryStore
    import Documents
    import DurableFiles
    import StoreInterface
    struct Line { func show(_ share: Double?) {} }

    final class Scene {
      var disk: RealDisk { fatalError() }
      var line: Line { fatalError() }
      var backends: StoreBackends { fatalError() }
    }
    """,
    "BinaryStore": """
    import BinaryStore
    import DurableFiles
    import ObjectModel
    import Rows
    import StoreInterface


    final class Scene {
      var path: String { fatalError() }
      var model: Model { fatalError() }
      var changes: Layer { fatalError() }
      var store: BinaryStore { fatalError() }
    }
    """,
    "Checksums": """
    import Checksums


    final class Scene {
      var header: [UInt8] { fatalError() }
      var body: [UInt8] { fatalError() }
    }
    """,
    "CommandInterface": """
    @testable import CommandInterface
    import ObjectGraph
    @testable import SystemPrograms
    @testable import ToolCommands
    extension Scene {
      static let digest = HashCommand.digest
      static let path: Argument = { fatalError() }()
      static func readModel(_ path: Any?) throws {}
      func printResult() throws {}
    }

    final class Scene {
      var outcome: Outcome { fatalError() }
      var context: ManagedObjectContext { fatalError() }
    }
    """,
    "Comparison": """
    @testable import Comparison
    import Documents
    import QuireTools
    import StoreInterface


    final class Scene {
      var places: StorePlaces { fatalError() }
      var document: Document { fatalError() }
    }
    """,
    "DocumentExchange": """
    import Documents
    import DocumentExchange
    import Quire


    final class Scene {
      var document: Document { fatalError() }
    }
    """,
    "Deflate": """
    import Deflate
    struct Sink { func write(_ bytes: RawSpan) throws {} }
    struct Piece { let byteCount: Int }
    extension Scene { func next() throws -> [UInt8]? { nil } }

    final class Scene {
      var bytes: [UInt8] { fatalError() }
      var writer: Sink { fatalError() }
      var entry: Piece { fatalError() }
    }
    """,
    "DiskSimulation": """
    import DiskSimulation
    import DurableFiles
    import Testing


    final class Scene {
      var disk: SimulatedDisk { fatalError() }
    }
    """,
    "DurableFiles": """
    @testable import DurableFiles
    struct Column { let bytes: [UInt8] }
    struct Columns { let columns: [Column] }
    extension Scene { func write(to path: String) throws {} }

    final class Scene {
      var disk: RealDisk { fatalError() }
      var file: DurableFile { fatalError() }
      var block: Columns { fatalError() }
      var manifest: [UInt8] { fatalError() }
      var bytes: [UInt8] { fatalError() }
    }
    """,
    "Tracing": """
    import Tracing


    final class Scene {}
    """,
    "FullText": """
    @testable import FullText
    struct WordList { mutating func add(_ word: Span<UInt8>, at position: Int) {} }

    final class Scene {
      var notes: [String] { fatalError() }
      var note: String { fatalError() }
      var text: String { fatalError() }
      let query = try! TextQuery("a")
      var matcher = TextMatcher(try! TextQuery("a"))
      var index = WordList()
    }
    """,
    "Interchange": """
    import DurableFiles
    import Foundation
    @testable import Interchange
    import ObjectGraph
    import StoreInterface
    struct Sink { func write(_ bytes: [UInt8]) throws {} }

    final class Scene {
      var disk: RealDisk { fatalError() }
      var store: any Store { fatalError() }
      var writer: Sink { fatalError() }
    }
    """,
    "ModelCode": """
    import ModelCode
    import ModelNotations
    import ObjectModel


    final class Scene {
      var versions: ModelVersions { fatalError() }
    }
    """,
    "ModelNotations": """
    import ModelNotations
    import ObjectModel


    final class Scene {
      var model: Model { fatalError() }
    }
    """,
    "ObjectModel": """
    import Foundation
    import ObjectGraph
    @testable import ObjectModel


    final class Scene {
      var model: Model { get { fatalError() } set {} }
      var old: Model { fatalError() }
      var new: Model { fatalError() }
      var base: Model { fatalError() }
      var extensions: Model { fatalError() }
      var object: ManagedObject { fatalError() }
      var trip: Entity { get { fatalError() } set {} }
      var stop: Entity { fatalError() }
    }
    """,
    "PluginHost": """
    import DurableFiles
    import Foundation
    import PluginHost
    import Quire
    import StoreInterface


    final class Scene {
      var pathOfThisProgram: String { fatalError() }
    }
    """,
    "PluginSupport": """
    import BinaryStore
    import PluginSupport
    import StoreInterface
    typealias LedgerBackend = BinaryStoreBackend

    final class Scene {
    }
    """,
    "PluginKit": """
    @testable import PluginKit


    final class Scene {
    }
    """,
    "PropertyLists": """
    import PropertyLists
    import XMLEvents


    final class Scene {
      var bytes: [UInt8] { fatalError() }
    }
    """,
    "QuireTools": """
    import Quire
    import QuireTools


    final class Scene {
    }
    """,
    "Recovery": """
    import DurableFiles
    @testable import Recovery
    import StoreInterface


    final class Scene {
      var disk: RealDisk { fatalError() }
      var store: any Store { fatalError() }
    }
    """,
    "Rows": """
    import CArrow
    import ObjectModel
    import Rows
    struct Snapshot { let tables: [any RowTable] }

    final class Scene {
      var model: Model { fatalError() }
      var block: Block { fatalError() }
      var layout: Layout { fatalError() }
      var schema: Schema { fatalError() }
      var bytes: [UInt8] { fatalError() }
      var name: Int { fatalError() }
      var age: Int { fatalError() }
      var sum: Int64 { get { fatalError() } set {} }
      var snapshot: Snapshot { fatalError() }
      var view: View { fatalError() }
      var company: ObjectKey { fatalError() }
      var index: IndexLayout { fatalError() }
      var key: ObjectKey { fatalError() }
      var other: ObjectKey { fatalError() }
      var parentLayer: Layer { fatalError() }
      var ownLayer: Layer { fatalError() }
      var array: UnsafeMutablePointer<ArrowArray> { fatalError() }
      var arraySchema: UnsafeMutablePointer<ArrowSchema> { fatalError() }
    }
    """,
    "SQLiteFiles": """
    import SQLiteFiles


    final class Scene {
      var file: SQLiteConnection { fatalError() }
    }
    """,
    "SQLiteStore": """
    import DurableFiles
    import ObjectModel
    import ObjectQuery
    import Rows
    @testable import SQLiteStore
    import StoreInterface


    final class Scene {
      var model: Model { fatalError() }
      var schema: Schema { fatalError() }
      var request: QueryRequest { fatalError() }
    }
    """,
    "SeededRandom": """
    import SeededRandom
    import Testing
    extension Scene { func law(_ random: inout SeededGenerator) -> Bool { true } }

    final class Scene {
    }
    """,
    "StoreConformance": """
    import DurableFiles
    import ObjectModel
    import StoreConformance
    import StoreInterface
    let backend: any StoreBackend = { fatalError() }()
    let disk = RealDisk()
    @Sendable func newPath() -> String { "" }

    final class Scene {
    }
    """,
    "StoreInterface": """
    import BinaryStore
    import DurableFiles
    import ObjectGraph
    import ObjectModel
    import Quire
    import Rows
    @testable import StoreInterface
    import XMLStore
    struct File { let path: String }

    final class Scene {
      var store: any Store { fatalError() }
      var disk: RealDisk { fatalError() }
      var format: any AtomicFormat { fatalError() }
      var model: Model { fatalError() }
      var schema: Schema { fatalError() }
      var file: File { fatalError() }
      var contents: AtomicContents { get { fatalError() } set {} }
      var backends: StoreBackends { fatalError() }
      var path: String { fatalError() }
      var snapshot: any StoreSnapshot { fatalError() }
      var isCancelled: Bool { fatalError() }
      var changes: Layer { fatalError() }
      var coordinator: PersistentStoreCoordinator { fatalError() }
    }
    """,
    "TextMatching": """
    @testable import TextMatching


    final class Scene {
    }
    """,
    "ToolCommands": """
    @testable import CommandInterface
    import Foundation
    @testable import SystemPrograms
    @testable import ToolCommands

    final class Scene {
    }
    """,
    "Validation": """
    import StoreInterface
    import Validation


    final class Scene {
      var backends: StoreBackends { fatalError() }
    }
    """,
    "XMLEvents": """
    import XMLEvents
    struct ObjectCounter: XMLEventHandler {
      let object: XMLNameID
      var count = 0
      mutating func start(_ tag: borrowing XMLStartTag) throws {}
      mutating func end(_ name: XMLNameID) throws {}
      mutating func text(_ bytes: Span<UInt8>) throws {}
    }
    struct Pieces { func read() throws -> [UInt8]? { nil } }

    final class Scene {
      var names: XMLNames { fatalError() }
      var file: Pieces { fatalError() }
    }
    """,
    "XMLStore": """
    import DurableFiles
    import ObjectModel
    import StoreInterface
    import XMLStore


    final class Scene {
      var model: Model { fatalError() }
    }
    """,
  ]
}
