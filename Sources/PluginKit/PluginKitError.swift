/// The reason why a step of making, testing or installing a plug-in failed.
package struct PluginKitError: Error, Hashable {
  /// The kind of reason.
  package enum Code: Hashable, Sendable {
    /// A file could not be read or written, or a program could not run.
    case inputOutput
    /// The plug-in or its package is refused.
    case refused
  }

  package let code: Code
  package let message: String
  /// A remedy, in a sentence, if any.
  package let hint: String?

  package init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}
