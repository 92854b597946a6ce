import Foundation

extension Fixtures {
  /// The paths in a folder of the fixtures that end as given; none where there are no fixtures.
  static func paths(_ ending: String, in subfolder: String) -> [String] {
    guard let base = folder?.appending(path: subfolder) else { return [] }
    let names = FileManager.default.enumerator(atPath: base.path)?.allObjects as? [String] ?? []
    return names.filter { $0.hasSuffix(ending) }.map { base.appending(path: $0).path }.sorted()
  }
}
