import Dispatch
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import Synchronization

/// A search that runs on another thread while its context does further work.
///
/// The moment at which the search reads its context is not certain. The result must match a state that the context showed
/// between two turns.
final class RandomSearch: Sendable {
  let question: NaiveQuestion
  let form: Form
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let outcome = Mutex<Result<Found, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  enum Form: CaseIterable {
    case objects, identifiers, number
  }

  /// The result of the search.
  enum Found {
    case objects([ObjectID])
    case identifiers([ObjectID])
    case number(Int)
  }

  init(_ question: NaiveQuestion, _ form: Form) {
    self.question = question
    self.form = form
  }

  func begin(in context: ManagedObjectContext) throws {
    let request = FetchRequest(
      "Node", where: try QueryPredicate(question.text), sortedBy: [SortKey("i32")])
    let form = form
    let task = Task.detached { [self] in
      let result: Result<Found, any Error>
      do {
        switch form {
        case .objects:
          result = .success(
            .objects(
              try await context.fetch(request) { $0.map(\.objectID) }))
        case .identifiers:
          result = .success(
            .identifiers(try await context.fetchIdentifiers(request, progress: nil)))
        case .number:
          result = .success(.number(try await context.count(for: request, progress: nil)))
        }
      } catch { result = .failure(error) }
      outcome.withLock { $0 = result }
      isDone.signal()
    }
    self.task.withLock { $0 = task }
  }

  func cancel() { task.withLock { $0 }?.cancel() }

  /// Waits for the search, and compares its result with the states that the context showed.
  func finish(of seat: Seat) throws {
    isDone.wait()
    let isCancelled = task.withLock { $0 }?.isCancelled ?? false
    switch outcome.withLock({ $0! }) {
    case .failure(let error):
      if isCancelled, error is CancellationError { return }
      throw error
    case .success(let found):
      try seat.require(
        isRight(found, seat.states),
        "a search with \(question.text) finds \(found.words), which was never so")
    }
  }

  private func isRight(_ found: Found, _ states: [NaiveGraph]) -> Bool {
    func isSorted(_ ids: [ObjectID], _ state: NaiveGraph) -> Bool {
      let numbers = ids.map { state.integer($0, "i32") ?? .min }
      return numbers == numbers.sorted()
    }
    return states.indices.contains { index in
      let state = states[index]
      let wanted = state.all("Node").filter { question.holds(state, $0) }
      switch found {
      case .number(let count): return count == wanted.count
      case .identifiers(let ids): return ids.sorted() == wanted && isSorted(ids, state)
      case .objects(let ids):
        // Objects that are deleted before the result arrives are left out.
        return isSorted(ids, state)
          && states[index...].contains { then in
            ids.sorted() == wanted.filter { then.objects[$0] != nil }
          }
      }
    }
  }
}

extension RandomSearch.Found {
  fileprivate var words: String {
    switch self {
    case .objects(let ids), .identifiers(let ids): short(ids)
    case .number(let count): "\(count)"
    }
  }
}
