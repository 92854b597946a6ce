import DurableFiles
import Foundation
import JSONText
import ObjectModel
import PluginHost
import StoreConformance
import StoreInterface
import Synchronization

/// `quire plugin test`: runs the conformance tests on a plug-in's stores.
struct PluginTest {
  static let type = Option("type", value: "TYPE", "For 'test': the only type of store to test.")
  static let only = Option("only", value: "CASE", "For 'test': the name of the only test to run.")

  let plugin: FoundPlugin
  let invocation: Invocation

  init(_ plugin: FoundPlugin, _ invocation: Invocation) {
    self.plugin = plugin
    self.invocation = invocation
  }

  /// Tests each type of store, and prints the results.
  func run() throws -> ExitCode {
    let types = try wantedTypes()
    try checkCase()
    // A library that can't be loaded is reported as one refusal, and not as a failure of every case.
    _ = try plugin.load()
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "quire-plugin-test-\(plugin.manifest.name)-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandError(.inputOutput, "Can't create the folder '\(folder.path)': \(error)")
    }
    defer { try? FileManager.default.removeItem(at: folder) }

    var reports: [JSON] = []
    var failedCount = 0
    for type in types {
      if invocation.format == .text {
        let output = invocation.console.output
        if type != types.first { try output.writeLine() }
        let heading = "\(plugin.manifest.name) \(plugin.manifest.version): \(type.name)"
        try output.writeLine(output.styled(oneLine(heading), .heading))
      }
      let place = folder.appending(path: type.name).path(percentEncoded: false)
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

  private func wantedTypes() throws(CommandError) -> [PluginManifest.StoreType] {
    guard let name = invocation.value(of: PluginTest.type) else { return plugin.types }
    let types = plugin.types.filter { $0.name == name }
    guard types.isEmpty else { return types }
    let known = plugin.types.map(\.name)
    throw .unknown(
      "type", name, in: "of the plug-in '\(plugin.manifest.name)'", known: known,
      otherwise: "It implements \(known.joined(separator: ", ")).")
  }

  private func checkCase() throws(CommandError) {
    guard let name = invocation.value(of: PluginTest.only) else { return }
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
    let backend = PluginBackend(plugin, type)
    let disk = RealDisk()
    let count = Mutex(0)
    let suite = StoreConformance(
      keepsRows: type.capabilities.contains(.incremental),
      make: { model in
        let number = count.withLock { count in
          count += 1
          return count
        }
        return try backend.create(
          at: "\(place)-\(number)", model: model, on: disk, StoreCreation())
      },
      reopen: { store in
        guard let path = store.path else { return store }
        try store.close()
        return try backend.open(path, on: disk, StoreOpening())
      })
    var failure: (any Error)?
    let report = suite.run(only: invocation.value(of: PluginTest.only)) { one, outcome in
      guard invocation.format == .text, failure == nil else { return }
      do {
        try write(one, outcome)
      } catch { failure = error }
    }
    if let failure { throw failure }
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
