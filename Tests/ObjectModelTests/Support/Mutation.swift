import ObjectModel
import Testing

/// One thing done to a model, for tests of what follows from it.
struct Mutation: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var apply: @Sendable (inout Model.Description) -> Void

  init(_ title: String, _ apply: @escaping @Sendable (inout Model.Description) -> Void) {
    testDescription = title
    self.apply = apply
  }
}
