// Measures Quire and prints ratios: `quire-bench [COUNT] [PART] [NAME]`. The default count is 1 000 000, and by default all
// parts run. NAME selects the work of a part with NAME in its name.
import Foundation

let parts = [
  ("peers", runPeerBenchmarks), ("growth", runGrowthBenchmarks),
  ("rows", runRowBenchmarks), ("queries", runQueryBenchmarks), ("stores", runStoreBenchmarks),
  ("opening", runOpeningBenchmarks), ("objects", runObjectBenchmarks),
  ("contexts", runContextBenchmarks),
  ("walking", runWalkingBenchmarks),
  ("memory", runMemoryBenchmarks), ("xml", runXMLBenchmarks),
  ("migration", runMigrationBenchmarks), ("documents", runDocumentBenchmarks),
  ("plugins", runPluginBenchmarks), ("sqlite", runSQLiteBenchmarks),
  ("postgresql", runPostgreSQLBenchmarks), ("words", runWordBenchmarks),
  ("patterns", runPatternBenchmarks),
]
if CommandLine.arguments.count == 5, CommandLine.arguments[1] == MemoryWork.argument {
  try MemoryWork.run(Array(CommandLine.arguments[2...]))
  exit(0)
}
if CommandLine.arguments.dropFirst().first == CountedWork.argument {
  try CountedWork.run(Array(CommandLine.arguments.dropFirst(2)))
  exit(0)
}
if CommandLine.arguments.dropFirst().first == FreshProcess.argument {
  try FreshProcess.run(Array(CommandLine.arguments.dropFirst(2)))
  exit(0)
}
if CommandLine.arguments.dropFirst().first == PostgreSQLMix.argument {
  try PostgreSQLMix.run(Array(CommandLine.arguments.dropFirst(2)))
  exit(0)
}
let arguments = CommandLine.arguments.dropFirst()
let count = arguments.first.map { Int($0) ?? 0 } ?? 1_000_000
let wanted = arguments.dropFirst().first
if let name = arguments.dropFirst(2).first { unsafe Measurement.isWanted = { $0.contains(name) } }
guard count >= 1000, arguments.count <= 3,
  wanted == nil || parts.contains(where: { $0.0 == wanted })
else {
  let names = parts.map(\.0).joined(separator: ", ")
  FileHandle.standardError.write(
    Data("error: The count is a number from 1000, and a part is one of: \(names).\n".utf8))
  exit(2)
}
for (name, run) in parts where wanted == nil || name == wanted { try run(count) }
