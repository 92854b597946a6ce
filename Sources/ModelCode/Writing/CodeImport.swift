/// One import of a generated file.
struct CodeImport: Hashable {
  let module: String
  /// The imported class; `nil` if the whole module is imported.
  var className: String?
  /// The access modifier, followed by a space; empty if no declaration of the file needs the import to be visible.
  let access: String

  /// The import in Swift. A class is imported only if its module exists, because the modules of the model's project
  /// may have other names.
  var text: String {
    guard let className else { return "\(access)import \(module)" }
    return """
      #if canImport(\(module))
        \(access)import class \(module).\(className)
      #endif
      """
  }

  /// Returns the text of several imports. An import with access replaces the same import without access.
  static func text(_ imports: Set<CodeImport>) -> String {
    let needed = imports.filter { one in
      !one.access.isEmpty
        || !imports.contains {
          !$0.access.isEmpty && $0.module == one.module && $0.className == one.className
        }
    }
    return needed.sorted { $0.rank < $1.rank }.map(\.text).joined(separator: "\n")
  }

  /// The sort key: whole modules first, then by name.
  private var rank: (Int, String, String) { (className == nil ? 0 : 1, module, className ?? "") }
}
