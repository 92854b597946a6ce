import ObjectModel
import Testing

/// One change of a model, for tests of its effects.
struct Mutation: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var apply: @Sendable (inout Model.Description) -> Void

  init(_ title: String, _ apply: @escaping @Sendable (inout Model.Description) -> Void) {
    testDescription = title
    self.apply = apply
  }
}
