public import ObjectModel
import Rows

// Writing. An object whose values lie in an open draft is written in place; any other is given a row in
// one first.
extension ManagedObject {
  /// The code of a property that may be set to values of a family; `nil` when it is something else.
  @inline(__always)
  private final func settable(
    _ source: RowSource, _ hash: UInt64, _ family: ColumnKind.Family
  ) -> PropertyCode? {
    if !source.place.isCurrent { refusePlace(source) }
    let code = source.entity.graph.code(hash)
    return code.form == .attribute && code.kind.family == family ? code : nil
  }

  /// The draft that has a row for the object; `nil` when the object can't be changed any more.
  @inline(__always)
  private final func openDraft(_ source: RowSource) -> Draft? {
    unsafe source.isOpen ? source.draft : beginChange()
  }

  @inline(never)
  private final func beginChange() -> Draft? {
    unsafe source.entity.context?.beginChange(of: self)?.draft
  }

  @usableFromInline
  final func setInteger(_ value: Int64, _ hash: UInt64, _ name: StaticString) {
    let source = source
    guard let code = settable(source, hash, .integers) else {
      let isBoolean = source.entity.graph.isBoolean(hash)
      return setStored(isBoolean ? .boolean(value != 0) : .integer(value), hash, name)
    }
    unsafe openDraft(source)?.setInteger(value, column: Int(code.column), row: Int(row))
  }

  @usableFromInline
  final func setDouble(_ value: Double, _ hash: UInt64, _ name: StaticString) {
    let source = source
    guard let code = settable(source, hash, .reals) else {
      return setStored(.double(value), hash, name)
    }
    unsafe openDraft(source)?.setDouble(value, column: Int(code.column), row: Int(row))
  }

  @usableFromInline
  final func setString(_ value: String, _ hash: UInt64, _ name: StaticString) {
    let source = source
    guard let code = settable(source, hash, .bytes), code.kind.isText else {
      return setStored(.string(value), hash, name)
    }
    unsafe openDraft(source)?.setString(value, column: Int(code.column), row: Int(row))
  }

  /// Sets a value of any type, whatever kind of attribute it is.
  @usableFromInline
  final func setStored(_ value: Value, _ hash: UInt64, _ name: StaticString) {
    if let failure = setValue(value, hash, name.description) {
      preconditionFailure("\(failure)")
    }
  }

  /// Sets the value of an attribute or of a relationship to one object; gives why that is not possible.
  final func setValue(_ value: Value, _ hash: UInt64, _ name: String) -> ContextError? {
    let source = source
    if !source.place.isCurrent { refusePlace(source) }
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
      guard let context = unsafe source.entity.context, let place = context.beginChange(of: self)
      else {
        return nil
      }
      unsafe place.draft!.set(value, column: column, row: Int(row))
    case .transient(let attribute):
      guard attribute.type.accepts(value) else {
        return .wrongType(value, attribute, of: graph)
      }
      unsafe source.entity.context?.setTransientValue(value, of: self, Int(code.property))
    case .toOne(let toOne):
      guard let context = unsafe source.entity.context else { return nil }
      switch value {
      case .null: context.setReference(of: self, toOne, to: nil)
      case .object(let key):
        guard let other = context.object(at: key, in: source.entity.store),
          graph.model.entity(
            other.source.entity.graph.name, isOrInheritsFrom: toOne.relationship.destination)
        else { return .wrongDestination(name, of: graph) }
        context.setReference(of: self, toOne, to: other)
      default: return .wrongDestination(name, of: graph)
      }
    case .composite, .toMany, .transientRelationship, .fetched:
      return .notSingle(name, of: graph)
    }
    return nil
  }
}
