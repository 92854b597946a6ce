import ModelNotations
import ObjectModel
import ObjectQuery

extension WrittenMapping {
  /// Reads a mapping from a file: the text form, an `.xcmappingmodel` of Apple's mapping editor (the folder, or its
  /// `xcmapping.xml`), or a `.cdm` that Apple's compiler made from one.
  ///
  /// Values that Apple's editor generates are inferred here. Names of policies are the names of the classes.
  ///
  /// - Throws: `ModelFileError` if the file can't be read, or ``MigrationError`` with code
  ///   ``MigrationError/Code/badMapping`` for a fault in the contents.
  public init(contentsOf path: String) throws {
    try self.init(MappingFile.read(path), path: path)
  }

  /// Reads a mapping from the bytes of such a file.
  package init(_ bytes: [UInt8], path: String) throws {
    try self.init(MappingFile.read(bytes, path: path), path: path)
  }

  init(_ file: MappingFile, path: String) throws(MigrationError) {
    do throws(MigrationError) { try self.init(file) } catch { throw error.inFile(path) }
    origin.path = path
  }

  private init(_ file: MappingFile) throws(MigrationError) {
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

  /// Returns the name of a version, such as `Trips 2` for `Trips.xcdatamodeld/Trips 2.xcdatamodel`.
  private static func versionName(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: ".") else { return name }
    return String(name[..<dot])
  }

  /// Returns the mapping of an entity; `nil` if it does nothing.
  private static func mapping(
    _ part: MappingFile.EntityPart
  ) throws(MigrationError) -> EntityMapping? {
    // The editor leaves mappings without an entity behind. They have no effect.
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
      do throws(QueryError) {
        let expression = try QueryExpression(text)
        mapping.properties.append(PropertyMapping(name, expression == .null ? nil : expression))
      } catch {
        throw MigrationError(
          .badMapping, "The value of \"\(name)\" in \(what), \(text): \(error)", cause: error)
      }
    }
    return mapping
  }

  /// Returns the mapping between two of the given versions, which are found by name or by version hashes.
  ///
  /// - Throws: ``MigrationError`` with code ``MigrationError/Code/badMapping`` if a version is not found.
  public func completed(among versions: [KnownVersion]) throws(MigrationError) -> MappingModel {
    do throws(MigrationError) {
      return try MappingModel(
        from: version("from", sourceName, sourceHashes, versions),
        to: version("to", destinationName, destinationHashes, versions), entityMappings)
    } catch { throw origin.path.map(error.inFile) ?? error }
  }

  private func version(
    _ keyword: String, _ name: String?, _ hashes: [String: VersionHash], _ versions: [KnownVersion]
  ) throws(MigrationError) -> Model {
    let known = versions.map { "\"\($0.name)\"" }.joined(separator: ", ")
    if let name {
      guard let version = versions.first(where: { $0.name == name }) else {
        throw MigrationError(
          .badMapping,
          "The mapping is \(keyword) \"\(name)\", which is not a known version. The known versions are \(known)."
        )
      }
      return version.model
    }
    guard !hashes.isEmpty else {
      throw MigrationError(
        .badMapping,
        """
        The mapping does not name its versions. Begin the mapping with the line \
        \(keyword) "NAME". The known versions are \(known).
        """)
    }
    let found = versions.first { version in
      hashes.allSatisfy { version.model.versionHash(of: $0) == $1 }
    }
    guard let found else {
      throw MigrationError(
        .badMapping,
        """
        The mapping's version hashes of \
        \(hashes.keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")) match none of the known \
        versions (\(known)).
        """)
    }
    return found.model
  }
}

extension MigrationError {
  /// Returns the error with the path of the mapping's file before its message.
  fileprivate func inFile(_ path: String) -> MigrationError {
    MigrationError(
      code, "\(path): \(message)", problems: problems, failures: failures,
      constraintConflicts: constraintConflicts, cause: cause)
  }
}
