import Foundation
import ObjectQuery
import Testing

/// The examples of docs/predicates.md, which keep the page correct.
@Suite("The page of the predicate language")
struct PageTests {
  /// Returns the lines of the page's blocks of one kind.
  private static func examples(_ kind: String) throws -> [String] {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/predicates.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    return text.components(separatedBy: "```\(kind)\n").dropFirst()
      .flatMap { $0.components(separatedBy: "```")[0].split(separator: "\n").map(String.init) }
  }

  @Test("Each predicate of the page reads back equal from its printed text")
  func predicates() throws {
    let examples = try Self.examples("predicate")
    #expect(examples.count > 20)
    for example in examples {
      let predicate = try QueryPredicate(example)
      #expect(try QueryPredicate(predicate.description) == predicate, "\(example)")
    }
  }

  @Test("Each expression of the page reads back equal from its printed text")
  func expressions() throws {
    let examples = try Self.examples("expression")
    #expect(examples.count > 4)
    for example in examples {
      let expression = try QueryExpression(example)
      #expect(try QueryExpression(expression.description) == expression, "\(example)")
    }
  }

  @Test(
    "The functions, methods and escapes of the page are known",
    arguments: [
      "abs(1)", "floor(1)", "ceiling(1)", "trunc(1)", "sqrt(1)", "log(1)", "ln(1)", "exp(1)",
      "modulus(1, 2)", "raise(1, 2)", "add(1, 2)", "from(1, 2)", "multiply(1, 2)", "divide(1, 2)",
      "random()", "randomn(1)", "bitwiseAnd(1, 2)", "bitwiseOr(1, 2)", "bitwiseXor(1, 2)",
      "leftshift(1, 2)", "rightshift(1, 2)", "onesComplement(1)", "count(x)", "sum(x)",
      "average(x)", "min(x)", "max(x)", "median(x)", "mode(x)", "stddev(x)", "distinct(x)",
      "uppercase(x)", "lowercase(x)", "canonical(x)", "length(x)", "now()",
      "0x2A + 0b101010 + 0o52",
      #"'\n\t\'\"\\\u00e9\x41'"#, "x.@unionOfObjects.y", "x.@distinctUnionOfObjects.y",
    ])
  func names(_ text: String) throws {
    _ = try QueryExpression(text)
  }

  @Test("The placeholders of the page take the described arguments")
  func placeholders() throws {
    let predicate = try QueryPredicate(
      "%K == %@ AND days > %d AND price < %f AND n == %ld", "name", "x", 3, 1.5, 9)
    #expect(try predicate == QueryPredicate("name == 'x' AND days > 3 AND price < 1.5 AND n == 9"))
  }
}
