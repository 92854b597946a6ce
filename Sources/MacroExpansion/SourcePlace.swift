/// A place in a file of the program.
struct SourcePlace: Equatable {
  let fileName: String
  let line: Int
  let column: Int

  init(fileName: String, line: Int, column: Int) {
    (self.fileName, self.line, self.column) = (fileName, line, column)
  }

  /// The place of an offset in source that begins at this place.
  func advanced(by offset: Int, in source: String) -> SourcePlace {
    let passed = Array(source.utf8.prefix(offset))
    guard let lineEnd = passed.lastIndex(of: UInt8(ascii: "\n")) else {
      return SourcePlace(fileName: fileName, line: line, column: column + passed.count)
    }
    let lines = passed.count { $0 == UInt8(ascii: "\n") }
    return SourcePlace(fileName: fileName, line: line + lines, column: passed.count - lineEnd)
  }

  /// Returns an expression with directives by which the compiler shows its errors here; `nil` if a literal can't name the
  /// file.
  func locating(_ expression: String) -> String? {
    guard line > 0, !fileName.contains(where: { "\"\\\n".contains($0) }) else { return nil }
    let indentation = String(repeating: " ", count: max(column - 1, 0))
    return """

      #sourceLocation(file: "\(fileName)", line: \(line))
      \(indentation)\(expression)
      #sourceLocation()

      """ + "  "
  }
}
