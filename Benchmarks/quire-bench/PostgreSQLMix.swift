import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import PostgreSQLServer
import PostgreSQLStore
import ProgramRuns
import StoreInterface

/// Contexts in up to eight processes on one server: of ten transactions, eight read a person as a whole, and two save a
/// change of one person. Each process is this program, started again. The peer is pgbench with as many connections, and
/// with the statements that a program writes by hand.
enum PostgreSQLMix {
  /// The argument by which this program is told to be one of the processes.
  static let argument = "--mix"
  private static let contextCounts = [1, 8, 50]
  private static let mostProcesses = 8
  private static let seconds = 20
  private static let rounds = 3

  /// The rate and the durations of the transactions of a run.
  private struct Run {
    var rate: Double
    /// The time of each transaction in microseconds.
    var durations: [Int]

    /// Returns the duration that the given share of the transactions does not exceed, in milliseconds.
    func percentile(_ share: Double) -> Double {
      let sorted = durations.sorted()
      return Double(sorted[Int(Double(sorted.count - 1) * share)]) / 1000
    }
  }

  /// Runs the work of one process, and prints the number of transactions in a second, followed by the microseconds of each
  /// transaction.
  ///
  /// - Parameter arguments: The address, the number of contexts, the seconds, and the seed.
  static func run(_ arguments: [String]) throws {
    let (contexts, seconds) = (Int(arguments[1])!, Double(arguments[2])!)
    let seed = UInt64(arguments[3])!
    let coordinator = PersistentStoreCoordinator(
      model: People.indexedModel,
      places: StorePlaces(StoreBackends([PostgreSQLStoreBackend()]), on: RealDisk()),
      classes: [PersonObject.self, CompanyObject.self])
    try coordinator.addStore(at: arguments[0], type: .postgreSQL)
    let people = try ManagedObjectContext(coordinator, concurrency: .confined)
      .fetchIdentifiers(FetchRequest("Person"))
    let start = ContinuousClock.now
    let durations = onThreads(contexts) { number in
      let context = ManagedObjectContext(coordinator, concurrency: .confined)
      var durations: [Int] = []
      var last = ContinuousClock.now
      while last - start < .seconds(seconds) {
        let choice = People.hash(durations.count + 1, seed << 8 + UInt64(number))
        let id = people[Int(choice % UInt64(people.count))]
        transact(with: id, in: context, saves: choice >> 32 % 10 < 2)
        let now = ContinuousClock.now
        durations.append(Int((now - last) / .microseconds(1)))
        last = now
      }
      return durations
    }.flatMap { $0 }
    let time = (ContinuousClock.now - start) / .seconds(1)
    print(
      ([Double(durations.count) / time] + durations.map(Double.init)).map { "\($0)" }.joined(
        separator: " "))
  }

  /// Reads a person of the newest commit, and saves a change. A save that meets another one's change begins again.
  private static func transact(with id: ObjectID, in context: ManagedObjectContext, saves: Bool) {
    while true {
      context.reset()
      do {
        let person = try context.existingObject(with: id) as! PersonObject
        precondition(person.readAll() != 0)
        guard saves else { return }
        person.balance += 1
        return try context.save()
      } catch let error as StoreError where error.code == .conflict {
      } catch let error as ContextError where !error.conflicts.isEmpty {
      } catch { fatalError("\(error)") }
    }
  }

  // MARK: - All processes, and the peer

  static func measure(_ server: PostgreSQLServer, schema: String, _ count: Int) throws {
    guard Measurement.isWanted("mix") else { return }
    for contexts in contextCounts {
      var runs: [String: [Run]] = [:]
      for round in 0..<rounds {
        runs["pgbench", default: []].append(try runOfPgbench(server, contexts, count))
        runs["contexts", default: []].append(
          runOfContexts(server.address(schema: schema), contexts, round))
      }
      print(
        "\n\(contexts) contexts in \(min(contexts, mostProcesses)) processes: 8 of 10 read, 2 of 10 save"
      )
      func median(_ name: String, _ value: (Run) -> Double) -> Double {
        Measurement.median(runs[name]!.map(value))
      }
      for name in runs.keys.sorted() {
        let (middle, slow) = (
          median(name) { $0.percentile(0.5) }, median(name) { $0.percentile(0.99) }
        )
        print(
          "  \(pad(name, 44)) \(format(median(name, \.rate))) transactions a second, p50 \(format(middle)) ms, p99 \(format(slow)) ms"
        )
      }
      let ratios = zip(runs["contexts"]!, runs["pgbench"]!).map { $0.rate / $1.rate }
      target(
        "rate of \(contexts) contexts / rate of pgbench", Measurement.median(ratios), atLeast: 0.5)
    }
  }

  private static func runOfContexts(_ address: String, _ contexts: Int, _ round: Int) -> Run {
    let processes = min(contexts, mostProcesses)
    let runs = onThreads(processes) { number in
      let own = contexts / processes + (number < contexts % processes ? 1 : 0)
      let words = [
        argument, address, "\(own)", "\(seconds)", "\(round * processes + number + 1)",
      ]
      let run = try! ProgramRun(CommandLine.arguments[0], words)
      let numbers = run.text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
      precondition(run.status == 0 && !numbers.isEmpty, run.text)
      return Run(rate: numbers[0], durations: numbers.dropFirst().map { Int($0) })
    }
    return Run(
      rate: runs.map(\.rate).reduce(0, +), durations: runs.flatMap(\.durations))
  }

  private static func runOfPgbench(
    _ server: PostgreSQLServer, _ contexts: Int, _ count: Int
  ) throws -> Run {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "quire-mix-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let choice = "\\set id random(1, \(count))\n"
    let texts = [
      "read": choice + "SELECT * FROM peer.person WHERE id = :id;\n",
      "save": choice
        + """
        BEGIN;
        SELECT n + 1 AS number FROM peer.head FOR UPDATE \\gset
        SELECT * FROM peer.person WHERE id = :id;
        UPDATE peer.person SET balance = balance + 1, version = :number WHERE id = :id;
        INSERT INTO peer.log VALUES (:number, 0, decode(repeat('00', 300), 'hex'));
        UPDATE peer.head SET n = :number;
        COMMIT;

        """,
    ]
    for (name, text) in texts {
      try Data(text.utf8).write(to: folder.appending(path: name))
    }
    let program = server.program("pgbench")
    let run = try ProgramRun(
      program,
      [
        "-n", "-M", "prepared", "-h", server.folder, "-U", "quire", "-c", "\(contexts)",
        "-j", "\(min(contexts, mostProcesses))", "-T", "\(seconds)", "-l",
        "--log-prefix", folder.appending(path: "times").path,
        "-f", folder.appending(path: "read").path + "@8",
        "-f", folder.appending(path: "save").path + "@2", "postgres",
      ])
    guard let line = run.text.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
      let rate = Double(line.dropFirst(6).prefix { $0.isNumber || $0 == "." })
    else { fatalError("pgbench: \(run.text)") }
    // The third word of each line of a log is the duration in microseconds.
    let durations = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasPrefix("times") }
      .flatMap { name in
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
          .split(separator: "\n").compactMap { Int($0.split(separator: " ")[2]) }
      }
    return Run(rate: rate, durations: durations)
  }
}
