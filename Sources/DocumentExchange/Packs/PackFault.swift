/// The reason why a file of a remote is left out.
struct PackFault: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
