import CStorePlugin
import JSONText
import StoreInterface

extension PluginManifest {
  /// Reads and checks a manifest (spec §9.2).
  ///
  /// - Throws: A refusal of kind ``PluginRefusal/Reason/badManifest`` that names the place, or of kind
  ///   ``PluginRefusal/Reason/wrongVersion``.
  package init(_ bytes: [UInt8], path: String, folderName: String) throws(PluginRefusal) {
    var source = ManifestSource(plugin: folderName, path: path)
    guard bytes.count <= Self.byteLimit else {
      throw source.fault("has \(bytes.count) bytes, more than the limit of \(Self.byteLimit).")
    }
    let json: JSON
    do { json = try JSON.read(bytes) } catch { throw source.fault("is not JSON: \(error)") }
    if case .string(let name)? = json["name"], Self.isName(name) { source.plugin = name }
    if case .array(let types)? = json["types"] {
      source.types = types.compactMap {
        guard case .string(let name)? = $0["name"], Self.isName(name) else { return nil }
        return StoreInterface.StoreType(rawValue: name)
      }
    }

    let members = try PluginMembers(json, at: "", source)
    abi = UInt32(try members.integer("abi", 1...Int64(UInt32.max)))
    // The version is checked first, because a later version may give all other members another meaning.
    guard abi == UInt32(QUIRE_PLUGIN_ABI) else {
      throw PluginRefusal(
        .wrongVersion, plugin: source.plugin, path: path, types: source.types,
        "The plug-in '\(source.plugin)' (\(path)) uses version \(abi) of the interface, but this program uses "
          + "version \(QUIRE_PLUGIN_ABI).")
    }
    name = try members.text(
      "name", Self.isName, "is not 1 to 64 characters of A-Z, a-z, 0-9, '_', '.' and '-'.")
    version = try members.text(
      "version", Self.isVersion, "is not 1 to 64 printable ASCII characters.")
    library = try members.text(
      "library", { Self.isPlainFileName($0) && ($0.hasSuffix(".so") || $0.hasSuffix(".dylib")) },
      "is not a plain file name that ends with .so or .dylib.")
    description = try members.optionalText("description", Self.isRemark, Self.noRemark)
    author = try members.optionalText("author", Self.isRemark, Self.noRemark)
    var types: [StoreType] = []
    var warnings: [String] = []
    for one in try members.list("types", 1...Self.listLimit) {
      let type = try StoreType(one, &warnings)
      guard !types.contains(where: { $0.type == type.type }) else {
        throw one.error("name", "is '\(type.name)', which is also the name of another type.")
      }
      types.append(type)
    }
    self.types = types
    self.warnings = members.unknown + warnings
  }

  static let listLimit = 64
  private static let noRemark = "is empty, or longer than 1024 characters."

  /// Returns whether a text can be the name of a plug-in or of a type.
  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isPlain)
  }

  private static func isVersion(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  private static func isRemark(_ text: String) -> Bool {
    (1...1024).contains(text.unicodeScalars.count)
  }

  /// Returns whether a text is a plain file name, without a folder, that does not begin with a dot.
  static func isPlainFileName(_ text: String) -> Bool {
    (1...200).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
      && text.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "+") }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

extension PluginManifest.StoreType {
  fileprivate init(
    _ members: PluginMembers, _ warnings: inout [String]
  ) throws(PluginRefusal) {
    let name = try members.text(
      "name", PluginManifest.isName, "is not 1 to 64 characters of A-Z, a-z, 0-9, '_', '.' and '-'."
    )
    type = StoreType(rawValue: name)
    var capabilities: StoreCapabilities = []
    var said: Set<String> = []
    for text in try members.texts("capabilities", mayLack: false) {
      guard said.insert(text).inserted else {
        throw members.error("capabilities", "has '\(text)' twice.")
      }
      if let known = StoreAbility(rawValue: text)?.capability {
        capabilities.insert(known)
      } else {
        warnings.append("\(members.inner("capabilities")) has '\(text)', which is unknown.")
      }
    }
    self.capabilities = capabilities
    var begins: [PluginManifest.Beginning] = []
    for one in try members.list("begins", 0...PluginManifest.listLimit) {
      begins.append(try PluginManifest.Beginning(one))
      warnings += one.unknown
    }
    self.begins = begins
    marker = try members.optionalText(
      "marker", PluginManifest.isPlainFileName, "is not a plain file name.")
    extensions = try members.texts("extensions", mayLack: true)
    guard extensions.allSatisfy({ PluginManifest.isName($0) && $0.utf8.first != UInt8(ascii: ".") })
    else {
      throw members.error(
        "extensions", "has an extension that is not a plain word without a dot at the start.")
    }
    guard Set(extensions).count == extensions.count else {
      throw members.error("extensions", "has an extension twice.")
    }
    schemes = try members.texts("schemes", mayLack: true)
    guard schemes.allSatisfy({ PluginManifest.isName($0) }), Set(schemes).count == schemes.count
    else {
      throw members.error("schemes", "has a scheme twice, or one that is not a plain word.")
    }
    warnings += members.unknown
  }
}

extension PluginManifest.Beginning {
  fileprivate init(_ members: PluginMembers) throws(PluginRefusal) {
    offset = Int(try members.optionalInteger("offset", 0...1023) ?? 0)
    let text = try members.optionalText("text", { !$0.isEmpty }, "is empty.")
    let hex = try members.optionalText("hex", { !$0.isEmpty }, "is empty.")
    switch (text, hex) {
    case (let text?, nil): bytes = Array(text.utf8)
    case (nil, let hex?):
      guard let read = Self.bytes(hex: hex) else {
        throw members.error("hex", "does not consist of pairs of hexadecimal digits.")
      }
      bytes = read
    default: throw members.error("", "must have either 'text' or 'hex'.")
    }
    guard offset + bytes.count <= StoreBackends.firstByteCount else {
      throw members.error("", "ends after the first \(StoreBackends.firstByteCount) bytes.")
    }
    let contains = try members.optionalText(
      "contains", { (1...1024).contains($0.utf8.count) }, "is empty, or longer than 1024 bytes.")
    self.contains = contains.map { Array($0.utf8) }
  }

  private static func bytes(hex: String) -> [UInt8]? {
    let digits = Array(hex.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Character(Unicode.Scalar(digits[index])).hexDigitValue,
        let low = Character(Unicode.Scalar(digits[index + 1])).hexDigitValue
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}
