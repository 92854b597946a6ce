import DiskSimulation
import Documents
import DurableFiles
import ObjectGraph
import StoreInterface
import TestEffort
import Testing
import Validation

@Suite("Failures of saves that need no new manifest")
struct LogFaultTests {
  @Test("After a cut at any moment the document is as one save left it", arguments: LogTests.mixes)
  func cuts(_ mix: Mix) throws {
    let disk = SimulatedDisk()
    let renaming = try Renaming(DocumentWorld(mix, on: disk))
    disk.settle()
    var ends = [disk.operationCount]
    let names = ["Lisbon", "Porto", "Faro", "Sintra", "Évora"]
    for (index, name) in names.enumerated().dropFirst() {
      try renaming.rename(name)
      ends.append(disk.operationCount)
      if index == 3 {
        // The manifest takes the versions, and the log goes on from it.
        try renaming.document.nameVersion(3, "Named")
      }
    }
    var seen: Set<Int> = []
    for state in disk.crashStates(limit: Effort.count(800), seed: 1) {
      let found = DocumentWorld(mix, on: state.disk)
      let opened = try found.open()
      let moment = opened.versions.count - 2
      seen.insert(moment)
      // A save that was reported is kept.
      #expect(moment >= ends.lastIndex { $0 <= state.operationCount } ?? 0, "\(state)")
      #expect(try trips(opened) == [names[moment]], "\(state)")
      #expect(
        opened.versions.dropFirst().enumerated().allSatisfy { index, version in
          (try? trips(opened.open(version: version.number))) == [names[index]]
        }, "\(state)")
      let report = try Validator().validate(DocumentWorld.path, on: state.disk)
      #expect(
        report.count(of: .error) == 0 && report.count(of: .warning) == 0,
        "\(state): \(report.text)")
      try found.add("Later", to: opened)
      try opened.close()
      #expect(try found.names()[0] == ["Later", names[moment]].sorted(), "\(state)")
    }
    #expect(seen == Set(names.indices))
  }

  @Test(
    "After a failure the document shows the old version, and a later opening the old or the new one",
    arguments: LogTests.mixes, [PlannedFailure.Lasting.once, .times(2), .forGood])
  func refusals(_ mix: Mix, _ lasting: PlannedFailure.Lasting) throws {
    var isReached = true
    var number = 0
    var isUncertain = false
    while isReached, number < 200 {
      let disk = SimulatedDisk()
      let world = DocumentWorld(mix, on: disk)
      let renaming = try Renaming(world)
      let start = disk.operationCount
      disk.plan(
        PlannedFailure(
          .error(.noSpace), on: [.write, .sync, .rename, .open, .truncate], after: number,
          lasting: lasting))
      do {
        try renaming.rename("Porto")
        disk.planNoFailures()
        #expect(try trips(renaming.document) == ["Porto"])
      } catch {
        disk.planNoFailures()
        let mayCount = isUncertainError(error)
        isUncertain = isUncertain || mayCount
        _ = try renaming.document.refresh()
        #expect(try trips(renaming.document) == ["Lisbon"], "\(number)")
        #expect(renaming.document.versions.map(\.number) == [1, 2], "\(number)")
        let names = try world.names()[0]
        #expect(names == ["Lisbon"] || mayCount && names == ["Porto"], "\(number): \(names)")
        try renaming.context.save()
        #expect(try trips(renaming.document) == ["Porto"], "\(number)")
        let report = try Validator().validate(DocumentWorld.path, on: disk)
        #expect(report.count(of: .error) == 0, "\(number): \(report.text)")
      }
      isReached = disk.operations[start...].contains { $0.failure == .noSpace }
      try renaming.document.close()
      #expect(try world.names()[0] == ["Porto"], "\(number)")
      number += 1
    }
    #expect(!isReached && number > 2)
    #expect(isUncertain == (lasting != .once))
  }

  @Test("After a failed save of the manifest, two processes can go on saving to the log")
  func failedManifest() throws {
    var isReached = true
    var number = 0
    while isReached, number < 200 {
      let disk = SimulatedDisk()
      let world = DocumentWorld(.binary, on: disk)
      try world.add("Lisbon", to: try world.create())
      let other = DocumentWorld(.binary, on: disk.seen(by: DocumentWorld.otherProcess))
      let one = try world.open(.shared)
      let two = try other.open(.shared)
      let start = disk.operationCount
      disk.plan(
        PlannedFailure(
          .error(.noSpace), on: [.write, .sync, .rename, .open], after: number, lasting: .forGood))
      try? one.save { $0.title = "Other" }
      disk.planNoFailures()
      isReached = disk.operations[start...].contains { $0.failure == .noSpace }
      for (name, writer, writing) in [
        ("Porto", two, other), ("Faro", one, world), ("Sintra", two, other),
      ] {
        try writing.add(name, to: writer)
        #expect(try world.names()[0].contains(name), "\(number)")
      }
      #expect(try world.names() == .each("Faro", "Lisbon", "Porto", "Sintra"), "\(number)")
      _ = try one.refresh()
      #expect(one.versions == two.versions, "\(number)")
      let report = try Validator().validate(DocumentWorld.path, on: disk)
      #expect(report.count(of: .error) == 0, "\(number): \(report.text)")
      number += 1
    }
    #expect(!isReached && number > 3)
  }

  @Test("A damaged last version is an error, and a reader may accept the version before")
  func damage() throws {
    let world = DocumentWorld(.binary)
    let renaming = try Renaming(world)
    try renaming.rename("Porto")
    try renaming.rename("Faro")
    try renaming.document.close()
    let path = DocumentWorld.path + "/stores/main.store"
    let file = try world.disk.open(path, for: .update)
    let last = try file.byteCount() - 60
    let byte = try file.read(byteCount: 1, at: last)[0]
    try file.write([byte ^ 1], at: last)
    for access in [Document.Access.exclusive, .readOnly] {
      let error = #expect(throws: StoreError.self) { try world.open(access) }
      #expect(error?.code == .damaged)
    }
    let report = try Validator().validate(DocumentWorld.path, on: world.disk)
    #expect(report.count(of: .error) == 1, "\(report.text)")
    let opened = try Document.open(
      DocumentWorld.path, in: world.places, access: .readOnly, acceptsDamage: true)
    #expect(try trips(opened) == ["Porto"])
    #expect(try opened.stores[0].describe().damage != nil)
  }

  @Test("A damaged version in the middle of the log is an error, and a reader may accept it")
  func damageInTheMiddle() throws {
    let world = DocumentWorld(.binary)
    let renaming = try Renaming(world)
    try renaming.rename("Porto")
    let path = DocumentWorld.path + "/stores/main.store"
    let file = try world.disk.open(path, for: .update)
    let last = try file.endOfNonzeroBytes(before: file.byteCount()) - 60
    try renaming.rename("Faro")
    try renaming.document.close()
    let byte = try file.read(byteCount: 1, at: last)[0]
    try file.write([byte ^ 1], at: last)
    let error = #expect(throws: StoreError.self) { try world.open() }
    #expect(error?.code == .damaged)
    let opened = try Document.open(
      DocumentWorld.path, in: world.places, access: .readOnly, acceptsDamage: true)
    #expect(opened.versions.map(\.number) == [1, 2, 4])
    #expect(try trips(opened) == ["Faro"])
    #expect(try opened.stores[0].describe().damage != nil)
  }
}

/// Returns whether the store could not determine whether the save counts.
private func isUncertainError(_ error: any Error) -> Bool {
  ((error as? ContextError)?.cause as? StoreError ?? error as? StoreError)?.code == .uncertain
}
