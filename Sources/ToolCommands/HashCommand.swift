/// `quire hash`
enum HashCommand {
  static let command = Command("hash", "prints hashes") { _ in .done }
}
