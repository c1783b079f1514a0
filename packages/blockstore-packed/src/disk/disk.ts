// Room: every call to the file system, behind one interface: tests put a simulated disk in its place.
/**
 * Every call that a store makes to the file system. Names are relative to the directory of the store, with `/`. What
 * fails throws an error with a `code`, such as `ENOENT`.
 */
export interface Disk {
  /** Make a directory, and those above it, and sync the names that were made. */
  makeDirectory: (name: string) => Promise<void>
  /** The names in a directory; none if it does not exist. */
  list: (name: string) => Promise<string[]>
  /** Open a file: `create` a new one, `update` an existing one, or `append`, which creates it if it is missing. */
  open: (name: string, mode: OpenMode) => Promise<DiskFile>
  /** Name a file. An existing one is replaced. */
  rename: (from: string, to: string) => Promise<void>
  /** Delete a file, if it exists. */
  remove: (name: string) => Promise<void>
  /** Resolves when the names in a directory survive a loss of power, on systems that can tell. */
  syncDirectory: (name: string) => Promise<void>
  /**
   * Take a lock that the system releases when the process ends.
   *
   * @returns a function that releases it, or undefined if another has it
   */
  lock: (name: string) => Promise<(() => void) | undefined>
  /** Whether somebody has a lock. Creates nothing. */
  isLocked: (name: string) => Promise<boolean>
  /** Delete the file of a lock unless somebody has it. */
  removeLock: (name: string) => Promise<void>
  /** Resolves some milliseconds later: before a lock is tried again. */
  wait: (milliseconds: number) => Promise<void>
}

export type OpenMode = 'read' | 'create' | 'update' | 'append'

export interface DiskFile {
  /** Fill `target` from a position on. Reads less only at the end of the file. */
  read: (target: Uint8Array, position: number) => Promise<number>
  /** Write all bytes. A file opened with `append` ignores the position. */
  write: (bytes: Uint8Array, position: number) => Promise<void>
  truncate: (length: number) => Promise<void>
  /** Resolves when all bytes survive a loss of power. */
  sync: () => Promise<void>
  /** The present length. Synchronous: a call takes a microsecond, a promise 20. */
  size: () => number
  close: () => Promise<void>
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf (err: unknown): unknown {
  return err instanceof Error && 'code' in err ? err.code : undefined
}

/** Read `length` bytes. @throws {RangeError} the file ends before them */
export async function readExactly (file: DiskFile, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length)
  const read = await file.read(bytes, position)

  if (read < length) {
    throw new RangeError(`The file has ${position + read} bytes, not ${position + length}`)
  }

  return bytes
}
