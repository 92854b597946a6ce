import ObjectModel

/// Writes the type that has the model itself, and the list of its classes.
struct ModelWriter {
  private let plan: ClassPlan
  private let source: String

  /// - Throws: ``ModelCodeError`` when the model can't be written as a source.
  init(_ plan: ClassPlan) throws(ModelCodeError) {
    self.plan = plan
    do { source = String(decoding: try ModelSource.write(plan.model), as: UTF8.self) } catch {
      throw ModelCodeError(
        code: .unwritableModel, message: "The model can't be written as a source: \(error)")
    }
  }

  /// The file, to be made last: it names all the classes.
  func file(version: String?, _ heading: [String]) -> CodeFile {
    let types = plan.types
    let access = plan.options.access == .internal ? "" : "\(plan.options.access) "
    let version = version.map { ", version \(CodeText.quoted($0))" } ?? ""
    let name = CodeText.quoted(plan.sourceName)
    var lines = CodeLines()
    lines.document(["The model \(name)\(version), and the classes that were made from it."])
    lines.open("nonisolated \(access)enum \(plan.modelName)")

    lines.line("/// The model.")
    lines.open("\(access)static let model: \(types.quire("Model")) =")
    lines.open("do")
    lines.line(
      "return try \(types.quire("Model"))(\(types.quire("ModelSource"))"
        + ".read(\(types.swift("Array"))(source.utf8)))")
    lines.reopen("} catch {")
    lines.line("// It was written from a model that had no fault.")
    lines.list(
      "\(types.swift("fatalError"))(",
      ["\"The model in \(plan.modelName) can't be read: \\(error)\""],
      ")")
    lines.close()
    lines.close("}()")
    lines.gap()

    let classes = plan.entities.filter(\.hasClass).map { "\($0.className).self" }
    lines.line("/// The classes of the entities, in the order of the model.")
    lines.list(
      "\(access)static let classes: [\(types.quire("ManagedObject")).Type] = [", classes, "]")
    lines.gap()

    lines.line("/// The model's source.")
    lines.open("private static let source =", brace: "")
    lines.literal("", source)
    lines.close("")
    lines.close()
    return CodeFile(
      name: plan.listFileName, heading: heading, imports: ["\(access)import Quire"],
      body: lines.lines)
  }
}
