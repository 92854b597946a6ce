// SAFETY: The results of a plug-in's function are read only after the function has reported success.

import CStorePlugin
public import DurableFiles
import Foundation
public import ObjectModel
import PluginExchange
public import StoreInterface

/// The backend of one type of store that a plug-in brings.
///
/// The type and its capabilities come from the plug-in's manifest. The library is loaded only when a store is created
/// or opened, or when its metadata is read.
public struct PluginBackend: StoreBackend {
  /// The type of its stores.
  public let type: StoreType
  /// The capabilities of its stores.
  public let capabilities: StoreCapabilities
  /// The services that the program gives to the plug-in.
  public var services: PluginServices
  private let recognizing: @Sendable ([UInt8]) -> Bool
  private let recognizingAddress: @Sendable (String) -> Bool
  /// The name of the file that marks a folder as a store of this type; `nil` if the stores are files.
  private let marker: String?
  private let loading: @Sendable () throws -> PluginFunctions

  /// Creates the backend of one of the types in a plug-in's manifest.
  public init(
    _ plugin: FoundPlugin, _ type: PluginManifest.StoreType,
    services: PluginServices = PluginServices()
  ) {
    self.init(
      type.type, type.capabilities, services: services, marker: type.marker,
      recognizing: { type.recognizes($0) },
      recognizingAddress: { type.recognizesAddress($0) },
      load: {
        let loaded = try plugin.load()
        // SAFETY: The table and the type were checked when the plug-in was loaded.
        return unsafe PluginFunctions(
          loaded.table, type: loaded.description(of: type.type), flags: loaded.flags(of: type.type),
          name: loaded.manifest.name, library: loaded.path, life: loaded.life)
      })
  }

  /// Creates the backend of a type. `load` returns the functions of the type.
  package init(
    _ type: StoreType, _ capabilities: StoreCapabilities,
    services: PluginServices = PluginServices(), marker: String? = nil,
    recognizing: @escaping @Sendable ([UInt8]) -> Bool,
    recognizingAddress: @escaping @Sendable (String) -> Bool = { _ in false },
    load: @escaping @Sendable () throws -> PluginFunctions
  ) {
    self.type = type
    self.capabilities = capabilities
    self.services = services
    self.marker = marker
    self.recognizing = recognizing
    self.recognizingAddress = recognizingAddress
    loading = load
  }

  /// Returns whether the bytes match one of the beginnings in the manifest.
  public func recognizes(_ firstBytes: [UInt8]) -> Bool { recognizing(firstBytes) }

  /// Returns whether a path begins with one of the schemes in the manifest.
  public func recognizesAddress(_ path: String) -> Bool { recognizingAddress(path) }

  /// Returns whether a folder contains the marker file that the plug-in's manifest names for this type of store.
  public func recognizesFolder(at path: String, on disk: any Disk) throws -> Bool {
    guard let marker else { return false }
    let file = path.appendingPathComponent(marker)
    return try disk.statusIfThere(file, followingLinks: false)?.kind == .file
  }

  /// Creates a store without objects.
  public func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store {
    let schema = try creation.schema(of: model, path: path)
    var uuid = creation.uuid.uuid
    var wanted = unsafe QuireCreation()
    unsafe wanted.struct_size = UInt32(MemoryLayout<QuireCreation>.size)
    unsafe wanted.overwriting = creation.overwriting ? 1 : 0
    unsafe withUnsafeMutableBytes(of: &wanted.uuid) { place in
      unsafe withUnsafeBytes(of: &uuid) { unsafe place.copyMemory(from: $0) }
    }
    unsafe wanted.model = unsafe QuireBytes(try PluginDescriptions.bytes(of: model))
    unsafe wanted.schema = unsafe QuireBytes(PluginDescriptions.bytes(of: schema))
    unsafe wanted.metadata = unsafe QuireBytes(
      try PluginDescriptions.bytes(of: creation.metadata(of: type, model)))
    defer {
      _ = unsafe wanted.model.taken()
      _ = unsafe wanted.schema.taken()
      _ = unsafe wanted.metadata.taken()
    }
    return unsafe try store(path, disk, by: "create") { functions, services, store, error in
      services.services.trace?("create")
      return unsafe functions.table.pointee.create?(
        services.host, functions.type, path, &wanted, store, error)
    }
  }

