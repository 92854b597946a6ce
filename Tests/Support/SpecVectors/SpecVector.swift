/// One vector of the specification: a fenced code block that begins with `vector`.
///
///     ```vector version-hash: an abstract entity
///     entity   = Writer            # Text runs to the end of the line or to such a comment.
///     abstract = yes
///     hash     = d54efab5 9cf3df59 # Bytes are hexadecimal digits, spaced as one likes,
///                f8018db5 e4cb2912 # and go on where the next line is indented.
///     ```
///
/// Tests read vectors from the pages of `spec/` themselves, so what a page shows and what is tested
/// cannot drift apart. The syntax is described in spec/README.md.
public struct SpecVector: Sendable, CustomStringConvertible {
  /// The purpose of the vector. A test reads all vectors of one kind.
  public let kind: String
  /// The case that the vector shows.
  public let title: String
  /// The page and the line of the vector.
  public let place: String
  /// The fields of the vector, in order. A field's name may occur more than once.
  public let fields: [(name: String, text: String)]

  /// The page, line and title.
  public var description: String { "\(place): \(title)" }

  /// The text of the only field with the given name; `nil` if no field or several fields have the name.
  public subscript(name: String) -> String? {
    let found = self[all: name]
    return found.count == 1 ? found[0] : nil
  }

  /// The texts of all fields of the given name.
  public subscript(all name: String) -> [String] {
    fields.filter { $0.name == name }.map(\.text)
  }

  /// The bytes of the only field with the given name; `nil` if there is no such field or its text is not bytes.
  public func bytes(_ name: String) -> [UInt8]? {
    guard let text = self[name] else { return nil }
    let digits = text.filter { !$0.isWhitespace }
    guard digits.count.isMultiple(of: 2), digits.allSatisfy(\.isHexDigit) else { return nil }
    var bytes: [UInt8] = []
    var rest = digits[...]
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
