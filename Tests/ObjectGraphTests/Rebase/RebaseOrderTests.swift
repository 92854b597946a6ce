import Testing

@Suite("Rebase: links and orders")
struct RebaseOrderTests {
  @Test(
    "Two objects are linked once",
    arguments: RebaseTable(
      """
      case                                       | base                            | mine                                     | theirs                                   | view                                                      | changes
      My link is dropped                         | page1, tag1                     | +tags2 page1>tag1@1                      | +tags1 page1>tag1@1                      | page1, tag1, tags1 page1>tag1@1                           |
      The saved link takes my place              | page1, tag1                     | +tags2 page1>tag1@5                      | +tags1 page1>tag1@1                      | page1, tag1, tags1 page1>tag1@5                           | tags1 @5
      Without an order                           | page1, tag1                     | +sees2 page1>tag1                        | +sees1 page1>tag1                        | page1, tag1, sees1 page1>tag1                             |
      From both sides, places at both ends       | page1, page2                    | +peers2 page1>page2@5/6                  | +peers1 page1>page2@1/2                  | page1, page2, peers1 page1>page2@5/6                      | peers1 @5/6
      From the other side, the saved places stay | page1, page2                    | +peers2 page2>page1@5/6                  | +peers1 page1>page2@1/2                  | page1, page2, peers1 page1>page2@1/2                      |
      A link to itself                           | page1                           | +peers2 page1>page1@5/5                  | +peers1 page1>page1@1/1                  | page1, peers1 page1>page1@5/5                             | peers1 @5/5
      Links to other objects stay                | page1, tag1, tag2               | +tags2 page1>tag1@1, +tags3 page1>tag2@2 | +tags1 page1>tag1@1                      | page1, tag1, tag2, tags1 page1>tag1@1, tags3 page1>tag2@2 | +tags3 page1>tag2@2
      Each of two doubles is dropped             | page1, tag1, tag2               | +tags3 page1>tag1@1, +tags4 page1>tag2@2 | +tags1 page1>tag1@1, +tags2 page1>tag2@2 | page1, tag1, tag2, tags1 page1>tag1@1, tags2 page1>tag2@2 |
      A link that I made anew is no double       | page1, tag1, tags1 page1>tag1@1 | -tags1, +tags2 page1>tag1@2              | tag1 x=1                                 | page1, tag1 x=1, tags2 page1>tag1@2                       | -tags1, +tags2 page1>tag1@2
      Other relationships are not mixed up       | page1, tag1                     | +tags1 page1>tag1@1                      | +sees1 page1>tag1                        | page1, tag1, tags1 page1>tag1@1, sees1 page1>tag1         | +tags1 page1>tag1@1
      """
    ).cases)
  func doubles(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "Members of an ordered relationship have places of their own",
    arguments: RebaseTable(
      """
      case                                                   | base                                                              | mine                                     | theirs                                   | view
      My addition at the end goes behind the other           | page1, line1 page=page1@1                                         | +line2 page=page1@2                      | +line3 page=page1@2                      | page1, line1 page=page1@1, line3 page=page1@2, line2 page=page1@3
      My additions stay together                             | page1, line1 page=page1@1                                         | +line2 page=page1@2, +line3 page=page1@3 | +line4 page=page1@2, +line5 page=page1@3 | page1, line1 page=page1@1, line4 page=page1@2, line5 page=page1@3, line2 page=page1@4, line3 page=page1@5
      My additions go behind though one alone shares a place | page1, line1 page=page1@1                                         | +line2 page=page1@2, +line3 page=page1@3 | +line4 page=page1@3                      | page1, line1 page=page1@1, line4 page=page1@3, line2 page=page1@4, line3 page=page1@5
      First additions                                        | page1                                                             | +line1 page=page1@0                      | +line2 page=page1@0                      | page1, line2 page=page1@0, line1 page=page1@1
      Additions in the middle: the saved one comes first     | page1, line1 page=page1@1, line2 page=page1@10                    | +line3 page=page1@5                      | +line4 page=page1@5                      | page1, line1 page=page1@1, line2 page=page1@10, line4 page=page1@5, line3 page=page1@6
      An addition in the middle pushes the next one on       | page1, line1 page=page1@1, line2 page=page1@6                     | +line3 page=page1@5                      | +line4 page=page1@5                      | page1, line1 page=page1@1, line4 page=page1@5, line3 page=page1@6, line2 page=page1@7
      A moved old member stays before a new one              | page1, line1 page=page1@1, line2 page=page1@2                     | line2 page=@3, +line3 page=page1@2       | +line4 page=page1@3                      | page1, line1 page=page1@1, line3 page=page1@2, line2 page=page1@3, line4 page=page1@4
      Two moved members                                      | page1, line1 page=page1@1, line2 page=page1@2, line3 page=page1@3 | line3 page=@0                            | line2 page=@0                            | page1, line2 page=page1@0, line3 page=page1@1, line1 page=page1@2
      A member led there by each side                        | page1, line1, line2                                               | line1 page=page1@1                       | line2 page=page1@1                       | page1, line2 page=page1@1, line1 page=page1@2
      Places of different owners may be the same             | page1, page2                                                      | +line1 page=page1@1                      | +line2 page=page2@1                      | page1, page2, line1 page=page1@1, line2 page=page2@1
      Different places stay                                  | page1, line1 page=page1@1                                         | +line2 page=page1@7                      | +line3 page=page1@4                      | page1, line1 page=page1@1, line3 page=page1@4, line2 page=page1@7
      Additions of two entities stay together                | page1                                                             | +line1 page=page1@0, +verse1 page=page1@1 | +line2 page=page1@0, +verse2 page=page1@1 | page1, line2 page=page1@0, verse2 page=page1@1, line1 page=page1@2, verse1 page=page1@3
      Places that the changes do not give stay               | page1, line1 page=page1@1                                         | page1 x=1                                | +line2 page=page1@1                      | page1 x=1, line1 page=page1@1, line2 page=page1@1
      """
    ).cases)
  func places(_ row: RebaseCase) throws { try row.check() }

