import ObjectQuery

/// The part of a fetch in one store.
struct FetchPart {
  let state: StoreState
  let source: ViewSource
  var plan: QueryPlan
  let asked: AskedStore?
}