  /// Opens a store.
  public func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening
  ) throws -> any Store {
    var wanted = unsafe QuireOpening()
    unsafe wanted.struct_size = UInt32(MemoryLayout<QuireOpening>.size)
    unsafe wanted.read_only = opening.readOnly ? 1 : 0
    unsafe wanted.commit = opening.commit ?? -1
    unsafe wanted.writes_foreign = opening.writesForeign ? 1 : 0
    unsafe wanted.folder_number = opening.folderNumber ?? 0
    if let model = opening.model {
      unsafe wanted.model = unsafe QuireBytes(try PluginDescriptions.bytes(of: model))
    }
    defer { _ = unsafe wanted.model.taken() }
    let store = unsafe try store(path, disk, by: "open") { functions, services, store, error in
      services.services.trace?("open")
      return unsafe functions.table.pointee.open?(
        services.host, functions.type, path, &wanted, store, error)
    }
    if opening.model != nil { try opening.check(store.snapshot().metadata, path: path) }
    return store
  }

  /// Returns the metadata of a store, read without a model and without its rows.
  public func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    let functions = try loading()
    let services = HostServices(disk, services)
    defer { withExtendedLifetime(services) {} }
    var (bytes, error) = unsafe (QuireBytes.none, QuireError())
    self.services.trace?("metadata")
    let code = unsafe functions.table.pointee.metadata?(
      services.host, functions.type, path, &bytes, &error)
    unsafe try PluginBackend.check(code, &error, of: "metadata", functions, path: path)
    guard let found = unsafe bytes.taken() else {
      throw functions.failure("reports success but returns no metadata.", at: path)
    }
    return try PluginDescriptions.metadata(found, path: path)
  }

  /// Writes a consistent copy of a store. Returns `false` if the plug-in can't do that.
  public func backUp(_ path: String, to copy: String, on disk: any Disk) throws -> Bool {
    let functions = try loading()
    guard let backUp = unsafe functions.table.pointee.back_up else { return false }
    let services = HostServices(disk, services)
    defer { withExtendedLifetime(services) {} }
    var error = unsafe QuireError()
    services.services.trace?("back_up")
    let code = unsafe backUp(services.host, functions.type, path, copy, &error)
    if code == Int32(QUIRE_NOT_SUPPORTED) {
      unsafe error.release?(&error)
      return false
    }
    unsafe try PluginBackend.check(code, &error, of: "back_up", functions, path: path)
    return true
  }

  /// Returns the rules that the plug-in checks; empty if it checks nothing.
  public func rules() throws -> [Rule] {
    guard let bytes = try report(of: nil, on: RealDisk(), model: nil, services) else { return [] }
    return try PluginReports.read(bytes, path: nil, of: type).rules
  }

  /// Checks a store against the rules of its format. Returns `nil` if the plug-in checks nothing.
  public func check(
    _ path: String, on disk: any Disk, model: Model?, progress: @escaping (Double) -> Void
  ) throws -> StoreCheck? {
    // The plug-in calls the closure on this thread, before the call below returns.
    nonisolated(unsafe) let progress = progress
    var services = services
    let former = services.progress
    services.progress = { done, total in
      if total > 0 { unsafe progress(Double(done) / Double(total)) }
      return former(done, total)
    }
    guard let bytes = try report(of: path, on: disk, model: model, services) else { return nil }
    guard let check = try PluginReports.read(bytes, path: path, of: type).check else {
      throw try loading().failure("reports success but returns no result of the check.", at: path)
    }
    return check
  }

  /// Returns the report of a check as bytes; `nil` if the plug-in checks nothing.
  ///
  /// - Parameter path: The path of the store; `nil` for a report that contains only the rules.
  private func report(
    of path: String?, on disk: any Disk, model: Model?, _ services: PluginServices
  ) throws -> [UInt8]? {
    let functions = try loading()
    guard let check = unsafe functions.table.pointee.check else { return nil }
    let services = HostServices(disk, services)
    defer { withExtendedLifetime(services) {} }
    var opening = unsafe QuireOpening()
    unsafe opening.struct_size = UInt32(MemoryLayout<QuireOpening>.size)
    unsafe opening.read_only = 1
    unsafe opening.commit = -1
    if let model {
      unsafe opening.model = unsafe QuireBytes(try PluginDescriptions.bytes(of: model))
    }
    defer { _ = unsafe opening.model.taken() }
    var (bytes, error) = unsafe (QuireBytes.none, QuireError())
    services.services.trace?("check")
    let code = unsafe check(services.host, functions.type, path, &opening, &bytes, &error)
    if code == Int32(QUIRE_NOT_SUPPORTED) {
      unsafe error.release?(&error)
      return nil
    }
    unsafe try PluginBackend.check(code, &error, of: "check", functions, path: path ?? "")
    return unsafe bytes.taken()
  }

  private func store(
    _ path: String, _ disk: any Disk, by name: StaticString,
    _ body: (
      PluginFunctions, HostServices, UnsafeMutablePointer<OpaquePointer?>,
      UnsafeMutablePointer<QuireError>
    ) throws -> Int32?
  ) throws -> PluginStore {
    let functions = try loading()
    let services = HostServices(disk, services)
    var (handle, error): (OpaquePointer?, QuireError) = unsafe (nil, QuireError())
    let code = unsafe try body(functions, services, &handle, &error)
    unsafe try PluginBackend.check(code, &error, of: name, functions, path: path)
    guard let handle = unsafe handle else {
      throw functions.failure("reports success but returns no store.", at: path)
    }
    return try PluginStore(
      unsafe StoreHandle(handle, functions, services, path: path), type, capabilities, path: path)
  }

  private static func check(
    _ code: Int32?, _ error: inout QuireError, of name: StaticString,
    _ functions: PluginFunctions, path: String
  ) throws {
    if code != Int32(QUIRE_OK) {
      throw unsafe functions.failure(
        code ?? Int32(QUIRE_NOT_SUPPORTED), taking: &error, of: name, at: path)
    }
  }
}
