import Testing

@Suite("Rebase: deletions")
struct RebaseDeletionTests {
  @Test(
    "A deletion follows references that another save has set to the deleted row",
    arguments: RebaseTable(
      """
      case                                           | base                             | mine                 | theirs                                 | view                 | cascaded | originals
      Cascade deletes a new member                   | page1, line1 page=page1@1        | -page1, -line1       | +line2 page=page1@2                    |                      | line2    |
      Cascade deletes a member led there             | page1, page2, line1 page=page2@1 | -page1               | line1 page=page1@1                     | page2                | line1    |
      Cascade leaves a member led away               | page1, page2, line1 page=page1@1 | -page2               | line1 page=-, page1 x=1                | page1 x=1, line1     |          |
      Nullify clears the reference                   | page1                            | -page1               | +note1 page=page1                      | note1                |          |
      Two rows that the deletion reaches             | page1, page2                     | -page1               | +note1 page=page1 x=1, page2 x=1       | page2 x=1, note1 x=1 |          |
      No action clears the reference too             | page1                            | -page1               | +mark1 page=page1                      | mark1                |          |
      The place is cleared with the reference        | page1                            | -page1               | +mark1 page=page1@3                    | mark1                |          |
      Deny leaves the reference for validation       | page1                            | -page1               | +guard1 page=page1                     | guard1 page=page1    |          |
      A reference without an inverse is cleared      | page1, page2                     | -page1               | page2 hint=page1                       | page2                |          |
      A link of the deleted row is removed           | page1, tag1                      | -page1               | +tags1 page1>tag1@1                    | tag1                 |          |
      A link to the deleted row is removed           | page1, tag1                      | -tag1                | +tags1 page1>tag1@1                    | page1                |          |
      A link without an inverse is removed           | page1, tag1                      | -tag1                | +sees1 page1>tag1                      | page1                |          |
      A link to a row of the same entity is removed  | page1, page2                     | -page2               | +peers1 page1>page2@1/1                | page1                |          |
      One to one, cascade follows the new reference  | page1                            | -page1               | +cover1 page=page1, page1 cover=cover1 |                      | cover1   | page1 cover=-
      One to one, the new end is cleared             | cover1, page1                    | -cover1              | page1 cover=cover1, cover1 page=page1  | page1                |          | cover1 page=-
      One to one, deny leaves the end for validation | page1                            | -page1               | +seal1 page=page1, page1 seal=seal1    | seal1 page=page1     |          | page1 seal=-
      A reference that I cleared stays clear         | page1, page2, note1 page=page1   | -page1, note1 page=- | note1 page=page2                       | page2, note1         |          | note1 page=page1
      """
    ).cases)
  func reached(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "A deletion that the policy decides follows its delete rules completely",
    arguments: RebaseTable(
      """
      case                                     | base                                                                                        | mine      | theirs    | policy | view               | cascaded
      Members, references and links            | page1 x=1, line1 page=page1@1, note1 page=page1, tag1, tags1 page1>tag1@1, page2 hint=page1 | page1 x=2 | page1 x=3 | delete | note1, tag1, page2 | line1, page1
      One to one                               | page1 x=1 cover=cover1 next=page2, cover1 page=page1, page2 next=page1                      | page1 x=2 | page1 x=3 | delete | page2              | cover1, page1
      Deny leaves the reference for validation | page1 x=1, guard1 page=page1                                                                | page1 x=2 | page1 x=3 | delete | guard1 page=page1  | page1
      """
    ).cases)
  func policy(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "A deletion follows the last references of the deleted row",
    arguments: RebaseTable(
      """
      case                                             | base                                                | mine                           | last               | theirs            | discarded | view             | cascaded
      The last reference, led back by another save     | page1, cover1                                       | -page1                         | page1 cover=cover1 | cover1 page=page1 |           |                  | cover1
      The saved reference, dropped before the deletion | page1 cover=cover1, cover1 page=page1, cover2, tag1 | -page1, cover1 page=-, -cover2 | page1 cover=cover2 | tag1 x=5          |           | cover1, tag1 x=5 |
      Cascade deletes a row that is led back           | page1 cover=cover1, cover1 page=page1, cover2       | -page1, cover1 page=-, -cover2 | page1 cover=cover2 | cover1 x=2        | cover1    |                  | cover1
      An end that is led back is cleared               | page1 next=page2, page2 next=page1, page3           | -page1, page2 next=-           | page1 next=page3   | page2 x=2         | page2     | page2 x=2, page3 |
      """
    ).cases)
  func last(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "Deletions also affect related rows whose own changes are discarded",
    arguments: RebaseTable(
      """
      case                                            | base                          | mine                      | theirs    | discarded | view                 | cascaded
      Cascade deletes a row again                     | page1, line1 page=page1@1     | -page1, -line1            | line1 x=2 | line1     |                      | line1
      Nullify clears a reference again                | page1, note1 page=page1       | -page1, note1 page=-      | note1 x=2 | note1     | note1 x=2            |
      No action clears a reference again              | page1, mark1 page=page1       | -page1, mark1 page=-      | mark1 x=2 | mark1     | mark1 x=2            |
      A reference without an inverse is cleared again | page1, page2 hint=page1       | -page1, page2 hint=-      | page2 x=2 | page2     | page2 x=2            |
      A discarded deletion restores the row           | page1 x=1, line1 page=page1@1 | -page1, -line1            | page1 x=2 | page1     | page1 x=2            |
      A discarded value is the saved one              | page1 x=1                     | page1 x=2                 | page1 x=3 | page1     | page1 x=3            |
      Discarded without another save                  | page1 x=1, page2 x=1          | page1 x=2, page2 x=2      |           | page1     | page1 x=1, page2 x=2 |
      A discarded insertion takes references along    |                               | +page1, +note1 page=page1 |           | page1     | note1                |
      """
    ).cases)
  func discarded(_ row: RebaseCase) throws { try row.check() }
}
