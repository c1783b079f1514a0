/** How much memory reading takes, in bytes, and how much if it reads ahead. */
export interface MemoryCost {
  memory: number
  memoryAhead: number
}

/** Options of core for reading. */
export interface OpenOptions {
  readAhead: boolean
  signal: AbortSignal
  /** Called with the change in bytes of the links that are held besides `memory`. */
  onOpenLinks: (change: number) => void
}
