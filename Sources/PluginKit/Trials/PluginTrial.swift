import DurableFiles
import Foundation
package import PluginHost
package import StoreConformance
import StoreInterface

/// A run of the conformance tests on one type of a plug-in's stores.
package struct PluginTrial {
  private let plugin: FoundPlugin
  package let type: PluginManifest.StoreType
  /// The folder for the stores.
  package let place: String
  private let executable: String?
  private let seed: UInt64?
  private let only: String?

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - place: The folder for the stores.
  ///   - executable: The tool, which runs parts of cases in separate processes; `nil` to skip these cases.
  ///   - seed: The seed of the random objects and changes; `nil` for the usual one.
  ///   - only: The name of the only case to run; `nil` to run all.
  package init(
    _ plugin: FoundPlugin, _ type: PluginManifest.StoreType, in place: String,
    executable: String?, seed: UInt64?, only: String?
  ) {
    self.plugin = plugin
    self.type = type
    self.place = place
    self.executable = executable
    self.seed = seed
    self.only = only
  }

  /// Runs the cases in this process.
  ///
  /// - Parameter each: Called with the outcome of each case. After an error of `each`, the cases run on, and the error is thrown
  ///   at the end.
  package func run(
    with services: PluginServices,
    _ each: (StoreConformance.Case, StoreConformance.Outcome) throws -> Void
  ) throws -> ConformanceReport {
    let backend = PluginBackend(plugin, type, services: services)
    var suite = StoreConformance(
      backend, on: RealDisk(), in: place, keepsRows: type.capabilities.contains(.incremental))
    if type.begins.isEmpty, type.marker == nil, type.schemes.isEmpty {
      suite.unrecognizedReason =
        "the manifest has no 'begins', 'marker' or 'schemes', so programs open the stores only by their type"
    }
    if let seed { suite.seed = seed }
    if let executable {
      suite.startHelper = { [path = plugin.path, type] part in
        try PartProcess(tool: executable, plugin: path, type: type.name, part)
      }
      let library = PowerCutLibrary(in: place)
      suite.startPowerCutHelper = { [path = plugin.path, type] part, syncs in
        guard let library = try library.path() else { return nil }
        return try PartProcess(
          tool: executable, plugin: path, type: type.name, part,
          environment: PowerCutLibrary.environment(loading: library, cuttingAfter: syncs))
      }
    }
    var failure: (any Error)?
    let report = suite.run(only: only) { one, outcome in
      guard failure == nil else { return }
      do {
        try each(one, outcome)
      } catch { failure = error }
    }
    if let failure { throw failure }
    return report
  }

  /// Runs each case in its own process.
  ///
  /// - Parameters:
  ///   - before: Called before each case.
  ///   - each: Called with the outcome of each case, and with the messages that the plug-in logged.
  package func run(
    in process: CaseProcess, before: (StoreConformance.Case) throws -> Void,
    each: (StoreConformance.Case, StoreConformance.Outcome, _ messages: [String]) throws -> Void
  ) throws -> ConformanceReport {
    var report = ConformanceReport()
    for one in StoreConformance.cases where only == nil || only == one.name {
      try before(one)
      let (outcome, messages) = try process.outcome(of: one)
      report.results.append(ConformanceReport.Result(testCase: one, outcome: outcome))
      try each(one, outcome, messages)
    }
    return report
  }
}
