import Foundation
import ObjectModel
import Rows

/// Compares rows with plain loops over the same bytes: freezing, verifying, reading and finding.
func runRowBenchmarks(_ count: Int) throws {
  let layout = People.layout
  func number(_ name: String) -> UInt16 { layout.columns[layout.index(of: name)!].number }
  let drafts = People.drafts(count, companies: max(1, count / 100))
  let blocks = freeze(drafts)
  let byteCount = blocks.reduce(0) { $0 + $1.byteCount }
  print("\(count) people in \(blocks.count) blocks of \(byteCount) bytes")
  for name in layout.columns.map(\.name) {
    let part = blocks.reduce(0.0) { $0 + Double($1.chunkByteCount(of: number(name))) }
    print("  \(pad(name, 12)) \(format(part / Double(count))) bytes a row")
  }
  target("frozen bytes an object", Double(byteCount) / Double(count), atMost: 62)
  let draftBytes = drafts.reduce(0) { $0 + $1.memoryByteCount }
  print("  draft bytes an object \(format(Double(draftBytes) / Double(count)))")

  try measureWriting(drafts, blocks, byteCount, count)
  try measureReading(blocks, count, number)
  try measureFinding(blocks, count)
}

private func freeze(_ drafts: [Draft]) -> [Block] {
  var writer = BlockWriter()
  return drafts.flatMap { Draft.freeze([$0], &writer) }
}

private func measureWriting(
  _ drafts: [Draft], _ blocks: [Block], _ byteCount: Int, _ count: Int
) throws {
  var measurement = Measurement()
  let images = try blocks.map { try $0.bytes() }
  let source = [UInt8](repeating: 7, count: byteCount)
  var destination = [UInt8](repeating: 0, count: byteCount)
  measurement.add("memcpy of as many bytes", byteCount, "byte") {
    source.withUnsafeBytes { from in
      destination.withUnsafeMutableBytes { $0.copyMemory(from: from) }
    }
    return Int(destination[count % byteCount])
  }
  // Freezes block by block into memory that is reused, as a save does.
  measurement.add("freeze", byteCount, "byte") {
    var writer = BlockWriter()
    return drafts.reduce(0) { $0 + Draft.freeze([$1], &writer).count }
  }
  measurement.add("freeze and keep every block", byteCount, "byte") { freeze(drafts).count }
  measurement.add("verify every column", byteCount, "byte") {
    var sum = 0
    for image in images {
      let block = try! Block(image.memory)
      try! block.verify()
      sum += block.rowCount
    }
    return sum
  }
  measurement.add("open (header and directory)", blocks.count, "block") {
    images.reduce(0) { try! $0 + Block($1.memory).rowCount }
  }
  let times = measurement.report("Writing and verifying")
  target(
    "freezing", Double(byteCount) / Measurement.median(times["freeze"]!), atLeast: 0.8, " GB/s")
  target(
    "verifying", Double(byteCount) / Measurement.median(times["verify every column"]!), atLeast: 3,
    " GB/s")
}

