/** A store on several processes, of which one can be killed and restored. */
export interface Engine {
  /** The place of the store, as each of its nodes names it. One entry for each node. */
  stores: readonly string[]
  /** What the nodes need in their environment. */
  env: NodeJS.ProcessEnv
  /** Kill a process that stores data, as a power cut would. */
  kill: () => Promise<void>
  /** Start it again. */
  restore: () => Promise<void>
  /** Resolves when the engine has taken it back. */
  works: () => Promise<void>
  /** What the engine stores and takes at the end, by what it is. */
  describe: () => Promise<Record<string, number>>
  stop: () => Promise<void>
}
