import CommandInterface
import Foundation
import JSONText
import PluginHost
import PluginKit
import StoreConformance
import StoreInterface

/// `quire plugin test`: runs the conformance tests on a plug-in's stores.
struct PluginTest {
  static let type = Option(
    "type", value: "TYPE", "For 'test' and 'bench': the only type of store to test or to measure.")
  static let onlyCase = Option(
    "case", formerly: "only", value: "CASE", "For 'test': the name of the only case to run.")

  static let seed = Option(
    "seed", value: "NUMBER",
    "For 'test' and 'bench': the seed of the random objects and changes; the default is 1.")
  static let limit = Option(
    "limit", value: "SECONDS",
    "For 'test': the time after which a test has failed; the default is 120.")
  static let trace = Option(
    "trace", "For 'test': prints the name of each function of the plug-in that is called.")
  static let inProcess = Option(
    "in-process", "For 'test': runs all tests in the process of the command, for a debugger.")
  static let options = [type, onlyCase, seed, limit, trace, inProcess]

  let plugin: FoundPlugin
  let invocation: Invocation
  private let finder: PluginFinder
  /// The executable of the tool; `nil` if the commands run in another program.
  private var executable: String? { finder.executable }
  /// The executable for processes of the tests; `nil` to run all tests in this process.
  private var tool: String? { invocation.has(PluginTest.inProcess) ? nil : executable }

  init(_ plugin: FoundPlugin, _ finder: PluginFinder, _ invocation: Invocation) {
    self.plugin = plugin
    self.finder = finder
    self.invocation = invocation
  }

  /// Tests each type of store, and prints the results.
  func run() throws -> ExitCode {
    let types = try Self.wantedTypes(of: plugin, invocation)
    try checkCase()
    // A library that can't be loaded is reported as one refusal, and not as a failure of every case.
    _ = try plugin.load()
    let folder = try TemporaryFolder(named: "quire-plugin-test-\(plugin.manifest.name)")
    defer { folder.remove() }

    var reports: [JSON] = []
    var failedCount = 0
    for type in types {
      if invocation.format == .text {
        let output = invocation.console.output
        if type != types.first { try output.writeLine() }
        let heading = "\(plugin.manifest.name) \(plugin.manifest.version): \(type.name)"
        try output.writeLine(output.styled(oneLine(heading), .heading))
      }
      let place = try folder.makeFolder(type.name)
      let report = try report(on: type, in: place)
      failedCount += report.failedCount
      switch invocation.format {
      case .text:
        try invocation.console.output.writeLine(
          "\(report.passedCount) passed, \(report.failedCount) failed, \(report.skippedCount) skipped"
        )
        // A single case does not test the rest of the features, so leave out their report.
        if invocation.value(of: PluginTest.onlyCase) == nil { try write(report, on: type) }
      case .json: reports.append(PluginTest.json(report, type))
      }
    }
    if invocation.format == .json {
      let object = JSON.object([
        "plugin": .string(plugin.manifest.name), "types": .array(reports),
      ])
      try invocation.console.output.writeLine(object)
    }
    return failedCount == 0 ? .done : .no
  }

  /// Returns the types of stores that the command line asks for: all of the plug-in, or one.
  static func wantedTypes(
    of plugin: FoundPlugin, _ invocation: Invocation
  ) throws(CommandError) -> [PluginManifest.StoreType] {
    guard let name = invocation.value(of: type) else { return plugin.types }
    let types = plugin.types.filter { $0.name == name }
    guard types.isEmpty else { return types }
    let known = plugin.types.map(\.name)
    throw .unknown(
      "type", name, in: "of the plug-in '\(plugin.manifest.name)'", known: known,
      otherwise: "It implements \(known.joined(separator: ", ")).")
  }

  private func checkCase() throws(CommandError) {
    guard let name = invocation.value(of: PluginTest.onlyCase) else { return }
    let known = StoreConformance.cases.map(\.name)
    guard !known.contains(name) else { return }
    throw .unknown(
      "case", name, in: "for 'quire plugin test'", known: known,
      otherwise: "The tests are \(known.joined(separator: ", ")).")
  }

  // MARK: - Testing one type

  /// Runs the cases on stores at paths that begin with `place`, and prints each result at once.
  private func report(
    on type: PluginManifest.StoreType, in place: String
  ) throws -> ConformanceReport {
    let seed = try invocation.number(of: PluginTest.seed, atLeast: 1)
    let trial = PluginTrial(
      plugin, type, in: place, executable: executable, seed: seed.map { UInt64($0) },
      only: invocation.value(of: PluginTest.onlyCase))
    if let tool { return try report(trial, seed, by: tool) }
    let messages = invocation.console.messages
    var services = PluginServices(log: { [name = plugin.manifest.name] level, text in
      try? messages.writeLine(CaseProcess.messageMark + PluginFinder.line(name, level, text))
    })
    if invocation.has(PluginTest.trace) {
      services.trace = { try? messages.writeLine(CaseProcess.callMark + $0) }
    }
    return try trial.run(with: services) { one, outcome in
      if invocation.format == .text { try write(one, outcome) }
    }
  }

