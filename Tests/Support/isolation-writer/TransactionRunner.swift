import Documents
import Foundation
import ObjectGraph
import Quire
import StoreInterface

/// Runs transactions in one context, and records them.
///
/// A transaction is recorded before it is saved, and its outcome afterwards. So the outcome of a transaction is missing, and
/// unknown, if the process is killed in between.
final class TransactionRunner {
  private let coordinator: PersistentStoreCoordinator
  private let context: ManagedObjectContext
  private let options: WorkOptions
  private let records: FileHandle?
  private var random: SplitMix
  private var transactionCount = 0
  private var lastWritten = 0

  /// A read or a write of a transaction. It is a JSON array in the records.
  private enum Operation {
    case readList(String, [Int])
    case append(String, Int)
    case read(String, Int)
    case write(String, Int)

    var json: String {
      switch self {
      case .readList(let key, let list):
        "[\"r\",\"list \(key)\",[\(list.map(String.init).joined(separator: ","))]]"
      case .append(let key, let element): "[\"append\",\"list \(key)\",\(element)]"
      case .read(let key, let number):
        "[\"r\",\"number \(key)\",\(number == 0 ? "null" : "\(number)")]"
      case .write(let key, let number): "[\"w\",\"number \(key)\",\(number)]"
      }
    }
  }

  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return value ^ (value >> 31)
    }
  }

  init(_ coordinator: PersistentStoreCoordinator, _ options: WorkOptions) throws {
    (self.coordinator, self.options) = (coordinator, options)
    context = ManagedObjectContext(coordinator, concurrency: .confined)
    random = SplitMix(state: options.seed &* 1_000_003 &+ UInt64(options.client))
    let path = "\(options.logFolder)/\(options.client).jsonl"
    if options.client > 0 {
      try Data().write(to: URL(filePath: path))
      records = try FileHandle(forWritingTo: URL(filePath: path))
    } else {
      records = nil
    }
  }

  /// Runs transactions until the time is over.
  func run() throws {
    let end = ContinuousClock.now + .seconds(options.seconds)
    while ContinuousClock.now < end { try runOne() }
  }

  /// Returns the record of a transaction that reads all objects at one moment.
  func readAll() throws -> String {
    let begin = now
    try context.setQueryGeneration(QueryGeneration(coordinator))
    var operations: [Operation] = []
    for name in JudgedWorld.names {
      operations.append(.readList(name, numbers(try series(name))))
      operations.append(.read(name, Int(try register(name).number)))
    }
    return """
      {"id":"\(options.client).last","begin":\(begin),"end":\(now),"outcome":"ok","last":true,\
      "ops":[\(operations.map(\.json).joined(separator: ","))]}
      """
  }

  func log(_ line: String) throws {
    try records?.write(contentsOf: Data("\(line)\n".utf8))
  }

  // MARK: - Transactions

  private func runOne() throws {
    transactionCount += 1
    let id = "\(options.client).\(transactionCount)"
    let begin = now
    var outcome = "fail"
    do {
      try JudgedWorld.refresh()
      if options.mode == .pinned { try context.setQueryGeneration(QueryGeneration(coordinator)) }
      var operations: [Operation] = []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        operations += try operation()
        pause()
      }
      let ops = operations.map(\.json).joined(separator: ",")
      try log("{\"id\":\"\(id)\",\"begin\":\(begin),\"ops\":[\(ops)]}")
      try context.save()
      outcome = "ok"
    } catch let error as ContextError where error.code == .conflict {
    } catch let error as StoreError {
      outcome = error.code == .uncertain ? "unknown" : "fail"
      report(error, id)
    } catch {
      report(error, id)
    }
    try log("{\"id\":\"\(id)\",\"outcome\":\"\(outcome)\",\"end\":\(now)}")
    if outcome == "unknown" { context.reset() } else if outcome == "fail" { context.rollback() }
  }

  /// Reads an object or changes it, chosen at random. A change shows the value that it is made on.
  private func operation() throws -> [Operation] {
    if options.mode != .pinned { try JudgedWorld.refresh() }
    let name = JudgedWorld.names.randomElement(using: &random)!
    let changes = Int.random(in: 0..<5, using: &random) < 2
    if Bool.random(using: &random) {
      let object = try series(name)
      let list = numbers(object)
      guard changes else { return [.readList(name, list)] }
      let element = nextNumber()
      object.elements += object.elements.isEmpty ? "\(element)" : " \(element)"
      return [.readList(name, list), .append(name, element)]
    }
    let object = try register(name)
    let number = Int(object.number)
    guard changes else { return [.read(name, number)] }
    let written = nextNumber()
    object.number = Int64(written)
    return [.read(name, number), .write(name, written)]
  }

  private func nextNumber() -> Int {
    lastWritten += 1
    return options.client * 1_000_000 + lastWritten
  }

  /// Lets other threads and processes come in between, now and then.
  private func pause() {
    guard Int.random(in: 0..<3, using: &random) == 0 else { return }
    Thread.sleep(forTimeInterval: Double.random(in: 0...0.002, using: &random))
  }

  private func series(_ name: String) throws -> Series {
    try marked(context.fetch(Series.where { $0.name == name })[0])
  }

  private func register(_ name: String) throws -> Register {
    try marked(context.fetch(Register.where { $0.name == name })[0])
  }

  private func marked<T: ManagedObject>(_ object: T) -> T {
    if options.mode == .marked { context.detectConflicts(for: object) }
    return object
  }

  private func numbers(_ series: Series) -> [Int] {
    series.elements.split(separator: " ").map { Int($0)! }
  }

  /// The nanoseconds of a clock that all processes of the machine share.
  private var now: Int { Int(ProcessInfo.processInfo.systemUptime * 1e9) }

  private func report(_ error: any Error, _ id: String) {
    FileHandle.standardError.write(Data("\(id): \(error)\n".utf8))
    // A full disk or a server that is down stays so for a while.
    Thread.sleep(forTimeInterval: 0.005)
  }
}
