import Foundation
import Migration
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing

@Suite("What the expressions of mappings may use")
struct MappingMethodTests {
  private static let old = model(
    Entity(
      "Page", .text("title"), .number("link", .uri), .number("day", .date),
      .number("bytes", .binary), .number("token", .uuid), .number("size", .int32),
      .one("site", "Site", back: "pages")),
    Entity("Site", .number("home", .uri), .many("pages", "Page", back: "site")))
  private static let new = model(
    Entity(
      "Page", .text("title"), .text("text"), .number("number", .double), .number("whole", .int64),
      .number("size", .int32), .one("site", "Site", back: "pages")),
    Entity("Site", .number("home", .uri), .many("pages", "Page", back: "site")))

  private static func fill(_ context: ManagedObjectContext) throws {
    let site = try context.insert("Site")
    site["home"] = .uri("https://example.org/home.html")
    let page = try context.insert("Page")
    try page.setValues([
      "title": .string("Straße.txt"), "link": .uri("https://example.org:81/x/y%20z.html?q=1#end"),
      "day": .date(Date(timeIntervalSinceReferenceDate: 1000)), "bytes": .binary(Data([1, 2, 3])),
      "token": .uuid(UUID(uuidString: "0F6E1A52-4A15-8C3B-1D2E-3F4051626FB9")!),
      "size": .integer(70),
    ])
    page.setObjects([site], forKey: "site")
    // A page without any value: each method of no value gives no value.
    try context.insert("Page")
  }

  @Test(
    "A method of a value may follow its path, stand in FUNCTION, and be a part of an expression",
    arguments: [
      ("text = $source.link.absoluteString", "https://example.org:81/x/y%20z.html?q=1#end"),
      (
        "text = FUNCTION($source.link, 'absoluteString')",
        "https://example.org:81/x/y%20z.html?q=1#end"
      ),
      ("text = $source.link.path", "/x/y z.html"), ("text = $source.link.host", "example.org"),
      ("text = $source.link.scheme", "https"), ("text = $source.link.query", "q=1"),
      ("text = $source.link.fragment", "end"), ("whole = $source.link.port", "81"),
      ("text = $source.link.lastPathComponent", "y z.html"),
      ("text = $source.link.pathExtension", "html"),
      ("text = $source.link.lastPathComponent.uppercaseString", "Y Z.HTML"),
      ("text = $source.site.home.lastPathComponent", "home.html"),
      ("text = $source.title.pathExtension", "txt"),
      ("text = $source.title.stringByDeletingPathExtension", "Straße"),
      ("text = FUNCTION($source.title, 'stringByAppendingPathComponent:', 'b')", "Straße.txt/b"),
      ("text = $source.title.lowercaseString + '!'", "straße.txt!"),
      ("whole = $source.title.length", "10"), ("whole = $source.bytes.length", "3"),
      ("number = $source.day.timeIntervalSinceReferenceDate", "1000.0"),
      ("number = $source.day.timeIntervalSince1970", "978308200.0"),
      ("text = $source.token.UUIDString", "0F6E1A52-4A15-8C3B-1D2E-3F4051626FB9"),
      ("text = $source.size.stringValue", "70"), ("number = $source.size.doubleValue", "70.0"),
    ])
  func methods(_ line: String, _ expected: String) throws {
    let mapping = try MappingModel("map Page -> Page\n  \(line)", from: Self.old, to: Self.new)
    let world = World(.binary)
    try world.make(Self.old, Self.fill)
    let migrator = Migrator(mappings: [mapping]).allowingLoss
    _ = try migrator.plan(forStoreAt: World.path, to: Self.new, in: world.places)

    try migrator.migrate(storeAt: World.path, to: Self.new, in: world.places)

    let name = String(line.prefix { $0 != " " })
    let pages = try world.dump(Self.new).filter { $0.hasPrefix("Page") }
    #expect(pages.contains { $0.contains(" \(name)=\(expected)") }, "\(pages)")
    #expect(pages.count { $0.contains("\(name)=") } == 1, "\(pages)")
  }

  @Test("A condition may use the methods too")
  func condition() throws {
    let mapping = try MappingModel(
      "map Page -> Page\n  where $source.link.host == 'example.org'", from: Self.old, to: Self.new)
    let world = World(.binary)
    try world.make(Self.old, Self.fill)

    try Migrator(mappings: [mapping]).allowingLoss.migrate(
      storeAt: World.path, to: Self.new, in: world.places)

    #expect(try world.dump(Self.new).count { $0.hasPrefix("Page") } == 1)
  }

  /// Records the arguments of its functions.
  final class Recorder: EntityMigrationPolicy {
    let seen: Seen
    init(_ seen: Seen) { self.seen = seen }

    override func value(
      of function: String, _ arguments: [MappingValue], _ manager: MigrationManager
    ) throws -> MappingValue {
      var words: [String] = []
      for argument in arguments {
        switch argument {
        case .value(let value): words.append(value.text)
        case .objects(let objects): words.append(objects.map(\.entity.name).joined())
        case .manager(let other): words.append(other === manager ? "manager" : "another")
        case .entityMapping(let mapping): words.append(mapping.name)
        case .propertyMapping(let property): words.append(property.name)
        }
      }
      seen.add("\(function)(\(words.joined(separator: ", ")))")
      return .value(.string("made"))
    }
  }

