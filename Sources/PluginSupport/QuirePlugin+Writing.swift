// SAFETY: The host's structures are valid for the length of the call, with the stated number of batches.

import CArrow
import CStorePlugin
import Foundation
import ObjectModel
import PluginExchange
import Rows
import StoreInterface

extension QuirePlugin {
  @unsafe mutating func addWriting() {
    unsafe commit = { store, commit, committed, error in
      unsafe answering(error) {
        let store = unsafe try ExportedStore.of(store)
        let saved = unsafe try store.commit(PluginStructures.copy(of: commit))
        let handle = unsafe store.exported(saved).retained
        if let committed = unsafe committed {
          unsafe committed.pointee = QuireCommitted(snapshot: handle, table: 0)
        } else {
          unsafe Unmanaged<ExportedSnapshot>.fromOpaque(UnsafeRawPointer(handle)).release()
        }
      }
    }
    unsafe lease_keys = { store, entity, count, first, leased, error in
      unsafe answering(error) {
        let range = unsafe try ExportedStore.of(store).store.leaseKeys(
          ofEntity: entity, count: Int(clamping: count))
        unsafe first?.pointee = range.lowerBound
        unsafe leased?.pointee = UInt64(range.count)
      }
    }
    unsafe status = { store, description, error in
      unsafe answering(error) {
        let found = unsafe try ExportedStore.of(store).store.describe()
        guard let description = unsafe description else { return }
        unsafe try PluginStructures.check(
          description.pointee.struct_size, of: QuireDescription.self)
        unsafe description.pointee.byte_count = UInt64(found.byteCount)
        unsafe description.pointee.live_byte_count = UInt64(found.liveByteCount)
        unsafe description.pointee.stray_byte_count = UInt64(found.strayByteCount)
        unsafe description.pointee.saved_at =
          found.savedAt?.timeIntervalSinceReferenceDate ?? .nan
        unsafe description.pointee.highest_commit = found.highestCommit
        unsafe withUnsafeMutableBytes(of: &description.pointee.format_version) { place in
          unsafe place.initializeMemory(as: UInt8.self, repeating: 0)
          unsafe place.copyBytes(from: (found.formatVersion ?? "").utf8.prefix(place.count - 1))
        }
      }
    }
    unsafe vacuum = { store, error in
      unsafe answering(error) {
        let store = unsafe try ExportedStore.of(store)
        guard let vacuuming = store.store.features.vacuuming else {
          throw StoreError(
            .notSupported, "The store frees its unused space by itself.", path: store.path)
        }
        try vacuuming.vacuum()
      }
    }
    unsafe observe = { store, committed, context, error in
      unsafe answering(error) {
        unsafe try ExportedStore.of(store).observe(committed, context)
      }
    }
    unsafe advance = { store, path, commit, error in
      unsafe answering(error, text(path)) {
        let store = unsafe try ExportedStore.of(store)
        unsafe try store.store.confirming.advance(
          to: StorePosition(path: text(path) ?? store.path ?? "", commit: commit))
      }
    }
    unsafe hold = { store, commit, body, context, error in
      unsafe answering(error) {
        unsafe try ExportedStore.of(store).store.holding(commit: commit) {
          try PluginRefusalCode.check(unsafe body?(context) ?? 0)
        }
      }
    }
  }

  @unsafe mutating func addHistory() {
    unsafe commits = { store, take, context, error in
      unsafe answering(error) {
        for one in try unsafe ExportedStore.of(store).store.commits() {
          let answer = unsafe withText(one.author) { author in
            unsafe withText(one.contextName) { name in
              var summary = unsafe QuireCommitSummary(
                struct_size: UInt32(MemoryLayout<QuireCommitSummary>.size), number: one.number,
                time: one.time.timeIntervalSinceReferenceDate, author: author, context_name: name)
              return unsafe take?(context, &summary) ?? 0
            }
          }
          try PluginRefusalCode.check(answer)
        }
      }
    }
    unsafe snapshot_of = { store, commit, snapshot, error in
      unsafe answering(error) {
        let store = unsafe try ExportedStore.of(store)
        let found = try store.store.snapshot(ofCommit: commit)
        unsafe snapshot?.pointee = store.exported(found).retained
      }
    }
    unsafe keep_commits = { store, isKept, context, error in
      unsafe answering(error) {
        unsafe try ExportedStore.of(store).store.features.history?.keepCommits { number in
          unsafe isKept?(context, number) ?? 1 != 0
        }
      }
    }
  }
}

