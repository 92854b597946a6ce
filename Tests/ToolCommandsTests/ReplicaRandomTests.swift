import BinaryStore
import DiskSimulation
import DurableFiles
import ObjectModel
import Rows
import SeededRandom
import StoreInterface
import TestEffort
import Testing

@testable import ToolCommands

/// Three replicas of a store that are cloned, changed, vacuumed and merged in random order.
///
/// Each object has a secret from its birth, which nothing changes. A dictionary knows the secret of each identifier.
@Suite("Random replicas")
struct ReplicaRandomTests {
  @Test(
    "No two objects ever have one identifier, and no object changes its identifier",
    arguments: Effort.seeds(40))
  func replicas(_ seed: UInt64) throws {
    let world = try ReplicaWorld(seed: seed)
    for step in 1...250 {
      try world.step()
      for replica in 0..<3 {
        let fault = try world.fault(of: replica)
        try #require(fault == nil, "seed \(seed), step \(step), \(world.last): \(fault ?? "")")
      }
    }
    #expect(world.mergeCount > 20 && world.secrets.count > 20)
  }
}

private final class ReplicaWorld {
  private let disk = SimulatedDisk()
  private var random: SeededGenerator
  /// The secret of each object that was ever inserted, by its number.
  private(set) var secrets: [UInt64: String] = [:]
  private(set) var mergeCount = 0
  /// The last step, for messages.
  private(set) var last = ""

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    let model = try Model(entities: [
      Entity(
        "Note",
        properties: [
          .attribute(Attribute("secret", .string)), .attribute(Attribute("value", .int64)),
        ])
    ])
    try BinaryStore.create(at: path(0), model: model, on: disk).close()
    for replica in 1..<3 { try disk.copy(path(0), to: path(replica)) }
    for (one, other) in [(0, 1), (0, 2), (1, 2)] { try setBase(one, other, from: path(0)) }
  }

  private func path(_ replica: Int) -> String { "/\(replica).store" }

  /// The state that two replicas had in common last.
  private func base(_ one: Int, _ other: Int) -> String {
    "/\(min(one, other))-\(max(one, other)).store"
  }

  private func setBase(_ one: Int, _ other: Int, from path: String) throws {
    let base = base(one, other)
    if base == path { return }
    try? disk.remove(base)
    try disk.copy(path, to: base)
  }

  // MARK: - Steps

  func step() throws {
    disk.settle()
    let one = Int.random(in: 0..<3, using: &random)
    let other = (one + Int.random(in: 1...2, using: &random)) % 3
    switch Int.random(in: 0..<20, using: &random) {
    case 0: try clone(one, to: other)
    case 1:
      last = "vacuum \(one)"
      try withStore(one) { try $0.vacuum() }
    case 2..<8: try merge(other, into: one)
    default: try edit(one)
    }
  }

  private func clone(_ one: Int, to other: Int) throws {
    last = "clone \(one) to \(other)"
    try disk.remove(path(other))
    try disk.copy(path(one), to: path(other))
    let third = 3 - one - other
    try setBase(one, other, from: path(one))
    try setBase(other, third, from: base(one, third))
  }

  private func merge(_ other: Int, into one: Int) throws {
    last = "merge \(other) into \(one)"
    let tool = Tool(commands: [MergeCommand.command(.files(on: disk))])
    let side = ["--ours", "--theirs"].randomElement(using: &random)!
    let run = RecordedRun(
      ["merge", base(one, other), path(one), path(other), "--in-place", side], tool: tool)
    try #require(run.exitCode == .done, "\(last): \(run)")
    try setBase(one, other, from: path(other))
    mergeCount += 1
  }

  private func edit(_ replica: Int) throws {
    last = "edit \(replica)"
    try withStore(replica) { store in
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let base = try store.snapshot()
        let known = try base.view.keys(ofEntity: 1)
        let count = Int.random(in: 1...3, using: &random)
        let builder = LayerBuilder(base.schema)
        let chosen = known.shuffled(using: &random).prefix(count)
        // Few objects remain, so that every step is quick.
        switch Int.random(in: known.count > 40 ? 2..<9 : 0..<9, using: &random) {
        case 0..<5:
          for number in try store.leaseKeys(ofEntity: 1, count: count) {
            let key = ObjectKey(entity: 1, number: number)
            // The secret of an identifier that was given before stays, so that the check finds the second object.
            let secret = "\(random.next())"
            secrets[number] = secrets[number] ?? secret
            builder.insert(key)
            builder.set(.string(secret), column: 0, of: key)
            builder.set(.integer(0), column: 1, of: key)
          }
        case 5..<7:
          for number in chosen {
            let key = ObjectKey(entity: 1, number: number)
            builder.set(
              .integer(.random(in: 0...9, using: &random)), column: 1, of: key,
              basis: try base.view.row(of: key)!.version)
          }
        default:
          for number in chosen {
            let key = ObjectKey(entity: 1, number: number)
            builder.remove(key, basis: try base.view.row(of: key)!.version)
          }
        }
        try store.commit(CommitRequest(builder.freeze(), basedOn: store.snapshot()))
      }
    }
  }

  private func withStore(_ replica: Int, _ body: (BinaryStore) throws -> Void) throws {
    let store = try BinaryStore.open(path(replica), on: disk)
    try body(store)
    try store.close()
  }

  // MARK: - Checks

  /// Returns what is wrong with the objects of a replica; `nil` if nothing is.
  func fault(of replica: Int) throws -> String? {
    var fault: String?
    try withStore(replica) { store in
      let snapshot = try store.snapshot()
      let secret = snapshot.schema["Note"]!.columns[0]
      for number in try snapshot.view.keys(ofEntity: 1) {
        let row = try snapshot.view.row(of: ObjectKey(entity: 1, number: number))
        let value = try row?.value(secret)
        if value != secrets[number].map({ .string($0) }) {
          fault = "\(number) of \(replica) is \(value.map { "\($0)" } ?? "missing")"
        }
      }
    }
    return fault
  }
}