private func measureReading(
  _ blocks: [Block], _ count: Int, _ number: (String) -> UInt16
) throws {
  func columns(_ name: String) throws -> [Column] {
    try blocks.map { try $0.column(number(name))! }
  }
  let (ages, balances, ids, actives, firsts, notes, companies) = (
    try columns("age"), try columns("balance"), try columns("id"), try columns("active"),
    try columns("firstName"), try columns("note"), try columns("company")
  )
  var measurement = Measurement()
  // Plain arrays with the same numbers, in the same number of pieces.
  let plainAges = ages.map { ages in (0..<ages.rowCount).map { UInt8(ages.integer(at: $0)) } }
  let plainBalances = balances.map { column in
    (0..<column.rowCount).map { UInt32(column.double(at: $0) * 100) }
  }
  let plainNames = firsts.flatMap { column in
    (0..<column.rowCount).map { Array(column.string(at: $0).utf8) }
  }
  measurement.add("plain loop: sum of UInt8", count, "row") {
    plainAges.reduce(0) { $1.reduce($0) { $0 &+ Int($1) } }
  }
  measurement.add("column: sum of ages", count, "row") {
    Int(ages.reduce(0) { $0 &+ $1.integerSum() })
  }
  measurement.add("plain loop: sum of UInt32 as Double", count, "row") {
    Int(plainBalances.reduce(0.0) { $1.reduce($0) { $0 + Double($1) } })
  }
  measurement.add("column: sum of balances", count, "row") {
    Int(balances.reduce(0.0) { $0 + $1.doubleSum() })
  }
  measurement.add("read integer (range)", count, "row") { sum(ids) }
  measurement.add("read integer (1 byte)", count, "row") { sum(ages) }
  measurement.add("read reference (narrowed)", count, "row") { sum(companies) }
  measurement.add("read double (scaled)", count, "row") {
    var sum = 0.0
    for column in balances { for row in 0..<column.rowCount { sum += column.double(at: row) } }
    return Int(sum)
  }
  measurement.add("read boolean (bits)", count, "row") {
    // A parity and not a sum: for a sum, the compiler would branch on each value, and half of the branches would be
    // mispredicted.
    var parity = false
    for column in actives {
      for row in 0..<column.rowCount { parity = parity != column.boolean(at: row) }
    }
    return parity ? 1 : 0
  }
  measurement.add("String(decoding:) of the same names", count, "row") {
    plainNames.reduce(0) { $0 &+ String(decoding: $1, as: UTF8.self).utf8.count }
  }
  measurement.add("read string (dictionary, 8.5 bytes)", count, "row") { lengths(firsts) }
  measurement.add("read string (38 bytes)", count, "row") { lengths(notes) }
  let all = try blocks.map { block in try People.layout.columns.map { try block.column($0.number)! }
  }
  measurement.add("gather a whole row as values", count, "row") {
    var sum = 0
    for columns in all {
      for row in 0..<columns[0].rowCount {
        for column in columns where !column.value(at: row).isNull { sum += 1 }
      }
    }
    return sum
  }
  let times = measurement.report("Reading")
  target(
    "sum of a 1-byte column / plain loop",
    Measurement.ratio(times, "column: sum of ages", to: "plain loop: sum of UInt8"), atMost: 2)
  target(
    "sum of a scaled column / plain loop",
    Measurement.ratio(
      times, "column: sum of balances", to: "plain loop: sum of UInt32 as Double"), atMost: 2)
  for name in [
    "read integer (range)", "read integer (1 byte)", "read reference (narrowed)",
    "read double (scaled)", "read boolean (bits)",
  ] {
    target(name, Measurement.median(times[name]!) / Double(count), atMost: 6, " ns")
  }
  target(
    "short string / String(decoding:)",
    Measurement.ratio(
      times, "read string (dictionary, 8.5 bytes)", to: "String(decoding:) of the same names"),
    atMost: 1.5)
}

@inline(never)
private func sum(_ columns: [Column]) -> Int {
  var sum: Int64 = 0
  for column in columns { for row in 0..<column.rowCount { sum &+= column.integer(at: row) } }
  return Int(sum)
}

@inline(never)
private func lengths(_ columns: [Column]) -> Int {
  var sum = 0
  for column in columns {
    for row in 0..<column.rowCount { sum += column.string(at: row).utf8.count }
  }
  return sum
}

private func measureFinding(_ blocks: [Block], _ count: Int) throws {
  let entity = People.layout.entityNumber
  let layer = Layer([Layer.EntityChanges(entityNumber: entity, put: BlockRun(blocks))])
  let sparse = LayerBuilder(People.schema)
  let age = People.layout.index(of: "age")!
  for i in 0..<count {
    sparse.set(
      .integer(1), column: age, of: ObjectKey(entity: entity, number: UInt64(i * 3 + i % 3 + 1)))
  }
  let holes = sparse.freeze()
  var measurement = Measurement(rounds: 5)
  measurement.add("layer: look-up at random, keys in a row", count, "key") {
    var found = 0
    for i in 0..<count {
      let key = ObjectKey(entity: entity, number: 1 + People.hash(i, 21) % UInt64(count))
      if case .put(let location) = try! layer.entry(of: key) { found &+= location.row }
    }
    return found
  }
  measurement.add("layer: look-up at random, keys with holes", count, "key") {
    var found = 0
    for i in 0..<count {
      let key = ObjectKey(entity: entity, number: 1 + People.hash(i, 22) % UInt64(count * 3))
      if case .changed(let location) = try! holes.entry(of: key) { found &+= location.row }
    }
    return found
  }
  measurement.add("layer builder: change one value", count, "key") {
    let builder = LayerBuilder(People.schema)
    for i in 0..<count {
      builder.set(
        .integer(Int64(i & 63)), column: age, of: ObjectKey(entity: entity, number: UInt64(i + 1)),
        basis: 1)
    }
    return builder.freeze().count
  }
  let times = measurement.report("Finding and changing")
  for name in [
    "layer: look-up at random, keys in a row", "layer: look-up at random, keys with holes",
  ] {
    target(name, Measurement.median(times[name]!) / Double(count), atMost: 150, " ns")
  }
}
