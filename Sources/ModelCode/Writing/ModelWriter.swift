import ModelNotations
import ObjectModel

/// Writes the type that contains the model itself, and the list of its classes.
struct ModelWriter {
  private let plan: ClassPlan
  private let source: String
  /// The names of all versions, with the sources of the versions other than the current one; `nil` to write no
  /// versions.
  private let versions: [(name: String, source: String?)]?

  /// - Throws: ``ModelCodeError`` if the model, or a version of it, can't be written as a source.
  init(_ plan: ClassPlan, _ versions: ModelVersions?) throws(ModelCodeError) {
    self.plan = plan
    source = try Self.source(of: plan.model, "The model")
    var sources: [(name: String, source: String?)] = []
    for version in versions?.versions ?? [] {
      let isOwn = version.name == versions?.currentName
      let what = "The version \(CodeText.quoted(version.name)) of the model"
      sources.append((version.name, isOwn ? nil : try Self.source(of: version.model, what)))
    }
    self.versions = versions == nil ? nil : sources
  }

  private static func source(of model: Model, _ what: String) throws(ModelCodeError) -> String {
    do { return String(decoding: try ModelSource.write(model), as: UTF8.self) } catch {
      throw ModelCodeError(
        code: .unwritableModel, message: "\(what) can't be written as a source: \(error)")
    }
  }

  /// Returns the file. The caller places it last, because it names all the classes.
  func file(version: String?, _ heading: [String]) -> CodeFile {
    let access = plan.options.access == .internal ? "" : "\(plan.options.access) "
    let words = version.map { ", version \(CodeText.quoted($0))" } ?? ""
    let name = CodeText.quoted(plan.sourceName)
    let model = plan.types.quire("Model")
    var lines = CodeLines()
    lines.document(["The model \(name)\(words), and the classes that were made from it."])
    lines.open("nonisolated \(access)enum \(plan.modelName)")

    lines.line("/// The model.")
    lines.line("\(access)static let model: \(model) = read(source)")
    lines.gap()
    writeVersions(access, current: version ?? plan.sourceName, to: &lines)

    let classes = plan.entities.filter(\.hasClass).map { "\($0.className).self" }
    lines.line("/// The classes of the entities, in the order of the model.")
    lines.list(
      "\(access)static let classes: [\(plan.types.quire("ManagedObject")).Type] = [", classes, "]")
    lines.gap()

    writeReading(of: model, to: &lines)
    lines.gap()
    lines.line("/// The model's source.")
    write(source, named: "source", to: &lines)
    for (index, version) in (versions ?? []).enumerated() {
      guard let source = version.source else { continue }
      lines.gap()
      lines.document(["The source of \(CodeText.quoted(version.name))."])
      write(source, named: Self.sourceName(index), to: &lines)
    }
    lines.close()
    // The list names the classes without exposing them in a declaration.
    let imported = plan.imports(ofClasses: plan.entities.map(\.className), access: "")
    return CodeFile(
      name: plan.listFileName, heading: heading,
      imports: imported.union([CodeImport(module: "Quire", access: access)]), body: lines.lines)
  }

  /// Writes all versions, for migrations. The generated code reads them on first use of the list.
  private func writeVersions(_ access: String, current: String, to lines: inout CodeLines) {
    guard let versions else { return }
    let type = plan.types.quire("ModelVersions")
    lines.line("/// All versions of the model, which migrations go over.")
    lines.open("\(access)static let versions: \(type) = \(type)(", brace: "")
    lines.open("[", brace: "")
    for (index, version) in versions.enumerated() {
      let model = version.source == nil ? "model" : "read(\(Self.sourceName(index)))"
      lines.line(
        "\(type).Version(\(CodeText.literal(version.name)), model: \(model))"
          + (versions.count > 1 ? "," : ""))
    }
    lines.close("], currentName: \(CodeText.literal(current)))")
    lines.close("")
    lines.gap()
  }

  private func writeReading(of model: String, to lines: inout CodeLines) {
    let string = plan.types.swift("String")
    lines.line("/// Reads a source.")
    lines.open("private static func read(_ source: \(string)) -> \(model)")
    lines.open("do")
    lines.line(
      "return try \(model)(\(plan.types.quire("ModelSource"))"
        + ".read(\(plan.types.swift("Array"))(source.utf8)))")
    lines.reopen("} catch {")
    lines.line("// It was written from a model that had no fault.")
    lines.list(
      "\(plan.types.swift("fatalError"))(",
      ["\"The model in \(plan.modelName) can't be read: \\(error)\""],
      ")")
    lines.close()
    lines.close()
  }

  private func write(_ source: String, named name: String, to lines: inout CodeLines) {
    lines.open("private static let \(name) =", brace: "")
    lines.literal("", source)
    lines.close("")
  }

  /// Returns the name of the constant with the source of a version.
  private static func sourceName(_ index: Int) -> String { "source\(index + 1)" }
}
