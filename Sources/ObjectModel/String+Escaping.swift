extension String {
  /// Returns the text with replacements for some of its characters.
  ///
  /// - Parameter replacement: Returns the replacement of a character; `nil` to keep the character.
  package func escaping(_ replacement: (Unicode.Scalar) -> String?) -> String {
    var escaped = ""
    for scalar in unicodeScalars {
      if let text = replacement(scalar) {
        escaped += text
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Returns the text in quotation marks, with escapes for quotation marks, backslashes, tabs and line breaks.
  ///
  /// - Parameter replacement: Returns the escape of any further character; `nil` to keep the character.
  package func inQuotationMarks(
    escaping replacement: (Unicode.Scalar) -> String? = { _ in nil }
  ) -> String {
    let inner = escaping { scalar in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      default: replacement(scalar)
      }
    }
    return "\"" + inner + "\""
  }
}
