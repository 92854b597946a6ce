import CStorePlugin
import StoreInterface

/// The table that a library returned, to be checked against the interface and the manifest (spec §9.5).
struct PluginTable {
  private let plugin: FoundPlugin
  /// The address of the table, as the library returned it. The table is read through ``ForeignMemory`` only.
  private let address: UInt

  /// An upper bound for the size of any structure of the interface, in this version or in a later one.
  static let byteLimit = 1 << 20
  /// The largest number of bytes in the name of a type of store, and in a version.
  private static let nameByteLimit = 64
  /// The largest number of types that are read from one table.
  private static let typeLimit = 1024

  init(_ plugin: FoundPlugin, _ table: UnsafePointer<QuirePlugin>) {
    self.plugin = plugin
    address = UInt(bitPattern: table)
  }

  private func bad(_ fault: String) -> PluginRefusal {
    PluginRefusal(.badTable, plugin, "returned a table that \(fault)")
  }

  /// Checks the table and returns the plug-in with a copy of it.
  func checked() throws(PluginRefusal) -> LoadedPlugin {
    guard let memory = ForeignMemory() else {
      throw bad("can't be checked: the system has no free pipe.")
    }
    try checkVersion(memory)
    // SAFETY: The structures that the table refers to are read only through `memory` until the plug-in has passed all
    // checks.
    let table = unsafe try copy(memory)
    unsafe try checkNames(table, memory)
    unsafe try checkFunctions(table)
    let types = unsafe try checkTypes(table, memory)
    return unsafe LoadedPlugin(plugin.manifest, path: plugin.libraryPath, table, types)
  }

  /// The number of bytes of the table in version 1.0 of the interface.
  private static let leastByteCount = unsafe MemoryLayout<QuirePlugin>.offset(of: \.back_up)!

  private func checkVersion(_ memory: borrowing ForeignMemory) throws(PluginRefusal) {
    guard let head = memory.bytes(at: address, count: 8) else { throw bad("can't be read.") }
    let version = number(head, at: 0)
    guard version == plugin.manifest.abi, version == UInt32(QUIRE_PLUGIN_ABI) else {
      throw PluginRefusal(
        .wrongVersion, plugin,
        "has version \(version) of the interface; its manifest has version \(plugin.manifest.abi), and this program "
          + "has version \(QUIRE_PLUGIN_ABI).")
    }
  }

  /// Returns the number at an offset of some bytes, which a library of this same machine wrote.
  private func number<Number: FixedWidthInteger>(
    _ bytes: [UInt8], at offset: Int, as type: Number.Type = UInt32.self
  ) -> Number {
    let number = bytes[offset...].prefix(MemoryLayout<Number>.size).reversed().reduce(0) {
      $0 << 8 | Number(truncatingIfNeeded: $1)
    }
    return Number(littleEndian: number)
  }

  /// Returns a copy of the part of the table that this program knows.
  private func copy(_ memory: borrowing ForeignMemory) throws(PluginRefusal) -> QuirePlugin {
    // SAFETY: Exactly as many bytes are copied as the structure has. Any bytes are a valid value of the structure: it
    // consists of numbers, and of pointers that are not followed here.
    guard let head = memory.bytes(at: address, count: 8) else { throw bad("can't be read.") }
    let said = Int(number(head, at: 4))
    guard said >= Self.leastByteCount else {
      throw bad(
        "states a size of \(said) bytes, less than the \(Self.leastByteCount) bytes of a whole table."
      )
    }
    // A table of an earlier version is shorter. The functions that it lacks are NULL.
    let size = unsafe min(said, MemoryLayout<QuirePlugin>.size)
    guard said <= Self.byteLimit else {
      throw bad("states a size of \(said) bytes, more than the limit of \(Self.byteLimit).")
    }
    guard let bytes = memory.bytes(at: address, count: size) else {
      throw bad("states a size of \(said) bytes, but not all of these bytes can be read.")
    }
    var table = unsafe QuirePlugin()
    unsafe withUnsafeMutableBytes(of: &table) { unsafe $0.copyBytes(from: bytes) }
    return unsafe table
  }

  private func checkNames(
    _ table: QuirePlugin, _ memory: borrowing ForeignMemory
  ) throws(PluginRefusal) {
    let manifest = plugin.manifest
    // SAFETY: Only the addresses of the pointers are used.
    let names = unsafe [
      ("name", UInt(bitPattern: table.name), manifest.name),
      ("version", UInt(bitPattern: table.version), manifest.version),
    ]
    for (what, place, said) in names {
      guard let text = memory.text(at: place, byteLimit: Self.nameByteLimit) else {
        throw bad(
          "has no readable \(what) of at most \(Self.nameByteLimit) bytes.")
      }
      guard text == said else {
        throw bad("has the \(what) '\(text)', but the manifest has '\(said)'.")
      }
    }
  }

