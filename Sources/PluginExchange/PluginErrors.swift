// SAFETY: An outgoing error keeps its message alive until it is released. An incoming error is released once, after its
// message was copied.

package import CStorePlugin
import DurableFiles
package import StoreInterface

extension StoreError.Code {
  /// The kinds of failure that both sides know, by their numbers in the interface (spec §9.3).
  private static let kinds: [(number: Int, code: StoreError.Code)] = [
    (Int(QUIRE_NOT_FOUND), .notFound), (Int(QUIRE_EXISTS), .exists),
    (Int(QUIRE_NOT_A_STORE), .notAStore), (Int(QUIRE_NEWER_FORMAT), .newerFormat),
    (Int(QUIRE_DAMAGED), .damaged), (Int(QUIRE_INPUT_OUTPUT), .inputOutput),
    (Int(QUIRE_READ_ONLY), .readOnly), (Int(QUIRE_LOCKED), .locked),
    (Int(QUIRE_OVERTAKEN), .overtaken), (Int(QUIRE_INCOMPATIBLE_MODEL), .incompatibleModel),
    (Int(QUIRE_CLOSED), .closed), (Int(QUIRE_BAD_CHANGE), .badChange),
    (Int(QUIRE_CANCELLED), .cancelled), (Int(QUIRE_NOT_SUPPORTED), .notSupported),
  ]

  /// Creates the kind of failure of the given number.
  package init(pluginCode number: Int32) {
    self = Self.kinds.first { $0.number == Int(number) }?.code ?? .failed
  }

  /// Returns whether the interface defines a number.
  package static func isDefined(pluginCode number: Int32) -> Bool {
    number == Int32(QUIRE_OK) || number == Int32(QUIRE_FAILED)
      || kinds.contains { $0.number == Int(number) }
  }

  package var pluginCode: Int32 {
    Int32(Self.kinds.first { $0.code == self }?.number ?? Int(QUIRE_FAILED))
  }
}

extension StoreError {
  /// Creates the error of a store from any error.
  package init(_ error: any Error, path: String?) {
    switch error {
    case let error as StoreError: self = error
    case let error as DiskError: self.init(error, path: path ?? error.path)
    default: self.init(.failed, "\(error)", path: path, cause: error)
    }
  }

  /// Creates an error from the structure that a failed call returned.
  package init(_ code: Int32, taking error: inout QuireError, path: String?) {
    let message = unsafe error.message.map { unsafe String(cString: $0) }
    if let release = unsafe error.release { unsafe release(&error) }
    unsafe error.release = nil
    self.init(
      Code(pluginCode: code),
      message ?? "The plug-in failed with the error number \(code) and no message.",
      path: path)
  }
}

/// Calls `body`, and returns its failure in the form of the interface.
@unsafe package func answering(
  _ place: UnsafeMutablePointer<QuireError>?, _ path: String? = nil, _ body: () throws -> Void
) -> Int32 {
  do {
    try body()
    return Int32(QUIRE_OK)
  } catch let refusal as PluginRefusalCode {
    return refusal.code
  } catch {
    let failure = StoreError(error, path: path)
    let code = failure.code.pluginCode
    unsafe fill(place, code, failure.message)
    return code
  }
}

/// A code that is passed through unchanged: the answer of a callback of the other side.
package struct PluginRefusalCode: Error {
  package let code: Int32
  package init(_ code: Int32) { self.code = code }

  /// Throws the code unless it means success.
  package static func check(_ code: Int32) throws {
    if code != Int32(QUIRE_OK) { throw PluginRefusalCode(code) }
  }
}

@unsafe private func fill(
  _ error: UnsafeMutablePointer<QuireError>?, _ code: Int32, _ message: String
) {
  guard let error = unsafe error else { return }
  let start = unsafe allocatedText(message)
  unsafe error.pointee = QuireError(
    code: code, message: UnsafePointer(start),
    release: { error in
      guard let error = unsafe error, let message = unsafe error.pointee.private_data else {
        return
      }
      unsafe message.deallocate()
      unsafe error.pointee.message = nil
      unsafe error.pointee.private_data = nil
      unsafe error.pointee.release = nil
    }, private_data: UnsafeMutableRawPointer(start))
}
