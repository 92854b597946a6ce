import DiskSimulation
import DurableFiles
import SeededRandom
import Testing

/// Runs programs of random operations, and checks the guarantees that hold after any crash.
@Suite("The model of crashes")
struct CrashModelTests {
  /// The disk as a program sees it: the bytes of each file by its name.
  private typealias View = [String: [UInt8]]

  @Test(
    "A crash may leave any earlier view, and always keeps synced data",
    arguments: 1...25 as ClosedRange<UInt64>)
  func prefixes(_ seed: UInt64) throws {
    print("Seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let disk = SimulatedDisk()
    try disk.makeDirectory("/d")
    for name in ["x", "y"] { try disk.write("__", to: "/d/" + name) }
    disk.settle()

    var views: [View] = [try view(disk)]
    for step in 1...6 as ClosedRange<UInt8> {
      try change(disk, step, &random)
      views.append(try view(disk))
    }
    let states = disk.crashStates(limit: 3_000, seed: seed)
    let found = Set(try states.map { try view($0.disk) })
    if states.isExhaustive {
      for (step, view) in views.enumerated() {
        #expect(found.contains(view), "seed \(seed), step \(step)")
      }
    } else {
      // Every sample contains the first and the last view.
      #expect(found.contains(views[0]))
      #expect(found.contains(views[6]))
    }

    for entry in try disk.list("/d") {
      let file = try disk.open("/d/" + entry.name, for: .read)
      try file.sync(.everything)
    }
    try disk.syncDirectory("/d")
    let end = disk.operationCount
    for state in disk.crashStates(limit: 1000, seed: seed) where state.operationCount == end {
      #expect(try view(state.disk) == views[6], "seed \(seed): \(state)")
    }
  }

  private func view(_ disk: SimulatedDisk) throws -> View {
    var view: View = [:]
    for name in try disk.names("/d") { view[name] = try disk.read("/d/" + name, byteLimit: 10_000) }
    return view
  }

  private func change(
    _ disk: SimulatedDisk, _ step: UInt8, _ random: inout SeededGenerator
  ) throws {
    let names = try disk.names("/d")
    let path = "/d/" + (names.randomElement(using: &random) ?? "x")
    let letter = UInt8(ascii: "a") + step
    func onFile(_ body: (DurableFile) throws -> Void) throws {
      try body(disk.open(path, for: .updateOrCreate))
    }
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: try onFile { try $0.append([letter, letter]) }
    case 2: try onFile { try $0.write([letter], at: 1) }
    case 3: try onFile { try $0.write([letter], at: $0.byteCount() + 1) }
    case 4: try onFile { try $0.truncate(to: Int.random(in: 0...3, using: &random)) }
    case 5: try onFile { try $0.sync() }
    case 6: try disk.syncDirectory("/d")
    case 7 where names.count > 1: try disk.remove(path)
    default: try disk.rename(path, to: "/d/" + ["x", "y", "z"].randomElement(using: &random)!)
    }
  }
}
