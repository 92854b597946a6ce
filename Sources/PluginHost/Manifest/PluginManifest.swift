public import StoreInterface

/// What a plug-in says of itself without being loaded: its `plugin.json` (spec §9.2).
public struct PluginManifest: Sendable, Hashable {
  /// The plug-in's name.
  public let name: String
  /// The plug-in's own version, as its author counts.
  public let version: String
  /// The version of the interface that it speaks.
  public let abi: UInt32
  /// The library's file, in the manifest's folder.
  public let library: String
  /// What it is, for people.
  public let description: String?
  /// Who made it.
  public let author: String?
  /// The types of stores that it brings; at least one.
  public let types: [StoreType]
  /// What is odd and no fault: members and capabilities that nobody here knows, each with its place.
  public let warnings: [String]

  /// The name of the file.
  public static let fileName = "plugin.json"
  /// No manifest has more bytes.
  public static let byteLimit = 64 << 10

  package init(
    name: String, version: String, abi: UInt32, library: String, description: String? = nil,
    author: String? = nil, types: [StoreType], warnings: [String] = []
  ) {
    self.name = name
    self.version = version
    self.abi = abi
    self.library = library
    self.description = description
    self.author = author
    self.types = types
    self.warnings = warnings
  }

  /// A type of store that a plug-in brings.
  public struct StoreType: Sendable, Hashable {
    /// The type.
    public let type: StoreInterface.StoreType
    /// What its stores can do by themselves.
    public let capabilities: StoreCapabilities
    /// How the first bytes of its files may look. A file is one of the type when one of these holds.
    public let begins: [Beginning]
    /// The file that a folder holds which is such a store; `nil` for stores in one file.
    public let marker: String?
    /// What its files' names may end with, without the dot.
    public let extensions: [String]

    /// The type's name.
    public var name: String { type.rawValue }

    package init(
      _ type: StoreInterface.StoreType, capabilities: StoreCapabilities = [],
      begins: [Beginning] = [], marker: String? = nil, extensions: [String] = []
    ) {
      self.type = type
      self.capabilities = capabilities
      self.begins = begins
      self.marker = marker
      self.extensions = extensions
    }

    /// Whether a file that begins with the given bytes is such a store.
    public func recognizes(_ firstBytes: [UInt8]) -> Bool {
      begins.contains { $0.matches(firstBytes) }
    }
  }

  /// How the first bytes of a file may look.
  public struct Beginning: Sendable, Hashable {
    /// Where the bytes lie.
    public let offset: Int
    /// The bytes.
    public let bytes: [UInt8]
    /// What is to be found anywhere in the first bytes besides.
    public let contains: [UInt8]?

    package init(offset: Int = 0, _ bytes: [UInt8], contains: [UInt8]? = nil) {
      self.offset = offset
      self.bytes = bytes
      self.contains = contains
    }

    /// Whether the bytes look like that.
    func matches(_ firstBytes: [UInt8]) -> Bool {
      let seen = firstBytes.prefix(StoreBackends.firstByteCount)
      guard seen.dropFirst(offset).starts(with: bytes) else { return false }
      guard let contains else { return true }
      return seen.indices.contains { seen[$0...].starts(with: contains) }
    }
  }
}

extension StoreCapabilities {
  /// The capabilities by the names that manifests have for them, in the order of their bits (spec §9.2.5).
  package static let names: [(name: String, capability: StoreCapabilities)] = [
    ("incremental", .incremental), ("durable", .durable), ("shared", .shared),
    ("history", .history), ("querying", .querying), ("confirmation", .confirmation),
  ]

  /// The names of these.
  package var names: [String] {
    Self.names.filter { contains($0.capability) }.map(\.name)
  }
}
