import SeededRandom
import Testing

/// Random work in contexts.
///
/// `QUIRE_WORK_STORE=xml` uses that kind of store alone. A failure is reduced by leaving steps out, as long as the
/// remaining steps fail.
@Suite("Random work in contexts")
struct RandomWorkTests {
  @Test(
    "Contexts hold the same content as a naive model after any work in any order",
    arguments: RandomRuns.kinds)
  func work(_ kind: Kind) async {
    await RandomRuns(name: "work", stepsOfRun: 150, runCount: 6).run(kind) {
      kind, seed, steps in
      do {
        let work = try RandomWork(kind, seed: seed)
        for (index, step) in steps.enumerated() {
          do { try work.step(step) } catch {
            return .init(step: index, error: error, trace: work.trace)
          }
        }
        do { try work.compareAll() } catch {
          return .init(step: steps.count - 1, error: error, trace: work.trace)
        }
      } catch { return .init(step: 0, error: error, trace: []) }
      return nil
    }
  }

  @Test(
    "Contexts that do not see each other's changes save a consistent state in any case",
    arguments: RandomRuns.kinds)
  func others(_ kind: Kind) async {
    await RandomRuns(name: "others", stepsOfRun: 120, runCount: 10).run(kind) {
      kind, seed, steps in
      do {
        let work = try RandomOthers(kind, seed: seed)
        for (index, step) in steps.enumerated() {
          do { try work.step(step) } catch {
            return .init(step: index, error: error, trace: work.trace)
          }
        }
        do { try work.checkAll() } catch {
          return .init(step: steps.count - 1, error: error, trace: work.trace)
        }
      } catch { return .init(step: 0, error: error, trace: []) }
      return nil
    }
  }
}
