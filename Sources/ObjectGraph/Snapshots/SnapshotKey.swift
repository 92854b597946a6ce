/// The name of a property in JSON.
struct SnapshotKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
  init(_ name: StaticString) { stringValue = name.description }
}
