// SAFETY: The allocated memory has room for the text and its zero byte; a lent text is valid for the length of the
// call.

/// Returns a copy of a text as a C string. The caller deallocates it.
@unsafe package func allocatedText(_ text: String) -> UnsafeMutablePointer<CChar> {
  let characters = Array(text.utf8CString)
  let place = UnsafeMutablePointer<CChar>.allocate(capacity: characters.count)
  unsafe place.initialize(from: characters, count: characters.count)
  return unsafe place
}

/// Calls `body` with a text as a C string, or with `nil`.
@unsafe package func withText<R>(
  _ text: String?, _ body: (UnsafePointer<CChar>?) throws -> R
) rethrows -> R {
  guard let text else { return try body(nil) }
  return try unsafe text.withCString { try unsafe body($0) }
}
