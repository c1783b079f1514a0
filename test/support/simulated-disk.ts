import type { Disk, DiskFile, OpenMode } from '@ipfsz/blockstore-packed'
import type { Random } from './random.ts'

/** The smallest part of a write that a disk writes whole. */
const SECTOR = 64

type Change = { position: number, bytes: Buffer } | { length: number }

interface Inode {
  /** What processes see. */
  content: Buffer
  /** What is on the disk for certain. */
  durable: Buffer
  /** What was changed since. */
  changes: Change[]
}

/** Who calls the disk. */
interface DiskUser {
  readonly name: string
  isAlive: boolean
}

/** Says when each call of a process happens: never once it was killed. */
interface Turns {
  /** @param onKill - what of the call happens if the process is killed in it */
  turn: (process: DiskUser, onKill?: () => void) => Promise<void>
}

/** What goes wrong, each as a probability for a call. */
export interface DiskFaults {
  readError: number
  writeError: number
  syncError: number
}

/**
 * The worst disk: a loss of power keeps any sectors of what was not synced, and of names any state since the directory
 * was synced. A failed sync forgets what it should have written, so that the next one succeeds. A write, and the
 * listing of a directory, happens in two parts, with calls of others in between.
 */
export class SimulatedDisk {
  faults: DiskFaults = { readError: 0, writeError: 0, syncError: 0 }
  /** Bytes of all files at most. */
  capacity = Infinity
  readonly #random: Random
  readonly #scheduler: Turns
  /** Names of files, with their directories. */
  readonly #names = new Map<string, Inode>()
  readonly #durableNames = new Map<string, Inode>()
  /** The states that a name had since its directory was synced. */
  readonly #history = new Map<string, Array<Inode | undefined>>()
  readonly #locks = new Map<string, DiskUser>()

  constructor (random: Random, scheduler: Turns) {
    this.#random = random
    this.#scheduler = scheduler
  }

  /** The disk as a process sees it. */
  of (process: DiskUser): Disk {
    const turn = async (onKill?: () => void): Promise<void> => this.#scheduler.turn(process, onKill)

    return {
      list: async name => this.#list(name, turn),
      sizeOf: name => this.#names.get(name)?.content.byteLength ?? 0,
      openRead: name => {
        this.#maybeFail(this.faults.readError)

        return this.#file(this.#find(name), 'read', turn)
      },
      open: async (name, mode) => {
        await turn()
        this.#maybeFail(this.faults.writeError)

        return this.#file(this.#open(name, mode), mode, turn)
      },
      rename: async (from, to) => {
        await turn()
        this.#maybeFail(this.faults.writeError)
        const inode = this.#names.get(from)

        if (inode == null) {
          throw systemError('ENOENT')
        }

        this.#name(to, inode)
        this.#name(from, undefined)
      },
      remove: async name => {
        await turn()
        this.#maybeFail(this.faults.writeError)
        this.#name(name, undefined)
      },
      syncDirectory: async name => {
        await turn()
        this.#maybeFail(this.faults.syncError)
        this.#syncDirectory(name)
      },
      lock: async name => {
        await turn()

        if (this.#locks.has(name)) {
          return undefined
        }

        this.#locks.set(name, process)

        return () => {
          if (this.#locks.get(name) === process) {
            this.#locks.delete(name)
          }
        }
      },
      isLocked: async name => {
        await turn()

        return this.#locks.has(name)
      },
      removeLock: async () => turn(),
      wait: async () => turn()
    }
  }

  /** A process was killed: the system releases its locks. */
  release (process: DiskUser): void {
    for (const [name, holder] of this.#locks) {
      if (holder === process) {
        this.#locks.delete(name)
      }
    }
  }

  /** All processes are killed, and what was not synced is lost, in parts. */
  losePower (): void {
    const keep = this.#random.pick([0, 0.3, 0.7, 1, this.#random.next()])

    for (const [name, states] of this.#history) {
      const state = this.#random.pick([this.#durableNames.get(name), ...states])

      if (state == null) {
        this.#durableNames.delete(name)
      } else {
        this.#durableNames.set(name, state)
      }
    }

    this.#history.clear()
    this.#names.clear()

    for (const [name, inode] of this.#durableNames) {
      this.#names.set(name, inode)
    }

    for (const inode of new Set(this.#names.values())) {
      inode.content = this.#surviving(inode, keep)
      inode.durable = inode.content
      inode.changes = []
    }
  }

  /** Delete the files of a directory at once, with no process in between. */
  wipe (directory: string): void {
    for (const name of this.#names.keys()) {
      if (name.startsWith(`${directory}/`)) {
        this.#name(name, undefined)
      }
    }
  }

  async #list (directory: string, turn: () => Promise<void>): Promise<string[]> {
    const middle = this.#random.pick(['4', '8', 'c'])
    await turn()
    this.#maybeFail(this.faults.readError)
    const names = (): string[] => Array.from(this.#names.keys()).filter(name => name.startsWith(`${directory}/`)).map(
      name => name.slice(directory.length + 1)
    )
    const first = names().filter(name => name < middle)
    await turn()

    return [...first, ...names().filter(name => name >= middle)]
  }