  private func checkFunctions(_ table: QuirePlugin) throws(PluginRefusal) {
    // SAFETY: The functions are not called, only compared with NULL.
    let needed = unsafe [
      ("create", table.create != nil), ("open", table.open != nil),
      ("metadata", table.metadata != nil), ("close", table.close != nil),
      ("release_store", table.release_store != nil), ("snapshot", table.snapshot != nil),
      ("release_snapshot", table.release_snapshot != nil), ("commit_of", table.commit_of != nil),
      ("describe", table.describe != nil), ("tables", table.tables != nil),
      ("rows or blocks", table.rows != nil || table.blocks != nil),
      ("read_block", table.blocks == nil || table.read_block != nil),
      ("commit", table.commit != nil), ("lease_keys", table.lease_keys != nil),
      ("status", table.status != nil),
    ]
    try require(needed, "which every plug-in needs")
    let all = plugin.manifest.types.reduce(into: StoreCapabilities()) {
      $0.formUnion($1.capabilities)
    }
    let history = unsafe [
      ("commits", table.commits != nil), ("snapshot_of", table.snapshot_of != nil),
      ("keep_commits", table.keep_commits != nil),
    ]
    if all.contains(.history) { try require(history, "which 'history' needs") }
    let log = unsafe [
      ("logged_transactions", table.logged_transactions != nil),
      ("logged_changes", table.logged_changes != nil),
      ("forget_logged", table.forget_logged != nil),
    ]
    if log.contains(where: \.1) { try require(log, "which a log of changes needs") }
    if all.contains(.confirmation) {
      try require(unsafe [("advance", table.advance != nil)], "which 'confirmation' needs")
    }
    if all.contains(.querying) {
      try require(unsafe [("query", table.query != nil)], "which 'querying' needs")
    }
  }

  private func require(
    _ functions: [(name: String, isThere: Bool)], _ why: String
  ) throws(PluginRefusal) {
    guard let missing = functions.first(where: { !$0.isThere }) else { return }
    throw bad("lacks \(missing.name), \(why).")
  }

  /// Returns the types of the manifest as the library's table describes them.
  ///
  /// - Throws: A refusal if the table lacks a type of the manifest, or gives it different capabilities.
  private func checkTypes(
    _ table: QuirePlugin, _ memory: borrowing ForeignMemory
  ) throws(PluginRefusal) -> [TableType] {
    var said: [TableType] = []
    // SAFETY: Only numbers are read from the table.
    let (count, list) = unsafe (Int(table.type_count), UInt(bitPattern: table.types))
    for index in 0..<min(count, Self.typeLimit) {
      let one = try type(index, of: count, at: list, memory)
      guard !said.contains(where: { $0.type == one.type }) else {
        throw bad("has the type '\(one.type.rawValue)' twice.")
      }
      said.append(one)
    }
    var types: [TableType] = []
    for one in plugin.manifest.types {
      guard let there = said.first(where: { $0.type == one.type }) else {
        throw bad("lacks the type '\(one.name)' of the manifest.")
      }
      // Unknown bits belong to later versions of the interface.
      let known = StoreCapabilities(rawValue: there.capabilities & 0b11_1111)
      guard known == one.capabilities else {
        throw bad(
          "gives the type '\(one.name)' \(words(known)), but its manifest gives it "
            + "\(words(one.capabilities)).")
      }
      types.append(there)
    }
    return types
  }

  private func words(_ capabilities: StoreCapabilities) -> String {
    capabilities.isEmpty
      ? "no capabilities" : "the capabilities " + capabilities.names.joined(separator: ", ")
  }

  private func type(
    _ index: Int, of count: Int, at list: UInt, _ memory: borrowing ForeignMemory
  ) throws(PluginRefusal) -> TableType {
    let (place, isBeyond) = list.addingReportingOverflow(UInt(index * MemoryLayout<UInt>.size))
    guard list != 0, !isBeyond,
      let bytes = memory.bytes(at: place, count: MemoryLayout<UInt>.size)
    else { throw bad("states \(count) types, but not all of these types can be read.") }
    let start = number(bytes, at: 0, as: UInt.self)
    // SAFETY: Only the size of the structure is used.
    let size = unsafe MemoryLayout<QuireStoreType>.size
    guard start != 0, let body = memory.bytes(at: start, count: size) else {
      throw bad("has a type, number \(index), that can't be read.")
    }
    let said = Int(number(body, at: 0))
    guard (size...Self.byteLimit).contains(said) else {
      throw bad(
        "has a type, number \(index), with a size of \(said) bytes, which is not from \(size) to \(Self.byteLimit)."
      )
    }
    let name = number(body, at: 8, as: UInt.self)
    guard let text = memory.text(at: name, byteLimit: Self.nameByteLimit) else {
      throw bad("has a type, number \(index), without a readable name.")
    }
    return TableType(
      type: StoreType(rawValue: text), address: start, capabilities: number(body, at: 16),
      flags: number(body, at: 20))
  }
}

/// A type of store, as a library's table describes it.
struct TableType {
  let type: StoreType
  /// The address of the type's description.
  let address: UInt
  let capabilities: UInt32
  let flags: UInt32
}
