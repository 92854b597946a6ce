/// A statement with its parameters, which can be sent together with others.
public struct PostgreSQLStatement: Sendable, Equatable {
  let text: String
  let parameters: [PostgreSQLParameter]
  /// Whether the server returns the values as texts, as it does for ``PostgreSQLConnection/texts(_:)``.
  let isAnsweredInTexts: Bool

  /// Creates a statement whose answer has the binary form.
  public init(_ text: String, _ parameters: [PostgreSQLParameter] = []) {
    (self.text, self.parameters) = (text, parameters)
    isAnsweredInTexts = false
  }

  /// Creates a statement without parameters whose answer consists of texts.
  public init(answeredInTexts text: String) {
    (self.text, parameters) = (text, [])
    isAnsweredInTexts = true
  }

  /// The number of bytes of the parameters.
  var byteCount: Int { parameters.reduce(0) { $0 + ($1.bytes?.count ?? 0) } }
}
