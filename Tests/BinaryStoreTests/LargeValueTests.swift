import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import ObjectQuery
import Rows
import SeededRandom
import StoreConformance
import StoreInterface
import Testing

@Suite("Large values in block files")
struct LargeValueTests {
  private static let model: Model = {
    var photo = Entity("Photo")
    photo.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("picture", .binary)),
      .attribute(Attribute("sound", .binary, options: .allowsExternalStorage)),
    ]
    return try! Model(entities: [photo])
  }()

  /// A store of photos, with functions to change it.
  private final class Album {
    let disk = SimulatedDisk()
    private(set) var store: BinaryStore
    private let options: BinaryStoreOptions

    init(
      isCompressed: Bool = false, _ configure: (inout BinaryStoreOptions) -> Void = { _ in }
    ) throws {
      var options = BinaryStoreOptions()
      configure(&options)
      self.options = options
      store = try BinaryStore.create(
        at: "/album", model: LargeValueTests.model, isCompressed: isCompressed, on: disk,
        options: options)
    }

    var byteCount: Int {
      get throws { try disk.open("/album", for: .read).byteCount() }
    }

    /// Returns the number of bytes that `body` writes, including rewritings of the file.
    func written(_ body: () throws -> Void) rethrows -> Int {
      let first = disk.operations.count
      try body()
      return disk.operations[first...].reduce(0) { sum, one in
        sum + (one.operation == .write ? one.range?.count ?? 0 : 0)
      }
    }

    func bytesRead(_ body: () throws -> Void) rethrows -> Int {
      let first = disk.operations.count
      try body()
      return disk.operations[first...].reduce(0) { sum, one in
        sum + (one.operation == .read ? one.range?.count ?? 0 : 0)
      }
    }

    func reopen() throws {
      try store.close()
      store = try BinaryStore.open("/album", on: disk, options: options)
    }

    static func key(_ number: Int) -> ObjectKey {
      ObjectKey(entity: 1, number: UInt64(number))
    }

    @discardableResult
    func set(_ number: Int, _ values: [String: Value]) throws -> any StoreSnapshot {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      let key = Album.key(number)
      let version = try base.view.row(of: key)?.version
      if version == nil { builder.insert(key) }
      for (name, value) in values {
        builder.set(value, name, of: key, base.schema, basis: version ?? 0)
      }
      return try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    }

    func remove(_ number: Int) throws {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      builder.remove(Album.key(number), basis: try base.view.row(of: Album.key(number))!.version)
      try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    }

    func value(_ number: Int, _ name: String) throws -> Value? {
      try LargeValueTests.value(store.snapshot(), number, name)
    }
  }

  private static func value(
    _ snapshot: any StoreSnapshot, _ number: Int, _ name: String
  ) throws -> Value? {
    let layout = snapshot.schema["Photo"]!
    return try snapshot.view.value(
      of: Album.key(number), column: layout.columns[layout.index(of: name)!])
  }

  /// Returns bytes that can't be compressed.
  private static func noise(_ count: Int, _ seed: UInt64) -> Value {
    var generator = SeededGenerator(seed: seed)
    var bytes = Data(capacity: count + 8)
    while bytes.count < count {
      let word = UInt64.random(in: .min ... .max, using: &generator)
      withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) }
    }
    return .binary(bytes.prefix(count))
  }

  private static func pattern(_ count: Int) -> Value {
    .binary(Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 100) }))
  }

  private static let megabyte = 1 << 20

  @Test("A picture is written once, even if its object is renamed a hundred times")
  func renaming() throws {
    let album = try Album()
    let picture = Self.noise(Self.megabyte, 1)
    let first = try album.written {
      try album.set(1, ["name": .string("first"), "picture": picture])
    }

    let written = try album.written {
      for number in 0..<100 { try album.set(1, ["name": .string("name \(number)")]) }
    }

    #expect(first < Self.megabyte + 5000, "\(first)")
    #expect(written < 300_000, "\(written)")
    #expect(try album.byteCount < Self.megabyte + 300_000)
    #expect(try album.value(1, "name") == .string("name 99"))
    #expect(try album.value(1, "picture") == picture)
    try album.reopen()
    #expect(try album.value(1, "picture") == picture)
    #expect(try album.store.describe().liveByteCount > Self.megabyte)
  }

  @Test("Merging many objects over and over writes each picture once", arguments: [false, true])
  func merging(isCompressed: Bool) throws {
    let album = try Album(isCompressed: isCompressed)
    var wanted: [Int: Value] = [:]
    let pictureByteCount = 40_000
    let written = try album.written {
      for number in 1...300 {
        wanted[number] = Self.noise(pictureByteCount, UInt64(number))
        try album.set(number, ["name": .string("\(number)"), "picture": wanted[number]!])
      }
    }

    #expect(written < 300 * (pictureByteCount + 2000), "\(written)")
    try album.reopen()
    for (number, picture) in wanted { #expect(try album.value(number, "picture") == picture) }
    let snapshot = try album.store.snapshot()
    var count = 0
    for batch in try snapshot.view.batches(of: snapshot.schema["Photo"]!) {
      let keys = try batch.block.keys
      let column = try #require(try batch.block.column(snapshot.schema["Photo"]!.columns[1]))
      for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
        #expect(column.value(at: row) == wanted[Int(keys.integer(at: row))])
        count += 1
      }
    }
    #expect(count == 300)
  }

  @Test("Replaced and removed pictures stay in earlier snapshots")
  func history() throws {
    let album = try Album { $0.leastDeadByteCount = 1 << 30 }
    let pictures = (0..<4).map { Self.noise(100_000, UInt64($0)) }
    var snapshots: [any StoreSnapshot] = []
    for picture in pictures { snapshots.append(try album.set(1, ["picture": picture])) }
    try album.set(2, ["picture": pictures[0]])
    try album.remove(1)
    try album.set(3, ["picture": .null, "name": .string("none")])

    #expect(try album.value(1, "picture") == nil)
    #expect(try album.value(3, "picture") == .null)
    for (snapshot, picture) in zip(snapshots, pictures) {
      #expect(try Self.value(snapshot, 1, "picture") == picture)
      let again = try album.store.snapshot(ofCommit: snapshot.commit)
      #expect(try Self.value(again, 1, "picture") == picture)
    }
    try album.reopen()
    let earlier = try album.store.snapshot(ofCommit: snapshots[2].commit)
    #expect(try Self.value(earlier, 1, "picture") == pictures[2])
    #expect(try album.value(2, "picture") == pictures[0])
  }

  @Test(
    "A vacuum keeps the live values, and open snapshots keep their values",
    arguments: [false, true])
  func vacuum(isCompressed: Bool) throws {
    let album = try Album(isCompressed: isCompressed) { $0.leastDeadByteCount = 200_000 }
    let kept = [Self.noise(60_000, 100), Self.pattern(500_000)]
    try album.set(1, ["picture": kept[0], "name": .string("kept")])
    try album.set(2, ["picture": kept[1]])
    var held: [(any StoreSnapshot, Value)] = []
    for round in 0..<30 {
      let picture = Self.noise(50_000 + round, UInt64(round))
      held.append((try album.set(3, ["picture": picture]), picture))
    }

    #expect(try album.byteCount < 1_500_000)
    #expect(try album.store.commits().count < 33)
    for (snapshot, picture) in held {
      #expect(try Self.value(snapshot, 3, "picture") == picture)
      #expect(try Self.value(snapshot, 1, "picture") == kept[0])
    }
    try album.reopen()
    #expect(try album.value(1, "picture") == kept[0])
    #expect(try album.value(2, "picture") == kept[1])
    #expect(try album.value(3, "picture") == held.last!.1)
  }

  @Test("A large value is compressed by itself if that makes it smaller")
  func compressing() throws {
    let album = try Album(isCompressed: true)
    let (pattern, noise) = (Self.pattern(Self.megabyte), Self.noise(Self.megabyte, 3))

    let small = try album.written { try album.set(1, ["picture": pattern]) }
    let large = try album.written { try album.set(2, ["picture": noise]) }

    #expect(small < 50_000, "\(small)")
    #expect(large >= Self.megabyte && large < Self.megabyte + 5000, "\(large)")
    try album.reopen()
    #expect(try album.value(1, "picture") == pattern)
    #expect(try album.value(2, "picture") == noise)
  }

  @Test("A value marked for external storage lies outside its block from 4 kB on")
  func marked() throws {
    let album = try Album()
    let value = Self.noise(10_000, 1)
    try album.set(1, ["picture": value])
    try album.set(2, ["sound": value])
    func rewriting(_ number: Int) throws -> Int {
      let album = try Album()
      return try album.written {
        try album.set(number, [number == 1 ? "picture" : "sound": value])
        for round in 0..<40 { try album.set(number, ["name": .string("\(round)")]) }
      }
    }

    let marked = try rewriting(2)
    let unmarked = try rewriting(1)

    #expect(marked + 20_000 < unmarked, "\(marked), \(unmarked)")
    #expect(try album.value(1, "picture") == value)
    #expect(try album.value(2, "sound") == value)
    let snapshot = try album.store.snapshot()
    let references = try snapshot.tables.flatMap { table in
      try table.changes(ofEntity: 1)?.put.blocks.flatMap { try $0.outsideReferences() } ?? []
    }
    #expect(references.map(\.byteCount) == [10_000])
  }

  @Test("Undoing a removal does not write the picture again")
  func undoing() throws {
    let album = try Album()
    let picture = Self.noise(Self.megabyte, 5)
    let before = try album.set(1, ["picture": picture])
    let base = try album.store.snapshot()
    let builder = LayerBuilder(base.schema)
    builder.remove(Album.key(1), basis: base.commit)
    let removal = builder.freeze()
    let undo = try removal.inverted(above: before.view, schema: base.schema)
    let removed = try album.store.commit(CommitRequest(removal, basedOn: base))

    let written = try album.written {
      try album.store.commit(CommitRequest(undo, basedOn: before))
    }

    #expect(try Self.value(removed, 1, "picture") == nil)
    #expect(try album.value(1, "picture") == picture)
    #expect(written < 5000, "\(written)")
    try album.reopen()
    #expect(try album.value(1, "picture") == picture)
  }

  @Test("Changes from another store's file bring their outside values along")
  func otherStore() throws {
    let (one, other) = (try Album(), try Album(isCompressed: true))
    let pictures = [Self.noise(90_000, 1), Self.pattern(70_000)]
    for (index, picture) in pictures.enumerated() { try one.set(index + 1, ["picture": picture]) }
    let from = try one.store.snapshot()
    let changes = try from.tables.map { Layer([try $0.changes(ofEntity: 1)!]) }
    let memory = try MemoryStore(Self.model)

    for layer in changes {
      let head = try other.store.snapshot()
      try other.store.commit(CommitRequest(layer, basedOn: head))
      try memory.commit(CommitRequest(layer, basedOn: memory.snapshot()))
    }
    try one.disk.remove("/album")

    try other.reopen()
    for (index, picture) in pictures.enumerated() {
      #expect(try other.value(index + 1, "picture") == picture)
      #expect(try Self.value(memory.snapshot(), index + 1, "picture") == picture)
    }
  }

  @Test("Asking whether there is a picture, or fetching names, reads no picture")
  func presence() throws {
    let album = try Album()
    for number in 1...20 {
      try album.set(
        number,
        [
          "name": .string("\(number % 3)"),
          "picture": number % 4 == 0 ? .null : Self.noise(100_000, UInt64(number)),
        ])
    }
    try album.reopen()
    let snapshot = try album.store.snapshot()
    let source = ViewSource(snapshot.view, model: Self.model, schema: snapshot.schema)
    func keys(_ predicate: String) throws -> [UInt64] {
      try QueryPlan(
        QueryRequest("Photo", where: QueryPredicate(predicate)), model: Self.model,
        schema: snapshot.schema
      ).keys(in: source).map(\.number)
    }

    var found: [[UInt64]] = []
    let read = try album.bytesRead {
      found = [
        try keys("picture == nil").sorted(), try keys("picture != nil AND name == '1'").sorted(),
      ]
    }

    #expect(found == [[4, 8, 12, 16, 20], [1, 7, 10, 13, 19]])
    #expect(read < 100_000, "\(read)")
    guard case .binary(let bytes)? = try album.value(7, "picture") else {
      Issue.record("There is a picture.")
      return
    }
    let same = try QueryPlan(
      QueryRequest("Photo", matching: ["picture": .binary(bytes)]), model: Self.model,
      schema: snapshot.schema
    ).keys(in: source)
    #expect(same == [Album.key(7)])
    // The request wants one picture, and the store reads one.
    var request = QueryRequest("Photo", where: try QueryPredicate("name == '1'"))
    request.resultType = .dictionaries
    request.propertiesToFetch = [FetchedValue("picture")]
    request.fetchLimit = 1
    let one = try album.bytesRead {
      let table = try QueryPlan(request, model: Self.model, schema: snapshot.schema)
        .table(in: source)
      #expect(table.rows == [[.binary(Self.bytes(of: Self.noise(100_000, 1)))]])
    }
    #expect(one < 200_000, "\(one)")
  }

  private static func bytes(of value: Value) -> Data {
    if case .binary(let bytes) = value { bytes } else { Data() }
  }

  @Test("A damaged picture is an error of its own object only, and a vacuum keeps the error")
  func damage() throws {
    let album = try Album { $0.leastDeadByteCount = 300_000 }
    let picture = Self.noise(150_000, 9)
    try album.set(1, ["picture": picture, "name": .string("damaged")])
    try album.set(2, ["picture": Self.noise(60_000, 10)])
    let place = try album.disk.read("/album", byteLimit: 1 << 22).firstRange(
      of: Self.bytes(of: picture).prefix(64))!.lowerBound
    var bytes = try album.disk.read("/album", byteLimit: 1 << 22)
    bytes[place + 1000] ^= 4
    try album.disk.remove("/album")
    try album.disk.open("/album", for: .create).append(bytes)
    try album.reopen()

    for round in 0..<2 {
      let error = #expect(throws: StoreError.self) { try album.value(1, "picture") }
      #expect(error?.code == .damaged)
      #expect(error?.message.contains("150000 bytes") == true)
      #expect(try album.value(1, "name") == .string("damaged"))
      #expect(try album.value(2, "picture") == Self.noise(60_000, 10))
      if round == 0 {
        for number in 0..<12 { try album.set(3, ["picture": Self.noise(60_000, UInt64(number))]) }
        #expect(try album.byteCount < 950_000)
      }
    }
  }
}
