import Testing

@testable import ObjectGraph

@Suite("Rebase: values by property")
struct RebaseValueTests {
  @Test(
    "Each side keeps its own values, and conflicts wait for a policy",
    arguments: RebaseTable(
      """
      case                                                       | base                            | mine                | theirs              | view                            | originals
      A value that one side has changed is that side's           | page1 x=1 y=1                   | page1 x=2           | page1 y=3           | page1 x=2 y=3                   | page1 y=1
      My value stays on top of the other value                   | page1 x=1                       | page1 x=2           | page1 x=3           | page1 x=2                       | page1 x=1
      Equal changes are in conflict, as each knew of one alone   | page1 x=1                       | page1 x=2           | page1 x=2           | page1 x=2                       | page1 x=1
      A value that I set to itself is no change                  | page1 x=1                       | page1 x=1           | page1 x=3           | page1 x=3                       |
      A value that I cleared stays cleared                       | page1 x=1                       | page1 x=-           | page1 x=3           | page1                           | page1 x=1
      A derived value is in no conflict                          | page1 x=1 n=0                   | page1 x=2           | page1 n=1           | page1 x=2 n=1                   |
      A row deleted there stays while I have changed it          | page1 x=1 y=1                   | page1 x=2           | -page1              | page1 x=2 y=1                   | +page1 x=1 y=1
      A row deleted there goes if I have changed a derived value | page1 x=1 n=0                   | page1 n=1           | -page1              |                                 |
      A row deleted there goes if I have set a value to itself   | page1 x=1                       | page1 x=1           | -page1              |                                 |
      A row that I deleted stays deleted                         | page1 x=1                       | -page1              | page1 x=2           |                                 | page1 x=1
      A row that both sides deleted is in no conflict            | page1 x=1                       | -page1              | -page1              |                                 |
      Rows that each side inserted are there                     |                                 | +page1 x=1          | +page2 x=2          | page1 x=1, page2 x=2            |
      A row that both sides inserted has my values               |                                 | +page1 x=1          | +page1 x=2 y=2      | page1 x=1                       | -page1
      A link that both sides inserted has the saved places       | page1, tag1                     | +tags1 page1>tag1@1 | +tags1 page1>tag1@2 | page1, tag1, tags1 page1>tag1@2 |
      A link that both sides moved has my place, and no conflict | page1, tag1, tags1 page1>tag1@1 | tags1 @2            | tags1 @3            | page1, tag1, tags1 page1>tag1@2 |
      A link that was removed there is gone though I moved it    | page1, tag1, tags1 page1>tag1@1 | tags1 @2            | -tags1              | page1, tag1                     |
      """
    ).cases)
  func values(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "A rebase keeps effective changes of a value, and drops the rest from the layer",
    arguments: RebaseTable(
      """
      case                                     | base                 | mine      | theirs    | changes        | originals
      Equal changes                            | page1 x=1            | page1 x=2 | page1 x=2 | page1 x=2      | page1 x=1
      A value set to itself                    | page1 x=1            | page1 x=1 | page1 x=3 |                |
      Deletions by both sides                  | page1 x=1            | -page1    | -page1    |                |
      A row kept against its deletion is whole | page1 x=1 y=1        | page1 x=2 | -page1    | +page1 x=2 y=1 | +page1 x=1 y=1
      A row that no save concerns is as it was | page1 x=1, page2 x=1 | page1 x=1 | page2 x=3 | page1 x=1      |
      """
    ).cases)
  func layers(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "Rows that the context has asked to see are in no conflict",
    arguments: RebaseTable(
      """
      case                                                      | base          | mine      | theirs        | seen  | own save  | view          | originals
      A seen row                                                | page1 x=1     | page1 x=2 | page1 x=3     | page1 |           | page1 x=2     |
      Another row was seen                                      | page1 x=1     | page1 x=2 | page1 x=3     | page2 |           | page1 x=2     | page1 x=1
      A seen deletion ends my change                            | page1 x=1     | page1 x=2 | -page1        | page1 |           |               |
      A seen row that I delete                                  | page1 x=1     | -page1    | page1 x=3     | page1 |           |               |
      Values of a save on my behalf were seen, other values not | page1 x=1 y=1 | page1 x=2 | page1 x=3 y=3 |       | page1 x=3 | page1 x=2 y=3 | page1 y=1
      A deletion on my behalf was seen                          | page1 x=1     | page1 x=2 | -page1        |       | -page1    |               |
      """
    ).cases)
  func seen(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "A row stays in conflict over several rebases",
    arguments: RebaseTable(
      """
      case                                                     | base                                    | was              | mine          | theirs             | view                                    | originals
      Nothing new keeps the conflict                           | page1 x=3                               | page1 x=1        | page1 x=2     |                    | page1 x=2                               | page1 x=1
      A save of another value widens it                        | page1 x=3                               | page1 x=1        | page1 x=2     | page1 y=5          | page1 x=2 y=5                           | page1 x=1 y=-
      A save of the first value ends it                        | page1 x=3                               | page1 x=1        | page1 x=2     | page1 x=1          | page1 x=2                               |
      A save of another row keeps it                           | page1 x=3, page2                        | page1 x=1        | page1 x=2     | page2 x=1          | page1 x=2, page2 x=1                    | page1 x=1
      The first value, set after the first rebase, is a change | page1 x=3                               | page1 x=1        | page1 x=1     | page1 y=2          | page1 x=1 y=2                           | page1 x=1 y=-
      A deletion after that keeps the row                      | page1 x=3                               | page1 x=1        | page1 x=2     | -page1             | page1 x=2                               | +page1 x=1
      A row that I deleted keeps its conflict                  | page1 x=3                               | page1 x=1        | -page1        | page1 y=5          |                                         | page1 x=1 y=-
      A kept row stays kept                                    | page2                                   | +page1 x=1       | +page1 x=2    | page2 x=1          | page1 x=2, page2 x=1                    | +page1 x=1
      A conflict ends with the change                          | page1 x=3, page2                        | page1 x=1        | page2 x=1     |                    | page1 x=3, page2 x=1                    |
      My place among the members of the new owner stays        | page1, page2, line1 page=page2@1        | line1 page=page1 | line1 page=@5 | page1 x=1          | page1 x=1, page2, line1 page=page2@5    | line1 page=page1
      My place lapses when the member is led on                | page1, page2, page3, line1 page=page2@1 | line1 page=page1 | line1 page=@5 | line1 page=page3@1 | page1, page2, page3, line1 page=page3@1 |
      """
    ).cases)
  func earlier(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "A place is dropped when another save gives the member another owner",
    arguments: RebaseTable(
      """
      case                                    | base                             | mine               | theirs             | view                             | originals
      My place lapses                         | page1, page2, line1 page=page1@1 | line1 page=@5      | line1 page=page2@1 | page1, page2, line1 page=page2@1 |
      My place stays in the same owner        | page1, line1 page=page1@1        | line1 page=@5      | line1 x=1          | page1, line1 page=page1@5 x=1    | line1 x=-
      My place stays if I lead the member too | page1, page2, line1 page=page1@1 | line1 page=page2@5 | line1 page=page2@1 | page1, page2, line1 page=page2@5 | line1 page=page1
      """
    ).cases)
  func places(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "Only a save of another root context and its children is in conflict with a child",
    arguments: RebaseTable(
      """
      case                                                    | base          | ancestor   | mine      | theirs    | ancestor now  | view                 | originals
      A change of my ancestor                                 | page1 x=1     |            | page1 x=2 |           | page1 x=3     | page1 x=2            |
      Another change of my ancestor                           | page1 x=1     | page1 x=5  | page1 x=2 |           | page1 x=3 y=3 | page1 x=2 y=3        |
      A save of another family beneath my ancestor            | page1 x=1     | page1 y=1  | page1 x=2 | page1 x=4 | same          | page1 x=2 y=1        | page1 x=1
      A save of my ancestor's change by another family        | page1 x=1     | page1 x=5  | page1 x=2 | page1 x=5 |               | page1 x=2            |
      A derived value that another family has saved           | page1 x=1 n=0 | page1 y=1  | page1 x=2 | page1 n=4 | same          | page1 x=2 y=1 n=4    |
      A row that my ancestor inserted and discarded           |               | +page2 x=1 | page2 x=2 |           |               |                      |
      A row that my ancestor saved and another family deleted | page1         | +page2 x=1 | page2 x=2 | page1 x=1 |               | page1 x=1, page2 x=2 | +page2 x=1
      """
    ).cases)
  func families(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "Changes of undo are checked row by row",
    arguments: RebaseTable(
      """
      case                                             | base                    | mine                | theirs | aged | view      | changes
      A value that is there already is no change       | page1 x=1               | page1 x=1           |        | yes  | page1 x=1 |
      A value that is not there is a change            | page1 x=1               | page1 x=2           |        | yes  | page1 x=2 | page1 x=2
      A restored reference to a missing row is cleared | note1                   | note1 page=page9    |        | yes  | note1     | note1 page=-
      A restored link to a missing row is removed      | page1                   | +tags1 page1>tag9@1 |        | yes  | page1     |
      A deletion reaches rows that lead there          | page1, note1 page=page1 | -page1              |        | yes  | note1     | -page1, note1 page=-
      """
    ).cases)
  func aged(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "A rebase tells whether another save has changed a value that the changes change",
    arguments: [
      ("page1 x=2", "page1 x=3", true), ("page1 x=2", "page1 y=3", false),
      ("page1 x=2", "-page1", true), ("page1 x=2", "page2 x=3", false),
      ("+page3 x=2", "page1 x=3", false),
    ])
  func overtaken(mine: String, theirs: String, isOvertaken: Bool) throws {
    let row = RebaseCase([
      "case": "overtaken", "base": "page1 x=1, page2", "mine": mine, "theirs": theirs,
    ])
    #expect(try row.rebase()().isOvertaken == isOvertaken)
  }
}
