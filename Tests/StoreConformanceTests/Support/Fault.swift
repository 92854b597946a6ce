/// The ways in which a store of the tests is wrong. Each store has one fault.
enum Fault: String, CaseIterable, CustomStringConvertible {
  // Values
  case roundsDoubles, roundsDates, losesDigitsOfDecimals, losesEmptyTexts, cutsTexts, cutsBytes,
    losesReferences
  case losesBooleans, wrapsSmallIntegers, losesOrder
  // Commits
  case losesCommit, letsConflictsPass, refusesWithAnotherCode, hidesConflicts,
    letsOvertakenCommitsPass
  case refusesOvertakenWithAnotherCode, showsLaterChanges, keepsTheNumberOfCommits, losesRemovals,
    returnsTheOldSnapshot
  case ignoresNewModels, ignoresModelsBetween, countsVersionsByItself, tearsCommits
  // Keys
  case givesKeysTwice, givesTooFewKeys, givesKeyZero, givesKeysAgainAfterReopening
  // Metadata and descriptions
  case refusesMetadata, losesMetadata, hasAnotherTag, namesAnotherType, tellsNoSize,
    usesMoreBytesThanItHas
  case tellsRemains, tellsDamage, tellsAnOldSave, tellsAnotherHighestCommit, hidesItsHistory
  // History
  case forgetsNothing, forgetsTooMuch, listsTheOldestFirst, listsCommitsThatNobodyMade,
    losesAuthors, losesContextNames
  case opensTheNewestCommitOnly, opensUnknownCommits, holdsOldCommits, swallowsErrorsOfHolds
  // Closing
  case staysOpen, failsToCloseAgain
  // Places
  case forgetsOnOpening, replacesUnasked, neverReplaces, keepsReplacedObjects, ignoresTheUUID,
    makesMissingStores, recognizesNothing
  case refusesMissingStoresWithAnotherCode, tellsMetadataOfMissingStores, takesForeignFiles
  case refusesForeignFilesWithAnotherCode, overwritesForeignFiles, opensCutFilesEmpty,
    writesReadOnly
  case dropsReadOnlyChanges, refusesReadOnlyWithAnotherCode, tellsOldMetadata, losesClosedMetadata
  // Confirmation
  case asksNobody, asksTwice, confirmsTheOldSnapshot, ignoresRefusals, replacesRefusals,
    usesAnotherNumber
  case opensTheNewest, opensLostCommits, neverAdvances, advancesByItself, advancesAnywhere
  // Sharing
  case seesOnlyItself, leasesByItself, letsSharedConflictsPass, remembersForgottenCommits
  // Processes
  case seesOnlyItsProcess, leasesByProcess, confirmsBeforeItWrites, commitsInHalves
  // The disk
  case neverSyncs, syncsNoFolders, syncsEverySecondTime, hidesFailures, keepsFailedCommits
  // Rows by key and space
  case losesRowsByKey, findsRowsOfOthersByKey, findsRemovedRowsByKey
  case freesObjects, freesValues, commitsToFree
  // Requests
  case findsGhosts, losesHits, ignoresSortKeys, ignoresLimits, ignoresOffsets, countsWrongly,
    ignoresConditions
  case ignoresSubentities, answersNothing
  // Faults of authors that an earlier suite did not find
  case losesRemovalsOfOtherEntities, losesTheLastOfManyRows, bringsRemovedObjectsBack, cutsMegabytes
  case losesCommitsOfFormerModels, losesHeldSnapshots, tellsTheNewestTime, tellsNoHighestCommit
  case leavesFilesAfterReading, foldsOnlyASCII, takesNaNAsEqual, ignoresOffsetsWithoutLimits
  case holdsWithoutLock, checksBeforeItsTurn, forgetsUncountedNumbers, listsUncountedCommits,
    advancesToTheNewest

  var description: String { rawValue }