  #open (name: string, mode: OpenMode): Inode {
    let inode = this.#names.get(name)

    if (inode == null && mode !== 'update') {
      inode = { content: Buffer.alloc(0), durable: Buffer.alloc(0), changes: [] }
      this.#name(name, inode)
    } else if (mode === 'create') {
      throw systemError('EEXIST')
    }

    return inode ?? this.#find(name)
  }

  #find (name: string): Inode {
    const inode = this.#names.get(name)

    if (inode == null) {
      throw systemError('ENOENT')
    }

    return inode
  }

  #file (inode: Inode, mode: OpenMode | 'read', turn: (onKill?: () => void) => Promise<void>): DiskFile {
    const readNow = (target: Uint8Array, position: number): number => {
      this.#maybeFail(this.faults.readError)

      return inode.content.copy(target, 0, position)
    }

    return {
      readNow,
      read: async (target, position) => {
        await turn()

        return readNow(target, position)
      },
      write: async (bytes, at) => {
        const position = mode === 'append' ? undefined : at
        const part = Buffer.from(bytes.subarray(0, this.#random.below(bytes.byteLength + 1)))
        const isSplit = mode !== 'append' && this.#random.chance(0.5)
        await turn(() => {
          this.#tryWrite(inode, position, mode === 'append' ? Buffer.from(bytes) : part)
        })

        if (this.#random.chance(this.faults.writeError)) {
          this.#write(inode, position, part)
          throw systemError('EIO')
        }

        if (isSplit) {
          this.#write(inode, position, part)
          await turn()
        }

        this.#write(inode, position, Buffer.from(bytes))
      },
      truncate: async length => {
        await turn()
        this.#maybeFail(this.faults.writeError)
        inode.changes.push({ length })
        inode.content = resized(inode.content, length)
      },
      sync: async () => {
        await turn()

        if (this.#random.chance(this.faults.syncError)) {
          inode.changes = []
          throw systemError('EIO')
        }

        for (const change of inode.changes) {
          inode.durable = applied(inode.durable, change)
        }

        inode.changes = []
      },
      size: () => inode.content.byteLength,
      close: () => {}
    }
  }

  /** What a process that was killed in a write has written. */
  #tryWrite (inode: Inode, at: number | undefined, bytes: Buffer): void {
    try {
      this.#write(inode, at, bytes)
    } catch {
      // nobody is there to be told
    }
  }

  #write (inode: Inode, at: number | undefined, bytes: Buffer): void {
    const position = at ?? inode.content.byteLength
    const room = this.capacity - this.#used()
    const growth = position + bytes.byteLength - inode.content.byteLength
    const fits = growth <= Math.max(room, 0) ? bytes : bytes.subarray(0, Math.max(0, bytes.byteLength - growth))
    const change = { position, bytes: fits }
    inode.content = applied(inode.content, change)
    inode.changes.push(change)

    if (fits !== bytes) {
      throw systemError('ENOSPC')
    }
  }

  #used (): number {
    return Array.from(this.#names.values()).reduce((sum, { content }) => sum + content.byteLength, 0)
  }

  #name (name: string, inode: Inode | undefined): void {
    const states = this.#history.get(name) ?? []
    states.push(inode)
    this.#history.set(name, states)

    if (inode == null) {
      this.#names.delete(name)
    } else {
      this.#names.set(name, inode)
    }
  }

  #syncDirectory (directory: string): void {
    for (const [name, states] of this.#history) {
      if (name.startsWith(`${directory}/`)) {
        const state = states.at(-1)
        this.#history.delete(name)

        if (state == null) {
          this.#durableNames.delete(name)
        } else {
          this.#durableNames.set(name, state)
        }
      }
    }
  }

  #surviving ({ durable, changes }: Inode, keep: number): Buffer {
    let content = durable

    for (const change of changes) {
      if ('length' in change) {
        content = this.#random.chance(keep) ? applied(content, change) : content
        continue
      }

      for (let start = 0; start < change.bytes.byteLength; start += SECTOR) {
        if (this.#random.chance(keep)) {
          const bytes = change.bytes.subarray(start, start + SECTOR)
          content = applied(content, { position: change.position + start, bytes })
        }
      }

      // the length may be written, and bytes not
      const end = change.position + change.bytes.byteLength

      if (end > content.byteLength && this.#random.chance(keep / 2)) {
        content = resized(content, end)
      }
    }

    return content
  }

  #maybeFail (probability: number): void {
    if (this.#random.chance(probability)) {
      throw systemError('EIO')
    }
  }
}

function applied (content: Buffer, change: Change): Buffer {
  if ('length' in change) {
    return resized(content, change.length)
  }

  const result = Buffer.alloc(Math.max(content.byteLength, change.position + change.bytes.byteLength))
  content.copy(result)
  change.bytes.copy(result, change.position)

  return result
}

function resized (content: Buffer, length: number): Buffer {
  const result = Buffer.alloc(length)
  content.copy(result)

  return result
}

function systemError (code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code })
}
