// The program that the compiler starts to expand macros. It reads messages from standard input and answers each of them. A
// message consists of eight bytes with its length, the least significant byte first, and a JSON text.
import Foundation
import MacroExpansion

/// Reads the given number of bytes. Returns `nil` at the end of the input.
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
