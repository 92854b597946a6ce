import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("URIs as URLs")
struct URLTests {
  private static let page = AttributeName<URL>("page")
  private static let image = AttributeName<URL?>("image")

  private static let model = try! Model(entities: [
    Entity(
      "Link",
      properties: [
        .attribute(Attribute("page", .uri, isOptional: false)),
        .attribute(Attribute("image", .uri)),
      ])
  ])

  /// Texts of URIs, and the URLs they are.
  private static let texts: [(text: String, url: String)] = [
    ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"), ("mailto:a@b", "mailto:a@b"),
    ("file:///tmp/x", "file:///tmp/x"), ("a b", "a%20b"), ("%zz", "%25zz"), ("é", "%C3%A9"),
  ]

  @Test("What was set is read back, before a save and after", arguments: Kind.allCases)
  func values(_ kind: Kind) throws {
    let graph = try Graph(kind, model: Self.model, classes: [])
    let context = graph.context()
    let link = try context.insert("Link")
    let url = try #require(URL(string: "https://example.org/a?b=c#d"))
    link[Self.page] = url
    link[Self.image] = url
    #expect(link[Self.page] == url && link[Self.image] == url)
    try context.save()

    let again = try graph.again()
    let other = try again.existingObject(with: link.objectID)
    #expect(other[Self.page] == url && other[Self.image] == url)
    other[Self.image] = nil
    #expect(other[Self.image] == nil && other["image"] == .null)
  }

  @Test("Any text that is a URL once its characters are escaped is read as that")
  func escaped() throws {
    let context = try Graph(.memory, model: Self.model, classes: []).context()
    let link = try context.insert("Link")
    for (text, url) in Self.texts {
      link["page"] = .uri(text)
      link["image"] = .uri(text)
      #expect(link[Self.page].absoluteString == url)
      #expect(link[Self.image]?.absoluteString == url)
    }
  }

  @Test("A URI that is no URL is read without harm")
  func none() async {
    await #expect(processExitsWith: .success) {
      let context = try Graph(.memory, model: URLTests.model, classes: []).context()
      let new = try context.insert("Link")
      precondition(new[URLTests.page].absoluteString == "about:blank")
      precondition(new[URLTests.image] == nil)
      for text in ["", "x-quire://[", "x-quire://a:b:c/"] {
        let link = try context.insert("Link")
        link["page"] = .uri(text)
        link["image"] = .uri(text)
        precondition(link[URLTests.page].absoluteString == "about:blank")
        precondition(link[URLTests.image] == nil)
        // What is there is still there.
        precondition(link["page"] == .uri(text) && link["image"] == .uri(text))
      }
    }
  }
}
