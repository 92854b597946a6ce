// SAFETY: The bytes of a text are read only during the call that lends them.

import FullText
import Synchronization

/// A full-text query, with the matchers that look for its words.
///
/// A matcher has buffers, so each thread needs its own. A matcher that has ended its work waits here for the next text.
final class TextMatchers: Sendable {
  let query: TextQuery
  private let idle: Mutex<[TextMatcher]>

  /// - Throws: ``QueryError`` if the text is not a full-text query.
  init(_ text: String) throws(QueryError) {
    do { query = try TextQuery(text) } catch {
      let place = error.offset.map { offset in
        "At character \(String(decoding: text.utf8.prefix(offset), as: UTF8.self).count + 1): "
      }
      throw QueryError(
        .badPattern,
        "TEXT can't look for \"\(text.prefix(80))\". \(place ?? "")\(error.message)")
    }
    idle = Mutex([TextMatcher(query)])
  }

  /// Returns whether a text in UTF-8 contains the words.
  func match(_ text: UnsafeRawBufferPointer) -> Bool {
    var matcher = idle.withLock { $0.popLast() } ?? TextMatcher(query)
    let isMatch = unsafe matcher.matches(text.bindMemory(to: UInt8.self).span)
    idle.withLock { $0.append(matcher) }
    return isMatch
  }
}
