/// Stops the program because it has misused objects or contexts, and prints a description of the misuse.
///
/// A failed precondition prints nothing in a release build, where the description is needed.
func misuse(_ what: @autoclosure () -> String) -> Never { fatalError(what()) }

/// Stops the program with a description if the condition is false. The caller must ensure the condition.
@inline(__always)
func require(_ condition: Bool, _ what: @autoclosure () -> String) {
  if !condition { misuse(what()) }
}
