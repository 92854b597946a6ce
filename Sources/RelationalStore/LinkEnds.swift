/// The key of a link, and the keys of the objects at its ends.
package struct LinkEnds: Sendable {
  package let key: Int64
  package let source: Int64
  package let target: Int64
}
