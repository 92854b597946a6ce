/// The lines of an input, one after another.
package struct InputText {
  private let input: Console.Input
  private var bytes: [UInt8] = []
  private var start = 0
  /// The number of the last line, from 1.
  package private(set) var number = 0

  private static let mostBytes = 1 << 24

  package init(_ input: Console.Input) { self.input = input }

  /// Returns the next line; `nil` after the last line.
  package mutating func next() throws -> String? {
    var searched = start
    while true {
      if let end = bytes[searched...].firstIndex(of: 0x0A) {
        defer { start = end + 1 }
        return try text(bytes[start..<end])
      }
      searched = bytes.count
      guard bytes.count - start <= InputText.mostBytes else {
        throw CommandError.wrongUsage("line \(number + 1): The line is too long.")
      }
      let more = try input.read()
      guard !more.isEmpty else {
        guard start < bytes.count else { return nil }
        defer { start = bytes.count }
        return try text(bytes[start...])
      }
      searched -= start
      bytes.removeFirst(start)
      start = 0
      bytes += more
    }
  }

  /// Asks a question on the terminal, and returns whether the answer is yes.
  package mutating func agrees(to question: String, _ console: Console) throws -> Bool {
    try console.alerts.write(question)
    let answer = try next() ?? ""
    return ["y", "yes"].contains(
      answer.lowercased().split(whereSeparator: \.isWhitespace).first.map(String.init))
  }

  private mutating func text(_ bytes: ArraySlice<UInt8>) throws -> String {
    number += 1
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError.wrongUsage("line \(number): The line is not UTF-8.")
    }
    return text
  }
}
