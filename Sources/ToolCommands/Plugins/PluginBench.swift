import BinaryStore
import CommandInterface
import DurableFiles
import Foundation
import JSONText
import PluginHost
import PluginKit
import StoreInterface
import Synchronization

/// `quire plugin bench`: measures a plug-in's stores beside the built-in store.
struct PluginBench {
  static let count = Option(
    "count", value: "NUMBER", "For 'bench': the number of people; the default is 20000.")
  static let rounds = Option(
    "rounds", value: "NUMBER",
    "For 'bench': the number of rounds, of which the medians are taken; the default is 5.")
  static let options = [PluginTest.type, PluginTest.seed, count, rounds]

  let plugin: FoundPlugin
  /// The services that the tool gives to the plug-in.
  let services: PluginServices
  let invocation: Invocation

  /// Measures each type of store, and prints the results.
  func run() throws -> ExitCode {
    let types = try PluginTest.wantedTypes(of: plugin, invocation)
    let count = try invocation.number(of: Self.count, atLeast: 1) ?? 20_000
    let rounds = try invocation.number(of: Self.rounds, atLeast: 1) ?? 5
    let seed = try invocation.number(of: PluginTest.seed, atLeast: 1) ?? 1
    _ = try plugin.load()
    let folder = try TemporaryFolder(named: "quire-plugin-bench-\(plugin.manifest.name)")
    defer { folder.remove() }

    let output = invocation.console.output
    var reports: [JSON] = []
    for type in types {
      let place = try folder.makeFolder(type.name)
      let results = try results(of: type) { backend in
        StoreBench(
          backend, beside: BinaryStoreBackend(), on: RealDisk(), in: place, count: count,
          rounds: rounds, seed: UInt64(seed))
      }
      try FileManager.default.removeItem(atPath: place)
      guard invocation.format == .text else {
        reports.append(Self.json(results, type.name))
        continue
      }
      if type != types.first { try output.writeLine() }
      let heading =
        "\(plugin.manifest.name) \(plugin.manifest.version): \(type.name), with \(count) people, \(rounds) rounds, "
        + "seed \(seed)"
      try output.writeLine(output.styled(oneLine(heading), .heading))
      try output.write(Self.table(results, type.name).text())
    }
    if invocation.format == .json {
      let object = JSON.object([
        "plugin": .string(plugin.manifest.name), "count": .number(count),
        "rounds": .number(rounds), "seed": .number(seed), "types": .array(reports),
      ])
      try output.writeLine(object)
    }
    return .done
  }

  /// Measures the stores of one type. A failure or a difference names the plug-in.
  private func results(
    of type: PluginManifest.StoreType, _ bench: (any StoreBackend) -> StoreBench
  ) throws -> [StoreBench.Result] {
    let lastCall = LastCall()
    var services = services
    services.trace = { name in lastCall.name.withLock { $0 = name } }
    let line = ProgressLine(invocation.console.messages, "Measuring \(oneLine(type.name))")
    defer { line.end() }
    do {
      return try bench(PluginBackend(plugin, type, services: services)).run(progress: line.show)
    } catch let failure as StoreBench.Failure {
      let name = lastCall.name.withLock { $0 }
      let last =
        name.map { "The last function that was called is '\($0)'." } ?? "No function was called."
      throw CommandError(
        .plugin,
        "The plug-in '\(plugin.manifest.name)' failed in the workload '\(failure.workload.title)' of the type "
          + "\(type.name): \(failure.cause)\n\(last)",
        hint: "Run 'quire plugin test \(CommandError.quoted(plugin.path))' to test the plug-in.")
    } catch let difference as StoreBench.Difference {
      throw CommandError(
        .no, Self.sentence(on: difference, plugin.manifest.name, type.name),
        hint: "Run 'quire plugin test \(CommandError.quoted(plugin.path))' to test the plug-in.")
    }
  }

  /// Returns the message about results that differ from those of the built-in store.
  static func sentence(
    on difference: StoreBench.Difference, _ plugin: String, _ type: String
  ) -> String {
    let (expected, found) = (difference.expected.count, difference.found.count)
    let what =
      expected == found
      ? "the values of \(found == 1 ? "the object" : "the \(found) objects") differ"
      : "expected \(expected) \(expected == 1 ? "object" : "objects"), found \(found)"
    return
      "The plug-in '\(plugin)' gives other results than the built-in store in the workload "
      + "'\(difference.workload.title)' of the type \(type): \(what)."
  }

  // MARK: - Output

  /// Returns the results as a table with a line for each workload.
  static func table(_ results: [StoreBench.Result], _ type: String) -> Table {
    var table = Table()
    table.add("workload", "built-in", type, "ratio")
    for result in results {
      if let reason = result.reason {
        table.add(result.workload.title, "", "", "not measured: \(reason)")
      } else {
        table.add(
          result.workload.title, duration(result.reference), duration(result.candidate),
          digits(result.ratio))
      }
    }
    return table
  }

  private static func json(_ results: [StoreBench.Result], _ type: String) -> JSON {
    .object([
      "name": .string(type),
      "workloads": .array(
        results.map { result in
          if let reason = result.reason {
            return .object(["name": .string(result.workload.rawValue), "reason": .string(reason)])
          }
          return .object([
            "name": .string(result.workload.rawValue),
            "builtInSeconds": .number("\(result.reference)"),
            "pluginSeconds": .number("\(result.candidate)"), "ratio": .number("\(result.ratio)"),
          ])
        }),
    ])
  }

  /// Returns a time in a unit that suits it: `12.3 ms`.
  static func duration(_ seconds: Double) -> String {
    switch seconds {
    case ..<1e-3: "\(digits(seconds * 1e6)) µs"
    case ..<1: "\(digits(seconds * 1e3)) ms"
    default: "\(digits(seconds)) s"
    }
  }

  /// Returns a number with two decimals below 10, one below 100, and none above.
  static func digits(_ number: Double) -> String {
    func rounded(_ scale: Int, _ decimals: Int) -> String {
      let all = Int((number * Double(scale)).rounded())
      let rest = String(all % scale)
      return "\(all / scale)." + String(repeating: "0", count: decimals - rest.count) + rest
    }
    if number < 9.995 { return rounded(100, 2) }
    return number < 99.95 ? rounded(10, 1) : "\(Int(min(number.rounded(), 1e15)))"
  }
}

/// The name of the function of a plug-in that was called last.
private final class LastCall: Sendable {
  let name = Mutex<String?>(nil)
}
