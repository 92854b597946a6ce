import DiskSimulation
import DurableFiles
import Testing

@Suite("A disk that fails")
struct FaultTests {
  static let errors: [ErrorNumber] = [.inputOutput, .noSpace, .tooManyOpenFiles]

  /// Returns a disk with one durable file, "old".
  static func makeDisk() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    try disk.replace("/a") { try $0.write("old") }
    disk.settle()
    return disk
  }

  @Test(
    "If any operation fails before the rename, a replacement leaves the old file", arguments: errors
  )
  func failingReplacement(_ error: ErrorNumber) throws {
    let reference = try Self.makeDisk()
    try reference.replace("/a") { try $0.write("new") }
    let operations = reference.operations
    let rename = try #require(operations.firstIndex { $0.operation == .rename })
    #expect(operations.count == 12, "\(operations)")

    for failing in operations.indices {
      for lasting in [PlannedFailure.Lasting.once, .forGood] {
        let disk = try Self.makeDisk()
        disk.plan(.failing(error, after: failing, lasting: lasting))
        let result = Result { try disk.replace("/a") { try $0.write("new") } }
        disk.planNoFailures()

        let text = try disk.text("/a")
        let operation = operations[failing]
        if failing <= rename {
          #expect(text == "old", "\(operation)")
          #expect(failure(result)?.cause == error, "\(operation)")
          if lasting == .once {
            #expect(try disk.names("/") == ["a"], "\(operation)")
          }
        } else {
          #expect(text == "new", "\(operation)")
          // The remaining operations are the directory's sync, and closing it, which reports no failure.
          #expect((failure(result) == nil) == (operation.operation == .close), "\(operation)")
        }
        #expect(disk.openFileCount == 0, "\(operation)")
        for state in disk.crashStates(limit: 300, seed: 1) {
          let text = try state.disk.text("/a")
          #expect(["old", "new"].contains(text), "\(operation), \(state)")
        }
      }
    }
  }

  @Test("A call that a signal interrupts is repeated")
  func interruption() throws {
    let reference = try Self.makeDisk()
    try reference.replace("/a") { try $0.write("new") }

    for (index, operation) in reference.operations.enumerated() {
      let disk = try Self.makeDisk()
      disk.plan(.failing(.interrupted, after: index, lasting: .times(3)))

      #expect(throws: Never.self, "\(operation)") {
        try disk.replace("/a") { try $0.write("new") }
      }

      #expect(try disk.text("/a") == "new")
      #expect(disk.openFileCount == 0)
      for state in disk.crashStates(limit: 100, seed: 1)
      where state.operationCount == disk.operationCount {
        #expect(try state.disk.text("/a") == "new", "\(operation), \(state)")
      }
    }
  }

  @Test(
    "Each operation of a file is repeated when signals interrupt it, and a closed descriptor is not used again"
  )
  func interruptedFiles() throws {
    func work(_ disk: SimulatedDisk) throws {
      let file = try disk.open("/a", for: .update)
      try file.append([1, 2, 3])
      try file.lock(.exclusive)
      try file.truncate(to: 2)
      try file.setPermissions(.newFile)
      _ = try file.statusAtItsPath()
      try file.sync()
      try file.unlock()
      try file.close()
      try disk.setPermissions(of: "/a", isDirectory: false, to: .newFile)
      try disk.syncDirectory("/")
    }
    let reference = try Self.makeDisk()
    try work(reference)

    for (index, operation) in reference.operations.enumerated() {
      let disk = try Self.makeDisk()
      disk.plan(.failing(.interrupted, after: index, lasting: .times(2)))

      #expect(throws: Never.self, "\(operation)") { try work(disk) }

      #expect(disk.openFileCount == 0)
      #expect(
        disk.operations.filter { $0.operation == .close && $0.failure != nil }.count
          == (operation.operation == .close ? 1 : 0), "\(operation)")
    }
  }

  @Test("Short writes and reads are continued", arguments: [1, 2, 511])
  func shortTransfers(_ byteCount: Int) throws {
    let disk = SimulatedDisk()
    disk.plan(PlannedFailure(.short(byteCount: byteCount), lasting: .forGood))
    let bytes = (0..<1500).map { UInt8(truncatingIfNeeded: $0) }

    let file = try disk.open("/a", for: .create)
    try file.append(bytes)

    #expect(try file.read(byteCount: 1500, at: 0) == bytes)
    let writes = disk.operations.filter { $0.operation == .write }
    #expect(writes.count == (1500 + byteCount - 1) / byteCount)
  }

  @Test("A write that makes no progress and reports no error ends with an error")
  func writingNothing() throws {
    let disk = SimulatedDisk()
    disk.plan(PlannedFailure(.short(byteCount: 0), on: [.write], lasting: .forGood))
    let file = try disk.open("/a", for: .create)

    expect(.inputOutput) { try file.append([1]) }
  }

  @Test("On a full disk a partial append is removed again")
  func takingBackHalfAnAppend() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("/a", for: .create)
    try file.append([1, 2, 3])
    disk.plan(PlannedFailure(.short(byteCount: 10), on: [.write]))
    disk.plan(.failing(.noSpace, on: .write, after: 1))

    let error = expect(.noSpace) { try file.append([UInt8](repeating: 9, count: 100)) }

    #expect(try file.byteCount() == 3)
    #expect(error?.operation == .write)
    #expect(
      error?.message
        == "Can't write 100 bytes at offset 3 of '/a': no space left on the device (ENOSPC).")
    #expect(try file.append([4]) == 3)
  }

  @Test("A failed sync poisons its handle", arguments: errors)
  func poisoning(_ error: ErrorNumber) throws {
    let disk = SimulatedDisk()
    let file = try disk.open("/a", for: .create)
    try file.append([1, 2, 3])
    disk.plan(.failing(error, on: .sync))
    let count = disk.operationCount

    let first = #expect(throws: DiskError.self) { try file.sync() }
    #expect(first?.cause == error)
    for attempt in [
      { try file.sync() }, { try file.append([4]) }, { try file.write([4], at: 0) },
      { try file.truncate(to: 0) }, { try file.append { try $0.write([4]) } },
    ] as [() throws -> Void] {
      #expect(expect(.poisoned) { try attempt() }?.cause == error)
    }

    #expect(try file.read(byteCount: 3, at: 0) == [1, 2, 3])
    #expect(disk.operations[count...].filter { $0.operation == .sync }.count == 1)
    #expect(disk.operations[count...].allSatisfy { $0.operation != .write })
    try file.close()
  }

  @Test("A disk that can't sync directories is tolerated, and any other sync failure is not")
  func directorySync() throws {
    let disk = SimulatedDisk()
    for excuse in [ErrorNumber.invalidArgument, .notSupported] {
      disk.plan(.failing(excuse, on: .sync))
      try disk.syncDirectory("/")
    }
    disk.plan(.failing(.inputOutput, on: .sync))

    expect(.inputOutput) { try disk.syncDirectory("/") }
  }

  @Test("A lock is free after an attempt to take it failed")
  func failingLock() throws {
    let reference = SimulatedDisk()
    try reference.lock("/lock").release()
    let operations = reference.operations
    #expect(operations.count == 12, "\(operations)")

    for failing in operations.indices {
      for error in [ErrorNumber.inputOutput, .noSpace, .interrupted] {
        let disk = SimulatedDisk()
        disk.plan(.failing(error, after: failing))
        let result = Result { try disk.lock("/lock").release() }

        #expect(disk.openFileCount == 0, "\(operations[failing])")
        if error == .interrupted {
          #expect(failure(result) == nil, "\(operations[failing])")
        }
        try disk.lock("/lock").release()
      }
    }
  }

  @Test("Failures are planned by operation, path, turn and duration")
  func planning() throws {
    let disk = SimulatedDisk()
    disk.plan(.failing(.noSpace, on: .open, path: "/b", after: 1, lasting: .times(2)))
    func codes(_ path: String) -> [DiskError.Code?] {
      (0..<4).map { _ -> DiskError.Code? in
        do throws(DiskError) {
          try disk.open(path, for: .updateOrCreate).close()
          return nil
        } catch {
          return error.code
        }
      }
    }

    #expect(codes("/a") == [nil, nil, nil, nil])
    #expect(codes("/b") == [nil, .noSpace, .noSpace, nil])
    #expect(disk.operations.filter { $0.failure == .noSpace }.count == 2)
    #expect(disk.operations[0].description == "#1 open /a")
  }
}

private func failure<Success>(_ result: Result<Success, any Error>) -> DiskError? {
  if case .failure(let error) = result { error as? DiskError } else { nil }
}
