/// One import of a generated file.
struct CodeImport: Hashable {
  let module: String
  /// The class that is imported, where it is not all of the module.
  var className: String?
  /// The access, with a space behind it; nothing where what the file shows to others has no need of the import.
  let access: String

  /// The import in Swift. A class is imported where there is such a module: the model may come from a project whose
  /// modules have other names.
  var text: String {
    guard let className else { return "\(access)import \(module)" }
    return """
      #if canImport(\(module))
        \(access)import class \(module).\(className)
      #endif
      """
  }

  /// The text of several, each thing imported once and for all who need it.
  static func text(_ imports: Set<CodeImport>) -> String {
    let needed = imports.filter { one in
      !one.access.isEmpty
        || !imports.contains {
          !$0.access.isEmpty && $0.module == one.module && $0.className == one.className
        }
    }
    return needed.sorted { $0.rank < $1.rank }.map(\.text).joined(separator: "\n")
  }

  /// Whole modules come first, each by its name.
  private var rank: (Int, String, String) { (className == nil ? 0 : 1, module, className ?? "") }
}
