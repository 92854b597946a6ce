import ObjectModel
import XMLEvents

/// An element of a small XML file, with its complete content. Models and property lists are read in this form;
/// possibly large files are read as events.
struct XMLTree {
  var name: String
  var attributes: [String: String]
  var children: [XMLTree] = []
  var position: XMLPosition
  fileprivate var pieces: [UInt8] = []

  init(name: String, attributes: [String: String], position: XMLPosition) {
    self.name = name
    self.attributes = attributes
    self.position = position
  }

  /// The text directly in the element.
  var text: String { String(decoding: pieces, as: UTF8.self) }

  /// Returns the root element of the given text.
  ///
  /// - Throws: ``ModelFileError`` with the line and column where the text is not XML.
  static func read(_ bytes: [UInt8], path: String) throws(ModelFileError) -> XMLTree {
    do {
      let builder = try XMLPushParser.parse(
        bytes.span, handler: TreeBuilder(), limits: XMLLimits(depth: 64, textByteCount: 1 << 24))
      guard let root = builder.root else {
        throw ModelFileError(.damaged, path: path, message: "The document has no element.")
      }
      return root
    } catch let error as ModelFileError {
      throw error
    } catch {
      let error = error as? XMLError
      throw ModelFileError(
        .damaged, path: path, place: error?.position.map { "\($0.line):\($0.column)" } ?? "",
        message: "Not well-formed XML: \(error?.message ?? "unknown error")", cause: error)
    }
  }

  /// The place as `line:column`, for messages.
  var place: String { "\(position.line):\(position.column)" }
}

/// A handler that builds a tree from events.
private struct TreeBuilder: XMLEventHandler {
  private var open: [XMLTree] = []
  private(set) var root: XMLTree?

  mutating func start(_ tag: borrowing XMLStartTag) throws {
    var attributes: [String: String] = [:]
    for index in 0..<tag.attributeCount {
      attributes[tag.attributeNameString(index)] = tag.attributeString(index)
    }
    open.append(XMLTree(name: tag.nameString, attributes: attributes, position: tag.position))
  }

  mutating func end(_ name: XMLNameID) throws {
    guard let element = open.popLast() else { return }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  mutating func text(_ bytes: Span<UInt8>) throws {
    guard !open.isEmpty else { return }
    // A piece may end within a character, so the pieces of a text are joined as bytes.
    open[open.count - 1].pieces.append(contentsOf: bytes.indices.map { bytes[$0] })
  }
}
