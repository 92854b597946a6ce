/// `quire model`
enum ModelCommand {
  static let command = Command("model", "shows a model") { _ in .done }
}
