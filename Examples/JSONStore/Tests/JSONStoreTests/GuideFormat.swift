import Foundation
import PluginSupport

extension StoreType { static let ledger = StoreType(rawValue: "Ledger") }

struct LedgerBackend: StoreBackend {
  var type: StoreType { .ledger }
  var capabilities: StoreCapabilities { AtomicStore.capabilities }

  func recognizes(_ firstBytes: [UInt8]) -> Bool { firstBytes.starts(with: LedgerFormat.mark.utf8) }

  func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store {
    try AtomicStore.create(at: path, model: model, format: LedgerFormat(), on: disk, creation)
  }

  func open(_ path: String, on disk: any Disk, _ opening: StoreOpening) throws -> any Store {
    try AtomicStore.open(path, format: LedgerFormat(), on: disk, opening)
  }

  func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    do {
      return try LedgerFormat().ledger(disk.open(path, for: .read)).preamble
        .storeMetadata(path: path)
    } catch let error as DiskError {
      throw StoreError(error, path: path)
    }
  }
}

extension LedgerBackend {
  static let nextKey = Rule("LEDG-001", "The next key is above 0", "3")

  func rules() throws -> [Rule] { [LedgerBackend.nextKey] }

  func check(
    _ path: String, on disk: any Disk, model: Model?, progress: @escaping (Double) -> Void
  ) throws -> StoreCheck? {
    let file = try disk.open(path, for: .read)
    var result = StoreCheck()
    result.byteCount = try file.byteCount()
    do {
      let ledger = try LedgerFormat().ledger(file)
      if ledger.nextKey == 0 {
        result.findings.add(LedgerBackend.nextKey, Place("preamble"), "The next key is 0.")
      }
      result.hasReadableObjects = true
    } catch {
      result.unchecked.append("The file can't be read: \(error)")
    }
    return result
  }
}

struct LedgerFormat: AtomicFormat {
  /// The first bytes of each file.
  static let mark = "ledger 1\n"

  var type: StoreType { .ledger }
  var version: String { "1" }

  /// The contents of a file, which Foundation's coders write and read.
  struct Ledger: Codable {
    var model: String
    var metadata: String
    var entityNumbers: [String: UInt16]
    var highestEntityNumber: UInt16
    var nextKey: UInt64
    var objects: [String: [UInt64: [String: Cell]]] = [:]
    var links: [String: [[Cell]]] = [:]

    var preamble: AtomicPreamble {
      AtomicPreamble(
        model: model, metadata: metadata, entityNumbers: entityNumbers,
        highestEntityNumber: highestEntityNumber, nextKey: nextKey)
    }
  }

  /// A value in a file. Floating-point numbers and dates are stored as their bits, which preserve every value.
  enum Cell: Codable {
    case none
    case boolean(Bool)
    case integer(Int64)
    case float(UInt32)
    case double(UInt64)
    case date(UInt64)
    case decimal(String)
    case string(String)
    case uri(String)
    case uuid(UUID)
    case bytes(Data)
    case object(UInt64)
  }

  func read(_ file: DurableFile, model: Model?, evolving schema: Schema?) throws -> AtomicContents {
    let ledger = try ledger(file)
    var contents = try ledger.preamble.contents(
      model: model, evolving: schema, path: file.path)
    let rows = AtomicRows(contents.schema, path: file.path)
    for (entity, objects) in ledger.objects {
      for (number, cells) in objects {
        let key = try rows.insert(entity, number)
        for (name, cell) in cells { try rows.set(cell.value, name, of: key) }
      }
    }
    for (name, links) in ledger.links {
      for link in links {
        guard let side = contents.schema.links(named: name), link.count == 4,
          case .object(let owner) = link[0].value, case .object(let other) = link[1].value
        else { throw StoreError(.damaged, "A link of '\(name)' is not valid.", path: file.path) }
        try rows.link(
          owner, to: other, along: side, place: link[2].integer, placeBack: link[3].integer)
      }
    }
    contents.layers = [rows.layer()]
    return contents
  }

  func write(_ contents: AtomicContents, to writer: inout FileWriter) throws {
    let preamble = try AtomicPreamble(contents)
    var ledger = Ledger(
      model: preamble.model, metadata: preamble.metadata, entityNumbers: preamble.entityNumbers,
      highestEntityNumber: preamble.highestEntityNumber, nextKey: preamble.nextKey)
    for layout in contents.schema.layouts {
      for number in try contents.view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        guard let row = try contents.view.row(of: key) else { continue }
        var cells: [String: Cell] = [:]
        for column in layout.columns { cells[column.name] = Cell(try row.value(column)) }
        ledger.objects[layout.entity, default: [:]][number] = cells
      }
    }
    for table in contents.schema.linkTables {
      guard let side = contents.schema.links(named: table.layout.entity) else { continue }
      for number in try contents.view.keys(ofEntity: table.layout.entityNumber) {
        let key = ObjectKey(entity: table.layout.entityNumber, number: number)
        guard let row = try contents.view.row(of: key) else { continue }
        let columns = [side.owner, side.destination, side.order, side.turned.order]
        ledger.links[table.layout.entity, default: []].append(
          try columns.map { try $0.map { Cell(try row.value($0)) } ?? .none })
      }
    }
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    try writer.write(LedgerFormat.mark)
    try writer.write(Array(try encoder.encode(ledger)))
  }

  func ledger(_ file: DurableFile) throws -> Ledger {
    let bytes = try file.read(byteCount: file.byteCount(), at: 0)
    guard bytes.starts(with: LedgerFormat.mark.utf8) else {
      throw StoreError(.notAStore, "The file is not a ledger.", path: file.path)
    }
    do {
      let list = Data(bytes.dropFirst(LedgerFormat.mark.utf8.count))
      return try PropertyListDecoder().decode(Ledger.self, from: list)
    } catch {
      throw StoreError(
        .damaged, "The ledger can't be read: \(error)", path: file.path, cause: error)
    }
  }
}

extension LedgerFormat.Cell {
  init(_ value: Value) {
    self =
      switch value {
      case .null: .none
      case .boolean(let value): .boolean(value)
      case .integer(let value): .integer(value)
      case .float(let value): .float(value.bitPattern)
      case .double(let value): .double(value.bitPattern)
      case .date(let value): .date(value.timeIntervalSinceReferenceDate.bitPattern)
      case .decimal(let value): .decimal(value.description)
      case .string(let value): .string(value)
      case .uri(let value): .uri(value)
      case .uuid(let value): .uuid(value)
      case .binary(let value): .bytes(value)
      case .object(let key): .object(key.rawValue)
      }
  }

  var value: Value {
    switch self {
    case .none: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .float(let bits): .float(Float(bitPattern: bits))
    case .double(let bits): .double(Double(bitPattern: bits))
    case .date(let bits):
      .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
    case .decimal(let text): .decimal(Decimal(string: text, locale: nil) ?? .nan)
    case .string(let value): .string(value)
    case .uri(let value): .uri(value)
    case .uuid(let value): .uuid(value)
    case .bytes(let value): .binary(value)
    case .object(let key): .object(ObjectKey(rawValue: key))
    }
  }

  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
}
