import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import SpecVectors
import StoreConformance
import StoreInterface
import Testing
import XMLStore

/// The vectors of chapter 5, read from the page of the specification.
@Suite("The XML documents of the specification")
struct XMLVectorTests {
  private static let page = "5-xml-store.md"

  @Test(
    "The store reads each document as the specification says",
    arguments: try SpecVector.all("xml-store", on: page))
  func reading(_ vector: SpecVector) throws {
    let model = try Self.model(vector)
    let store = try Self.open(vector[all: "line"], model)
    #expect(try Self.lines(store.snapshot()) == vector[all: "object"])
  }

  @Test(
    "The store writes each document in both forms, and reads it as the specification says",
    arguments: try SpecVector.all("xml-store", on: page), XMLStoreOptions.Form.allCases)
  func writing(_ vector: SpecVector, _ form: XMLStoreOptions.Form) throws {
    let disk = SimulatedDisk()
    let backend = XMLStoreBackend(form)
    let source = try Self.open(vector[all: "line"], Self.model(vector)).snapshot()
    let store = try backend.create(
      at: "/copy", model: source.model, on: disk, StoreCreation(overwriting: true))
    try StoreCopy(from: source, to: store).run()

    let read = try backend.open("/copy", on: disk, StoreOpening()).snapshot()

    // Copies have new numbers, in the order of the old numbers within each entity.
    #expect(
      try StoreConformance.objects(read).values.map(\.count).sorted()
        == StoreConformance.objects(source).values.map(\.count).sorted())
  }

  @Test(
    "The store refuses each wrong document, and names the line",
    arguments: try SpecVector.all("bad-xml-store", on: page))
  func refusing(_ vector: SpecVector) throws {
    let whole = try #require(
      try SpecVector.all("xml-store", on: Self.page).first { $0.title == vector["of"] })
    var lines = whole[all: "line"]
    let place = try #require(vector["at"].flatMap { Int($0) })
    lines[place - 1] = vector["with"] ?? ""
    let model = try Self.model(whole)

    let error = #expect(throws: StoreError.self) { try Self.open(lines, model) }

    #expect(error?.code.rawValue == vector["code"], "\(error.map { "\($0)" } ?? "")")
    let number = try #require(vector["line-number"])
    #expect(
      error?.message.contains(try Regex("line \(number)\\b")) ?? false,
      "\(error.map { "\($0)" } ?? "")")
  }

  @Test("The page has valid and invalid vectors")
  func count() throws {
    #expect(try SpecVector.all("xml-store", on: Self.page).count >= 3)
    #expect(try SpecVector.all("bad-xml-store", on: Self.page).count >= 15)
  }

  private static func open(_ lines: [String], _ model: Model) throws -> any Store {
    let disk = SimulatedDisk()
    try disk.open("/v", for: .create).append(Array(lines.joined(separator: "\n").utf8))
    return try XMLStoreBackend().open("/v", on: disk, StoreOpening(model: model))
  }

  /// Returns the model that the `model` fields of a vector list.
  private static func model(_ vector: SpecVector) throws -> Model {
    let types = Dictionary(
      uniqueKeysWithValues: [
        AttributeType.boolean, .int16, .int32, .int64, .float, .double, .date, .decimal, .string,
        .uri, .binary, .uuid,
      ].map { ("\($0)", $0) })
    return try Model(
      entities: vector[all: "model"].map { line in
        let words = line.split(separator: " ")
        let names = words[0].split(separator: ":").map(String.init)
        var entity = Entity(names[0], superentity: names.count > 1 ? names[1] : nil)
        for word in words.dropFirst() {
          let parts = word.split(separator: ":").map(String.init)
          let kind = parts[1].split(separator: ".").map(String.init)
          if let type = types[kind[0]] {
            entity.declaredProperties.append(.attribute(Attribute(parts[0], type)))
          } else {
            entity.declaredProperties.append(
              .relationship(
                Relationship(
                  parts[0], to: kind[1], inverse: kind.count > 2 ? kind[2] : nil,
                  count: kind[0] == "one" ? .toOne : .toMany, isOrdered: kind[0] == "ordered")))
          }
        }
        return entity
      })
  }

  /// Returns one line for each object, in the form of spec 5.8.
  private static func lines(_ snapshot: any StoreSnapshot) throws -> [String] {
    let (model, view) = (try snapshot.model, snapshot.view)
    var lines: [(String, UInt64, String)] = []
    let described = try StoreConformance.described(snapshot, by: "#number")
    for layout in snapshot.schema.layouts {
      for number in try view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        let row = try #require(try view.row(of: key))
        var words: [(String, String)] = []
        for column in layout.columns where !column.name.contains("#") {
          if column.kind != .reference, let text = text(try row.value(column)) {
            words.append((column.name, text))
          }
        }
        let relations = described["\(Value.object(key))"]?.relationships ?? [:]
        for case .relationship(let relationship) in model.properties(of: layout.entity) {
          let names = relations[relationship.name] ?? []
          let numbers = names.compactMap { name in
            described.keys.first { $0 == name }.flatMap { numbersByName(snapshot)[$0] }
          }
          if !numbers.isEmpty {
            words.append((relationship.name, numbers.map(String.init).joined(separator: ",")))
          }
        }
        words.sort { $0.0 < $1.0 }
        lines.append(
          (
            layout.entity, number,
            (["\(layout.entity) \(number)"] + words.map { "\($0)=\($1)" }).joined(separator: " ")
          ))
      }
    }
    return lines.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
  }

  private static func numbersByName(_ snapshot: any StoreSnapshot) -> [String: UInt64] {
    var numbers: [String: UInt64] = [:]
    for layout in snapshot.schema.layouts {
      for number in (try? snapshot.view.keys(ofEntity: layout.entityNumber)) ?? [] {
        numbers["\(Value.object(ObjectKey(entity: layout.entityNumber, number: number)))"] = number
      }
    }
    return numbers
  }

  private static func text(_ value: Value) -> String? {
    func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    func number(_ value: Double) -> String {
      if value.isNaN { return "nan(\(String(value.bitPattern, radix: 16)))" }
      return value == value.rounded() && value.magnitude < 1e15 ? "\(Int(value))" : "\(value)"
    }
    switch value {
    case .null, .object: return nil
    case .boolean(let value): return value ? "1" : "0"
    case .integer(let value): return "\(value)"
    case .float(let value): return "\(value)"
    case .double(let value): return number(value)
    case .date(let value): return number(value.timeIntervalSinceReferenceDate)
    case .decimal(let value): return "\(value)"
    case .string(let value), .uri(let value): return hexadecimal(value.utf8)
    case .binary(let value): return hexadecimal(value)
    case .uuid(let value): return value.uuidString
    }
  }
}
