import Foundation

extension SpecVector {
  /// Returns the vectors of the given kind on a page of the specification.
  ///
  /// - Parameters:
  ///   - page: The page's file name, such as `2-model.md`.
  ///   - file: A file of this package, from which `spec/` is found.
  public static func all(
    _ kind: String, on page: String, near file: String = #filePath
  ) throws -> [SpecVector] {
    let sources = URL(filePath: file)
    let root = sequence(first: sources) { $0.path == "/" ? nil : $0.deletingLastPathComponent() }
      .first {
        FileManager.default.fileExists(atPath: $0.appending(path: "Package.swift").path)
      }
    guard let root else { throw SpecVectorError(place: file, message: "No package holds it.") }
    let text = try String(
      contentsOf: root.appending(path: "spec").appending(path: page), encoding: .utf8)
    return try read(text, page: page).filter { $0.kind == kind }
  }

  /// Returns every vector in the text of a page.
  public static func read(_ text: String, page: String) throws -> [SpecVector] {
    var vectors: [SpecVector] = []
    var open: Block?
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if var block = open {
        if line.hasPrefix("```") {
          vectors.append(try block.vector(page: page))
          open = nil
        } else {
          try block.add(line, at: "\(page):\(index + 1)")
          open = block
        }
      } else if line.hasPrefix("```vector ") {
        open = Block(header: line.dropFirst("```vector ".count), line: index + 1)
      }
    }
    if let open { throw SpecVectorError(place: "\(page):\(open.line)", message: "It has no end.") }
    return vectors
  }

  /// A vector that is being read line by line.
  private struct Block {
    let header: Substring
    let line: Int
    var fields: [(name: String, text: String)] = []

    init(header: Substring, line: Int) {
      self.header = header
      self.line = line
    }

    mutating func add(_ line: Substring, at place: String) throws {
      let isContinuation = line.first?.isWhitespace ?? false
      let text = trimmed(withoutComment(line))
      if text.isEmpty { return }
      if isContinuation, !fields.isEmpty {
        fields[fields.count - 1].text += " " + text
      } else if let sign = text.firstIndex(of: "=") {
        fields.append((trimmed(text[..<sign]), trimmed(text[text.index(after: sign)...])))
      } else {
        throw SpecVectorError(place: place, message: "A line is a name, an equals sign and text.")
      }
    }

    func vector(page: String) throws -> SpecVector {
      let parts = header.split(separator: ":", maxSplits: 1).map { trimmed($0) }
      guard parts.count == 2 else {
        throw SpecVectorError(
          place: "\(page):\(line)", message: "A header is ```vector KIND: TITLE.")
      }
      return SpecVector(
        kind: parts[0], title: parts[1], place: "\(page):\(line)", fields: fields)
    }

    /// Returns the line up to a number sign at its beginning or after a space.
    private func withoutComment(_ line: Substring) -> Substring {
      var previous: Character = " "
      for index in line.indices {
        if line[index] == "#", previous == " " { return line[..<index] }
        previous = line[index]
      }
      return line
    }

    private func trimmed(_ text: some StringProtocol) -> String {
      text.trimmingCharacters(in: .whitespaces)
    }
  }
}

/// An error that says why a vector can't be read, and at which place.
public struct SpecVectorError: Error, CustomStringConvertible {
  public let place: String
  /// The fault of the vector, in a sentence.
  public let message: String

  /// The place and the message.
  public var description: String { "\(place): \(message)" }
}
