/** What was fetched, and from where. */
export interface FetchedStats {
  blocks: number
  bytes: number
  /** How many of the blocks replaced a damaged block of the repo. */
  replaced: number
  /** By peer id, or the URL of a gateway. */
  peers: Map<string, { blocks: number, bytes: number }>
}

/** What the blockstores of one command share. */
export class NetworkState {
  readonly fetched: FetchedStats = { blocks: 0, bytes: 0, replaced: 0, peers: new Map() }
  /** Whether a wait ended with no block and no peer. Waiting again for another root would end the same way. */
  alone = false
}
