import SpecVectors
import Testing

@Suite("Vectors on the pages of the specification")
struct SpecVectorTests {
  @Test("The vectors of a page are read as spec/README.md describes")
  func reading() throws {
    let page = """
      # A page

      ```vector kind: a title: with a colon
      # A comment.
      text  = some words, rdar://1#2   # A comment after spaces.
      bytes = 01 02ff
              0A     # The last.

      many = 1
      many = 2 = 3
      none =
      ```

      ```swift
      let notAVector = true
      ```
      ```vector other: empty
      ```
      """

    let vectors = try SpecVector.read(page, page: "p.md")

    #expect(vectors.map(\.kind) == ["kind", "other"])
    let vector = try #require(vectors.first)
    #expect(vector.title == "a title: with a colon")
    #expect(vector.place == "p.md:3")
    #expect(vector["text"] == "some words, rdar://1#2")
    #expect(vector.bytes("bytes") == [1, 2, 255, 10])
    #expect(vector[all: "many"] == ["1", "2 = 3"])
    #expect(vector["many"] == nil)
    #expect(vector["none"] == "")
    #expect(vector.bytes("text") == nil)
    #expect(vector["absent"] == nil)
  }

  @Test(
    "Text that is not a vector is refused with its place",
    arguments: [
      ("```vector kind\n```", "p.md:1"), ("```vector kind: x\nwords\n```", "p.md:2"),
      ("\n```vector kind: x\na = 1", "p.md:2"),
    ])
  func mistakes(_ text: String, _ place: String) {
    let error = #expect(throws: SpecVectorError.self) {
      try SpecVector.read(text, page: "p.md")
    }
    #expect(error?.place == place)
  }
}
