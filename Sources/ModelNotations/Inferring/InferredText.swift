import Foundation
package import ObjectModel

/// The types of which a text can be, apart from numbers and truth values.
package struct InferredText: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// A moment in ISO 8601 form.
  package static let date = InferredText(rawValue: 1)
  package static let uuid = InferredText(rawValue: 2)
  /// An address with a scheme and no spaces.
  package static let uri = InferredText(rawValue: 4)
  /// A day without a time, which is a moment too.
  package static let day = InferredText(rawValue: 8)
  package static let all: InferredText = [.date, .uuid, .uri, .day]

  /// Drops the types that a text can't be of.
  package mutating func narrow(by text: String) {
    if contains(.date), MomentText.seconds(text) == nil { subtract([.date, .day]) }
    if contains(.day), text.utf8.count != "2026-01-31".utf8.count { remove(.day) }
    if contains(.uuid), text.utf8.count != 36 || UUID(uuidString: text) == nil { remove(.uuid) }
    if contains(.uri) {
      let scheme = text.range(of: "://")
      let isURI =
        scheme.map { !$0.isEmpty && $0.lowerBound != text.startIndex } == true
        && !text.contains(" ")
      if !isURI { remove(.uri) }
    }
  }

  /// The average number of bytes from which texts are long. People look for words in such texts.
  package static let longTextByteCount = 80

  /// Returns the note about a property that has an index of words, because its texts are long.
  package static func note(aboutWordsOf property: String, of entity: String) -> String {
    "'\(entity).\(property)' contains long texts, so it has an index of words: --where '\(property) TEXT \"some words\"'."
  }

  /// The type of attributes whose values are all of these types; `nil` if it is text.
  package var type: AttributeType? {
    if contains(.date) { return .date }
    if contains(.uuid) { return .uuid }
    return contains(.uri) ? .uri : nil
  }

  /// The precision of attributes whose values are all of these types.
  package var precision: Attribute.Precision? { contains([.date, .day]) ? .day : nil }
}
