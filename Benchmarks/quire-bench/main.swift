// Measures Quire and prints ratios: `./run bench [COUNT] [PART]`. The count is 1 000 000 unless said,
// and all parts are run.
import Foundation

let parts = [
  ("rows", runRowBenchmarks), ("queries", runQueryBenchmarks), ("stores", runStoreBenchmarks),
  ("opening", runOpeningBenchmarks), ("objects", runObjectBenchmarks),
  ("walking", runWalkingBenchmarks),
  ("xml", runXMLBenchmarks),
]
let arguments = CommandLine.arguments.dropFirst()
let count = arguments.first.map { Int($0) ?? 0 } ?? 1_000_000
let wanted = arguments.dropFirst().first
guard count >= 1000, arguments.count <= 2,
  wanted == nil || parts.contains(where: { $0.0 == wanted })
else {
  let names = parts.map(\.0).joined(separator: ", ")
  FileHandle.standardError.write(
    Data("error: The count is a number from 1000, and a part is one of: \(names).\n".utf8))
  exit(2)
}
for (name, run) in parts where wanted == nil || name == wanted { try run(count) }
