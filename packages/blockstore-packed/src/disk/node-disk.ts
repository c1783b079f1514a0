import * as fs from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { platform } from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { codeOf } from './disk.ts'
import { holdFile, isHeld, removeUnlessHeld } from './kernel-lock.ts'
import type { Disk, DiskFile, OpenMode } from './disk.ts'

/** Error codes of systems that cannot sync directories, such as Windows, and of directories that may not be opened. */
const NOT_SYNCED: ReadonlySet<unknown> = new Set(['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOSYS', 'ENOTSUP', 'EPERM'])

const FLAGS: Readonly<Record<OpenMode, string>> = { read: 'r', create: 'wx+', update: 'r+', append: 'a' }

/** Node takes no 2 GiB at once. */
const MAX_CALL = 2 ** 30

// calls with callbacks, as promises: those of node:fs/promises take half as much processor time again
const openFile = promisify(fs.open)
const closeFile = promisify(fs.close)
const syncFile = promisify(fs.fsync)
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

/** The file system of Node, below a directory. */
export class NodeDisk implements Disk {
  readonly #directory: string

  constructor (directory: string) {
    this.#directory = directory
  }

  async makeDirectory (name: string): Promise<void> {
    const directory = this.#path(name)
    const first = await mkdir(directory, { recursive: true }) ?? `${directory}/`

    // the names of all that were made
    for (let path = directory; path.length >= first.length; path = dirname(path)) {
      await syncPath(dirname(path))
    }
  }

  async list (name: string): Promise<string[]> {
    try {
      return await readdir(this.#path(name))
    } catch (err) {
      if (codeOf(err) === 'ENOENT') {
        return []
      }

      throw err
    }
  }

  async open (name: string, mode: OpenMode): Promise<DiskFile> {
    return new NodeFile(await openFile(this.#path(name), FLAGS[mode]), mode)
  }

  async rename (from: string, to: string): Promise<void> {
    await rename(this.#path(from), this.#path(to))
  }

  async remove (name: string): Promise<void> {
    await rm(this.#path(name), { force: true })
  }

  async syncDirectory (name: string): Promise<void> {
    await syncPath(this.#path(name))
  }

  async lock (name: string): Promise<(() => void) | undefined> {
    return holdFile(this.#path(name))
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

  constructor (fd: number, mode: OpenMode) {
    this.#fd = fd
    this.#appends = mode === 'append'
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

  async write (bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.byteLength;) {
      const length = Math.min(bytes.byteLength - done, MAX_CALL)
      done += await writeFile(this.#fd, bytes, done, length, this.#appends ? null : position + done)
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

  async close (): Promise<void> {
    await closeFile(this.#fd)
  }
}

async function syncPath (path: string): Promise<void> {
  let fd: number | undefined

  try {
    // Windows opens no directories
    if (platform !== 'win32') {
      fd = await openFile(path, 'r')
      await syncFile(fd)
    }
  } catch (err) {
    if (!NOT_SYNCED.has(codeOf(err))) {
      throw err
    }
  } finally {
    if (fd != null) {
      await closeFile(fd)
    }
  }
}
