/// The numbers for the parameters of a statement.
package enum StatementNumbers {
  case parameters([Int64])
  /// One parameter, in the condition `isListed`. A database without lists runs the statement for each number.
  case list([Int64])
}
