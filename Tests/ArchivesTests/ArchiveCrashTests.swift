import DiskSimulation
import DurableFiles
import Testing

@testable import Archives

@Suite("Packing and unpacking on failing disks")
struct ArchiveCrashTests {
  private static func makeDisk(packed: Bool) throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    try SampleFolder.makeSmall(on: disk)
    if packed { try FolderPacking(SampleFolder.path, on: disk).run(into: "/Trip.zip") }
    disk.settle()
    return disk
  }

  private static func contents(of disk: any Disk) throws -> [String: [UInt8]] {
    try SampleFolder.contents(SampleFolder.path, on: disk)
  }

  @Test(
    "A crash during packing leaves the old or the new archive, whole", arguments: [false, true])
  func packing(_ overwrites: Bool) throws {
    let disk = try Self.makeDisk(packed: overwrites)
    if overwrites {
      try SampleFolder.write(Array("<other/>".utf8), to: "manifest.plist", on: disk)
      disk.settle()
    }
    try FolderPacking(SampleFolder.path, on: disk).run(into: "/Trip.zip", overwriting: overwrites)
    var outcomes: Set<[UInt8]?> = []
    for state in disk.crashStates(limit: 2000, seed: 1) {
      guard try state.disk.exists("/Trip.zip") else {
        #expect(!overwrites && state.operationCount < disk.operationCount, "\(state)")
        outcomes.insert(nil)
        continue
      }
      let archive = try Archive("/Trip.zip", on: state.disk)
      let manifest = try #require(archive.entries.first { $0.path == "manifest.plist" })
      outcomes.insert(try archive.bytes(of: manifest))
      try archive.unpack(to: "/Copy", on: state.disk)
    }

    #expect(outcomes.count == 2)
  }

  @Test("A crash during unpacking leaves the whole folder or none")
  func unpacking() throws {
    let disk = try Self.makeDisk(packed: true)
    let sound = try Self.contents(of: disk)
    try Archive("/Trip.zip", on: disk).unpack(to: "/Copy.quire", on: disk)
    var outcomes: Set<Bool> = []
    for state in disk.crashStates(limit: 3000, seed: 1) {
      let crashed = state.disk
      let isThere = try crashed.exists("/Copy.quire")
      outcomes.insert(isThere)
      if isThere {
        #expect(try SampleFolder.contents("/Copy.quire", on: crashed) == sound, "\(state)")
        // The next unpacking is refused, and removes what the crash left.
        let error = #expect(throws: ArchiveError.self, "\(state)") {
          try Archive("/Trip.zip", on: crashed).unpack(to: "/Copy.quire", on: crashed)
        }
        #expect(error?.code == .exists)
      } else {
        #expect(state.operationCount < disk.operationCount, "\(state)")
        // Files left by the crash do not prevent the next unpacking.
        try Archive("/Trip.zip", on: crashed).unpack(to: "/Copy.quire", on: crashed)
      }
      // A lock file stays if the crash filled it with garbage: it may be a user's file.
      let names = try crashed.list("/").map(\.name).filter { $0 != ".Copy.quire.quire-lock" }
      #expect(names == ["Copy.quire", "Trip.quire", "Trip.zip"], "\(state)")
    }

    #expect(outcomes == [true, false])
  }

  @Test(
    "If any operation fails, packing leaves the whole archive or none",
    arguments: [ErrorNumber.inputOutput, .noSpace])
  func failingPacking(_ error: ErrorNumber) throws {
    func pack(_ disk: SimulatedDisk) throws {
      try FolderPacking(SampleFolder.path, on: disk).run(into: "/Trip.zip")
    }
    let reference = try Self.makeDisk(packed: false)
    try pack(reference)
    let whole = try reference.read("/Trip.zip", byteLimit: 1 << 20)
    for failing in 0..<reference.operationCount {
      for lasting in [PlannedFailure.Lasting.once, .forGood] {
        let disk = try Self.makeDisk(packed: false)
        disk.plan(.failing(error, after: failing, lasting: lasting))
        let result = Result { try pack(disk) }
        disk.planNoFailures()
        let operation = reference.operations[failing]
        #expect(disk.openFileCount == 0, "\(operation)")
        if try disk.exists("/Trip.zip") {
          #expect(try disk.read("/Trip.zip", byteLimit: 1 << 20) == whole, "\(operation)")
        } else {
          #expect(throws: DiskError.self, "\(operation)") { try result.get() }
          if lasting == .once {
            #expect(try disk.list("/").map(\.name) == ["Trip.quire"], "\(operation)")
          }
        }
      }
    }
  }

  @Test(
    "If any operation fails, unpacking leaves the whole folder or none",
    arguments: [ErrorNumber.inputOutput, .noSpace])
  func failingUnpacking(_ error: ErrorNumber) throws {
    func unpack(_ disk: SimulatedDisk) throws {
      try Archive("/Trip.zip", on: disk).unpack(to: "/Copy.quire", on: disk)
    }
    let reference = try Self.makeDisk(packed: true)
    let sound = try Self.contents(of: reference)
    let before = reference.operationCount
    try unpack(reference)
    let count = reference.operationCount - before
    for failing in 0..<count {
      for lasting in [PlannedFailure.Lasting.once, .forGood] {
        let disk = try Self.makeDisk(packed: true)
        disk.plan(.failing(error, after: failing, lasting: lasting))
        let result = Result { try unpack(disk) }
        disk.planNoFailures()
        let operation = reference.operations[before + failing]
        #expect(disk.openFileCount == 0, "\(operation)")
        if try disk.exists("/Copy.quire") {
          #expect(try SampleFolder.contents("/Copy.quire", on: disk) == sound, "\(operation)")
        } else {
          #expect(throws: DiskError.self, "\(operation)") { try result.get() }
          if lasting == .once {
            #expect(try disk.list("/").map(\.name) == ["Trip.quire", "Trip.zip"], "\(operation)")
          }
        }
      }
    }
  }

  @Test("Signals and short transfers do not change the result", arguments: [1, 511])
  func shortTransfers(_ byteCount: Int) throws {
    let disk = try Self.makeDisk(packed: false)
    disk.plan(PlannedFailure(.short(byteCount: byteCount), lasting: .forGood))
    disk.plan(.failing(.interrupted, on: .read, after: 5, lasting: .times(3)))

    try FolderPacking(SampleFolder.path, on: disk).run(into: "/Trip.zip")
    try Archive("/Trip.zip", on: disk).unpack(to: "/Copy.quire", on: disk)

    disk.planNoFailures()
    #expect(try SampleFolder.contents("/Copy.quire", on: disk) == Self.contents(of: disk))
  }
}
