import ObjectModel
import Rows
import Testing

@testable import ObjectGraph

@Suite("Rebase: repairs")
struct RebaseRepairTests {
  @Test(
    "The next rebase takes back a repair once the reason has ended",
    arguments: RebaseTable(
      """
      case                                        | base                | mine                               | theirs                             | since | then                 | policy | view                                          | changes                                          | originals
      A parted end is gone: no conflict           | page1, page2, page3 | page1 next=page3, page3 next=page1 | page2 next=page3, page3 next=page2 |       | -page2, page3 next=- |        | page1 next=page3, page3 next=page1            | page1 next=page3, page3 next=page1               |
      A parted end has another value: no conflict | page1, page2, page3 | page1 next=page3, page3 next=page1 | page2 next=page3, page3 next=page2 |       | page2 x=1            | object | page1 next=page3, page2 x=1, page3 next=page1 | page1 next=page3, page2 next=-, page3 next=page1 |
      A discarded deletion clears no reference    | page1, note1        | -page1                             | note1 page=page1                   |       | page1 x=1            | store  | page1 x=1, note1 page=page1                   |                                                  |
      A discarded deletion deletes no part        | page1, line1        | -page1                             | line1 page=page1@0                 |       | page1 x=1            | store  | page1 x=1, line1 page=page1@0                 |                                                  |
      A part keeps its own change                 | page1, line1        | -page1, line1 x=7                  | line1 page=page1@0                 |       | page1 x=1            | store  | page1 x=1, line1 page=page1@0 x=7             | line1 x=7                                        |
      A discarded deletion removes no link        | page1, tag1         | -page1                             | +tags1 page1>tag1@0                |       | page1 x=1            | store  | page1 x=1, tag1, tags1 page1>tag1@0           |                                                  |
      A member need not make room                 | page1               | +line1 page=page1@0                | +line2 page=page1@0                |       | -line2               |        | page1, line1 page=page1@0                     | +line1 page=page1@0                              |
      """
    ).cases)
  func takenBack(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "The next rebase makes a repair anew if its reason remains",
    arguments: RebaseTable(
      """
      case                            | base                | mine                               | theirs                             | since | then      | view                                              | changes                                          | originals
      A reference to a deleted object | page1, note1        | -page1                             | note1 page=page1                   |       | note1 x=1 | note1 x=1                                         | -page1, note1 page=-                             |
      A part of a deleted object      | page1, line1        | -page1                             | line1 page=page1@0                 |       | line1 x=1 |                                                   | -page1, -line1                                   |
      A link of a deleted object      | page1, tag1         | -page1                             | +tags1 page1>tag1@0                |       | tag1 x=1  | tag1 x=1                                          | -page1, -tags1                                   |
      A parted end                    | page1, page2, page3 | page1 next=page3, page3 next=page1 | page2 next=page3, page3 next=page2 |       | page2 x=1 | page1 next=page3, page2 x=1, page3 next=page1     | page1 next=page3, page2 next=-, page3 next=page1 | page3 next=-
      A member in the way             | page1               | +line1 page=page1@0                | +line2 page=page1@0                |       | line2 x=1 | page1, line2 page=page1@0 x=1, line1 page=page1@1 | +line1 page=page1@1                              |
      """
    ).cases)
  func madeAnew(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "The next rebase also makes a repair anew for an object that the context has asked to see",
    arguments: RebaseTable(
      """
      case                             | base           | mine     | theirs             | since | then      | seen    | own save | view | changes
      The object that its part deletes | page1, ticket1 | -ticket1 | ticket1 page=page1 |       | page1 x=1 | ticket1 |          |      | -page1, -ticket1
      """
    ).cases)
  func madeAnewUnseen(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "A repaired row that the context has changed since counts as one of its changes",
    arguments: RebaseTable(
      """
      case              | base         | mine   | theirs           | since     | then      | policy | view      | conflicts | originals
      The values stay   | page1, note1 | -page1 | note1 page=page1 | note1 x=7 | note1 x=1 |        | note1 x=7 |           | note1 x=-
      It is in conflict | page1, note1 | -page1 | note1 page=page1 | note1 x=7 | note1 x=1 | error  |           | note1 x   |
      """
    ).cases)
  func changedSince(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "A row that is kept against its deletion stays until a policy decides",
    arguments: RebaseTable(
      """
      case                            | base         | mine             | theirs         | since | then | policy | view  | originals
      Its one change is cleared       | page2, note1 | note1 page=page2 | -note1, -page2 |       |      |        | note1 | +note1
      The policy finds no change left | page2, note1 | note1 page=page2 | -note1, -page2 |       |      | object |       |
      """
    ).cases)
  func kept(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "A conflict names my changed values only, not values of a save in between",
    arguments: RebaseTable(
      """
      case                                          | base  | mine      | theirs    | since | then      | policy | view          | conflicts
      A value that I never changed is not contested | page1 | page1 y=1 | page1 x=2 |       | page1 x=3 | error  |               | page1
      It is not saved over the newest               | page1 | page1 y=1 | page1 x=2 |       | page1 x=3 | object | page1 x=3 y=1 |
      """
    ).cases)
  func betweenSaves(_ row: RebaseCase) throws { try row.check() }

  @Test("A reference that is restored for a discarded change is no repair")
  func restored() throws {
    let row = RebaseCase([
      "case": "restored", "base": "page1 next=page2, page2 next=page1, page3",
      "mine": "page1 next=page3, page3 next=page1, page2 next=-", "theirs": "page1 x=2",
      "discarded": "page1",
    ])

    let changes = try row.rebase()().changes

    let view = View(changes.base.tables + [changes.layer])
    let found = try view.rows().text
    #expect(found == RowText.rows("page1 x=2 next=page2, page2 next=page1, page3").text)
    let repaired = try changes.repairs.repaired.allKeys().map(SmallModel.name)
    #expect(repaired == ["page3"])
  }
}
