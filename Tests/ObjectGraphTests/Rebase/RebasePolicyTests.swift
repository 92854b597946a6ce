import Testing

@testable import ObjectGraph

@Suite("Rebase: merge policies")
struct RebasePolicyTests {
  @Test(
    "Both sides have changed one value",
    arguments: RebaseTable(
      """
      case                            | base          | mine      | theirs        | policy    | view          | conflicts
      The conflict names the value    | page1 x=1 y=1 | page1 x=2 | page1 x=3 y=3 | error     |               | page1 x
      The saved value stays           | page1 x=1 y=1 | page1 x=2 | page1 x=3 y=3 | store     | page1 x=3 y=3 |
      My value replaces the saved one | page1 x=1 y=1 | page1 x=2 | page1 x=3 y=3 | object    | page1 x=2 y=3 |
      My row replaces the saved one   | page1 x=1 y=1 | page1 x=2 | page1 x=3 y=3 | overwrite | page1 x=2 y=1 |
      My changes are discarded        | page1 x=1 y=1 | page1 x=2 | page1 x=3 y=3 | rollback  | page1 x=3 y=3 |
      The policy deletes              | page1 x=1 y=1 | page1 x=2 | page1 x=3 y=3 | delete    |               |
      The policy gives a value        | page1 x=1 y=1 | page1 x=2 | page1 x=3 y=3 | x=9       | page1 x=9 y=3 |
      """
    ).cases)
  func contested(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "Each side has changed another value",
    arguments: RebaseTable(
      """
      case                               | base          | mine      | theirs    | policy    | view          | conflicts
      The conflict names no value        | page1 x=1 y=1 | page1 x=2 | page1 y=3 | error     |               | page1
      Both values are there              | page1 x=1 y=1 | page1 x=2 | page1 y=3 | store     | page1 x=2 y=3 |
      Both values are there              | page1 x=1 y=1 | page1 x=2 | page1 y=3 | object    | page1 x=2 y=3 |
      My row replaces the saved one      | page1 x=1 y=1 | page1 x=2 | page1 y=3 | overwrite | page1 x=2 y=1 |
      My changes are discarded           | page1 x=1 y=1 | page1 x=2 | page1 y=3 | rollback  | page1 x=1 y=3 |
      An equal change is in conflict too | page1 x=1     | page1 x=2 | page1 x=2 | error     |               | page1
      """
    ).cases)
  func apart(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "One side has deleted the row",
    arguments: RebaseTable(
      """
      case                                       | base          | mine      | theirs    | policy    | view          | conflicts
      A deletion here fails                      | page1 x=1     | -page1    | page1 x=2 | error     |               | page1 deleted here
      A deletion here is discarded               | page1 x=1     | -page1    | page1 x=2 | store     | page1 x=2     |
      A deletion here wins                       | page1 x=1     | -page1    | page1 x=2 | object    |               |
      A deletion here wins                       | page1 x=1     | -page1    | page1 x=2 | overwrite |               |
      A deletion here is discarded               | page1 x=1     | -page1    | page1 x=2 | rollback  | page1 x=2     |
      A deletion there fails                     | page1 x=1 y=1 | page1 x=2 | -page1    | error     |               | page1 deleted there
      A deletion there wins                      | page1 x=1 y=1 | page1 x=2 | -page1    | store     |               |
      A deletion there is undone                 | page1 x=1 y=1 | page1 x=2 | -page1    | object    | page1 x=2 y=1 |
      A deletion there is undone                 | page1 x=1 y=1 | page1 x=2 | -page1    | overwrite | page1 x=2 y=1 |
      A deletion there wins                      | page1 x=1 y=1 | page1 x=2 | -page1    | rollback  |               |
      A deletion there wins                      | page1 x=1 y=1 | page1 x=2 | -page1    | delete    |               |
      The policy restores a row with one value   | page1 x=1 y=1 | page1 x=2 | -page1    | x=9       | page1 x=9     |
      Deletions by both sides are in no conflict | page1 x=1     | -page1    | -page1    | error     |               |
      """
    ).cases)
  func deleted(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "A policy is asked about conflicts only",
    arguments: RebaseTable(
      """
      case                                     | base                 | was        | mine                 | theirs               | seen  | policy | view                 | conflicts
      A derived value there                    | page1 x=1 n=0        |            | page1 x=2            | page1 n=1            |       | error  | page1 x=2 n=1        |
      A derived value here                     | page1 x=1 n=0        |            | page1 n=1            | page1 x=2            |       | error  | page1 x=2 n=0        |
      A derived value of a row deleted there   | page1 n=0            |            | page1 n=1            | -page1               |       | error  |                      |
      A derived value of a row deleted here    | page1 n=0            |            | -page1               | page1 n=1            |       | error  |                      |
      A value that I set to itself             | page1 x=1            |            | page1 x=1            | page1 x=3            |       | error  | page1 x=3            |
      Another row                              | page1 x=1, page2     |            | page1 x=2            | page2 x=3            |       | error  | page1 x=2, page2 x=3 |
      A seen row                               | page1 x=1            |            | page1 x=2            | page1 x=3            | page1 | error  | page1 x=2            |
      A conflict of a rebase before            | page1 x=3            | page1 x=1  | page1 x=2            |                      |       | error  |                      | page1 x
      A conflict of a rebase before, decided   | page1 x=3            | page1 x=1  | page1 x=2            |                      |       | store  | page1 x=3            |
      A row that a rebase before kept          |                      | +page1 x=1 | +page1 x=2           |                      |       | error  |                      | page1 deleted there
      A row that a rebase before kept, decided |                      | +page1 x=1 | +page1 x=2           |                      |       | store  |                      |
      Several conflicts come together          | page1 x=1, page2 x=1 |            | page1 x=2, page2 y=2 | page1 x=3, page2 x=3 |       | error  |                      | page1 x, page2
      """
    ).cases)
  func undisputed(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "A place is dropped if the policy keeps the saved owner of the member",
    arguments: RebaseTable(
      """
      case                               | base                                    | mine               | theirs             | policy    | view
      Led nowhere                        | page1, line1 page=page1@0               | line1 page=@2      | line1 page=-       | object    | page1, line1
      Led to another owner               | page1, page2, line1 page=page2@0        | line1 page=@1      | line1 page=page1@0 | store     | page1, page2, line1 page=page1@0
      Led by both sides, the saved owner | page1, page2, page3, line1 page=page1@0 | line1 page=page2@5 | line1 page=page3@0 | store     | page1, page2, page3, line1 page=page3@0
      Led by both sides, my owner        | page1, page2, page3, line1 page=page1@0 | line1 page=page2@5 | line1 page=page3@0 | object    | page1, page2, page3, line1 page=page2@5
      My row with its owner              | page1, page2, line1 page=page2@0        | line1 page=@1      | line1 page=page1@0 | overwrite | page1, page2, line1 page=page2@1
      The same owner                     | page1, line1 page=page1@0               | line1 page=@2      | line1 x=1          | store     | page1, line1 page=page1@2 x=1
      """
    ).cases)
  func places(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "A conflict describes itself in a sentence",
    arguments: [
      ("page1 x=2", "page1 x=3", "changed in this context and by another save: \"x\"."),
      (
        "page1 x=2", "page1 y=3",
        "changed in this context and by another save, in different properties."
      ),
      ("page1 x=2", "-page1", "changed in this context and deleted by another save."),
      ("-page1", "page1 x=3", "deleted in this context and changed by another save."),
    ])
  func sentence(mine: String, theirs: String, sentence: String) throws {
    let row = RebaseCase([
      "case": "sentence", "base": "page1 x=1", "mine": mine, "theirs": theirs, "policy": "error",
    ])

    let error = #expect(throws: ContextError.self) { try row.rebase()() }

    let conflict = try #require(error?.conflicts.first)
    #expect(conflict.description == "Page \(conflict.object.uri) was \(sentence)")
  }
}
