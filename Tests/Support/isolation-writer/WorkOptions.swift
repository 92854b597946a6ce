import Foundation

/// The reads that a transaction relies on.
enum ReadingMode: String {
  /// Each read fetches, and so advances the context to the newest commit.
  case fetching
  /// The context is pinned to the moment at which the transaction begins.
  case pinned
  /// Each read fetches and marks the object.
  case marked
}

/// The options of the second form of the program: `--contexts 8 --client 100 --mode pinned --seconds 1 --seed 7 --log FOLDER`.
struct WorkOptions: Sendable {
  struct Unknown: Error, CustomStringConvertible {
    let description: String
  }

  var contextCount = 1
  /// The number of the first context. Each context of a history has a number of its own.
  var client = 0
  var mode = ReadingMode.fetching
  var seconds = 1.0
  var seed: UInt64 = 1
  /// The folder for the records; a context writes the file with its number.
  var logFolder = "."
  var isWhole = false

  init() {}

  init(_ words: ArraySlice<String>) throws {
    var words = words
    while let name = words.popFirst() {
      if name == "--whole" {
        isWhole = true
        continue
      }
      guard let value = words.popFirst() else { throw Unknown(description: "\(name) has no value") }
      switch name {
      case "--contexts": contextCount = Int(value) ?? 1
      case "--client": client = Int(value) ?? 0
      case "--mode": mode = ReadingMode(rawValue: value) ?? .fetching
      case "--seconds": seconds = Double(value) ?? 1
      case "--seed": seed = UInt64(value) ?? 1
      case "--log": logFolder = value
      default: throw Unknown(description: "there is no option \(name)")
      }
    }
  }
}
