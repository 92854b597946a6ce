import CLMDBPeer
import Foundation

/// LMDB with records of fixed fields and texts, read in place: the fastest store that keeps rows whole.
final class LMDBPeer: Peer {
  let title = "LMDB"
  private let world: PeerWorld
  private var whole: Environment
  private var copied: Environment?

  init(_ world: PeerWorld) {
    self.world = world
    whole = Environment(world.path("lmdb"))
    whole.fill(world)
  }

  func insert() -> Int? {
    let path = world.path("lmdb-new")
    try? FileManager.default.removeItem(atPath: path)
    let environment = Environment(path)
    environment.fill(world)
    return world.count
  }

  func openOne() -> Int? {
    // LMDB must not open a file twice in one process, so the copy is opened.
    let environment = Environment(world.path("lmdb-opened"))
    return environment.reading { $0.person(world.middle)!.sum }
  }

  func readOneAttribute() -> Int? {
    whole.reading { transaction in
      var sum = 0
      transaction.forEachPerson { sum &+= $0.age }
      return sum
    }
  }

  func readAll() -> Int? {
    whole.reading { transaction in
      var sum = 0
      transaction.forEachPerson { sum &+= $0.sum }
      return sum
    }
  }

  func filterAndSort() -> Int? {
    whole.reading { transaction in
      var hits: [Record] = []
      transaction.forEachPerson {
        if $0.age > 40, $0.lastNameBegins(with: "Sm") { hits.append($0) }
      }
      hits.sort { one, other in
        let order = one.comparedLastName(to: other)
        return order == 0 ? one.age < other.age : order < 0
      }
      return hits.reduce(0) { $0 &+ $1.sum }
    }
  }

  func group() -> Int? {
    whole.reading { transaction in
      var groups: [String: (count: Int, ages: Int)] = [:]
      transaction.forEachPerson { person in
        let ages = person.age
        groups[person.lastName, default: (0, 0)].count += 1
        groups[person.lastName]!.ages += ages
      }
      return groups.mapValues { Double($0.ages) / Double($0.count) }.count
    }
  }

  func walk() -> Int? { whole.reading { $0.walk() } }

  func prepareCopy() {
    copied = nil
    world.copy("lmdb", to: "lmdb-copy")
    world.copy("lmdb", to: "lmdb-opened")
    copied = Environment(world.path("lmdb-copy"))
  }

  func changeHundredth() -> Int? {
    let ids = Array(stride(from: 1, through: world.count, by: 100))
    copied!.writing { transaction in for id in ids { transaction.change(id) } }
    return ids.count
  }

  func deleteTenth() -> Int? {
    let ids = Array(stride(from: 1, through: world.count, by: 10))
    copied!.writing { transaction in for id in ids { transaction.delete(id) } }
    return ids.count
  }

  func saveOne() -> Int? {
    for id in world.changed { copied!.writing { $0.change(id) } }
    return world.changed.count
  }

  var byteCount: Int? { world.byteCount("lmdb") }
}

/// A person in LMDB: eight fixed fields, three lengths, and the bytes of three texts.
private struct Record {
  let start: UnsafeRawPointer

  static let fixedByteCount = 48

  var balance: Double { start.loadUnaligned(as: Double.self) }
  private var created: Double { start.loadUnaligned(fromByteOffset: 8, as: Double.self) }
  private var id: Int64 { start.loadUnaligned(fromByteOffset: 16, as: Int64.self) }
  var company: UInt64 { start.loadUnaligned(fromByteOffset: 24, as: UInt64.self) }
  var age: Int { Int(start.loadUnaligned(fromByteOffset: 32, as: Int32.self)) }
  private var active: Bool { start.load(fromByteOffset: 36, as: UInt8.self) != 0 }

  private func length(_ text: Int) -> Int {
    Int(start.loadUnaligned(fromByteOffset: 38 + 2 * text, as: UInt16.self))
  }

  private var lastNameBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + Record.fixedByteCount + length(0), count: length(1))
  }
  var lastName: String { String(decoding: lastNameBytes, as: UTF8.self) }

  func lastNameBegins(with text: StaticString) -> Bool {
    lastNameBytes.count >= text.utf8CodeUnitCount
      && memcmp(lastNameBytes.baseAddress!, text.utf8Start, text.utf8CodeUnitCount) == 0
  }

  func comparedLastName(to other: Record) -> Int {
    let (one, two) = (lastNameBytes, other.lastNameBytes)
    let order = memcmp(one.baseAddress!, two.baseAddress!, min(one.count, two.count))
    return order == 0 ? one.count - two.count : Int(order)
  }

  var sum: Int {
    PeerWorld.sum(
      id: Int(id), length(0), length(1), age: age, balance: balance, created: created, length(2),
      active: active)
  }

  static func bytes(_ i: Int, _ person: Person) -> [UInt8] {
    var bytes: [UInt8] = []
    func append<T>(_ value: T) { withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) } }
    append(person.balance)
    append(person.created)
    append(Int64(i + 1))
    append(person.company)
    append(Int32(person.age))
    append(UInt16(person.active ? 1 : 0))
    let texts = [person.firstName, person.lastName, person.note]
    for text in texts { append(UInt16(text.utf8.count)) }
    append(UInt32(0))
    for text in texts { bytes.append(contentsOf: text.utf8) }
    return bytes
  }
}

/// An open database of LMDB, with people, companies, and the people of each company.
private final class Environment {
  private var environment: OpaquePointer?
  fileprivate var people = MDB_dbi()
  fileprivate var companies = MDB_dbi()
  fileprivate var members = MDB_dbi()

