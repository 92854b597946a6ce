@testable import FullText

/// Returns the words of a text.
func words(_ text: String) -> [String] { located(text).map(\.word) }

/// Returns the words of a text with their places.
func located(_ text: String) -> [(word: String, location: WordLocation)] {
  var splitter = WordSplitter()
  var result: [(String, WordLocation)] = []
  splitter.split(text.utf8.span) { word, location in
    result.append((String(decoding: [UInt8](copying: word), as: UTF8.self), location))
    return true
  }
  return result
}

extension TextMatcher {
  /// Returns whether a text meets the query.
  mutating func matches(_ text: String) -> Bool { matches(text.utf8.span) }
}

/// Returns whether a text meets a query.
func matches(_ query: String, _ text: String) throws -> Bool {
  var matcher = TextMatcher(try TextQuery(query))
  return matcher.matches(text)
}
