/// A line that the user types: its text and cursor, which keys change, and its display on a terminal.
///
/// The package has its own small editor because libedit has three disadvantages. Every build of the tool would need libedit's
/// headers, where no package is needed now. A wrapper would need callbacks from C. The encoding would depend on the locale.
///
/// The editor does not know the terminal. Its input is bytes, and its output is text with a few control sequences.
package struct LineEditor {
  /// The outcome of typing a line.
  package enum Outcome: Equatable {
    case line(String)
    /// The end of input on an empty line.
    case end
    /// The user abandoned the line.
    case abandoned
  }

  /// The completions of the last word.
  package struct Candidates {
    package let word: String
    package let all: [String]

    package init(word: String, all: [String]) {
      self.word = word
      self.all = all
    }
  }

  package let prompt: String
  /// The text before and after the cursor.
  package private(set) var left = ""
  package private(set) var right = ""
  private let history: [String]
  /// The index in the history of the displayed line; the count of the history for the line that the user is typing.
  private var position: Int
  /// The typed text, kept while a line of the history is displayed.
  private var typed = ""
  /// The text that was cut last.
  private var cut = ""
  private var keys = KeyReader()
  private let complete: (String) -> Candidates
  /// The words to search for in the history, and the index of the line found; `nil` if there is no search.
  private var search: (words: String, found: Int?)?
  /// The text to display above the line.
  private var notice: String?

  package init(
    prompt: String, history: [String] = [],
    complete: @escaping (String) -> Candidates = { _ in Candidates(word: "", all: []) }
  ) {
    self.prompt = prompt
    self.history = history
    self.complete = complete
    position = history.count
  }

  package var text: String { left + right }

  // MARK: - Keys

  /// Reads one byte of input.
  ///
  /// - Returns: The outcome if the byte ends the line; `nil` otherwise.
  package mutating func take(_ byte: UInt8) -> Outcome? {
    guard let key = keys.take(byte) else { return nil }
    if search != nil { return takeForSearch(key) }
    return take(key)
  }

  private mutating func take(_ key: Key) -> Outcome? {
    switch key {
    case .enter: return .line(text)
    case .control("c"): return .abandoned
    case .control("d"):
      if text.isEmpty { return .end }
      delete()
    case .text(let scalar): left.unicodeScalars.append(scalar)
    case .left, .control("b"): moveLeft()
    case .right, .control("f"): moveRight()
    case .home, .control("a"): (left, right) = ("", text)
    case .end, .control("e"): (left, right) = (text, "")
    case .wordLeft: moveWordLeft()
    case .wordRight: moveWordRight()
    case .backspace, .control("h"): if !left.isEmpty { left.removeLast() }
    case .delete: delete()
    case .control("k"): (cut, right) = (right, "")
    case .control("u"): (cut, left) = (left, "")
    case .control("w"):
      let behind = right
      let before = left
      moveWordLeft(at: { $0 == " " })
      cut = String(before.dropFirst(left.count))
      right = behind
    case .control("y"): left += cut
    case .control("t"): swap()
    case .up, .control("p"): show(position - 1)
    case .down, .control("n"): show(position + 1)
    case .control("r"): search = ("", nil)
    case .tab: completeWord()
    default: break
    }
    return nil
  }

  private mutating func delete() { if !right.isEmpty { right.removeFirst() } }

  private mutating func moveLeft() {
    if let last = left.popLast() { right.insert(last, at: right.startIndex) }
  }

  private mutating func moveRight() { if !right.isEmpty { left.append(right.removeFirst()) } }

  private mutating func moveWordLeft(
    at isBoundary: (Character) -> Bool = { !$0.isLetter && !$0.isNumber }
  ) {
    while let last = left.last, isBoundary(last) { moveLeft() }
    while let last = left.last, !isBoundary(last) { moveLeft() }
  }

  private mutating func moveWordRight() {
    func isBoundary(_ character: Character) -> Bool {
      !character.isLetter && !character.isNumber
    }
    while let first = right.first, isBoundary(first) { moveRight() }
    while let first = right.first, !isBoundary(first) { moveRight() }
  }

  /// Swaps the characters before and after the cursor, or the last two characters if the cursor is at the end.
  private mutating func swap() {
    if right.isEmpty, left.count > 1 { moveLeft() }
    guard !left.isEmpty, !right.isEmpty else { return }
    let last = left.removeLast()
    left.append(right.removeFirst())
    left.append(last)
  }

  // MARK: - History

  private mutating func show(_ place: Int) {
    guard (0...history.count).contains(place), place != position else { return }
    if position == history.count { typed = text }
    position = place
    (left, right) = (place == history.count ? typed : history[place], "")
  }

  private mutating func takeForSearch(_ key: Key) -> Outcome? {
    guard var current = search else { return nil }
    switch key {
    case .text(let scalar):
      current.words.unicodeScalars.append(scalar)
      search = (
        current.words, find(current.words, before: (current.found ?? history.count - 1) + 1)
      )
    case .backspace, .control("h"):
      if !current.words.isEmpty { current.words.removeLast() }
      search = (current.words, find(current.words, before: history.count))
    case .control("r"):
      search = (
        current.words, find(current.words, before: current.found ?? history.count) ?? current.found
      )
    case .control("g"), .control("c"): search = nil
    default:
      if let found = current.found {
        if position == history.count { typed = text }
        (left, right, position) = (history[found], "", found)
      }
      search = nil
      if key != .escape { return take(key) }
    }
    return nil
  }

  /// Returns the index of the newest line before `place` that contains the words.
  private func find(_ words: String, before place: Int) -> Int? {
    words.isEmpty ? nil : history[..<max(0, place)].lastIndex { $0.contains(words) }
  }

  // MARK: - Completing

  private mutating func completeWord() {
    let candidates = complete(left)
    guard var common = candidates.all.first else { return }
    for other in candidates.all.dropFirst() { common = common.commonPrefix(with: other) }
    if common.count > candidates.word.count {
      left.removeLast(candidates.word.count)
      left += common
    } else if candidates.all.count > 1 {
      notice = candidates.all.map { $0.filter { $0 != " " } }.joined(separator: "  ")
    }
  }

  // MARK: - Showing

  /// Returns the text and control sequences that show the line on a terminal with `width` columns.
  package mutating func display(width: Int) -> String {
    var output = "\r"
    if let notice {
      output += "\u{1B}[K" + notice + "\r\n"
      self.notice = nil
    }
    var (before, behind, words) = (left, right, prompt)
    if let search {
      let line = search.found.map { history[$0] } ?? ""
      words = "(search) '\(search.words)': "
      (before, behind) = (line, "")
    }
    let room = max(8, width - words.displayWidth - 1)
    // If the line is too wide, characters at both ends are left out. The cursor stays visible.
    while before.displayWidth > room { before.removeFirst() }
    let rest = room - before.displayWidth
    while behind.displayWidth > rest { behind.removeLast() }
    output += words + shown(before) + shown(behind) + "\u{1B}[K"
    let back = behind.displayWidth
    if back > 0 { output += "\u{1B}[\(back)D" }
    return output
  }

  /// Returns the text with each control character written as two columns.
  private func shown(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      if scalar.value < 0x20 || scalar.value == 0x7F {
        result += "^" + String(Character(Unicode.Scalar(UInt8(scalar.value ^ 0x40))))
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }
}

extension String {
  /// Returns the common prefix of two texts.
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
