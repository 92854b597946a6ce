import CommandInterface
import DurableFiles
import Foundation
import JSONText
import ObjectModel
import PluginHost
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
      case .json: reports.append(PluginTest.json(report, type.name))
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
    if let tool { return try report(on: type, in: place, by: tool) }
    let messages = invocation.console.messages
    var services = PluginServices(log: { [name = plugin.manifest.name] level, text in
      try? messages.writeLine(CaseProcess.messageMark + PluginFinder.line(name, level, text))
    })
    if invocation.has(PluginTest.trace) {
      services.trace = { try? messages.writeLine(CaseProcess.callMark + $0) }
    }
    let backend = PluginBackend(plugin, type, services: services)
    var suite = StoreConformance(
      backend, on: RealDisk(), in: place, keepsRows: type.capabilities.contains(.incremental))
    if type.begins.isEmpty, type.marker == nil, type.schemes.isEmpty {
      suite.unrecognizedReason =
        "the manifest has no 'begins', 'marker' or 'schemes', so programs open the stores only by their type"
    }
    if let seed = try invocation.number(of: PluginTest.seed, atLeast: 1) {
      suite.seed = UInt64(seed)
    }
    if let executable {
      suite.startHelper = { [path = plugin.path] part in
        try PartProcess(tool: executable, plugin: path, type: type.name, part)
      }
      let library = PowerCutLibrary(in: place)
      suite.startPowerCutHelper = { [path = plugin.path] part, syncs in
        guard let library = try library.path() else { return nil }
        return try PartProcess(
          tool: executable, plugin: path, type: type.name, part,
          environment: PowerCutLibrary.environment(loading: library, cuttingAfter: syncs))
      }
    }
    var failure: (any Error)?
    let report = suite.run(only: invocation.value(of: PluginTest.onlyCase)) { one, outcome in
      guard invocation.format == .text, failure == nil else { return }
      do {
        try write(one, outcome)
      } catch { failure = error }
    }
    if let failure { throw failure }
    return report
  }

  /// Runs each case in a process of its own.
  private func report(
    on type: PluginManifest.StoreType, in place: String, by tool: String
  ) throws -> ConformanceReport {
    let messages = invocation.console.messages
    var words = ["plugin", "test", plugin.path, "--type", type.name]
    if let seed = try invocation.number(of: PluginTest.seed, atLeast: 1) {
      words += ["--seed", "\(seed)"]
    }
    let process = CaseProcess(
      tool: tool, words: words,
      limit: Double(try invocation.number(of: PluginTest.limit, atLeast: 1) ?? 120),
      folder: URL(filePath: place),
      trace: invocation.has(PluginTest.trace)
        ? { try messages.writeLine(CaseProcess.callMark + $0) } : nil)
    var report = ConformanceReport()
    let only = invocation.value(of: PluginTest.onlyCase)
    for one in StoreConformance.cases where only == nil || only == one.name {
      if process.trace != nil { try messages.writeLine("\(one.name):") }
      let (outcome, lines) = try process.outcome(of: one)
      for line in lines { finder.note(line) }
      report.results.append(ConformanceReport.Result(testCase: one, outcome: outcome))
      guard invocation.format == .text else { continue }
      try write(one, outcome)
      if outcome.isFailure, !finder.isVerbose { try write(messages: lines) }
    }
    return report
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

  private static func json(_ report: ConformanceReport, _ type: String) -> JSON {
    .object([
      "name": .string(type),
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
