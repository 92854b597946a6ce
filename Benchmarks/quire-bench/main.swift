// Measures Quire and prints ratios. `./run bench [COUNT]`; the count is 1 000 000 unless said.
import Foundation

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
guard count >= 1000 else {
  FileHandle.standardError.write(Data("error: The count is a number from 1000.\n".utf8))
  exit(2)
}
try runRowBenchmarks(count)
