/// The versions of rows.
package enum RowVersion {
  /// The greatest version of a row: the highest number of a commit, so that a following number always exists (spec §4.8).
  package static let highest: Int64 = 1 << 62
}
