import Entities
import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Entity private final class Link: ManagedObject {
  var page: URL
  var image: URL?
}

@Suite("URIs as URLs")
struct URLTests {
  private static let model = try! Model(entities: [
    Entity(
      "Link",
      properties: [
        .attribute(Attribute("page", .uri, isOptional: false)),
        .attribute(Attribute("image", .uri)),
      ])
  ])

  /// Texts of URIs, and the URLs that are read from them.
  private static let texts: [(text: String, url: String)] = [
    ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"), ("mailto:a@b", "mailto:a@b"),
    ("file:///tmp/x", "file:///tmp/x"), ("a b", "a%20b"), ("%zz", "%25zz"), ("é", "%C3%A9"),
  ]

  @Test("A URL is read back as set, before a save and after", arguments: Kind.allCases)
  func values(_ kind: Kind) throws {
    let graph = try Graph(kind, model: Self.model, classes: [Link.self])
    let context = graph.context()
    let link = try context.insert(Link.self)
    let url = try #require(URL(string: "https://example.org/a?b=c#d"))
    link.page = url
    link.image = url
    #expect(link.page == url && link.image == url)
    try context.save()

    let again = try graph.again()
    let other = try #require(try again.existingObject(with: link.objectID) as? Link)
    #expect(other.page == url && other.image == url)
    other.image = nil
    #expect(other.image == nil && other["image"] == .null)
  }

  @Test("A text that is a URL after escaping is read as the escaped URL")
  func escaped() throws {
    let context = try Graph(.memory, model: Self.model, classes: [Link.self]).context()
    let link = try context.insert(Link.self)
    for (text, url) in Self.texts {
      link["page"] = .uri(text)
      link["image"] = .uri(text)
      #expect(link.page.absoluteString == url)
      #expect(link.image?.absoluteString == url)
    }
  }

  @Test("A URI that is not a URL is read without harm")
  func none() async {
    await #expect(processExitsWith: .success) {
      let context = try Graph(.memory, model: URLTests.model, classes: [Link.self]).context()
      let new = try context.insert(Link.self)
      precondition(new.page.absoluteString == "about:blank")
      precondition(new.image == nil)
      for text in ["", "x-quire://[", "x-quire://a:b:c/"] {
        let link = try context.insert(Link.self)
        link["page"] = .uri(text)
        link["image"] = .uri(text)
        precondition(link.page.absoluteString == "about:blank")
        precondition(link.image == nil)
        // The stored text is unchanged.
        precondition(link["page"] == .uri(text) && link["image"] == .uri(text))
      }
    }
  }
}