  @Test(
    "Links have places of their own",
    arguments: RebaseTable(
      """
      case                                            | base                                        | mine                    | theirs                                   | view
      My link at the end goes behind the other        | page1, tag1, tag2                           | +tags1 page1>tag1@1     | +tags2 page1>tag2@1                      | page1, tag1, tag2, tags2 page1>tag2@1, tags1 page1>tag1@2
      My link in the middle comes second              | page1, tag1, tag2, tag3, tags1 page1>tag1@9 | +tags2 page1>tag2@4     | +tags3 page1>tag3@4                      | page1, tag1, tag2, tag3, tags1 page1>tag1@9, tags3 page1>tag3@4, tags2 page1>tag2@5
      Places at both ends, the source's               | page1, page2, page3                         | +peers1 page1>page2@1/1 | +peers2 page1>page3@1/1                  | page1, page2, page3, peers2 page1>page3@1/1, peers1 page1>page2@2/1
      Places at both ends, the target's               | page1, page2, page3                         | +peers1 page2>page1@1/1 | +peers2 page3>page1@1/1                  | page1, page2, page3, peers2 page3>page1@1/1, peers1 page2>page1@1/2
      Places of one object at different ends of links | page1, page2, page3                         | +peers1 page1>page2@1/1 | +peers2 page3>page1@1/1                  | page1, page2, page3, peers2 page3>page1@1/1, peers1 page1>page2@2/1
      A link of an object to itself has one place     | page1, page2                                | +peers1 page1>page1@1/1 | +peers2 page1>page2@1/1                  | page1, page2, peers2 page1>page2@1/1, peers1 page1>page1@2/2
      The other save's link of an object to itself    | page1, page2                                | +peers1 page1>page2@1/1 | +peers2 page1>page1@1/1                  | page1, page2, peers2 page1>page1@1/1, peers1 page1>page2@2/1
      Links from both ends, one of them to itself     | page1, page2, page3                         | +peers1 page2>page1@0/0, +peers2 page1>page1@1/1 | +peers3 page3>page1@0/0          | page1, page2, page3, peers3 page3>page1@0/0, peers1 page2>page1@0/1, peers2 page1>page1@2/2
      A link that takes over my place makes room      | page1, tag1, tag2                           | +tags1 page1>tag1@2     | +tags2 page1>tag1@1, +tags3 page1>tag2@2 | page1, tag1, tag2, tags2 page1>tag1@3, tags3 page1>tag2@2
      """
    ).cases)
  func linkPlaces(_ row: RebaseCase) throws { try row.check() }
}
