import DiskSimulation
import DurableFiles
import Testing

/// Returns the possible contents of a path after any crash; `nil` for no file.
private func outcomes(
  _ disk: SimulatedDisk, _ path: String = "/a", limit: Int = 20_000, seed: UInt64 = 1
) throws -> Set<String?> {
  var outcomes: Set<String?> = []
  for state in disk.crashStates(limit: limit, seed: seed) {
    let disk = state.disk
    outcomes.insert(try disk.exists(path) ? try disk.text(path) : nil)
  }
  return outcomes
}

@Suite("The possible states after a crash")
struct CrashTests {
  static func makeDisk(_ text: String = "old") throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    try disk.write(text, to: "/a")
    disk.settle()
    return disk
  }

  // MARK: Correct programs

  @Test("A replacement leaves old or new contents, and the new contents once the call returned")
  func replacement() throws {
    let disk = try Self.makeDisk()
    try disk.replace("/a") { try $0.write("new") }
    let states = disk.crashStates(limit: 100_000, seed: 1)
    #expect(states.isExhaustive)

    var found: Set<String> = []
    for state in states {
      let text = try state.disk.text("/a")
      #expect(text == "old" || text == "new", "\(state)")
      if state.operationCount == disk.operationCount { #expect(text == "new", "\(state)") }
      found.insert(text)
    }

    #expect(found == ["old", "new"])
  }

  @Test(
    "A large replacement leaves the old or the new contents, in states chosen by seed",
    arguments: [1, 2, 3] as [UInt64])
  func largeReplacement(_ seed: UInt64) throws {
    let old = [UInt8](repeating: 1, count: 3_000)
    let new = [UInt8](repeating: 2, count: 30_000)
    let disk = SimulatedDisk()
    try disk.replace("/a") { try $0.write(old) }
    disk.settle()
    try disk.replace("/a") { try $0.write(new) }

    let states = disk.crashStates(limit: 1_000, seed: seed)
    #expect(!states.isExhaustive)
    #expect(states.count == 1_000)
    for state in states {
      let bytes = try state.disk.read("/a", byteLimit: 1 << 20)
      #expect(bytes == old || bytes == new, "\(state)")
    }
  }

  @Test("Creating without overwriting leaves no file or the whole file")
  func creation() throws {
    let disk = SimulatedDisk()
    try disk.replace("/a", overwriting: false) { try $0.write("new") }

    #expect(try outcomes(disk) == [nil, "new"])
  }

  @Test("Synced bytes survive, even if later bytes are torn")
  func appending() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("/a", for: .create)
    try file.sync(.everything)
    try disk.syncDirectory("/")
    disk.settle()
    var promised: [(operations: Int, bytes: [UInt8])] = [(0, [])]
    for save in 1...3 as ClosedRange<UInt8> {
      try file.append([UInt8](repeating: save, count: 10))
      try file.sync()
      promised.append((disk.operationCount, try file.read(byteCount: 10 * Int(save), at: 0)))
    }

    for state in disk.crashStates(limit: 100_000, seed: 1) {
      let bytes = try state.disk.read("/a", byteLimit: 1000)
      let kept = promised.last { $0.operations <= state.operationCount }!.bytes
      #expect(bytes.starts(with: kept) && bytes.count <= kept.count + 10, "\(state)")
    }
  }

  @Test("A crash during the recovery from a crash is like any other crash")
  func crashDuringRecovery() throws {
    let disk = try Self.makeDisk()
    try disk.replace("/a") { try $0.write("new") }

    for first in disk.crashStates(limit: 50, seed: 1) {
      let disk = first.disk
      if first.number % 2 == 0 { try disk.removeAbandonedReplacements(of: "/a") }
      try disk.replace("/a") { try $0.write("newer") }
      for second in disk.crashStates(limit: 50, seed: 2) {
        let text = try second.disk.text("/a")
        #expect(["old", "new", "newer"].contains(text), "\(first), then \(second)")
      }
    }
  }

  // MARK: Faulty programs that the crash model must detect

  @Test("The crash model reveals that overwriting in place is not safe")
  func naiveOverwrite() throws {
    let disk = try Self.makeDisk()
    let file = try disk.open("/a", for: .update)
    try file.truncate(to: 0)
    try file.append(Array("new!".utf8))
    try file.sync()

    let found = try outcomes(disk)

    #expect(found.isSuperset(of: ["old", "", "new", "new!", "n", "\0\0", "\0\0\0\0"]))
  }

  @Test("The crash model can drop any sector of a large overwrite")
  func tornSectors() throws {
    let old = String(repeating: "a", count: 1536)
    let disk = try Self.makeDisk(old)
    let file = try disk.open("/a", for: .update)
    try file.write([UInt8](repeating: UInt8(ascii: "b"), count: 1500), at: 20)

    let found = try outcomes(disk)

    let sectors = [(20, 512), (512, 1024), (1024, 1520)]
    var expected: Set<String?> = []
    for subset in 0..<8 {
      var bytes = Array(old.utf8)
      for (index, sector) in sectors.enumerated() where subset >> index & 1 == 1 {
        for offset in sector.0..<sector.1 { bytes[offset] = UInt8(ascii: "b") }
      }
      expected.insert(String(decoding: bytes, as: UTF8.self))
    }
    #expect(found == expected)
  }

  @Test("A file that grew may end at any byte, with its bytes, zeros or garbage")
  func tornGrowth() throws {
    let disk = try Self.makeDisk()
    let file = try disk.open("/a", for: .update)
    try file.append(Array("+12345".utf8))

    var found: Set<[UInt8]> = []
    for state in disk.crashStates(limit: 1000, seed: 1) {
      found.insert(try state.disk.read("/a", byteLimit: 100))
    }

    for length in 0...6 {
      #expect(found.contains(Array("old+12345".utf8.prefix(3 + length))))
      #expect(found.contains(Array("old".utf8) + [UInt8](repeating: 0, count: length)))
    }
    #expect(found.allSatisfy { $0.starts(with: "old".utf8) && $0.count <= 9 })
    // There are seven lengths. Each length above the first has bytes, zeros or garbage.
    #expect(found.count == 1 + 6 * 3)
  }

  @Test("The crash model reveals that a rename without a sync can lose the contents")
  func renameWithoutSync() throws {
    let disk = try Self.makeDisk()
    try disk.write("new", to: "/b")
    try disk.rename("/b", to: "/a")
    try disk.syncDirectory("/")

    #expect(try outcomes(disk).isSuperset(of: ["old", "", "\0\0\0", "new"]))
  }

  @Test("The crash model reveals that a name without a sync of its directory can be lost")
  func namesWithoutSync() throws {
    let disk = SimulatedDisk()
    try disk.makeDirectory("/d")
    let file = try disk.open("/d/a", for: .create)
    try file.append(Array("new".utf8))
    try file.sync(.everything)
    #expect(try outcomes(disk, "/d/a").contains(nil))

    try disk.syncDirectory("/d")
    #expect(try outcomes(disk, "/d/a").contains(nil))
    try disk.syncDirectory("/")

    for state in disk.crashStates(limit: 10_000, seed: 1)
    where state.operationCount == disk.operationCount {
      #expect(try state.disk.text("/d/a") == "new", "\(state)")
    }
  }

  @Test("A removal that was not synced may be undone")
  func removalWithoutSync() throws {
    let disk = try Self.makeDisk()
    try disk.remove("/a")

    #expect(try outcomes(disk) == [nil, "old"])
  }

  @Test("A move between directories leaves the file in either or both, never in neither")
  func moveBetweenDirectories() throws {
    let disk = SimulatedDisk()
    try disk.makeDirectory("/one")
    try disk.makeDirectory("/two")
    try disk.write("x", to: "/one/a")
    disk.settle()
    try disk.rename("/one/a", to: "/two/a")
    func found() throws -> Set<[Bool]> {
      Set(
        try disk.crashStates(limit: 100, seed: 1).filter {
          $0.operationCount == disk.operationCount
        }.map { [try $0.disk.exists("/one/a"), try $0.disk.exists("/two/a")] })
    }

    #expect(try found() == [[true, false], [true, true], [false, true]])
    try disk.syncDirectory("/two")
    #expect(try found() == [[true, true], [false, true]])
    try disk.syncDirectory("/one")
    #expect(try found() == [[false, true]])
  }

  @Test("The crash model reveals that a repeated sync can lose the bytes of a failed sync")
  func retriedSync() throws {
    let disk = try Self.makeDisk()
    let file = try disk.open("/a", for: .update)
    try file.append(Array("+1".utf8))
    disk.plan(.failing(.inputOutput, on: .sync))
    #expect(throws: DiskError.self) { try file.sync() }
    try file.close()

    // The handle refuses to sync again, so the wrong program opens the file again.
    let again = try disk.open("/a", for: .update)
    try again.append(Array("+2".utf8))
    try again.sync()
    let promised = disk.operationCount

    let found = Set(
      try disk.crashStates(limit: 1000, seed: 1).filter { $0.operationCount == promised }.map {
        try $0.disk.text("/a")
      })
    #expect(found.isSuperset(of: ["old+1+2", "old\0\0+2"]))
    #expect(found.allSatisfy { $0.hasSuffix("+2") })
  }

  @Test("A sync of the contents does not keep the permissions, and a full sync does")
  func permissions() throws {
    for scope in [SyncScope.contents, .everything] {
      let disk = try Self.makeDisk()
      let file = try disk.open("/a", for: .update)
      try file.setPermissions(.ownerOnly)
      try file.append([1])
      try file.sync(scope)

      let found = Set(
        try disk.crashStates(limit: 1000, seed: 1).filter {
          $0.operationCount == disk.operationCount
        }.map { state in
          let status = try state.disk.status(of: "/a")
          #expect(status.byteCount == 4)
          return status.permissions
        })

      #expect(found.count == (scope == .contents ? 2 : 1))
      #expect(found.contains(.ownerOnly))
    }
  }
}