  /// Runs each case in its own process.
  private func report(
    _ trial: PluginTrial, _ seed: Int?, by tool: String
  ) throws -> ConformanceReport {
    let messages = invocation.console.messages
    var words = ["plugin", "test", plugin.path, "--type", trial.type.name]
    if let seed { words += ["--seed", "\(seed)"] }
    let isTraced = invocation.has(PluginTest.trace)
    let process = CaseProcess(
      tool: tool, words: words,
      limit: Double(try invocation.number(of: PluginTest.limit, atLeast: 1) ?? 120),
      folder: URL(filePath: trial.place),
      trace: isTraced ? { try messages.writeLine(CaseProcess.callMark + $0) } : nil)
    return try trial.run(
      in: process, before: { one in if isTraced { try messages.writeLine("\(one.name):") } },
      each: { one, outcome, lines in
        for line in lines { finder.note(line) }
        guard invocation.format == .text else { return }
        try write(one, outcome)
        if outcome.isFailure, !finder.isVerbose { try write(messages: lines) }
      })
  }

  private func write(
    _ one: StoreConformance.Case, _ outcome: StoreConformance.Outcome
  ) throws {
    let output = invocation.console.output
    switch outcome {
    case .passed: try output.writeLine("passed   \(one.name)")
    case .skipped(let reason): try output.writeLine("skipped  \(one.name): \(oneLine(reason))")
    case .failed(let findings): try write(one, findings)
    case .brokeOff(let error):
      try write(one, ["The store refused a required operation. \(error)"])
    }
  }

  /// Prints the last messages that the plug-in logged in a case.
  private func write(messages: [String]) throws {
    let output = invocation.console.output
    let shown = messages.suffix(Self.shownMessageCount)
    if shown.count < messages.count {
      try output.writeLine("           (\(messages.count - shown.count) earlier messages)")
    }
    for line in shown { try output.writeLine("           \(oneLine(line))") }
  }

  /// The largest number of messages that are printed for a case.
  private static let shownMessageCount = 20

  private func write(_ one: StoreConformance.Case, _ findings: [String]) throws {
    let output = invocation.console.output
    try output.writeLine("\(output.styled("FAILED", .failure))   \(one.name): \(one.promise)")
    for finding in findings { try output.writeLine("           \(oneLine(finding))") }
  }

  /// Prints a table of what the store can do.
  private func write(_ report: ConformanceReport, on type: PluginManifest.StoreType) throws {
    var table = Table()
    for (ability, finding) in report.abilities(of: type.capabilities) {
      let (state, text) = Self.words(ability, finding)
      table.add(ability.rawValue, state, text)
    }
    let output = invocation.console.output
    try output.writeLine("\n" + output.styled("features", .heading))
    try output.write(table.text(indent: 2))
  }

  private static func words(
    _ ability: StoreAbility, _ finding: ConformanceReport.Finding
  ) -> (state: String, text: String) {
    switch finding {
    case .works: ("yes", ability.sentence(has: true))
    case .missing: ("no", ability.sentence(has: false))
    case .fails(let names): ("failed", names.joined(separator: ", "))
    case .untried(let reason): ("untried", reason)
    }
  }

  private static func json(
    _ report: ConformanceReport, _ type: PluginManifest.StoreType
  ) -> JSON {
    .object([
      "name": .string(type.name),
      "features": .array(
        report.abilities(of: type.capabilities).map { ability, finding in
          let (state, text) = words(ability, finding)
          return .object([
            "name": .string(ability.rawValue), "state": .string(state), "text": .string(text),
          ])
        }),
      "cases": .array(
        report.results.map { result in
          var (outcome, reason): (String, String?) = ("failed", nil)
          switch result.outcome {
          case .passed: outcome = "passed"
          case .skipped(let why): (outcome, reason) = ("skipped", why)
          case .failed, .brokeOff: break
          }
          return .object([
            "name": .string(result.testCase.name), "sentence": .string(result.testCase.promise),
            "outcome": .string(outcome), "findings": .strings(result.faults),
            "reason": reason.map(JSON.string),
          ])
        }),
      "passed": .number(report.passedCount), "failed": .number(report.failedCount),
      "skipped": .number(report.skippedCount),
    ])
  }
}
