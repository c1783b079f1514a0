// Room: every call to the file system, behind one interface: tests put a simulated disk in its place.
/**
 * Every call that a store makes to the file system. Names are relative to the directory of the store, with `/`. What
 * fails throws an error with a `code`, such as `ENOENT`.
 *
 * Calls that return no promise are synchronous: they take a few microseconds, and a promise of the thread pool 30.
 */
export interface Disk {
  /** The names in a directory; none if it does not exist. */
  list: (name: string) => Promise<string[]>
  /** The length of a file; 0 if it does not exist. */
  sizeOf: (name: string) => number
  openRead: (name: string) => DiskFile
  /**
   * Open a file to write it: `create` a new one, `update` an existing one, or `append`, which creates it if it is
   * missing. The directory of a new file is made if it is missing, and its name synced.
   */
  open: (name: string, mode: OpenMode) => Promise<DiskFile>
  /** Name a file. An existing one is replaced. */
  rename: (from: string, to: string) => Promise<void>
  /** Delete a file, if it exists. */
  remove: (name: string) => Promise<void>
  /** Resolves when the names in a directory survive a loss of power, on systems that can tell. */
  syncDirectory: (name: string) => Promise<void>
  /**
   * Take a lock that the system releases when the process ends. Its directory is made if it is missing.
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

export type OpenMode = 'create' | 'update' | 'append'

export interface DiskFile {
  /** Fill `target` from a position on. Reads less only at the end of the file. */
  read: (target: Uint8Array, position: number) => Promise<number>
  /** The same, synchronously: for few bytes. */
  readNow: (target: Uint8Array, position: number) => number
  /** Write all bytes. A file opened with `append` ignores the position. */
  write: (bytes: Uint8Array, position: number) => Promise<void>
  truncate: (length: number) => Promise<void>
  /** Resolves when all bytes survive a loss of power. */
  sync: () => Promise<void>
  /** The present length. */
  size: () => number
  close: () => void
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf (err: unknown): unknown {
  return err instanceof Error && 'code' in err ? err.code : undefined
}

/** Reading up to so many bytes takes less than reaching the thread pool. */
const MAX_SYNC = 64 * 1024

/** Read `length` bytes. @throws {RangeError} the file ends before them */
export async function readExactly (file: DiskFile, position: number, length: number): Promise<Buffer> {
  if (length <= MAX_SYNC) {
    return readExactlyNow(file, position, length)
  }

  const bytes = Buffer.allocUnsafeSlow(length)

  return checkLength(bytes, await file.read(bytes, position), position)
}

/** The same, synchronously, into memory that is large enough. */
export function readExactlyNow (
  file: DiskFile,
  position: number,
  length: number,
  memory: Buffer = Buffer.allocUnsafeSlow(length)
): Buffer {
  const bytes = memory.subarray(0, length)

  return checkLength(bytes, file.readNow(bytes, position), position)
}

function checkLength (bytes: Buffer, read: number, position: number): Buffer {
  if (read < bytes.byteLength) {
    throw new RangeError(`The file has ${position + read} bytes, not ${position + bytes.byteLength}`)
  }

  return bytes
}
