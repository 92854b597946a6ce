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
    var saves = 0
    var conflicts = 0
    var failures = 0
    var steps = 0
    for seed in Effort.seeds(5000) {
      let world = try InterleavedWorld(seed)
      do { try world.run() } catch { Issue.record("number \(seed): \(error)") }
      #expect(world.problems == [], "number \(seed)")
      saves += world.saveCount
      conflicts += world.conflictCount
      failures += world.failureCount
      steps += world.stepCount
      // A fault shows itself in many orders.
      if !world.problems.isEmpty, !Effort.isSearch { break }
    }
    print(
      "interleavings: \(steps) choices, \(saves) saves, \(conflicts) conflicts, \(failures) failures"
    )
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
