// The program that the compiler starts to expand the macros. It reads messages from its standard input and writes an
// answer to each: eight bytes with the length, the lowest first, and then a text in JSON.
import Foundation
import MacroExpansion

/// Reads so many bytes; `nil` at the end of the input.
func read(_ count: Int) -> [UInt8]? {
  var bytes: [UInt8] = []
  while bytes.count < count {
    guard let part = try? FileHandle.standardInput.read(upToCount: count - bytes.count),
      !part.isEmpty
    else { return nil }
    bytes += part
  }
  return bytes
}

while let header = read(8) {
  let length = header.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  guard let count = Int(exactly: length), let message = read(count) else { break }
  let answer = CompilerMessages.answer(message)
  let answerLength = (0..<8).map { UInt8(truncatingIfNeeded: UInt64(answer.count) >> ($0 * 8)) }
  FileHandle.standardOutput.write(Data(answerLength + answer))
}
