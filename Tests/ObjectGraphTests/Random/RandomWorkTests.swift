import SeededRandom
import Testing

/// Random work in contexts.
///
/// `QUIRE_STEPS=1000000` does so many steps on each kind of store, from the seed `QUIRE_WORK_FIRST` on, and
/// `QUIRE_WORK_SEED=17` what one seed did, with `QUIRE_WORK_STORE=xml` on that kind of store alone. A failure
/// is made smaller by leaving steps out, as long as something fails.
@Suite("Random work in contexts")
struct RandomWorkTests {
  @Test(
    "Contexts hold what a naive model does, whatever is done in whatever order",
    arguments: RandomRuns.kinds)
  func work(_ kind: Kind) async {
    await RandomRuns(name: "work", stepsOfRun: 150, defaultSteps: 900).run(kind) {
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
    "Whatever contexts do that do not look at one another, what they save holds together",
    arguments: RandomRuns.kinds)
  func others(_ kind: Kind) async {
    await RandomRuns(name: "others", stepsOfRun: 120, defaultSteps: 1200).run(kind) {
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
