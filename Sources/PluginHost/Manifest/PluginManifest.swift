public import StoreInterface

/// A plug-in's description of itself, which can be read without loading it: its `plugin.json` (spec §9.2).
public struct PluginManifest: Sendable, Hashable {
  public let name: String
  /// The plug-in's own version, in its author's numbering.
  public let version: String
  /// The version of the interface that the plug-in implements.
  public let abi: UInt32
  /// The file name of the library, in the manifest's folder.
  public let library: String
  /// A description of the plug-in for people.
  public let description: String?
  /// The author of the plug-in.
  public let author: String?
  /// The types of stores that the plug-in brings; at least one.
  public let types: [StoreType]
  /// Oddities that are not faults: unknown members and capabilities, each with its place.
  public let warnings: [String]

  /// The file name of every manifest.
  public static let fileName = "plugin.json"
  /// The largest number of bytes in a manifest.
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
    public let type: StoreInterface.StoreType
    /// The capabilities of its stores.
    public let capabilities: StoreCapabilities
    /// The possible beginnings of its files. A file is of the type if it has one of these beginnings.
    public let begins: [Beginning]
    /// The name of the file that marks a folder as a store of this type; `nil` for stores in one file.
    public let marker: String?
    /// The possible extensions of its file names, without the dot.
    public let extensions: [String]
    /// The schemes of its addresses, such as `postgresql` of `postgresql://…`; none for stores on a disk.
    public let schemes: [String]

    public var name: String { type.rawValue }

    package init(
      _ type: StoreInterface.StoreType, capabilities: StoreCapabilities = [],
      begins: [Beginning] = [], marker: String? = nil, extensions: [String] = [],
      schemes: [String] = []
    ) {
      self.type = type
      self.capabilities = capabilities
      self.begins = begins
      self.marker = marker
      self.extensions = extensions
      self.schemes = schemes
    }

    /// Returns whether a path is an address with one of the schemes.
    public func recognizesAddress(_ path: String) -> Bool {
      schemes.contains { path.hasPrefix($0 + "://") }
    }

    /// Returns whether a file that begins with the given bytes is a store of this type.
    public func recognizes(_ firstBytes: [UInt8]) -> Bool {
      begins.contains { $0.matches(firstBytes) }
    }
  }

  /// One possible beginning of a file.
  public struct Beginning: Sendable, Hashable {
    /// The offset of the bytes in the file.
    public let offset: Int
    /// The bytes at the offset.
    public let bytes: [UInt8]
    /// Bytes that must also occur anywhere in the first bytes of the file; `nil` if there are none.
    public let contains: [UInt8]?

    package init(offset: Int = 0, _ bytes: [UInt8], contains: [UInt8]? = nil) {
      self.offset = offset
      self.bytes = bytes
      self.contains = contains
    }

    /// Returns whether a file's first bytes match.
    func matches(_ firstBytes: [UInt8]) -> Bool {
      let seen = firstBytes.prefix(StoreBackends.firstByteCount)
      guard seen.dropFirst(offset).starts(with: bytes) else { return false }
      guard let contains else { return true }
      return seen.indices.contains { seen[$0...].starts(with: contains) }
    }
  }
}
