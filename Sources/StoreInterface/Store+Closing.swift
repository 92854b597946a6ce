extension Store {
  /// Calls `body`, and closes the store.
  ///
  /// - Throws: The error of `body`, even if the store can't be closed either; the error of closing.
  package func closing<R>(_ body: () throws -> R) throws -> R {
    let result: R
    do { result = try body() } catch {
      try? close()
      throw error
    }
    try close()
    return result
  }
}
