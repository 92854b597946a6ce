import Dispatch
import Foundation
import Synchronization

/// Saves documents when a signal tells the program to end, and then lets the program end.
///
/// A program has one instance, because signals belong to the process.
final class EndSignals: Sendable {
  static let shared = EndSignals()

  private struct State {
    var documents: [WeakDocument] = []
    var sources: [Int32: any DispatchSourceSignal] = [:]
  }
  private struct WeakDocument {
    weak var document: ManagedDocument?
  }
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "EndSignals")

  /// The time in seconds for which the program's end waits for documents.
  private static let patience = 10.0

  func add(_ document: ManagedDocument, _ signals: Set<Int32>) {
    state.withLock { state in
      state.documents.removeAll { $0.document == nil }
      state.documents.append(WeakDocument(document: document))
      for number in signals where state.sources[number] == nil {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { [weak self] in self?.end(number) }
        source.resume()
        state.sources[number] = source
      }
    }
  }

  func remove(_ document: ManagedDocument) {
    state.withLock { $0.documents.removeAll { $0.document == nil || $0.document === document } }
  }

  private func end(_ number: Int32) {
    let documents = state.withLock { $0.documents.compactMap(\.document) }
    let group = DispatchGroup()
    for document in documents {
      group.enter()
      Task {
        // The program ends, so an error can't be reported. Invalid changes are kept for recovery.
        try? await document.close()
        group.leave()
      }
    }
    _ = group.wait(timeout: .now() + EndSignals.patience)
    signal(number, SIG_DFL)
    raise(number)
  }
}
