private import Synchronization

/// A value that is computed once, at its first use from any thread.
///
/// Callers during the computation wait. The computation must not use the value itself.
final class Lazy<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  func callAsFunction(_ compute: () -> Value) -> Value {
    value.withLock { value in
      if let value { return value }
      let computed = compute()
      value = computed
      return computed
    }
  }
}
