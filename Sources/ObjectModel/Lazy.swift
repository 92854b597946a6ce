private import Synchronization

/// A value computed when first asked for, once, whoever asks.
///
/// Those who ask while it is being computed wait. What computes it must not ask for it.
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
