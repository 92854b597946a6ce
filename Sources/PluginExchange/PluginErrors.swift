import CStorePlugin
package import StoreInterface

extension StoreError.Code {
  /// The kinds of failure that both sides know, by their numbers in the interface (spec §9.3).
  private static let numbers: [(Int32, StoreError.Code)] = [
    (Int32(QUIRE_NOT_FOUND), .notFound), (Int32(QUIRE_EXISTS), .exists),
    (Int32(QUIRE_NOT_A_STORE), .notAStore), (Int32(QUIRE_NEWER_FORMAT), .newerFormat),
    (Int32(QUIRE_DAMAGED), .damaged), (Int32(QUIRE_INPUT_OUTPUT), .inputOutput),
    (Int32(QUIRE_READ_ONLY), .readOnly), (Int32(QUIRE_LOCKED), .locked),
    (Int32(QUIRE_OVERTAKEN), .overtaken), (Int32(QUIRE_INCOMPATIBLE_MODEL), .incompatibleModel),
    (Int32(QUIRE_CLOSED), .closed), (Int32(QUIRE_BAD_CHANGE), .badChange),
    (Int32(QUIRE_CANCELLED), .cancelled), (Int32(QUIRE_NOT_SUPPORTED), .notSupported),
  ]

  /// The kind of failure of the given number.
  package init(pluginCode number: Int32) {
    self = Self.numbers.first { $0.0 == number }?.1 ?? .failed
  }

  /// The kind's number.
  package var pluginCode: Int32 {
    Self.numbers.first { $0.1 == self }?.0 ?? Int32(QUIRE_FAILED)
  }
}
