/// The reason why a program of the system could not run.
package struct ProgramError: Error, Hashable {
  package let message: String
  /// A remedy, in a sentence, if any.
  package let hint: String?

  package init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}
