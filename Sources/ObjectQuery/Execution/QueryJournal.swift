import Rows
import Synchronization

/// Notes the way that a search takes. A plan writes in it if its watch has one, so an ordinary search pays nothing.
package final class QueryJournal: Sendable {
  /// The journal of the request that a store answers itself at this moment.
  @TaskLocal package static var current: QueryJournal?

  private let notes = Mutex(QueryExplanation())

  package init() {}

  package var explanation: QueryExplanation { notes.withLock { $0 } }

  package func change(_ body: (inout QueryExplanation) -> Void) { notes.withLock { body(&$0) } }

  func record(_ steps: [QueryExplanation.Step]) { change { $0.steps += steps } }

  func record(
    _ way: QueryExplanation.Way, of layout: Layout, _ columns: [LayoutColumn], candidates: Int
  ) {
    record([QueryExplanation.Step(way, layout, columns, candidates: candidates)])
  }

  func recordScan(of layout: Layout, _ blocks: [Block]) {
    let rowCount = blocks.reduce(0) { $0 + $1.rowCount }
    change { notes in
      notes.steps.append(.init(.scan, layout, [], candidates: rowCount))
      notes.blocks.all += blocks.count
      notes.rows.all += rowCount
    }
  }

  func recordScan(of layouts: [Layout], _ readers: [BatchReader]) {
    for layout in layouts {
      recordScan(
        of: layout,
        readers.filter { $0.entityNumber == layout.entityNumber }.map(\.batch.block))
    }
  }

  func recordRead(_ block: Block) {
    change { notes in
      notes.blocks.read += 1
      notes.rows.read += block.rowCount
    }
  }

  func recordSort(of count: Int, by keys: [SortKey]) {
    guard !keys.isEmpty else { return }
    change { notes in
      notes.sortKeys = keys.map { ($0.isAscending ? "" : "-") + $0.path }
      notes.sortedCount = count
    }
  }
}

extension QueryExplanation.Step {
  init(_ way: QueryExplanation.Way, _ layout: Layout, _ columns: [LayoutColumn], candidates: Int) {
    self.init(
      way: way, entity: layout.entity, columns: columns.map(\.name), candidateCount: candidates)
  }
}
