/// Returns the name of a type, without its module and the types around it.
///
/// `String(describing:)` gives the same name. But its first call looks up a dozen conformances, which takes as long as half
/// of the work of a process that opens a store and reads one object.
package func nameOfType(_ type: Any.Type) -> String { _typeName(type, qualified: false) }
