import ObjectModel
import ObjectQuery

extension WrittenMapping {
  /// Reads the file of a mapping: our own text, an `.xcmappingmodel` of Apple's mapping editor (the folder, or
  /// its `xcmapping.xml`), or a `.cdm` that Apple's compiler made of one.
  ///
  /// Values that Apple's editor generates are inferred here. Names of policies are those of the classes.
  ///
  /// - Throws: `ModelFileError` when the file can't be read, or ``MigrationError`` with code
  ///   ``MigrationError/Code/badMapping`` for what it says.
  public init(contentsOf path: String) throws {
    try self.init(MappingFile.read(path), path: path)
  }

  /// Reads the bytes of such a file.
  package init(_ bytes: [UInt8], path: String) throws {
    try self.init(MappingFile.read(bytes, path: path), path: path)
  }

  init(_ file: MappingFile, path: String) throws(MigrationError) {
    switch file {
    case .text(let text): try self.init(text)
    case .entities(let parts, let source, let destination):
      self.init(
        from: source.map(WrittenMapping.versionName),
        to: destination.map(WrittenMapping.versionName),
        [])
      for part in parts {
        if let name = part.source, let hash = part.sourceHash { sourceHashes[name] = hash }
        if let name = part.destination, let hash = part.destinationHash {
          destinationHashes[name] = hash
        }
        if let mapping = try WrittenMapping.mapping(part) { entityMappings.append(mapping) }
      }
    }
  }

  /// `Trips 2` of `Trips.xcdatamodeld/Trips 2.xcdatamodel`.
  private static func versionName(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: ".") else { return name }
    return String(name[..<dot])
  }

  /// Returns the mapping of an entity; `nil` if it does nothing.
  private static func mapping(
    _ part: MappingFile.EntityPart
  ) throws(MigrationError) -> EntityMapping? {
    // The editor leaves mappings behind that are of no entity. They do nothing.
    if part.source == nil, part.destination == nil, part.policy == nil { return nil }
    var mapping = EntityMapping(
      EntityMapping.Kind(rawValue: part.kind) ?? .transform, from: part.source,
      to: part.destination, name: part.name, policy: part.policy)
    mapping.isExact = part.isExact
    if part.policy != nil {
      mapping.kind = .custom
    } else if part.source == nil || part.destination == nil {
      mapping.kind = part.source == nil ? .add : .remove
      return mapping
    }
    let what = "the mapping \"\(mapping.name)\""
    do throws(QueryError) {
      mapping.sourcePredicate = try part.predicate.map { text throws(QueryError) in
        try QueryPredicate(text)
      }
    } catch {
      throw MigrationError(.badMapping, "The condition of \(what): \(error)", cause: error)
    }
    for (name, text) in part.properties {
      do throws(QueryError) { mapping.properties.append(try PropertyMapping(name, text)) } catch {
        throw MigrationError(
          .badMapping, "The value of \"\(name)\" in \(what), \(text): \(error)", cause: error)
      }
    }
    return mapping
  }

  /// The versions that the mapping is between: those it names, or of which it has the hashes.
  ///
  /// - Throws: ``MigrationError`` with code ``MigrationError/Code/badMapping`` when there are none such.
  public func completed(among versions: [KnownVersion]) throws(MigrationError) -> MappingModel {
    try MappingModel(
      from: version("from", sourceName, sourceHashes, versions),
      to: version("to", destinationName, destinationHashes, versions), entityMappings)
  }

  private func version(
    _ keyword: String, _ name: String?, _ hashes: [String: VersionHash], _ versions: [KnownVersion]
  ) throws(MigrationError) -> Model {
    let known = versions.map { "\"\($0.name)\"" }.joined(separator: ", ")
    if let name {
      guard let version = versions.first(where: { $0.name == name }) else {
        throw MigrationError(
          .badMapping,
          "The mapping is \(keyword) \"\(name)\", which is no known version. There are \(known).")
      }
      return version.model
    }
    guard !hashes.isEmpty else {
      throw MigrationError(
        .badMapping,
        """
        The mapping does not say between which versions it is. Begin it with the line \
        \(keyword) "NAME"; there are \(known).
        """)
    }
    let found = versions.first { version in
      hashes.allSatisfy { version.model.hasVersionHash($1, of: $0) }
    }
    guard let found else {
      throw MigrationError(
        .badMapping,
        """
        The mapping is between versions with other hashes of \
        \(hashes.keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")) than the known ones have \
        (\(known)).
        """)
    }
    return found.model
  }
}