extension ExportedStore {
  /// Commits the changes of the host.
  @unsafe fileprivate func commit(_ commit: QuireCommit) throws -> any StoreSnapshot {
    let head = try store.snapshot()
    guard unsafe head.commit == commit.after else {
      throw StoreError(
        .overtaken,
        """
        The changes must follow commit \(unsafe commit.after), but the newest \
        commit is \(head.commit).
        """, path: path)
    }
    let model = unsafe try commit.model.copied.map {
      try PluginDescriptions.model($0, path: path)
    }
    let schema =
      unsafe try commit.schema.copied.map { try PluginDescriptions.schema($0, path: path) }
      ?? head.schema
    var request = CommitRequest(
      unsafe try layer(commit, schema), basedOn: head,
      metadata: unsafe try commit.metadata.copied.map {
        try PluginDescriptions.metadata($0, path: path)
      }, model: model)
    request.requiredCommit = head.commit
    request.base = unsafe commit.base
    for index in 0..<Int(unsafe commit.models_between_count) {
      let bytes = unsafe commit.models_between[index].copied ?? []
      request.modelsBetween.append(try PluginDescriptions.model(bytes, path: path))
    }
    request.author = unsafe text(commit.author)
    request.contextName = unsafe text(commit.context_name)
    do { return unsafe try save(request, commit) } catch let error as StoreError
      where error.code == .conflict
    {
      // Another process has committed since the look at the newest commit. The host finds the conflicts on its own.
      throw StoreError(.overtaken, error.message, path: path)
    }
  }

  /// Saves the changes, under the number of the host if there is one.
  @unsafe private func save(
    _ request: CommitRequest, _ commit: QuireCommit
  ) throws -> any StoreSnapshot {
    let number = unsafe commit.number
    guard number > 0 else { return try store.commit(request) }
    let position = StorePosition(
      path: unsafe text(commit.path) ?? path ?? "", commit: number)
    return try store.confirming.commit(request, at: position) { snapshot in
      let handle = unsafe exported(snapshot).retained
      guard let confirm = unsafe commit.confirm else {
        return unsafe Unmanaged<ExportedSnapshot>.fromOpaque(UnsafeRawPointer(handle)).release()
      }
      try PluginRefusalCode.check(unsafe confirm(commit.confirm_context, handle))
    }
  }

  /// Returns the changes, from the batches of the commit.
  @unsafe private func layer(_ commit: QuireCommit, _ schema: Schema) throws -> Layer {
    var blocks: [UInt16: [PluginRowKind: [Block]]] = [:]
    for index in 0..<Int(unsafe commit.batch_count) {
      let batch = unsafe try PluginStructures.copy(of: commit.batches?[index])
      guard let kind = PluginRowKind(rawValue: Int32(unsafe batch.kind)) else {
        throw StoreError(.failed, "Batch \(index) has an unknown kind.", path: path)
      }
      let number = unsafe batch.entity
      blocks[number, default: [:]][kind, default: []] += unsafe try self.blocks(
        batch, number, schema)
    }
    return try Layer(checking: blocks, path: path)
  }

  @unsafe private func blocks(
    _ batch: QuireBatch, _ number: UInt16, _ schema: Schema
  ) throws -> [Block] {
    if let start = unsafe batch.block {
      let count = Int(unsafe batch.block_byte_count)
      let memory = unsafe BlockMemory(byteCount: count) { place in
        unsafe place.copyMemory(from: UnsafeRawBufferPointer(start: start, count: count))
      }
      return [try Block(memory)]
    }
    guard let layout = schema[number], let array = unsafe batch.array,
      let description = unsafe batch.schema
    else { throw StoreError(.failed, "Entity \(number) does not exist.", path: path) }
    return unsafe try ArrowBatch(taking: array, schema: description).blocks(layout)
  }
}
