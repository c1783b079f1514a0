import * as fs from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { platform } from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { holdFile, isHeld, removeUnlessHeld } from '@ipfsz/utils/kernel-lock'
import { openRegularFileSync } from '@ipfsz/utils/open-regular-file'
import { retryWhileOpen } from '@ipfsz/utils/while-open'
import { codeOf } from './disk.ts'
import type { Disk, DiskFile, OpenMode } from './disk.ts'

/** Error codes of systems that cannot sync directories, such as Windows, and of directories that may not be opened. */
const NOT_SYNCED: ReadonlySet<unknown> = new Set(['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOSYS', 'ENOTSUP', 'EPERM'])

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_WRONLY } = fs.constants
/** None follows a symlink: another user may own the directory. */
const FLAGS: Readonly<Record<OpenMode, number>> = {
  create: O_CREAT | O_EXCL | O_RDWR,
  update: O_RDWR,
  append: O_APPEND | O_CREAT | O_WRONLY
}

/** Node takes no 2 GiB at once. */
const MAX_CALL = 2 ** 30
/** Writing up to so many bytes takes less than reaching the thread pool. */
const MAX_SYNC_WRITE = 64 * 1024

// calls with callbacks, as promises: those of node:fs/promises take half as much processor time again
const syncFile = promisify((fd: number, done: (err: Error | null) => void) => { fs.fsync(fd, done) })
const syncData = promisify(fs.fdatasync)
const truncateFile = promisify(fs.ftruncate)
const readFile = promisify((
  fd: number, bytes: Uint8Array, offset: number, length: number, position: number,
  done: (err: Error | null, read: number) => void
) => { fs.read(fd, bytes, offset, length, position, done) })
const writeFile = promisify((
  fd: number, bytes: Uint8Array, offset: number, length: number, position: number | null,
  done: (err: Error | null, written: number) => void
) => { fs.write(fd, bytes, offset, length, position, done) })

/** The file system of Node, below a directory. Names are changed synchronously, bytes are synced in the thread pool. */
export class NodeDisk implements Disk {
  readonly #directory: string

  constructor (directory: string) {
    this.#directory = directory
  }

  async list (name: string): Promise<string[]> {
    try {
      return fs.readdirSync(this.#path(name))
    } catch (err) {
      if (codeOf(err) === 'ENOENT') {
        return []
      }

      throw err
    }
  }

  sizeOf (name: string): number {
    return fs.statSync(this.#path(name), { throwIfNoEntry: false })?.size ?? 0
  }

  openRead (name: string): DiskFile {
    return new NodeFile(openRegularFileSync(this.#path(name), O_RDONLY), false)
  }

  async open (name: string, mode: OpenMode): Promise<DiskFile> {
    const path = this.#path(name)
    const open = (): NodeFile => new NodeFile(openRegularFileSync(path, FLAGS[mode]), mode === 'append')

    try {
      return open()
    } catch (err) {
      if (codeOf(err) !== 'ENOENT' || mode === 'update') {
        throw err
      }

      await makeDirectory(dirname(path))

      return open()
    }
  }

  async rename (from: string, to: string): Promise<void> {
    await retryWhileOpen(() => { fs.renameSync(this.#path(from), this.#path(to)) })
  }

  async remove (name: string): Promise<void> {
    try {
      await retryWhileOpen(() => { fs.unlinkSync(this.#path(name)) })
    } catch (err) {
      if (codeOf(err) !== 'ENOENT') {
        throw err
      }
    }
  }

  async syncDirectory (name: string): Promise<void> {
    await syncPath(this.#path(name))
  }

  async lock (name: string): Promise<(() => void) | undefined> {
    const path = this.#path(name)

    if (!fs.existsSync(path)) {
      await makeDirectory(dirname(path))
    }

    const release = holdFile(path)

    // before it was locked, another process may have deleted it
    if (release != null && !fs.existsSync(path)) {
      release()

      return undefined
    }

    return release
  }

  async isLocked (name: string): Promise<boolean> {
    return isHeld(this.#path(name))
  }

  async removeLock (name: string): Promise<void> {
    await removeUnlessHeld(this.#path(name))
  }

  async wait (milliseconds: number): Promise<void> {
    await setTimeout(milliseconds)
  }

  #path (name: string): string {
    return join(this.#directory, name)
  }
}

class NodeFile implements DiskFile {
  readonly #fd: number
  readonly #appends: boolean

  constructor (fd: number, appends: boolean) {
    this.#fd = fd
    this.#appends = appends
  }

  async read (target: Uint8Array, position: number): Promise<number> {
    let done = 0

    while (done < target.byteLength) {
      const length = Math.min(target.byteLength - done, MAX_CALL)
      const read = await readFile(this.#fd, target, done, length, position + done)

      if (read === 0) {
        break
      }

      done += read
    }

    return done
  }

  readNow (target: Uint8Array, position: number): number {
    let done = 0

    while (done < target.byteLength) {
      const read = fs.readSync(this.#fd, target, done, target.byteLength - done, position + done)

      if (read === 0) {
        break
      }

      done += read
    }

    return done
  }

  async write (bytes: Uint8Array, position: number): Promise<void> {
    const write = bytes.byteLength <= MAX_SYNC_WRITE ? fs.writeSync : writeFile

    for (let done = 0; done < bytes.byteLength;) {
      const length = Math.min(bytes.byteLength - done, MAX_CALL)
      done += await write(this.#fd, bytes, done, length, this.#appends ? null : position + done)
    }
  }

  async truncate (length: number): Promise<void> {
    await truncateFile(this.#fd, length)
  }

  async sync (): Promise<void> {
    await syncData(this.#fd)
  }

  size (): number {
    return fs.fstatSync(this.#fd).size
  }

  close (): void {
    fs.closeSync(this.#fd)
  }
}

/** Make a directory, and those above it, and sync the names that were made. */
async function makeDirectory (directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true }) ?? `${directory}/`

  for (let path = directory; path.length >= first.length; path = dirname(path)) {
    await syncPath(dirname(path))
  }
}

async function syncPath (path: string): Promise<void> {
  let fd: number | undefined

  try {
    // Windows syncs no directories
    if (platform !== 'win32') {
      fd = fs.openSync(path, 'r')
      await syncFile(fd)
    }
  } catch (err) {
    if (!NOT_SYNCED.has(codeOf(err))) {
      throw err
    }
  } finally {
    if (fd != null) {
      fs.closeSync(fd)
    }
  }
}
