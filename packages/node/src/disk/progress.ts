/** Is told how much is done. */
export interface Progress {
  /** @param done - bytes or things, all together so far */
  update: (done: number) => void
  /** Called once, when all is done or the work failed. */
  end: () => void
}

/** Files that were written to while they were read, so that what is stored of each may be of several versions. */
export interface ChangedFiles {
  count: number
  /** The path of the first. Empty if there is none. */
  first: string
}
