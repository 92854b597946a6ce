import BinaryStore
import BlockFileFormat
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import PropertyLists
import Rows
import StoreInterface

extension BrokenFile {
  static let contents = [
    BrokenFile("META-001") { try recommitted(SmallFile.one(), metadata: Array("hello".utf8)) },
    BrokenFile("META-002") { try metadata { $0["NSStoreUUID"] = nil } },
    BrokenFile("META-003") {
      try metadata { $0["NSStoreUUID"] = .string("00000000-0000-4000-8000-000000000000") }
    },
    BrokenFile("META-004") { try metadata { $0["NSStoreType"] = nil } },
    BrokenFile("META-005") { try metadata { $0["NSStoreType"] = .string("CompressedBinary") } },
    BrokenFile("META-006") {
      try metadata {
        $0["NSStoreModelVersionHashes"] = .dictionary(["Note": .data(Data(count: 31))])
      }
    },
    BrokenFile("META-007") {
      try metadata {
        let hashes = ["Note": VersionHash(bytes: Data(count: 32))!]
        $0["NSStoreModelVersionHashes"] = .dictionary(["Note": .data(Data(count: 32))])
        $0["NSStoreModelVersionHashesDigest"] = .string(Model.versionHashesDigest(of: hashes))
      }
    },
    BrokenFile("META-008") {
      try metadata { $0["NSStoreModelVersionHashesDigest"] = .string("none") }
    },
    BrokenFile("META-009") {
      try metadata { $0["NSStoreModelVersionIdentifiers"] = .array([.string("2")]) }
    },
    BrokenFile("META-010") { try metadata { $0["QuireLane"] = .string("140737488355328") } },
    BrokenFile("MODL-001") {
      try recommitted(SmallFile.one(), model: Array("<model".utf8)) {
        $0.schemaNumber = $0.number
      }
    },
    BrokenFile("MODL-002") {
      let text = """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
          <entity name="Note"><relationship name="next" maxCount="1" destinationEntity="Page"/></entity>
        </model>
        """
      return try recommitted(SmallFile.one(), model: Array(text.utf8)) {
        $0.schemaNumber = $0.number
      }
    },
    BrokenFile("MODL-003") {
      try recommitted(SmallFile.one(), schema: Array("none".utf8)) {
        $0.schemaNumber = $0.number
      }
    },
    BrokenFile("MODL-004") {
      try schema(SmallFile.one()) { schema in
        let ghost = Layout(entity: "Ghost", entityNumber: 2, columns: [])
        return try Schema(
          layouts: schema.layouts + [ghost], highestEntityNumber: 2,
          highestPropertyNumbers: schema.highestPropertyNumbers)
      }
    },
    BrokenFile("MODL-005") {
      try schema(SmallFile.one()) { schema in
        let columns = schema.layouts[0].columns.map {
          LayoutColumn(number: $0.number, name: $0.name, kind: $0.kind, isOptional: false)
        }
        return try Schema(
          layouts: [Layout(entity: "Note", entityNumber: 1, columns: columns)],
          highestEntityNumber: 1, highestPropertyNumbers: schema.highestPropertyNumbers)
      }
    },
    BrokenFile("MODL-006") {
      let bytes = try storeBytes([
        entity("Note", [Attribute("stars", .int16)]), entity("Letter", inherits: "Note"),
      ])
      return try schema(bytes) { schema in
        let root = schema["Note"]!
        let column = LayoutColumn(number: 7, name: "stars", kind: .int16)
        let letter = Layout(
          entity: "Letter", entityNumber: schema["Letter"]!.entityNumber, columns: [column])
        return try Schema(
          layouts: [root, letter], highestEntityNumber: schema.highestEntityNumber,
          highestPropertyNumbers: [root.entityNumber: 7])
      }
    },
    BrokenFile("MODL-007") {
      try schema(SmallFile.empty()) { schema in
        try Schema(
          layouts: schema.layouts, highestEntityNumber: 1, highestPropertyNumbers: [1: 1])
      }
    },
    BrokenFile("MODL-008", SmallFile.pair) { $0.set("segment0.block0.column2.number", 50) },
    BrokenFile("MODL-009", SmallFile.pair) { $0.set("segment0.block0.column1.kind", 4) },
    BrokenFile("MODL-012") {
      let text = """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
        userDefinedModelVersionIdentifier="1">
          <entity name="Note">
            <attribute name="text" optional="YES" attributeType="String"/>
            <attribute name="stars" optional="YES" attributeType="Integer 16"/>
            <fetchIndex name="lower">
              <fetchIndexElement expression="lowercase:(text)" type="Binary" order="ascending"/>
            </fetchIndex>
          </entity>
        </model>
        """
      return try recommitted(SmallFile.one(), model: Array(text.utf8)) {
        $0.schemaNumber = $0.number
      }
    },
    BrokenFile("MODL-011") {
      try schema(storeBytes(tags)) { schema in
        try Schema(
          layouts: schema.layouts, relationshipNumbers: schema.relationshipNumbers,
          highestEntityNumber: schema.highestEntityNumber,
          highestPropertyNumbers: schema.highestPropertyNumbers)
      }
    },
    BrokenFile(
      "MODL-010", model: try! Model(entities: [entity("Note", [Attribute("stars", .int64)])])
    ) {
      try SmallFile.one()
    },
  ]

  /// A to-many relationship and its to-many inverse.
  static let tags = [
    entity(
      "Note",
      relationships: [
        Relationship("tags", to: "Tag", inverse: "notes", count: .toMany, isOrdered: true)
      ]),
    entity(
      "Tag", relationships: [Relationship("notes", to: "Note", inverse: "tags", count: .toMany)]),
  ]

  /// Returns a small file with changed newest metadata.
  private static func metadata(
    _ change: (inout [String: PropertyList]) -> Void
  ) throws -> [UInt8] {
    let bytes = try SmallFile.one()
    var values = try snapshot(bytes).metadata.values
    change(&values)
    return try recommitted(bytes, metadata: BinaryPropertyList.write(.dictionary(values)))
  }

  /// Returns a file with a replaced newest schema.
  private static func schema(
    _ bytes: [UInt8], _ change: (Schema) throws -> Schema
  ) throws -> [UInt8] {
    let other = try change(snapshot(bytes).schema)
    return try recommitted(
      bytes, schema: SchemaCoding.bytes(other)
    ) { $0.schemaNumber = $0.number }
  }

  private static func snapshot(_ bytes: [UInt8]) throws -> any StoreSnapshot {
    let disk = SimulatedDisk()
    try disk.open("/s", for: .create).append(bytes)
    return try BinaryStore.open("/s", on: disk).snapshot()
  }
}
