import DiskSimulation
import Foundation
import StoreConformance
import StoreInterface
import Synchronization
import Testing

@Suite("The conformance suite")
struct StoreConformanceTests {
  private func suite(_ fault: Fault?) -> StoreConformance {
    let (backend, disk) = (FaultyBackend(fault), SimulatedDisk())
    var suite = StoreConformance(backend, on: disk, in: "/")
    suite.startHelper = { SimulatedProcess(backend, on: disk, $0) }
    return suite
  }

  @Test("A correct store passes every case, and the report says which cases were skipped")
  func sound() {
    let report = StoreConformance(make: { try MemoryStore($0) }).run()

    #expect(report.passed)
    #expect(report.failures == [])
    #expect(report.results.count == StoreConformance.cases.count)
    #expect(
      report.description.contains(
        "skipped  history-can-be-opened: the store does not declare the capability 'history'"))
    #expect(
      report.description.hasSuffix(
        "\(report.passedCount) passed, 0 failed, \(report.skippedCount) skipped"))
  }

  @Test(
    "A correct store with all capabilities passes all cases but the one for stores that are not shared"
  )
  func soundBackend() {
    let report = suite(nil).run()

    #expect(report.failures == [])
    #expect(report.skippedCount == 1)
  }

  @Test("Each of at least 120 faults is caught by the case about the fault")
  func caught() {
    let faults = Fault.allCases
    let count = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: faults.count) { index in
      let fault = faults[index]
      let report = suite(fault).run(only: fault.caseName)
      let findings = report.results.first?.faults ?? []
      // Each finding contains the expectation or the requirement.
      let words =
        /expected|must|instead|refused|unexpected|do not|does not|are not|is not|leased|before|lost|answers none/
      let isCaught = findings.contains { $0.contains(words) }
      #expect(isCaught, "\(fault): \(report)")
      if isCaught { count.withLock { $0 += 1 } }
    }
    print("Conformance: \(count.withLock { $0 }) of \(faults.count) faults are caught.")
    #expect(faults.count >= 120)
  }

  @Test(
    "The report describes the fault",
    arguments: [
      (
        Fault.losesCommit, "snapshots-stay",
        "The snapshot after save 3 of 40, read after all saves: expected 1 object, found 1 object: "
          + "Thing 1 has 'large' integer(1) instead of integer(2)."
      ),
      (
        .letsConflictsPass, "conflicts-are-refused",
        "Changing an object that another save has changed since must be refused with code conflict, but succeeded."
      ),
      (
        .givesKeysTwice, "keys-are-given-once",
        "Of the 10 keys 1..<11, 1 were returned before, such as 1."
      ),
      (
        .showsLaterChanges, "snapshots-stay",
        "The snapshot after save 0 of 40, read after all saves: expected 0 objects, found 1 object: "
          + "Thing 1 is unexpected."
      ),
      (
        .refusesWithAnotherCode, "conflicts-are-refused",
        "must be refused with code conflict, but was refused with code failed: Somebody was faster."
      ),
      (
        .staysOpen, "closing",
        "Asking a closed store for a snapshot must be refused with code closed, but succeeded."
      ),
      (
        .roundsDoubles, "every-value-stays",
        "Thing 1 has 'real' double(0.0) instead of double(-0.0)"
      ),
      (
        .refusesMetadata, "metadata-stay",
        "The store refused a required operation. /drawer: The drawer is stuck. (code inputOutput)"
      ),
      (
        .replacesUnasked, "occupied-places-are-kept",
        "Creating a store over another one without permission to replace it must be refused with code exists, but "
          + "succeeded."
      ),
      (
        .leasesByProcess, "two-processes-agree",
        "Two processes leased the same keys, among 1..<3001."
      ),
      (
        .seesOnlyItsProcess, "two-processes-agree",
        "The store after save 1, which another process made: expected 1 object, found 1 object: "
          + "Thing 1 has 'large' integer(0) instead of integer(1)."
      ),
      (
        .commitsInHalves, "confirmed-commits-survive-kills",
        "instead of integer("
      ),
      (
        .confirmsBeforeItWrites, "confirmed-commits-survive-kills",
        "was confirmed: expected this commit or the next one, found commit"
      ),
      (
        .losesHits, "requests-are-answered-as-by-a-scan", "is missing."
      ),
    ])
  func faulty(_ fault: Fault, _ name: String, _ sentence: String) {
    let report = suite(fault).run(only: name)

    #expect(!report.passed)
    let found = report.results.first { $0.testCase.name == name }!
    #expect(found.faults.contains { $0.contains(sentence) }, "\(found.faults)")
    #expect(report.description.contains("FAILED   \(name): \(found.testCase.promise)"))
  }

  @Test("Each feature works, is missing, fails or was not tried")
  func abilities() {
    let sound = suite(nil).run().abilities(of: FaultyBackend(nil).capabilities)
    let faulty = suite(.losesAuthors).run(only: "history-can-be-opened")
      .abilities(of: FaultyBackend(nil).capabilities)
    let memory = StoreConformance(make: { try MemoryStore($0) }).run()
      .abilities(of: [.incremental, .shared])

    #expect(sound.allSatisfy { $0.finding == .works })
    #expect(sound.map(\.ability) == StoreAbility.allCases)
    #expect(faulty.first { $0.ability == .history }?.finding == .fails(["history-can-be-opened"]))
    #expect(memory.first { $0.ability == .history }?.finding == .missing)
    #expect(memory.first { $0.ability == .vacuum }?.finding == .missing)
    #expect(
      memory.first { $0.ability == .shared }?.finding
        == .untried(
          "the case needs a backend, and the suite has only a function that makes stores"))
  }

  @Test("A store with one fault fails only the case about the fault")
  func onlyThere() {
    let report = suite(.tellsDamage).run()

    #expect(Set(report.failures.map { $0.prefix { $0 != ":" } }) == ["descriptions-are-true"])
  }

  @Test("A single case runs with a store of its own, and its result is reported at once")
  func withExclusiveAccess() {
    let made = Mutex(0)
    let suite = StoreConformance(make: { model in
      made.withLock { $0 += 1 }
      return try MemoryStore(model)
    })
    var told: [String] = []

    let report = suite.run(only: "snapshots-stay") { one, outcome in
      told.append("\(one.name) \(outcome)")
    }

    #expect(told == ["snapshots-stay passed"])
    #expect(report.results.count == 1)
    #expect(made.withLock { $0 } == 1)
    #expect(!suite.run(only: "no-such-case").passed)
  }

  @Test("The cases of several processes are skipped where no other process can be started")
  func noProcesses() {
    let suite = StoreConformance(FaultyBackend(nil), on: SimulatedDisk(), in: "/")

    for name in ["two-processes-agree", "confirmed-commits-survive-kills"] {
      let report = suite.run(only: name)

      #expect(
        report.results.map(\.outcome) == [
          .skipped("the case needs another process, which only 'quire plugin test' starts")
        ])
    }
  }

  @Test("Other seeds kill a process at other moments, and a correct store passes")
  func kills() {
    for seed in 2...12 as ClosedRange<UInt64> {
      var suite = suite(nil)
      suite.seed = seed

      let report = suite.run(only: "confirmed-commits-survive-kills")

      #expect(report.passed, "seed \(seed): \(report)")
    }
  }

  @Test("A store that can't be created ends every case")
  func unmade() {
    let suite = StoreConformance(make: { _ in throw StoreError(.notSupported, "Not today.") })

    let report = suite.run()

    #expect(report.failedCount + report.skippedCount == StoreConformance.cases.count)
    #expect(report.failedCount > 20)
    #expect(
      report.results[0].outcome == .brokeOff("Not today. (code notSupported)"))
  }

  @Test(
    "Each case has a unique lower-case name with hyphens, and states its requirement in a sentence")
  func names() {
    let cases = StoreConformance.cases

    #expect(Set(cases.map(\.name)).count == cases.count)
    for one in cases {
      #expect(one.name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, "\(one.name)")
      #expect(one.promise.hasSuffix(".") && one.promise.first!.isUppercase, "\(one.promise)")
    }
  }
}
