/// A part of an SQL text.
enum SQLToken: Hashable {
  /// A name or a keyword without quotes, in capitals, with its own spelling.
  case word(String, spelling: String)
  /// A name in double quotes, brackets or grave accents.
  case name(String)
  case text(String)
  case number(String)
  case sign(String)

  /// The name, if this can be the name of a column.
  var column: String? {
    switch self {
    case .word(_, let spelling): spelling
    case .name(let name): name
    default: nil
    }
  }

  func isWord(_ word: String) -> Bool {
    if case .word(word, _) = self { return true }
    return false
  }
}

extension SQLToken {
  /// Returns the parts of a text. Each character that belongs to no known part is a sign.
  static func all(in text: String) -> [SQLToken] {
    var tokens: [SQLToken] = []
    let characters = Array(text.unicodeScalars)
    var index = 0
    /// Returns the characters up to a mark that is not doubled.
    func quoted(_ end: Unicode.Scalar) -> String {
      var content = String.UnicodeScalarView()
      index += 1
      while index < characters.count {
        if characters[index] == end {
          guard index + 1 < characters.count, characters[index + 1] == end, end != "]" else {
            break
          }
          index += 1
        }
        content.append(characters[index])
        index += 1
      }
      index += 1
      return String(content)
    }
    func taken(_ isPart: (Unicode.Scalar) -> Bool) -> String {
      let start = index
      while index < characters.count, isPart(characters[index]) { index += 1 }
      var view = String.UnicodeScalarView()
      view.append(contentsOf: characters[start..<index])
      return String(view)
    }
    while index < characters.count {
      let character = characters[index]
      let next = index + 1 < characters.count ? characters[index + 1] : " "
      if character.properties.isWhitespace {
        index += 1
      } else if character == "-", next == "-" {
        _ = taken { $0 != "\n" }
      } else if character == "/", next == "*" {
        index += 2
        while index < characters.count, !(characters[index - 1] == "*" && characters[index] == "/")
        {
          index += 1
        }
        index += 1
      } else if character == "'" {
        tokens.append(.text(quoted("'")))
      } else if character == "\"" || character == "`" {
        tokens.append(.name(quoted(character)))
      } else if character == "[" {
        tokens.append(.name(quoted("]")))
      } else if ("0"..."9").contains(character) || (character == "." && ("0"..."9").contains(next))
      {
        tokens.append(
          .number(taken { ("0"..."9").contains($0) || $0 == "." || $0 == "e" || $0 == "E" }))
      } else if character.properties.isAlphabetic || character == "_" {
        let word = taken {
          $0.properties.isAlphabetic || $0 == "_" || $0 == "$" || ("0"..."9").contains($0)
        }
        tokens.append(.word(word.uppercased(), spelling: word))
      } else {
        index += 1
        let pair = "\(character)\(next)"
        if ["<=", ">=", "<>", "!=", "==", "||"].contains(pair) {
          index += 1
          tokens.append(.sign(pair))
        } else {
          tokens.append(.sign(String(character)))
        }
      }
    }
    return tokens
  }
}
