import Foundation
import Testing

/// Holds the blocks of code in documentation comments against the compiler. A block that is not Swift stands between lines
/// of three backticks.
@Suite("Code in documentation comments")
struct DocCommentTests {
  private static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// The modules whose types an application names.
  private static let modules = [
    "ObjectGraph", "Entities", "Quire", "Migration", "Documents", "ObjectQuery",
  ]

  private struct Block {
    let file: String
    let line: Int
    var code: [String]

    /// The block with empty bodies in the place of dots.
    var filled: [String] {
      code.map { $0.replacing("{ … }", with: "{ }").replacing("{ ... }", with: "{ }") }
        .map { $0.replacing("in … }", with: "in }") }
        .map { $0.trimmingCharacters(in: .whitespaces) == "…" ? "" : $0 }
    }
  }

  /// Blocks are indented by four spaces, and an empty line stands before them.
  private static func blocks(in file: URL) throws -> [Block] {
    let path = file.path.replacing(package.path + "/", with: "")
    var blocks: [Block] = []
    var isOpen = false
    var isAfterGap = true
    for (number, line) in try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let text = line.drop { $0 == " " }
      guard text.hasPrefix("///") else {
        (isOpen, isAfterGap) = (false, true)
        continue
      }
      let comment = text.dropFirst(3)
      if comment.allSatisfy({ $0 == " " }) {
        isAfterGap = true
        if isOpen { blocks[blocks.count - 1].code.append("") }
      } else if comment.hasPrefix("     "), isOpen || isAfterGap {
        if !isOpen { blocks.append(Block(file: path, line: number + 1, code: [])) }
        blocks[blocks.count - 1].code.append(String(comment.dropFirst(5)))
        isOpen = true
      } else {
        (isOpen, isAfterGap) = (false, false)
      }
    }
    return blocks
  }

  /// A block as a declaration of the program: a declaration stays one, a property gets a class around it, and statements
  /// become a function.
  private static func declaration(of block: Block, _ number: Int) -> String {
    let code = block.filled.joined(separator: "\n")
    let first = block.code.first ?? ""
    if first.hasPrefix("@Entity") || first.hasPrefix("@Composite") || first.hasPrefix("enum ")
      || first.hasPrefix("final class ") || first.hasPrefix("struct ")
    {
      return "enum Block\(number) {\n\(code)\n}"
    }
    if first.hasPrefix("@") || first.hasPrefix("var colour") {
      return "@Entity final class Block\(number): ManagedObject {\n\(bytes(for: code))\(code)\n}"
    }
    let start = first.hasPrefix("catch") ? "do { try context.save() } " : ""
    return "extension Scene {\nfunc block\(number)() async throws {\n\(start)\(code)\n}\n}"
  }

  /// The bytes that a computed property of the comments reads.
  private static func bytes(for code: String) -> String {
    code.hasPrefix("var colour:") ? "var colourData: Data?\n" : ""
  }

  @Test("Each block compiles", arguments: modules)
  func compiles(_ module: String) throws {
    let folder = Self.package.appending(path: "Sources/\(module)")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?
      .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
      .sorted { $0.path < $1.path }
    let blocks = try (files ?? []).flatMap(Self.blocks)
    var text = Self.scene
    var places: [(line: Int, place: String)] = []
    for (number, block) in blocks.enumerated() {
      places.append(
        (
          text.split(separator: "\n", omittingEmptySubsequences: false).count,
          "\(block.file):\(block.line)"
        ))
      text += Self.declaration(of: block, number) + "\n"
    }

    let errors = try Compiler().errors(in: text).map { error in
      let line = Int(error.prefix { $0.isNumber }) ?? 0
      return (places.last { $0.line <= line }?.place ?? "the scene") + ": " + error
    }
    #expect(blocks.count > 2)
    #expect(errors.isEmpty, "\(errors.joined(separator: "\n"))")
  }

  /// The classes and variables that the comments use.
  private static let scene = """
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
      @Relationship(inverse: \\Trip.owner) var trips: [Trip]
    }
    @Entity final class Trip: ManagedObject {
      var name: String
      var title: String?
      var start: Date?
      var cost: Double = 0
      var owner: Person?
      @Relationship(.cascade, inverse: \\Stop.trip, ordered: true) var stops: [Stop]
      var monthTitle: String { "" }
    }
    @Entity final class Stop: ManagedObject {
      var name: String
      var nights: Int = 1
      var trip: Trip?
    }
    @Entity final class ToDo: ManagedObject { var isDone: Bool = false }
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

    @MainActor final class Scene {
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
      var now: Date { fatalError() }
      var name: String { fatalError() }
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
}
