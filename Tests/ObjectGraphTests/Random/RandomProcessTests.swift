import Foundation
import ProgramRuns
import TestEffort
import Testing

/// Random work on one store by two processes at the same time.
///
/// `QUIRE_STEPS` sets the number of steps on each kind of store, as in ``RandomWorkTests``.
@Suite("Random work in two processes")
struct RandomProcessTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let stepsOfRun = 120

  /// The work of one of the processes: some runs, each on a store of its own.
  private struct Work {
    let kind: Kind
    let folder: String
    let seed: UInt64
    let runCount: Int

    private static let prefix = "QUIRE_WORKER_"

    init(_ kind: Kind, in folder: String, seed: UInt64, runCount: Int) {
      self.kind = kind
      self.folder = folder
      self.seed = seed
      self.runCount = runCount
    }

    /// Reads the work that another process has given to this one; `nil` if there is none.
    init?(_ environment: [String: String]) {
      func value(_ name: String) -> String? { environment[Work.prefix + name] }
      guard let kind = value("KIND").flatMap(Kind.init), let folder = value("FOLDER"),
        let seed = value("SEED").flatMap({ UInt64($0) }),
        let runCount = value("RUNS").flatMap({ Int($0) })
      else { return nil }
      self.init(kind, in: folder, seed: seed, runCount: runCount)
    }

    /// Runs another process of this program that does the work.
    func runInProcess() throws -> ProgramRun {
      let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let values = [
        "KIND": kind.rawValue, "FOLDER": folder, "SEED": "\(seed)", "RUNS": "\(runCount)",
      ]
      return try ProgramRun(
        "env",
        values.map { "\(Work.prefix)\($0.key)=\($0.value)" } + [
          program, "--testing-library", "swift-testing", "--filter",
          "RandomProcessTests/worker",
        ])
    }

    func run() throws {
      for run in 0..<runCount {
        let graph = try Graph(kind, on: Ground(folder: "\(folder)/\(run)"))
        let work = try RandomOthers(kind, seed: seed + UInt64(run), in: graph)
        do {
          for step in 0..<stepsOfRun { try work.step(step) }
          try work.checkStore()
        } catch {
          let trace = work.trace.suffix(60).joined(separator: "\n")
          Issue.record("\(kind), seed \(seed + UInt64(run)): \(error)\n\(trace)")
          return
        }
      }
    }
  }

  @Test(
    "Two processes that change the same store save a consistent state in any case",
    arguments: RandomRuns.kinds.filter { $0 != .memory })
  func twoProcesses(_ kind: Kind) async throws {
    let ground = Ground(.sqlite)
    let folder = ground.path("")
    let runCount = Effort.count(2)
    for run in 0..<runCount {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/\(run)", withIntermediateDirectories: true)
      _ = try Graph(kind, on: Ground(folder: "\(folder)/\(run)"))
    }

    let seed = Effort.seed ?? 1
    let runs = try await withThrowingTaskGroup(of: ProgramRun.self) { group in
      for number in 0..<2 {
        let work = Work(kind, in: folder, seed: seed + UInt64(number) << 32, runCount: runCount)
        group.addTask { try await RandomRuns.onThread { Result { try work.runInProcess() } }.get() }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    for run in runs { #expect(run.status == 0, "\(run.text)") }
    for run in 0..<runCount {
      let graph = try Graph(kind, on: Ground(folder: "\(folder)/\(run)"))
      try RandomOthers(kind, seed: 1, in: graph).checkAll()
    }
  }

  @Test(
    "The second process does the work that the environment describes",
    .enabled(if: Work(environment) != nil))
  func worker() async throws {
    let work = try #require(Work(Self.environment))
    try await RandomRuns.onThread { Result { try work.run() } }.get()
  }
}
