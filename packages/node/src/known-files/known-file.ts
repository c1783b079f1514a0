// Room: what adding learned of the files of a tree, so that those that did not change need not be read again: a file
// for each tree, in the order in which trees are walked (`tree-record.ts`).

/** What came of a file when it was added. */
export interface KnownFile {
  /** What it was like: see `identityOf`. */
  identity: readonly bigint[]
  /** Whether its identity changes with its next change: see `isSettled`. */
  isSettled: boolean
  cid: Uint8Array
  /** Bytes of its blocks, as the link to it in a directory says. */
  dagSize: bigint
  /** The same, where blocks that occur several times count once. */
  storedSize: bigint
  /** Whether the block of its CID is the only one. */
  isSingle: boolean
  /** If it is not: its blocks, and how many bytes each has. Undefined if they have to be read from the root. */
  blocks?: ReadonlyArray<{ cid: Uint8Array, size: number }> | undefined
  /** Whether it is compressed, and only IPFSz can read it. */
  onlyIpfsz: boolean
  /** The record that says so, if it was read. */
  record?: Buffer | undefined
}