  final class Seen: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  @Test("A policy's function receives the variables of Core Data as arguments, in their places")
  func variables() throws {
    let mapping = try MappingModel(
      """
      map Page -> Page using Recorder
        text = FUNCTION($entityPolicy, "f:manager:a:b:c:d:", $source.size, $manager, $entityMapping, \
               $propertyMapping, $source, $destination)
      """, from: Self.old, to: Self.new)
    let world = World(.binary)
    try world.make(Self.old) { context in try context.insert("Page")["size"] = .integer(3) }
    let seen = Seen()
    var migrator = Migrator(mappings: [mapping]).allowingLoss
    migrator.policies["Recorder"] = { Recorder(seen) }
    _ = try migrator.plan(forStoreAt: World.path, to: Self.new, in: world.places)
    #expect(seen.all == [])

    try migrator.migrate(storeAt: World.path, to: Self.new, in: world.places)

    #expect(seen.all == ["f:manager:a:b:c:d:(3, manager, PageToPage, text, Page, Page)"])
    #expect(try world.dump(Self.new) == ["Page size=3 text=made"])
  }

  @Test("A dry run finds a value that does not fit, and values that break a rule")
  func values() throws {
    let narrow = model(
      Entity("Page", .number("size", .int16, required: true), .text("title")),
      Entity("Site", .number("home", .uri)))
    let old = model(
      Entity("Page", .number("size", .int32), .text("title")), Entity("Site", .number("home", .uri))
    )
    let mapping = try MappingModel(
      "map Page -> Page\n  size = $source.size", from: old, to: narrow)
    let migrator = Migrator(mappings: [mapping])
    let world = World(.binary)
    try world.make(old) { context in try context.insert("Page")["size"] = .integer(7) }
    #expect(
      try migrator.plan(forStoreAt: World.path, to: narrow, in: world.places).violations.isEmpty)

    let missing = World(.binary)
    try missing.make(old) { context in _ = try context.insert("Page") }
    let plan = try migrator.plan(forStoreAt: World.path, to: narrow, in: missing.places)
    #expect(plan.violations.map(\.key) == ["size"])
    let refused = #expect(throws: MigrationError.self) {
      try migrator.migrate(storeAt: World.path, to: narrow, in: missing.places)
    }
    #expect(refused?.code == .invalidResult)

    let large = World(.binary)
    try large.make(old) { context in try context.insert("Page")["size"] = .integer(40_000) }
    var messages: [String] = []
    for isDry in [true, false] {
      let error = #expect(throws: MigrationError.self) {
        if isDry {
          _ = try migrator.plan(forStoreAt: World.path, to: narrow, in: large.places)
        } else {
          try migrator.migrate(storeAt: World.path, to: narrow, in: large.places)
        }
      }
      messages.append(error?.message ?? "")
    }
    #expect(messages[0].contains("a value for \"size\"") && messages[0].contains("40000"))
    #expect(messages[0] == messages[1])
  }

  @Test(
    "An omitted property of a narrower type is carried, and a value that does not fit is refused")
  func narrowing() throws {
    let old = model(Entity("Page", .number("size", .int32), .text("title")))
    let new = model(Entity("Page", .number("size", .int16), .text("title")))
    let mapping = try MappingModel("map Page -> Page\n  title = 'x'", from: old, to: new)
    for (size, fits) in [(7, true), (40_000, false)] as [(Int64, Bool)] {
      let world = World(.binary)
      try world.make(old) { context in try context.insert("Page")["size"] = .integer(size) }
      let migrator = Migrator(mappings: [mapping])
      if fits {
        try migrator.migrate(storeAt: World.path, to: new, in: world.places)
        #expect(try world.dump(new) == ["Page size=7 title=x"])
      } else {
        let error = #expect(throws: MigrationError.self) {
          try migrator.migrate(storeAt: World.path, to: new, in: world.places)
        }
        #expect(error?.message.contains("a value for \"size\"") ?? false)
      }
    }
  }

  final class Setter: EntityMigrationPolicy {
    override func createDestinationInstances(
      for source: ManagedObject, _ mapping: EntityMapping, _ manager: MigrationManager
    ) throws {
      try super.createDestinationInstances(for: source, mapping, manager)
      for made in manager.destinationInstances(of: mapping.name, for: [source]) {
        made["size"] = .string("set")
      }
    }
  }

  @Test("A value that nothing gives is left to the policy; without a policy the mapping is refused")
  func policyGives() throws {
    let old = model(Entity("Page", .number("size", .int32), .text("title")))
    let new = model(Entity("Page", .text("size", required: true), .text("title")))
    let error = #expect(throws: MigrationError.self) {
      try MappingModel("map Page -> Page", from: old, to: new)
    }
    #expect(error?.message.contains("must give a value to \"size\"") ?? false)
    let mapping = try MappingModel("map Page -> Page using Setter", from: old, to: new)
    var migrator = Migrator(mappings: [mapping])
    migrator.policies["Setter"] = { Setter() }
    let world = World(.binary)
    try world.make(old) { context in try context.insert("Page")["size"] = .integer(1) }

    try migrator.migrate(storeAt: World.path, to: new, in: world.places)

    #expect(try world.dump(new) == ["Page size=set"])
  }

  @Test("An error of a mapping that was read from a file names the file")
  func fileNamed() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("Pages.mapping").path
    try Data("map Page Page".utf8).write(to: URL(filePath: path))
    let unreadable = #expect(throws: MigrationError.self) { try WrittenMapping(contentsOf: path) }
    #expect(unreadable?.message.hasPrefix("\(path): line 1:") ?? false)
    try Data("map Pag -> Page".utf8).write(to: URL(filePath: path))
    let written = try WrittenMapping(contentsOf: path)
    var known = written
    (known.sourceName, known.destinationName) = ("a", "b")
    let wrong = #expect(throws: MigrationError.self) {
      try known.completed(among: [KnownVersion("a", Self.old), KnownVersion("b", Self.new)])
    }
    #expect(wrong?.message.hasPrefix("\(path): The mapping") ?? false)
    #expect(try written == WrittenMapping("map Pag -> Page"))
  }
}
