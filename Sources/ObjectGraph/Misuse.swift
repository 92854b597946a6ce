/// Ends the program, which has used objects or contexts as they must not be used, and says how.
///
/// A failed precondition says nothing in a program that was built for release, and that is where it is needed.
func misuse(_ what: @autoclosure () -> String) -> Never { fatalError(what()) }

/// Ends the program, and says why, unless a condition holds that whoever calls has to see to.
@inline(__always)
func require(_ condition: Bool, _ what: @autoclosure () -> String) {
  if !condition { misuse(what()) }
}