@Suite("The collection of crash states")
struct CrashStatesTests {
  @Test("The same seed gives the same sequence, and another seed another sequence")
  func seeds() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("/a", for: .create)
    for _ in 0..<10 { try file.append([UInt8](repeating: 7, count: 700)) }
    func texts(_ seed: UInt64) -> [String] {
      disk.crashStates(limit: 200, seed: seed).map(\.description)
    }

    #expect(texts(5) == texts(5))
    #expect(texts(5) != texts(6))
    #expect(Set(texts(5)).count == 200)
    let states = disk.crashStates(limit: 200, seed: 5)
    #expect(states[137].description == texts(5)[137])
  }

  @Test("An unused disk has one crash state, and a settled disk has nothing to lose")
  func nothingDone() throws {
    let disk = SimulatedDisk()
    #expect(disk.crashStates(limit: 10, seed: 1).count == 1)
    try disk.write("x", to: "/a")
    disk.settle()

    let states = disk.crashStates(limit: 10, seed: 1)
    #expect(states.count == 1)
    #expect(states.isExhaustive)
    #expect(try states[0].disk.text("/a") == "x")
    #expect(states[0].description == "state 0 of seed 1, after 0 operations: nothing was lost")
  }

  @Test("A limit below the number of moments spreads the states over the moments")
  func fewStates() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("/a", for: .create)
    for _ in 0..<50 {
      try file.append([1])
      try file.sync()
    }

    let states = disk.crashStates(limit: 10, seed: 1)

    #expect(states.count == 10)
    #expect(states.last?.operationCount == disk.operationCount)
    #expect(Set(states.map(\.operationCount)).count == 10)
  }

  @Test("The description of a state says which writes were lost")
  func description() throws {
    let disk = SimulatedDisk()
    try disk.write("old", to: "/a")
    disk.settle()
    let file = try disk.open("/a", for: .update)
    try file.append(Array("12".utf8))

    let texts = disk.crashStates(limit: 1000, seed: 1).map(\.description)

    #expect(texts.count == 12)
    #expect(
      texts[0] == """
        state 0 of seed 1, after 4 operations: \
        lost [3, 5) of #4 write /a [3, 5); /a has 3 bytes of 3...5
        """)
  }

  @Test("A sample contains the states in which nothing was reordered")
  func sampling() throws {
    let disk = SimulatedDisk()
    try disk.write("", to: "/a")
    disk.settle()
    let file = try disk.open("/a", for: .update)
    for save in 0..<8 as Range<UInt8> { try file.append([UInt8](repeating: save + 1, count: 600)) }
    let whole = try file.read(byteCount: 4800, at: 0)

    let states = disk.crashStates(limit: 500, seed: 42)
    let contents = try states.map { try $0.disk.read("/a", byteLimit: 10_000) }

    #expect(!states.isExhaustive)
    #expect(contents.contains(whole))
    #expect(contents.contains([]))
    let prefixes = Set(contents.filter { whole.starts(with: $0) }.map(\.count))
    #expect(prefixes.count > 20)
    let holes = contents.filter { $0.count == 4800 && $0 != whole && $0.last == 8 }
    #expect(!holes.isEmpty)
  }
}
