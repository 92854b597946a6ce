import Dispatch
import Foundation
import Synchronization

/// Saves documents when the program is told to end, and then lets it end.
///
/// There is one for the program, because signals are the program's.
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

  /// How long the end waits for documents.
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
        // Whoever ends has nobody left to tell; what is not valid is kept for recovery.
        try? await document.close()
        group.leave()
      }
    }
    _ = group.wait(timeout: .now() + EndSignals.patience)
    signal(number, SIG_DFL)
    raise(number)
  }
}
