import ObjectModel

extension FetchedResultsChange {
  /// Receives the changes of a list one by one, in the order of Core Data's `NSFetchedResultsControllerDelegate`.
  ///
  /// For each change of the list, the calls are ``resultsWillChange(_:)``, the changes of sections, the changes of
  /// objects, and ``resultsDidChange(_:)``. Each method has an empty implementation. The calls are made in the turn of
  /// the list's context. A class of the main actor conforms with `@MainActor FetchedResultsChange.Delegate`.
  ///
  /// In the first call the list is as it was before the change. In all other calls the list has changed. A program that
  /// replaces the request of the list does so in the last call.
  public protocol Delegate<Object>: AnyObject {
    /// The class of the objects in the list.
    associatedtype Object: ManagedObject

    /// Called before the list changes.
    func resultsWillChange(_ results: FetchedResults<Object>)
    /// Called for each section that was deleted, and then for each section that was inserted.
    func results(
      _ results: FetchedResults<Object>, didChange section: FetchedResultsChange.SectionChange)
    /// Called for each object, in the order of ``FetchedResultsChange/objects``.
    ///
    /// - Parameter object: The object. An object that was deleted in its store has no values any more.
    func results(
      _ results: FetchedResults<Object>, didChange object: Object,
      by change: FetchedResultsChange.ObjectChange)
    /// Called after the last call of a change.
    func resultsDidChange(_ results: FetchedResults<Object>)
  }
}

extension FetchedResultsChange.Delegate {
  public func resultsWillChange(_ results: FetchedResults<Object>) {}
  public func results(
    _ results: FetchedResults<Object>, didChange section: FetchedResultsChange.SectionChange
  ) {}
  public func results(
    _ results: FetchedResults<Object>, didChange object: Object,
    by change: FetchedResultsChange.ObjectChange
  ) {}
  public func resultsDidChange(_ results: FetchedResults<Object>) {}
}

extension FetchedResultsChange {
  /// The insertion or deletion of a section.
  public enum SectionChange: Sendable, Hashable {
    case insert(FetchedSection, at: Int)
    /// The section has no objects any more, or the list has another section in its place.
    case delete(FetchedSection, from: Int)
  }

  /// The changes of sections: first the deletions, then the insertions, each in the order of the sections.
  public var sections: [SectionChange] {
    deletedSections.map { .delete(before.sections[$0], from: $0) }
      + insertedSections.map { .insert(after.sections[$0], at: $0) }
  }

  /// Reports the change, which has taken place, in the calls that follow the first one.
  func report<Object: ManagedObject>(
    to delegate: any Delegate<Object>, about results: FetchedResults<Object>
  ) {
    for section in sections { delegate.results(results, didChange: section) }
    for change in objects {
      delegate.results(results, didChange: results.object(with: change.object), by: change)
    }
    delegate.resultsDidChange(results)
  }
}
