public import Foundation

extension Notification.Name {
  /// Posted after a coordinator has added, removed or moved a store.
  ///
  /// The object of the notification is the coordinator. The user info contains arrays of ``PersistentStore`` under
  /// ``PersistentStoreCoordinator/addedStoresKey`` and ``PersistentStoreCoordinator/removedStoresKey``. A moved store
  /// is a removed store and an added store.
  public static let persistentStoreCoordinatorStoresDidChange = Notification.Name(
    "PersistentStoreCoordinatorStoresDidChange")
  /// Posted before a coordinator removes a store. Contexts may still save into the store.
  ///
  /// The object of the notification is the coordinator. The user info contains an array with the ``PersistentStore``
  /// under ``PersistentStoreCoordinator/removedStoresKey``.
  public static let persistentStoreCoordinatorWillRemoveStore = Notification.Name(
    "PersistentStoreCoordinatorWillRemoveStore")
}

extension PersistentStoreCoordinator {
  /// The key of the added stores in the user info of a notification.
  public static let addedStoresKey = "AddedStores"
  /// The key of the removed stores in the user info of a notification.
  public static let removedStoresKey = "RemovedStores"

  /// Notifies the observers on the calling thread, which must hold no lock of the coordinator.
  func post(
    _ name: Notification.Name, added: [PersistentStore] = [], removed: [PersistentStore] = []
  ) {
    var userInfo: [AnyHashable: Any] = [:]
    if !added.isEmpty { userInfo[PersistentStoreCoordinator.addedStoresKey] = added }
    if !removed.isEmpty { userInfo[PersistentStoreCoordinator.removedStoresKey] = removed }
    NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
  }
}
