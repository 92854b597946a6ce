import Interleavings
import SeededRandom
import TestEffort
import Testing

/// Saves, pushes, merges, fetches and undo of several contexts in orders that numbers choose.
///
/// `QUIRE_SEED=17 QUIRE_EFFORT=0 ./run test InterleavingTests` repeats the order of one number.
@Suite("Orders of saves, pushes and fetches")
struct InterleavingTests {
  @Test("Nothing is lost, torn or seen late in any order")
  func laws() throws {
    var done = InterleavedWorld.Tally()
    var count = 0
    for seed in Effort.seeds(5000) {
      let world = try InterleavedWorld(seed)
      var isOver = false
      do { try world.run() } catch {
        Issue.record("number \(seed): \(error)")
        isOver = true
      }
      #expect(world.problems == [], "number \(seed)")
      count += 1
      done.add(world.tally)
      // A fault shows itself in many orders.
      if isOver || !world.problems.isEmpty, !Effort.isSearch { break }
    }
    Effort.report(count, "orders of saves, pushes and fetches")
    Effort.report(done.images, "images of power cuts")
    print(
      "interleavings: \(done.choices) choices, \(done.saves) saves, \(done.conflicts) conflicts, "
        + "\(done.failures) steps that the disk refused")
  }

  @Test("A number brings its order back")
  func repetition() throws {
    for seed in Effort.seeds(40) {
      let traces = try (0..<2).map { _ in
        let world = try InterleavedWorld(seed)
        try world.run()
        return world.trace
      }
      #expect(traces[0] == traces[1], "number \(seed)")
    }
  }
}
