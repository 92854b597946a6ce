public import ObjectModel

/// Swift source with a class for each entity of a model: typed properties, keys, requests.
///
///     let classes = try ModelClasses(of: versions, named: "Trips")
///     try classes.write(to: "Sources/Trips/Model")
///
/// Equal models make equal text, so what is written may be kept and compared. Whatever names and notes
/// a model holds, none of them can end the literal, the comment or the declaration it is put in.
public struct ModelClasses: Sendable {
  /// The files: one for each entity that code is made for, one for each composite type, and last the
  /// one that lists the classes and holds the model itself.
  public let files: [CodeFile]
  /// The model's name.
  let modelName: String

  /// What is made of a model, beyond what the model says.
  public struct Options: Sendable, Hashable {
    /// Who sees the classes and their members.
    public var access: CodeAccess
    /// What is made for an entity whose source says nothing. Apple's editor keeps "Manual/None" by
    /// saying nothing, so models whose classes are written by hand want ``CodeKind/none`` here.
    public var unmarkedEntities: CodeKind
    /// The module that the code is part of. Classes that no code is made for, and that are of another module by what the
    /// model says, are imported from there; nothing is when this is not known.
    public var module: String?

    /// The given choices.
    public init(
      access: CodeAccess = .public, unmarkedEntities: CodeKind = .class, module: String? = nil
    ) {
      self.access = access
      self.unmarkedEntities = unmarkedEntities
      self.module = module
    }
  }

  /// The classes of a model.
  ///
  /// - Parameters:
  ///   - name: The model's name, as its file has it: `Trips`.
  ///   - version: The name of the version, where it has one.
  /// - Throws: ``ModelCodeError`` when a template's predicate can't be read, or the model can't be
  ///   written into the code.
  public init(
    of model: Model, named name: String, version: String? = nil, _ options: Options = Options()
  ) throws(ModelCodeError) {
    try self.init(of: model, nil, named: name, version: version, options)
  }

  /// The classes of the current version of a model, and beside them all versions, which migrations need.
  ///
  /// - Parameter name: The model's name, as its file has it: `Trips`.
  /// - Throws: ``ModelCodeError`` as above.
  public init(
    of versions: ModelVersions, named name: String, _ options: Options = Options()
  ) throws(ModelCodeError) {
    try self.init(
      of: versions.current, versions, named: name, version: versions.currentName, options)
  }

  private init(
    of model: Model, _ versions: ModelVersions?, named name: String, version: String?,
    _ options: Options
  ) throws(ModelCodeError) {
    let plan = ClassPlan(of: model, named: name, options)
    let heading = CodeFile.heading(model: name, version: version)
    var files: [CodeFile] = []
    let writer = try ClassWriter(plan)
    for entity in plan.entities where entity.kind != .none {
      files.append(try writer.file(for: entity, heading))
    }
    for composite in model.description.composites {
      files.append(writer.file(for: composite, heading))
    }
    let list = try ModelWriter(plan, versions)
    files.append(list.file(version: version == name ? nil : version, heading))
    self.files = files
    modelName = name
  }

  /// All the files in one, under the name of the last: for a build, which must know beforehand what
  /// files it will have.
  public var text: String { CodeFile.joined(files).text }
}

/// Who sees the declarations in generated code.
public enum CodeAccess: String, Sendable, CaseIterable {
  /// Everyone. Classes of entities that others inherit from are `open`.
  case `public`
  /// The modules of the package.
  case package
  /// The module that the code is part of.
  case `internal`
}

/// What code is made for an entity, in the words of model sources (`codeGenerationType`).
public enum CodeKind: String, Sendable, CaseIterable {
  /// A class.
  case `class`
  /// An extension with the properties, of a class written by hand.
  case category
  /// Nothing. The class, if the model names one, is written by hand.
  case none
}

/// Why no code can be made of a model.
public struct ModelCodeError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of fault it is.
  public let code: Code
  /// What is wrong, in sentences.
  public let message: String

  /// Kinds of faults.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's name.
    public let rawValue: String
    /// The kind of the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The predicate of a fetch request template can't be read.
    public static let unreadableTemplate = Code(rawValue: "unreadableTemplate")
    /// The model holds something that its source form can't.
    public static let unwritableModel = Code(rawValue: "unwritableModel")
    /// A file is there that Quire did not write.
    public static let foreignFile = Code(rawValue: "foreignFile")
    /// A file can't be written.
    public static let notWritten = Code(rawValue: "notWritten")
  }

  /// The message.
  public var description: String { message }
}
