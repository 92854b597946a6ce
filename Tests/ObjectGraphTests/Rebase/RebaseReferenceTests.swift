import Testing

@Suite("Rebase: references to deleted rows, and one-to-one relationships")
struct RebaseReferenceTests {
  @Test(
    "References and links of the changes to deleted rows are cleared",
    arguments: RebaseTable(
      """
      case                                                 | base                    | mine                        | theirs               | view                        | originals
      A reference                                          | page1, note1            | note1 page=page1            | -page1               | note1                       |
      A reference and its place                            | page1, line1            | line1 page=page1@3          | -page1               | line1                       |
      A reference of an inserted row                       | page1                   | +note1 page=page1 x=1       | -page1               | note1 x=1                   |
      A reference without an inverse                       | page1, page2            | page2 hint=page1            | -page1               | page2                       |
      A reference that denies a deletion here              | page1, guard1           | guard1 page=page1           | -page1               | guard1                      |
      A link from the row                                  | page1, tag1             | +tags1 page1>tag1@1         | -page1               | tag1                        |
      A link to the row                                    | page1, tag1             | +tags1 page1>tag1@1         | -tag1                | page1                       |
      A link without an inverse                            | page1, tag1             | +sees1 page1>tag1           | -tag1                | page1                       |
      A reference that the other save has cleared          | page1, note1 page=page1 | note1 x=1                   | -page1, note1 page=- | note1 x=1                   | note1 page=page1
      A reference of a row kept against its deletion       | page1, note1 page=page1 | note1 x=1                   | -page1, -note1       | note1 x=1                   | +note1 page=page1
      A reference to a row kept against its deletion stays | page1, note1            | page1 x=1, note1 page=page1 | -page1               | page1 x=1, note1 page=page1 | +page1
      A reference to an inserted row stays                 | page1, note1            | +page2, note1 page=page2    | -page1               | page2, note1 page=page2     |
      """
    ).cases)
  func lost(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "A decision about a conflict leaves no reference to a deleted row",
    arguments: RebaseTable(
      """
      case                                             | base                                  | mine                           | theirs         | policy   | view
      The saved reference to a row that I delete       | page1, note1 page=page1               | -page1, note1 page=-           | note1 x=2      | rollback | note1 x=2
      The saved reference without an inverse           | page1, page2 hint=page1               | -page1, page2 hint=-           | page2 x=2      | rollback | page2 x=2
      The saved member of a row that I delete          | page1, line1 page=page1@1             | -page1, line1 page=-           | line1 x=2      | rollback |
      My reference to a row that the policy deletes    | page1 x=1, note1                      | page1 x=2, note1 page=page1    | page1 x=3      | delete   | note1
      My reference to a row that stays deleted         | page1 x=1, note1                      | page1 x=2, note1 page=page1    | -page1         | store    | note1
      My link to a row that stays deleted              | page1 x=1, tag1                       | page1 x=2, +tags1 page1>tag1@1 | -page1         | store    | tag1
      My reference in a row that is restored           | page1, note1 page=page1 x=1           | note1 x=2                      | -page1, -note1 | object   | note1 x=2
      A reference that denies the deletion stays       | page1, guard1 page=page1 x=1          | -page1, guard1 page=-          | guard1 x=2     | rollback | guard1 page=page1 x=2
      One to one, the saved end at a row that I delete | page1 cover=cover1, cover1 page=page1 | -cover1, page1 cover=-         | page1 x=2      | rollback | page1 x=2
      """
    ).cases)
  func settled(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "Both ends of a one-to-one relationship refer to each other, or are empty",
    arguments: RebaseTable(
      """
      case                                                 | base                                         | mine                                          | theirs                                               | view                                          | originals
      The other save's end is cleared                      | page1, page2, cover1                         | page1 cover=cover1, cover1 page=page1         | page2 cover=cover1, cover1 page=page2                | page1 cover=cover1, page2, cover1 page=page1  | cover1 page=-
      The other save's end is cleared, from the other side | page1, cover1, cover2                        | page1 cover=cover1, cover1 page=page1         | page1 cover=cover2, cover2 page=page1                | page1 cover=cover1, cover1 page=page1, cover2 | page1 cover=-
      My end goes where the row that I left goes           | page1 cover=cover1, page2, cover1 page=page1 | page1 cover=-, cover1 page=-                  | cover1 page=page2, page1 cover=-, page2 cover=cover1 | page1, page2, cover1                          | page1 cover=cover1, cover1 page=page1
      Within one entity                                    | page1, page2, page3                          | page1 next=page2, page2 next=page1            | page2 next=page3, page3 next=page2                   | page1 next=page2, page2 next=page1, page3     | page2 next=-
      An inserted row's end is cleared                     | cover1                                       | +page1 cover=cover1, cover1 page=page1        | +page2 cover=cover1, cover1 page=page2               | page1 cover=cover1, page2, cover1 page=page1  | cover1 page=-
      My deletion clears the new end                       | page1 cover=cover1, page2, cover1 page=page1 | -cover1, page1 cover=-                        | cover1 page=page2, page1 cover=-, page2 cover=cover1 | page1, page2                                  | page1 cover=cover1, cover1 page=page1
      Their deletion clears my end                         | page1, cover1                                | page1 cover=cover1 x=1, cover1 page=page1 x=1 | -cover1                                              | page1 cover=cover1 x=1, cover1 page=page1 x=1 | +cover1
      Ends that agree stay                                 | page1 cover=cover1, cover1 page=page1        | page1 x=1                                     | cover1 x=1                                           | page1 cover=cover1 x=1, cover1 page=page1 x=1 |
      """
    ).cases)
  func oneToOne(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "After a decision about a conflict, a relationship with one cleared end is connected again",
    arguments: RebaseTable(
      """
      case                                                     | base                                                 | was           | mine                                                                         | policy | view
      The saved pair wins and is led back                      | cover1, page3 cover=cover2, cover2 page=page3        | page3 cover=- | cover1 page=page3, cover2 page=-, page3 cover=cover1                         | store  | cover1, page3 cover=cover2, cover2 page=page3
      The saved pair wins, within one entity                   | page1, page2 next=page3, page3 next=page2            | page2 next=-  | page1 next=page2, page2 next=page1, page3 next=-                             | store  | page1, page2 next=page3, page3 next=page2
      My pair wins                                             | cover1, page3 cover=cover2, cover2 page=page3        | page3 cover=- | cover1 page=page3, cover2 page=-, page3 cover=cover1                         | object | cover1 page=page3, page3 cover=cover1, cover2
      A saved pair that I parted after the rebase stays parted | page3 cover=cover2, cover2 page=page3                | page3 cover=- | page3 x=1 cover=-, cover2 page=-                                             | object | page3 x=1, cover2
      The saved end stays led elsewhere                        | cover1, cover2 page=page3, page3 cover=cover2, page4 | page3 cover=- | cover1 page=page3, page3 cover=cover1, cover2 page=page4, page4 cover=cover2 | store  | cover1, cover2 page=page4, page3, page4 cover=cover2
      """
    ).cases)
  func decidedLater(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "After a decision about a conflict, both ends refer to each other",
    arguments: RebaseTable(
      """
      case                                            | base                                         | mine                                                 | theirs                                | discarded | policy   | view
      The saved end wins and mine is cleared          | page1, page2, cover1                         | page1 cover=cover1, cover1 page=page1                | page2 cover=cover1, cover1 page=page2 |           | store    | page1, page2 cover=cover1, cover1 page=page2
      My end wins and the saved one is cleared        | page1, page2, cover1                         | page1 cover=cover1, cover1 page=page1                | page2 cover=cover1, cover1 page=page2 |           | object   | page1 cover=cover1, page2, cover1 page=page1
      A discarded end leads back                      | page1 cover=cover1, page2, cover1 page=page1 | page1 cover=-, page2 cover=cover1, cover1 page=page2 | cover1 x=1                            | cover1    |          | page1 cover=cover1, page2, cover1 page=page1 x=1
      A discarded end that leads elsewhere is cleared | page1 cover=cover1, page2, cover1 page=page1 | page1 cover=-, page2 cover=cover1, cover1 page=page2 | page1 x=1                             | page1     |          | page1 x=1, page2 cover=cover1, cover1 page=page2
      A decided end that is led elsewhere is cleared  | page1 cover=cover1, page2, cover1 page=page1 | page1 cover=-, page2 cover=cover1, cover1 page=page2 | page1 x=1                             |           | rollback | page1 x=1, page2 cover=cover1, cover1 page=page2
      A row that stays deleted is led to by no end    | page1, page2 x=1                             | page1 next=page2, page2 next=page1                   | -page2                                |           | store    | page1
      A denied deletion leaves the end for validation | page1 seal=seal1, seal1 page=page1           | -page1, seal1 page=-                                 | seal1 x=1                             |           | rollback | seal1 page=page1 x=1
      """
    ).cases)
  func decided(_ row: RebaseCase) throws { try row.check() }
}
