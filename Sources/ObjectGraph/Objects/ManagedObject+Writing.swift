// SAFETY: An object retains its row source. No function uses a source after it has given the object another source.

public import Foundation
public import ObjectModel
import Rows

// Writing. An object that has a row in an open draft is written in place. Any other object gets a row in a draft first.
extension ManagedObject {
  /// Sets the value of an attribute with a column of its type. Returns `false` if the caller must set it in another
  /// way.
  @inlinable
  final func write<V: AttributeValue>(_ value: V, _ hash: UInt64) -> Bool {
    if V.self == String.self { return setString(value as! String, hash) }
    if V.self == Int.self { return setInteger(Int64(value as! Int), hash) }
    if V.self == Int64.self { return setInteger(value as! Int64, hash) }
    if V.self == Int32.self { return setInteger(Int64(value as! Int32), hash) }
    if V.self == Int16.self { return setInteger(Int64(value as! Int16), hash) }
    if V.self == Double.self { return setDouble(value as! Double, hash) }
    if V.self == Bool.self { return setBoolean(value as! Bool, hash) }
    if V.self == Date.self {
      return setDate((value as! Date).timeIntervalSinceReferenceDate, hash)
    }
    return false
  }

  /// Calls `body` with the draft that has the object's row and with the property's column, if `isRight` accepts the
  /// column.
  @inline(__always)
  private final func write(
    _ hash: UInt64, if isRight: (PropertyCode) -> Bool,
    by body: (Draft, Int) -> Void
  ) -> Bool {
    unsafe sourceReference._withUnsafeGuaranteedRef { source in
      if !source.isCurrent {
        if state.contains(.loose) { return false }
        refusePlace()
      }
      let code = source.code(hash)
      // An observer of a tracked property may run any code, so this fast path refuses tracked properties.
      guard code.form == .attribute, isRight(code), !state.contains(.tracked) else { return false }
      if source.isOpen {
        // SAFETY: An open source has a draft, and nothing closes the draft while it is written.
        unsafe source.draftReference.unsafelyUnwrapped._withUnsafeGuaranteedRef {
          body($0, Int(code.column))
        }
      } else if let draft = beginChange() {
        body(draft, Int(code.column))
      }
      return true
    }
  }

  /// Returns the draft that has a row for the object; `nil` if the object can't be changed any more.
  @inline(never)
  private final func beginChange() -> Draft? {
    source.entity.workspace?.beginChange(of: self)?.draft
  }

  @usableFromInline
  final func setInteger(_ value: Int64, _ hash: UInt64) -> Bool {
    write(
      hash, if: { $0.takes(value) },
      by: { $0.setInteger(value, column: $1, row: Int(row)) })
  }

  @usableFromInline
  final func setBoolean(_ value: Bool, _ hash: UInt64) -> Bool {
    write(
      hash, if: { $0.content == .boolean },
      by: { $0.setBoolean(value, column: $1, row: Int(row)) })
  }

  @usableFromInline
  final func setDouble(_ value: Double, _ hash: UInt64) -> Bool {
    write(
      hash, if: { $0.content == .double },
      by: { $0.setDouble(value, column: $1, row: Int(row)) })
  }

  @usableFromInline
  final func setDate(_ value: Double, _ hash: UInt64) -> Bool {
    write(
      hash, if: { $0.content == .date },
      by: { $0.setDouble(value, column: $1, row: Int(row)) })
  }

  @usableFromInline
  final func setString(_ value: String, _ hash: UInt64) -> Bool {
    // The general way checks whether a large value fits into the row.
    if value.utf8.count > Draft.fittingByteCount { return false }
    return write(
      hash, if: { $0.content == .string },
      by: { $0.setString(value, column: $1, row: Int(row)) })
  }

  /// Sets a value of any type of any kind of attribute.
  @usableFromInline
  final func setStored(_ value: Value, _ hash: UInt64, _ name: String) {
    if let failure = setValue(value, hash, name) {
      misuse("\(failure)")
    }
  }

  /// Sets the value of an attribute or of a to-one relationship. Returns an error if that is not possible.
  final func setValue(_ value: Value, _ hash: UInt64, _ name: String) -> ContextError? {
    if write(value, hash) { return nil }
    return setting(hash) { setUntracked(value, hash, name) }
  }

  /// Sets the value of an attribute with a column of the value's type. Returns `false` if the caller must set it in
  /// another way.
  private final func write(_ value: Value, _ hash: UInt64) -> Bool {
    switch value {
    case .boolean(let value): setBoolean(value, hash)
    case .integer(let value): setInteger(value, hash)
    case .double(let value): setDouble(value, hash)
    case .date(let value): setDate(value.timeIntervalSinceReferenceDate, hash)
    case .string(let value): setString(value, hash)
    default: false
    }
  }

  private final func setUntracked(_ value: Value, _ hash: UInt64, _ name: String) -> ContextError? {
    if let loose { return loose.set(value, hash, name, of: self) }
    let source = source
    if !source.isCurrent { refusePlace() }
    let graph = source.entity.graph
    let code = graph.code(hash)
    guard code.form != .none else { return .unknownProperty(name, of: graph) }
    let property = graph.properties[Int(code.property)]
    switch property.place {
    case .attribute(let attribute, let column):
      if attribute.derivation != nil { return .derived(name, of: graph) }
      guard attribute.type.accepts(value) else {
        return .wrongType(value, attribute, of: graph)
      }
      guard let workspace = source.entity.workspace, let place = workspace.beginChange(of: self)
      else {
        return nil
      }
      let draft = place.draft!
      guard draft.hasRoom(for: value.byteStringByteCount, column: column, row: Int(row)) else {
        return .tooLarge(value, attribute, of: graph)
      }
      draft.set(value, column: column, row: Int(row))
    case .transient(let attribute):
      guard attribute.type.accepts(value) else {
        return .wrongType(value, attribute, of: graph)
      }
      source.entity.workspace?.setTransientValue(.value(value), of: self, Int(code.property))
    case .toOne, .transientRelationship:
      guard let relationship = property.relationship, !relationship.isToMany else {
        return .notSingle(name, of: graph)
      }
      guard source.entity.workspace != nil else { return nil }
      let other = source.entity.destination(value, of: relationship)
      guard value.isNull || other != nil else { return .wrongDestination(name, of: graph) }
      relate(to: other, hash, name)
    case .composite, .toMany, .fetched: return .notSingle(name, of: graph)
    }
    return nil
  }
}