  /// The name of the case that is about the fault.
  var caseName: String {
    switch self {
    case .roundsDoubles, .roundsDates, .losesDigitsOfDecimals, .losesEmptyTexts, .losesBooleans,
      .wrapsSmallIntegers:
      "every-value-stays"
    case .cutsTexts, .cutsBytes, .cutsMegabytes: "large-values-stay"
    case .losesOrder, .losesReferences: "relationships-stay"
    case .hidesItsHistory: "new-store-is-empty"
    case .losesCommit, .showsLaterChanges, .returnsTheOldSnapshot: "snapshots-stay"
    case .letsConflictsPass, .refusesWithAnotherCode, .hidesConflicts: "conflicts-are-refused"
    case .letsOvertakenCommitsPass, .refusesOvertakenWithAnotherCode:
      "overtaken-commits-are-refused"
    case .keepsTheNumberOfCommits, .countsVersionsByItself: "commit-numbers-rise"
    case .losesRemovals, .losesRemovalsOfOtherEntities, .losesTheLastOfManyRows: "many-objects-stay"
    case .tearsCommits: "readers-see-whole-commits"
    case .checksBeforeItsTurn: "writers-lose-nothing"
    case .ignoresNewModels, .losesCommitsOfFormerModels: "model-changes"
    case .ignoresModelsBetween: "models-between"
    case .givesKeysTwice, .givesTooFewKeys, .givesKeyZero, .givesKeysAgainAfterReopening:
      "keys-are-given-once"
    case .refusesMetadata, .losesMetadata, .hasAnotherTag, .namesAnotherType: "metadata-stay"
    case .tellsNoSize, .usesMoreBytesThanItHas, .tellsRemains, .tellsDamage, .tellsAnOldSave,
      .tellsAnotherHighestCommit, .tellsNoHighestCommit:
      "descriptions-are-true"
    case .forgetsNothing, .forgetsTooMuch, .listsTheOldestFirst, .listsCommitsThatNobodyMade,
      .losesAuthors,
      .losesContextNames, .opensTheNewestCommitOnly, .losesHeldSnapshots, .tellsTheNewestTime:
      "history-can-be-opened"
    case .opensUnknownCommits, .bringsRemovedObjectsBack: "forgetting-keeps-the-newest"
    case .holdsOldCommits, .swallowsErrorsOfHolds: "holding-a-commit"
    case .staysOpen, .failsToCloseAgain: "closing"
    case .forgetsOnOpening: "random-changes"
    case .recognizesNothing: "stores-are-recognized"
    case .replacesUnasked, .neverReplaces, .keepsReplacedObjects, .ignoresTheUUID:
      "occupied-places-are-kept"
    case .makesMissingStores, .refusesMissingStoresWithAnotherCode, .tellsMetadataOfMissingStores:
      "missing-stores-are-refused"
    case .takesForeignFiles, .refusesForeignFilesWithAnotherCode, .overwritesForeignFiles:
      "foreign-files-are-refused"
    case .opensCutFilesEmpty: "cut-files-are-refused"
    case .writesReadOnly, .leavesFilesAfterReading, .dropsReadOnlyChanges,
      .refusesReadOnlyWithAnotherCode:
      "read-only-stores-stay"
    case .tellsOldMetadata, .losesClosedMetadata: "metadata-without-opening"
    case .asksNobody, .asksTwice, .confirmsTheOldSnapshot, .usesAnotherNumber, .opensTheNewest:
      "confirmed-commits-count"
    case .ignoresRefusals, .replacesRefusals, .forgetsUncountedNumbers, .listsUncountedCommits:
      "unconfirmed-commits-do-not-count"
    case .opensLostCommits: "lost-commits-are-refused"
    case .neverAdvances, .advancesByItself, .advancesAnywhere, .advancesToTheNewest:
      "stores-advance"
    case .seesOnlyItself, .leasesByItself, .letsSharedConflictsPass, .remembersForgottenCommits,
      .holdsWithoutLock:
      "two-open-stores-agree"
    case .seesOnlyItsProcess, .leasesByProcess: "two-processes-agree"
    case .confirmsBeforeItWrites, .commitsInHalves: "confirmed-commits-survive-kills"
    case .neverSyncs, .syncsNoFolders, .syncsEverySecondTime: "commits-survive-power-cuts"
    case .hidesFailures, .keepsFailedCommits: "failing-disks-lose-nothing"
    case .losesRowsByKey, .findsRowsOfOthersByKey, .findsRemovedRowsByKey: "rows-are-found-by-key"
    case .freesObjects, .freesValues, .commitsToFree: "freeing-space-loses-nothing"
    case .findsGhosts, .losesHits, .ignoresSortKeys, .ignoresLimits, .ignoresOffsets,
      .countsWrongly,
      .ignoresConditions, .ignoresSubentities, .answersNothing, .foldsOnlyASCII, .takesNaNAsEqual,
      .ignoresOffsetsWithoutLimits:
      "requests-are-answered-as-by-a-scan"
    }
  }
}
