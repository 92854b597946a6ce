public import ModelNotations
public import ObjectModel

/// Swift source with a class for each entity of a model: typed properties, keys and requests.
///
///     let classes = try ModelClasses(of: versions, named: "Trips")
///     try classes.write(to: "Sources/Trips/Model")
///
/// Equal models produce equal text, so generated files can be stored and compared. No name or note of a model can end
/// the literal, the comment or the declaration that contains it.
public struct ModelClasses: Sendable {
  /// The files: one for each entity with generated code, one for each composite type, and last the file with the list
  /// of classes and the model itself.
  public let files: [CodeFile]
  let modelName: String

  /// The choices that the model does not make.
  public struct Options: Sendable, Hashable {
    /// The access level of the classes and their members.
    public var access: CodeAccess
    /// The kind of code for an entity without a setting in its source. Apple's editor saves "Manual/None" as a
    /// missing setting, so models with classes written by hand need ``CodeKind/none`` here.
    public var unmarkedEntities: CodeKind
    /// The module that contains the generated code. Classes without generated code that another module declares,
    /// according to the model, are imported from that module. If `nil`, no class is imported.
    public var module: String?

    /// Creates options with the given choices.
    public init(
      access: CodeAccess = .public, unmarkedEntities: CodeKind = .class, module: String? = nil
    ) {
      self.access = access
      self.unmarkedEntities = unmarkedEntities
      self.module = module
    }
  }

  /// Generates the classes of a model.
  ///
  /// - Parameters:
  ///   - name: The model's name in its file: `Trips`.
  ///   - version: The name of the version, if it has one.
  /// - Throws: ``ModelCodeError`` if a template's predicate can't be read, or the model can't be written into the
  ///   code.
  public init(
    of model: Model, named name: String, version: String? = nil, _ options: Options = Options()
  ) throws(ModelCodeError) {
    try self.init(of: model, nil, named: name, version: version, options)
  }

  /// Generates the classes of the current version of a model, and the sources of all versions for migrations.
  ///
  /// - Parameter name: The model's name in its file: `Trips`.
  /// - Throws: ``ModelCodeError`` if a template's predicate can't be read, or a version can't be written into the
  ///   code.
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

  /// The text of all files as one file, for builds that must know their output files beforehand.
  public var text: String { CodeFile.joined(files).text }
}

/// The access level of declarations in generated code.
public enum CodeAccess: String, Sendable, CaseIterable {
  /// All modules. Classes of entities with subentities are `open`.
  case `public`
  /// The modules of the package.
  case package
  /// The module that contains the code.
  case `internal`
}

/// The kind of code that is generated for an entity, in the words of model sources (`codeGenerationType`).
public enum CodeKind: String, Sendable, CaseIterable {
  case `class`
  /// An extension, with the properties, of a class written by hand.
  case category
  /// No code. The class, if the model names one, is written by hand.
  case none
}

/// An error that keeps code from being generated or written.
public struct ModelCodeError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of the error.
  public let code: Code
  public let message: String

  /// A kind of error.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    /// Creates the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The predicate of a fetch request template can't be read.
    public static let unreadableTemplate = Code(rawValue: "unreadableTemplate")
    /// The source form can't represent the model.
    public static let unwritableModel = Code(rawValue: "unwritableModel")
    /// A file exists that Quire did not write.
    public static let foreignFile = Code(rawValue: "foreignFile")
    /// A file can't be written.
    public static let notWritten = Code(rawValue: "notWritten")
  }

  public var description: String { message }
}
