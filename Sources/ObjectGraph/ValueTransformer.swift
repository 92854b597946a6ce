public import Foundation
import ObjectModel

/// Turns the values of transformable attributes into bytes and back. The model names the transformer of an attribute.
///
///     let colours = ValueTransformer.coding("ColourTransformer", Colour.self)
///     let coordinator = PersistentStoreCoordinator(model: model, transformers: [colours])
///
/// A transformer decodes bytes to values of one type only, or fails. So the bytes in a store can't choose the code that
/// decodes them.
public struct ValueTransformer: Sendable {
  /// The name of the transformer in models.
  public let name: String
  let type: Any.Type
  let encode: @Sendable (Any) throws -> Data?
  let decode: @Sendable (Data) throws -> Any

  /// Makes a transformer of the values of a type.
  ///
  /// - Parameters:
  ///   - encode: Returns the bytes of a value.
  ///   - decode: Returns the value for bytes from a store. The bytes may be invalid.
  public init<T: SendableMetatype>(
    _ name: String, _ type: T.Type, encode: @escaping @Sendable (T) throws -> Data,
    decode: @escaping @Sendable (Data) throws -> T
  ) {
    self.name = name
    self.type = type
    self.encode = { try ($0 as? T).map(encode) }
    self.decode = { try decode($0) }
  }

  /// Returns a transformer that stores values as property lists, by the `Codable` conformance of their type.
  public static func coding<T: Codable & SendableMetatype>(_ name: String, _ type: T.Type)
    -> ValueTransformer
  {
    ValueTransformer(
      name, Boxed<T>.self,
      encode: { box in
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(box)
      }, decode: { try PropertyListDecoder().decode(Boxed<T>.self, from: $0) }
    ).unboxing(T.self)
  }

  /// A wrapper that encodes the value as a dictionary. The top of a property list must be a dictionary or an array.
  private struct Boxed<T: Codable & SendableMetatype>: Codable { var value: T }

  private func unboxing<T: Codable & SendableMetatype>(_: T.Type) -> ValueTransformer {
    let (encode, decode) = (encode, decode)
    return ValueTransformer(
      name: name, type: T.self,
      encode: { try ($0 as? T).flatMap { try encode(Boxed(value: $0)) } },
      decode: { try (decode($0) as! Boxed<T>).value })
  }

  private init(
    name: String, type: Any.Type, encode: @escaping @Sendable (Any) throws -> Data?,
    decode: @escaping @Sendable (Data) throws -> Any
  ) {
    self.name = name
    self.type = type
    self.encode = encode
    self.decode = decode
  }
}

extension ValueTransformer {
  /// Returns the value that the bytes stand for.
  ///
  /// ```
  /// let colour = try manager.transformers["ColourTransformer"]?.decoded(bytes, as: Colour.self)
  /// ```
  ///
  /// Use it where no object has the attribute, such as in a migration's policy. Objects decode their own attributes
  /// (``ManagedObject/transformed(forKey:as:)``).
  ///
  /// - Throws: ``ContextError`` if the transformer is for another type; the error of the transformer.
  public func decoded<T>(_ bytes: Data, as type: T.Type) throws -> T {
    guard let value = try check(type).decode(bytes) as? T else { throw wrong(type) }
    return value
  }

  /// Returns the bytes that stand for a value.
  ///
  /// - Throws: ``ContextError`` if the transformer is for another type; the error of the transformer.
  public func encoded<T>(_ value: T) throws -> Data {
    guard let bytes = try check(T.self).encode(value) else { throw wrong(T.self) }
    return bytes
  }

  private func check(_ wanted: Any.Type) throws -> ValueTransformer {
    guard type == wanted else { throw wrong(wanted) }
    return self
  }

  private func wrong(_ wanted: Any.Type) -> ContextError {
    ContextError(.wrongType, "The value transformer \"\(name)\" is for \(type), not for \(wanted).")
  }
}

extension ManagedObject {
  /// Returns the value that the transformer of a transformable attribute makes from the bytes; `nil` if there are none.
  ///
  /// - Throws: ``ContextError`` if the coordinator has no transformer with the name in the model, if that transformer
  ///   is for another type, or if the context is gone. The error of the transformer if it can't decode the bytes.
  public final func transformed<T>(forKey key: String, as type: T.Type) throws -> T? {
    guard case .binary(let data) = self[key] else { return nil }
    return try ValueTransformer.of(key, type, for: self).decode(data) as? T
  }

  /// Sets the bytes of a transformable attribute to the bytes that its transformer makes from a value.
  ///
  /// - Throws: As ``transformed(forKey:as:)``; the error of the transformer if it can't encode the value.
  public final func setTransformed<T>(_ value: T?, forKey key: String) throws {
    let data = try value.flatMap { try ValueTransformer.of(key, T.self, for: self).encode($0) }
    self[key] = data.map { .binary($0) } ?? .null
  }
}

extension ValueTransformer {
  /// Returns the transformer of an object's attribute.
  fileprivate static func of(
    _ name: String, _ type: Any.Type, for object: ManagedObject
  ) throws -> ValueTransformer {
    let graph = object.source.entity.graph
    guard case .attribute(let attribute)? = graph[name]?.property,
      attribute.type == .transformable
    else { graph.refuse(name, as: "a transformable attribute") }
    let wanted = attribute.valueTransformerName ?? ""
    guard let workspace = object.source.entity.workspace else {
      throw ContextError(
        .notSupported,
        "The context of \(object) was deallocated, so the transformer \"\(wanted)\" is not available."
      )
    }
    guard let transformer = workspace.coordinator.transformers[wanted] else {
      throw ContextError(
        .notSupported,
        """
        The attribute "\(name)" of "\(graph.name)" needs the value transformer "\(wanted)". Give it to the \
        initializer of the coordinator.
        """)
    }
    return try transformer.check(type)
  }
}
