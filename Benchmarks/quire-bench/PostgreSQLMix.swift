import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import PostgreSQLServer
import PostgreSQLStore
import ProgramRuns
import StoreInterface

/// Fifty contexts in eight processes on one server: of ten transactions, eight read a person as a whole, and two save a change
/// of one person. Each process is this program, started again. The peer is pgbench with as many connections, and with the
/// statements that a program writes by hand.
enum PostgreSQLMix {
  /// The argument by which this program is told to be one of the processes.
  static let argument = "--mix"
  private static let contextCount = 50
  private static let processCount = 8
  private static let seconds = 60

  /// Runs the work of one process, and prints the number of transactions in a second.
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
    let counts = onThreads(contexts) { number in
      let context = ManagedObjectContext(coordinator, concurrency: .confined)
      var step = 0
      while ContinuousClock.now - start < .seconds(seconds) {
        step += 1
        let choice = People.hash(step, seed << 8 + UInt64(number))
        let id = people[Int(choice % UInt64(people.count))]
        transact(with: id, in: context, saves: choice >> 32 % 10 < 2)
      }
      return step
    }
    let time = (ContinuousClock.now - start) / .seconds(1)
    print(Double(counts.reduce(0, +)) / time)
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
    var times: [String: [Double]] = [:]
    for round in 0..<3 {
      for (name, rate) in [
        ("pgbench", { try rateOfPgbench(server, count) }),
        ("contexts", { try rateOfContexts(server.address(schema: schema), round) }),
      ] {
        times[name, default: []].append(1 / (try rate()))
      }
    }
    print("\n\(contextCount) contexts in \(processCount) processes: 8 of 10 read, 2 of 10 save")
    for (name, all) in times.sorted(by: { $0.key < $1.key }) {
      print("  \(pad(name, 44)) \(format(1 / Measurement.median(all))) transactions a second")
    }
    let ratio = Measurement.ratio(times, "contexts", to: "pgbench")
    print("  \(pad("rate of the contexts / rate of pgbench", 44)) \(format(1 / ratio))")
  }

  private static func rateOfContexts(_ address: String, _ round: Int) throws -> Double {
    onThreads(processCount) { number in
      let contexts = contextCount / processCount + (number < contextCount % processCount ? 1 : 0)
      let words = [
        argument, address, "\(contexts)", "\(seconds)", "\(round * processCount + number + 1)",
      ]
      return try! numberFromNewProcess(words)
    }.reduce(0, +)
  }

  private static func rateOfPgbench(_ server: PostgreSQLServer, _ count: Int) throws -> Double {
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
        "-n", "-M", "prepared", "-h", server.folder, "-U", "quire", "-c", "\(contextCount)",
        "-j", "\(processCount)", "-T", "\(seconds)",
        "-f", folder.appending(path: "read").path + "@8",
        "-f", folder.appending(path: "save").path + "@2", "postgres",
      ])
    guard let line = run.text.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
      let rate = Double(line.dropFirst(6).prefix { $0.isNumber || $0 == "." })
    else { fatalError("pgbench: \(run.text)") }
    return rate
  }
}
