import BinaryStore
import DurableFiles
import Foundation
import InstalledPlugins
import PluginKit
import StoreInterface
import Testing

@testable import ToolCommands

@Suite("quire plugin bench")
struct PluginBenchTests {
  private func installed(_ name: String) throws -> String {
    try InstalledPlugins.folder.appending(path: name).path(percentEncoded: false)
  }

  /// Returns the temporary folders of the command that exist for a plug-in.
  private func leftovers(_ plugin: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: FileManager.default.temporaryDirectory.path
    ).filter { $0.hasPrefix("quire-plugin-bench-\(plugin)-") }
  }

  @Test("The table has the times of both stores and their ratio, and says what was not measured")
  func table() throws {
    let words = ["plugin", "bench", try installed("XMLStore"), "--count", "60", "--rounds", "2"]

    let run = quire(words + ["--seed", "7"])

    #expect(run.exitCode == .done, "\(run.messages)")
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines[0].hasSuffix(": XML, with 60 people, 2 rounds, seed 7"))
    #expect(lines[1].wholeMatch(of: /workload +built-in +XML +ratio/) != nil)
    let time = /[0-9]+(\.[0-9]+)? (µs|ms|s)/
    for (line, title) in zip(
      lines[2...], ["bulk save", "one-object save", "scan", "look-up by key", "query", "open"])
    {
      #expect(line.hasPrefix(title + " "))
      if title == "query" {
        #expect(
          line.hasSuffix("  not measured: the store does not declare the capability 'querying'"))
      } else {
        #expect(line.matches(of: time).count == 2, "\(line)")
        #expect(line.firstMatch(of: #/  [0-9]+(\.[0-9]+)?$/#) != nil, "\(line)")
      }
    }
    #expect(lines.count == 8)
    #expect(try leftovers("XMLStore") == [])
  }

  @Test("A store that answers requests is measured with queries, also by the name of its plug-in")
  func queries() throws {
    let environment = [
      "QUIRE_PLUGIN_PATH": try InstalledPlugins.folder.path(percentEncoded: false)
    ]
    let run = RecordedRun(
      ["plugin", "bench", "SQLiteStore", "--count", "300", "--rounds", "1", "--format", "json"],
      tool: .quire(environment: environment, executable: nil))

    #expect(run.exitCode == .done, "\(run.messages)")
    let report =
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    #expect(report?["plugin"] as? String == "SQLiteStore")
    #expect(report?["count"] as? Int == 300)
    let type = try #require((report?["types"] as? [[String: Any]])?.first)
    let workloads = try #require(type["workloads"] as? [[String: Any]])
    #expect(
      workloads.map { $0["name"] as? String }
        == ["bulk-save", "one-object-save", "scan", "look-up", "query", "open"])
    for workload in workloads {
      let builtIn = try #require(workload["builtInSeconds"] as? Double)
      let plugin = try #require(workload["pluginSeconds"] as? Double)
      let ratio = try #require(workload["ratio"] as? Double)
      #expect(builtIn > 0 && plugin > 0)
      #expect(abs(ratio - plugin / builtIn) <= ratio * 1e-9)
    }
  }

  @Test(
    "Each type of a plug-in is measured, built-in types and stores in C too",
    arguments: [true, false])
  func types(_ isInC: Bool) throws {
    guard !isInC || InstalledPlugins.compiler != nil else { return }
    let path = try installed(isInC ? "FolderStore" : "BinaryStore")

    let run = quire(["plugin", "bench", path, "--count", "30", "--rounds", "1"])

    #expect(run.exitCode == .done, "\(run.messages)")
    let count = run.output.split(separator: "\n").count { $0.hasPrefix("bulk save ") }
    #expect(count == (isInC ? 1 : 2))
  }

  @Test(
    "A failure names the plug-in, the workload and the function, and leaves no files",
    .enabled(if: InstalledPlugins.compiler != nil))
  func fails() throws {
    let folder = try ScaffoldFolder()
    try folder.addRefusingPlugin()

    let run = quire(["plugin", "bench", folder.path + "/bad", "--count", "10"])
    let json = quire(["plugin", "bench", folder.path + "/bad", "--format", "json"])

    #expect(run.exitCode == .plugin)
    #expect(run.output.isEmpty)
    #expect(
      run.messages.contains("The plug-in 'bad' failed in the workload 'bulk save' of the type Bad:")
    )
    #expect(run.messages.contains("This plug-in is for tests and keeps nothing."))
    #expect(run.messages.contains("The last function that was called is 'create'."))
    #expect(run.messages.contains("Run 'quire plugin test \(folder.path)/bad'"))
    #expect(json.exitCode == .plugin)
    #expect(json.messages.contains(#""code": "plugin""#))
    #expect(try leftovers("bad") == [])
  }

  @Test("Wrong words are wrong usage, and disabled plug-ins are not measured")
  func words() throws {
    let path = try installed("XMLStore")

    #expect(quire(["plugin", "bench"]).exitCode == .wrongUsage)
    #expect(quire(["plugin", "bench", path, "--count", "0"]).exitCode == .wrongUsage)
    #expect(quire(["plugin", "bench", path, "--rounds", "x"]).exitCode == .wrongUsage)
    #expect(quire(["plugin", "bench", path, "--type", "XLM"]).exitCode == .wrongUsage)
    let foreign = quire(["plugin", "bench", path, "--trace"])
    #expect(foreign.exitCode == .wrongUsage)
    #expect(foreign.messages.contains("Option '--trace' belongs to 'quire plugin test'."))
    #expect(
      quire(["plugin", "list", "--seed", "1"]).messages.contains(
        "belongs to 'quire plugin test' and 'quire plugin bench'"))
    #expect(quire(["plugin", "bench", path, "--no-plugins"]).exitCode == .plugin)
    #expect(quire(["plugin", "bench", "NoSuchStore"]).exitCode == .plugin)
  }

  // MARK: - The measuring itself

  private func bench(
    _ backend: any StoreBackend, count: Int = 200, rounds: Int = 1
  ) throws -> [StoreBench.Result] {
    let folder = try ScaffoldFolder()
    return try StoreBench(
      backend, beside: BinaryStoreBackend(), on: RealDisk(), in: folder.path, count: count,
      rounds: rounds
    ).run()
  }

  @Test(
    "A store with wrong results gets no ratio",
    arguments: [
      (
        WrongBackend.Fault.losesObjects, StoreBench.Workload.scan, "expected 202 objects, found 201"
      ),
      (.changesValues, .scan, "the values of the 202 objects differ"),
      (.ignoresSmallSaves, .oneObjectSave, "the values of the 5 objects differ"),
      (.findsTooFew, .query, "objects, found"),
    ])
  func differences(
    _ fault: WrongBackend.Fault, _ workload: StoreBench.Workload, _ words: String
  ) throws {
    let difference = try #require(throws: StoreBench.Difference.self) {
      try bench(WrongBackend(fault))
    }

    #expect(difference.workload == workload)
    let sentence = PluginBench.sentence(on: difference, "Wrong", "Mine")
    #expect(sentence.contains("'\(workload.title)' of the type Mine"))
    #expect(sentence.contains(words), "\(sentence)")
  }

  @Test("Queries are not measured if the store answers none of them")
  func unansweredQueries() throws {
    let results = try bench(WrongBackend(.answersNothing), rounds: 2)

    #expect(
      results.compactMap { $0.reason } == ["the store does not answer the requests of the bench"])
    #expect(results.first { $0.reason != nil }?.workload == .query)
  }

  @Test("A store that ends with its process is measured with reads alone")
  func memory() throws {
    let results = try bench(MemoryStoreBackend(), rounds: 2)

    #expect(results.filter { $0.reason == nil }.map(\.workload) == [.scan, .lookUp])
    #expect(
      results.filter { $0.reason?.contains("'durable'") == true }.map(\.workload)
        == [.bulkSave, .oneObjectSave, .open])
  }

  @Test("One person is enough, and a store measured beside itself has the same results")
  func onePerson() throws {
    let results = try bench(BinaryStoreBackend(), count: 1, rounds: 3)

    #expect(results.filter { $0.reason == nil }.allSatisfy { $0.ratio > 0 && $0.ratio.isFinite })
  }

  @Test("Medians and times are right and readable")
  func numbers() {
    #expect(StoreBench.median([5, 1, 3]) == 3)
    #expect(StoreBench.median([4, 1, 2, 9]) == 3)
    #expect(StoreBench.median([]) == 0)
    #expect(PluginBench.duration(0.000_000_5) == "0.50 µs")
    #expect(PluginBench.duration(0.000_012_34) == "12.3 µs")
    #expect(PluginBench.duration(0.123_4) == "123 ms")
    #expect(PluginBench.duration(61.07) == "61.1 s")
    #expect(PluginBench.digits(1.005_1) == "1.01")
    #expect(PluginBench.digits(9.999) == "10.0")
    #expect(PluginBench.digits(99.96) == "100")
  }
}
