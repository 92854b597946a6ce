/// The version of Quire, by the rules of semantic versioning.
package enum QuireVersion {
  package static let version = "0.1.0"
}
