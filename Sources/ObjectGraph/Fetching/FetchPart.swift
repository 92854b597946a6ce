import ObjectQuery

/// A request as one store answers it.
struct FetchPart {
  let state: StoreState
  let source: ViewSource
  let plan: QueryPlan
  let asked: AskedStore?
}
