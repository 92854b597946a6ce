import BinaryStore
import Foundation
import ObjectModel
import ProgramRuns
import Rows
import SeededRandom
import StoreConformance
import StoreInterface
import Testing

/// Compares our files with the output of the reader in spec/reference, which shares nothing with this code.
@Suite("The reference reader")
struct ReferenceTests {
  @Test(
    "The reference reader agrees on every value of random files", arguments: [1, 2, 3] as [UInt64])
  func agreement(_ seed: UInt64) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var generator = SeededGenerator(seed: seed)
    var options = BinaryStoreOptions()
    if seed > 1 { options.leastOutsideByteCount = 30 }
    let store = try BinaryStore.create(
      at: path, model: StoreConformance.model, isCompressed: seed == 2, options: options)
    for round in 0..<12 {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      for _ in 0..<(round == 4 ? 1500 : 20) {
        try Self.change(builder, base, &generator)
      }
      var request = CommitRequest(builder.freeze(), basedOn: base)
      if round % 2 == 1 { (request.author, request.contextName) = ("Zoë", "round \(round)") }
      try store.commit(request)
    }

    let ours = try Self.text(store.snapshot())
    let theirs = try Self.reference(path)

    #expect(ours.count > 500)
    #expect(ours == theirs, "seed \(seed)")
  }

  private static func change(
    _ builder: LayerBuilder, _ base: any StoreSnapshot, _ generator: inout SeededGenerator
  ) throws {
    let layouts =
      ["Thing", "SpecialThing", "Owner"].map { base.schema[$0]! }
      + base.schema.linkTables.map(\.layout)
    let layout = layouts.randomElement(using: &generator)!
    let key = ObjectKey(
      entity: layout.entityNumber, number: .random(in: 1...3000, using: &generator))
    let version = try base.view.row(of: key)?.version
    let column = Int.random(in: 0..<layout.columns.count, using: &generator)
    if version == nil, builder.value(column: 0, of: key) == nil {
      builder.insert(key)
      for index in layout.columns.indices {
        builder.set(value(layout.columns[index].kind, &generator), column: index, of: key)
      }
    } else if let version, Int.random(in: 0..<6, using: &generator) > 0 {
      builder.set(
        value(layout.columns[column].kind, &generator), column: column, of: key, basis: version)
    }
  }

  private static func value(_ kind: ColumnKind, _ generator: inout SeededGenerator) -> Value {
    if Int.random(in: 0..<5, using: &generator) == 0 { return .null }
    let number = Int64.random(in: -1000...1000, using: &generator)
    switch kind {
    case .boolean: return .boolean(number > 0)
    case .int16, .int32: return .integer(number)
    case .int64: return .integer(number &* 1_000_003 &* (number % 7 == 0 ? 1 << 40 : 1))
    case .float: return .float(Float(number) / 8)
    case .double: return .double(number % 5 == 0 ? .pi * Double(number) : Double(number) / 100)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number) * 1000))
    case .decimal:
      return .decimal(
        number % 9 == 0 ? Decimal(string: "123456789012345678901.5")! : Decimal(number) / 1000)
    case .string, .uri: return .init(kind, "text \(number % 13) é")
    case .binary: return .binary(Data(repeating: UInt8(truncatingIfNeeded: number), count: 40))
    case .uuid: return .uuid(UUID())
    case .reference:
      return .object(ObjectKey(entity: 1, number: UInt64(abs(number)) + 1))
    }
  }

  /// Returns one line for each object, in the form of the reference reader.
  static func text(_ snapshot: any StoreSnapshot) throws -> [String] {
    var lines: [String] = []
    for layout in snapshot.schema.layouts + snapshot.schema.linkTables.map(\.layout) {
      let view = snapshot.view
      let columns = layout.columns.sorted {
        $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
      }
      for number in try view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        guard let row = try view.row(of: key) else { continue }
        var line = "\(layout.entity) \(number)"
        for column in columns {
          if let word = word(try row.value(column)) { line += " \(column.name)=\(word)" }
        }
        lines.append(line)
      }
    }
    return lines
  }

  private static func word(_ value: Value) -> String? {
    func hex(_ bytes: some Sequence<UInt8>) -> String {
      bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    func hex(_ bits: some FixedWidthInteger) -> String {
      hex(withUnsafeBytes(of: bits.bigEndian) { Array($0) })
    }
    switch value {
    case .null: return nil
    case .boolean(let value): return "\(value)"
    case .integer(let value): return "\(value)"
    case .float(let value): return hex(value.bitPattern)
    case .double(let value): return hex(value.bitPattern)
    case .date(let value): return hex(value.timeIntervalSinceReferenceDate.bitPattern)
    case .string(let value), .uri(let value): return hex(value.utf8)
    case .binary(let value): return hex(value)
    case .uuid(let value): return hex(withUnsafeBytes(of: value.uuid) { Array($0) })
    case .object(let key): return "\(key.entity)/\(key.number)"
    case .decimal(let value):
      var digits = "\(value.significand)"
      var exponent = value.exponent
      while digits.hasSuffix("0"), digits.count > 1 {
        digits.removeLast()
        exponent += 1
      }
      return (value < 0 ? "-" : "") + digits + "e\(digits == "0" ? 0 : exponent)"
    }
  }

  static func reference(_ path: String) throws -> [String] {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../spec/reference")
    let run = try ProgramRun("python3", [script.path, "read", path])
    #expect(run.status == 0, "\(run.text)")
    return run.text.split(separator: "\n").map(String.init)
  }
}

extension Value {
  fileprivate init(_ kind: ColumnKind, _ text: String) {
    self = kind == .uri ? .uri(text) : .string(text)
  }
}