  init(_ path: String) {
    check(mdb_env_create(&environment))
    check(mdb_env_set_maxdbs(environment, 3))
    check(mdb_env_set_mapsize(environment, 16 << 30))
    check(mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR), 0o644))
    writing { transaction in
      let flags = UInt32(MDB_CREATE | MDB_INTEGERKEY)
      check(mdb_dbi_open(transaction.pointer, "people", flags, &people))
      check(mdb_dbi_open(transaction.pointer, "companies", flags, &companies))
      let sorted = UInt32(MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
      check(mdb_dbi_open(transaction.pointer, "members", flags | sorted, &members))
    }
  }

  deinit { mdb_env_close(environment) }

  func reading<R>(_ body: (Transaction) -> R) -> R {
    let transaction = Transaction(environment, self, UInt32(MDB_RDONLY))
    defer { mdb_txn_abort(transaction.pointer) }
    return body(transaction)
  }

  /// Makes changes, and waits until they are on the disk.
  func writing(_ body: (Transaction) -> Void) {
    let transaction = Transaction(environment, self, 0)
    body(transaction)
    check(mdb_txn_commit(transaction.pointer))
  }

  func fill(_ world: PeerWorld) {
    writing { transaction in
      var members = [[Int]](repeating: [], count: world.companies)
      for i in 0..<world.count {
        let person = Person(i, companies: world.companies)
        transaction.put(people, i + 1, Record.bytes(i, person), UInt32(MDB_APPEND))
        members[Int(person.company - 1)].append(i + 1)
      }
      for (number, ids) in members.enumerated() {
        transaction.put(
          companies, number + 1, Array(People.city(number).utf8), UInt32(MDB_APPEND))
        for id in ids {
          withUnsafeBytes(of: id) {
            transaction.put(self.members, number + 1, Array($0), UInt32(MDB_APPENDDUP))
          }
        }
      }
    }
  }
}

private func check(_ code: Int32) {
  precondition(code == MDB_SUCCESS, String(cString: mdb_strerror(code)))
}

private struct Transaction {
  var pointer: OpaquePointer?
  private let environment: Environment

  init(_ pointer: OpaquePointer?, _ environment: Environment, _ flags: UInt32) {
    self.environment = environment
    check(mdb_txn_begin(pointer, nil, flags, &self.pointer))
  }

  /// Calls `body` with a number as a key of LMDB.
  private func withKey<R>(_ number: Int, _ body: (inout MDB_val) -> R) -> R {
    var number = number
    return withUnsafeMutableBytes(of: &number) {
      var key = MDB_val(mv_size: $0.count, mv_data: $0.baseAddress)
      return body(&key)
    }
  }

  func put(_ table: MDB_dbi, _ number: Int, _ bytes: [UInt8], _ flags: UInt32) {
    var bytes = bytes
    bytes.withUnsafeMutableBytes { bytes in
      var value = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
      withKey(number) { check(mdb_put(pointer, table, &$0, &value, flags)) }
    }
  }

  func person(_ id: Int) -> Record? {
    value(environment.people, id).map { Record(start: $0.mv_data) }
  }

  private func value(_ table: MDB_dbi, _ number: Int) -> MDB_val? {
    var value = MDB_val()
    return withKey(number) { mdb_get(pointer, table, &$0, &value) == MDB_SUCCESS } ? value : nil
  }

  func forEachPerson(_ body: (Record) -> Void) {
    var cursor: OpaquePointer?
    check(mdb_cursor_open(pointer, environment.people, &cursor))
    defer { mdb_cursor_close(cursor) }
    var (key, value) = (MDB_val(), MDB_val())
    while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
      body(Record(start: value.mv_data))
    }
  }

  func walk() -> Int {
    var (companies, members): (OpaquePointer?, OpaquePointer?) = (nil, nil)
    check(mdb_cursor_open(pointer, environment.companies, &companies))
    check(mdb_cursor_open(pointer, environment.members, &members))
    defer { for cursor in [companies, members] { mdb_cursor_close(cursor) } }
    var (sum, key, value) = (0, MDB_val(), MDB_val())
    while mdb_cursor_get(companies, &key, &value, MDB_NEXT) == MDB_SUCCESS {
      let city = value.mv_size
      var (company, ids) = (key, MDB_val())
      guard mdb_cursor_get(members, &company, &ids, MDB_SET_KEY) == MDB_SUCCESS else { continue }
      var step = mdb_cursor_get(members, &company, &ids, MDB_GET_MULTIPLE)
      while step == MDB_SUCCESS {
        for place in 0..<ids.mv_size / MemoryLayout<Int>.size {
          let id = ids.mv_data.load(fromByteOffset: place * MemoryLayout<Int>.size, as: Int.self)
          sum &+= person(id)!.sum &+ city
        }
        step = mdb_cursor_get(members, &company, &ids, MDB_NEXT_MULTIPLE)
      }
    }
    return sum
  }

  func change(_ id: Int) {
    let value = value(environment.people, id)!
    var bytes = [UInt8](UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
    bytes.withUnsafeMutableBytes {
      $0.storeBytes(of: $0.loadUnaligned(as: Double.self) + 1, as: Double.self)
    }
    put(environment.people, id, bytes, 0)
  }

  func delete(_ id: Int) {
    let company = Int(person(id)!.company)
    withKey(id) { check(mdb_del(pointer, environment.people, &$0, nil)) }
    var id = id
    withUnsafeMutableBytes(of: &id) { bytes in
      var value = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
      withKey(company) { check(mdb_del(pointer, environment.members, &$0, &value)) }
    }
  }
}
