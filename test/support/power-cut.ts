/**
 * Simulates a power cut on a directory. Records every file operation and sync of this process,
 * and rebuilds the worst state a disk could be in at any moment. An unsynced file is empty. An
 * unsynced name is missing (`lost`), present (`named`) or either (`mixed`).
 */
import { createHash } from 'node:crypto'
import calls, { readFileSync, readdirSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { FileHandle } from 'node:fs/promises'

export const MODES = ['lost', 'named', 'mixed'] as const

export type Mode = typeof MODES[number]

/** A file or a directory, under any name. */
interface Inode {
  /** The entries of a directory. Undefined for a file. */
  entries?: Map<string, Inode>
}

type Event =
  | { type: 'names', directory: Inode, changes: ReadonlyArray<[name: string, inode: Inode | undefined]> }
  | { type: 'written', inode: Inode }
  | { type: 'synced', inode: Inode, bytes: Buffer }
  | { type: 'names synced', directory: Inode, begun: number, entries: Map<string, Inode> }
  | { type: 'note', text: string }

/** The flags of `open` that do not change a file. */
const READS = new Set(['r', 'rs', undefined])
const WRITERS = new Set(['write', 'writev', 'writeFile', 'appendFile', 'truncate'])
/** Functions that are not recorded: calling one on a recorded path fails. */
const UNKNOWN = ['appendFile', 'copyFile', 'cp', 'rmdir', 'symlink', 'truncate'] as const
/** The same with callbacks, of which Node's own removal of trees needs some. */
const UNKNOWN_CALLS = ['appendFile', 'copyFile', 'link', 'rename', 'symlink', 'truncate', 'writeFile'] as const

type Done = (err: Error | null, ...results: unknown[]) => void
type Call = (...args: unknown[]) => void

/** A file or directory that is open, by its number. */
interface Opened {
  path: string
  inode: Inode
}

/**
 * Records what this process does to the files in a directory through `node:fs/promises`, and through those functions
 * of `node:fs` with callbacks that open, write, sync and close files, until it is stopped.
 */
export class PowerCut {
  readonly #root: string
  readonly #tree: Inode
  readonly #start: Array<[inode: Inode, bytes: Buffer]> = []
  readonly #startNames: Array<[directory: Inode, entries: Map<string, Inode>]> = []
  readonly #events: Event[] = []
  readonly #saved = { ...fs }
  readonly #savedCalls = new Map<string, Call>()
  readonly #opened = new Map<number, Opened>()

  /** @param root - an existing directory. Its current content counts as synced */
  constructor (root: string) {
    this.#root = resolve(root)
    this.#tree = this.#scan(this.#root)
    this.#patch()
    this.#patchCalls()
    syncBuiltinESMExports()
  }

  /** The number of moments: one after each event, and moment 0 before the first. */
  get length (): number {
    return this.#events.length + 1
  }

  /** Record a note at this moment, such as that a sync has ended. */
  note (text: string): void {
    this.#events.push({ type: 'note', text })
  }

  /** The notes recorded up to a moment. */
  notes (moment: number): string[] {
    return this.#events.slice(0, moment).flatMap(event => event.type === 'note' ? [event.text] : [])
  }

  /** The names under which files were created, as paths below the directory. */
  created (): string[] {
    const paths = new Map<Inode, string>([[this.#tree, '']])
    const seen = new Set<Inode>()
    const made: string[] = []

    for (const event of this.#events) {
      for (const [name, inode] of event.type === 'names' ? event.changes : []) {
        if (inode != null && !seen.has(inode)) {
          const path = join(paths.get((event as { directory: Inode }).directory) ?? '?', name)
          seen.add(inode)
          paths.set(inode, path)
          made.push(...inode.entries == null ? [path] : [])
        }
      }
    }

    return made
  }

  stop (): void {
    Object.assign(fs, this.#saved)
    Object.assign(calls, Object.fromEntries(this.#savedCalls))
    syncBuiltinESMExports()
  }

  /** The content of the disk at a moment, by path: the bytes of a file, null for a directory. */
  at (moment: number, mode: Mode, random: () => number = Math.random): Map<string, Buffer | null> {
    const bytes = new Map(this.#start)
    const synced = new Map<Inode, { begun: number, entries: Map<string, Inode> }>(
      this.#startNames.map(([directory, entries]) => [directory, { begun: -1, entries }])
    )
    const now = new Map<Inode, Map<string, Inode>>(
      this.#startNames.map(([directory, entries]) => [directory, new Map(entries)])
    )

    for (const event of this.#events.slice(0, moment)) {
      if (event.type === 'names') {
        const entries = now.get(event.directory) ?? new Map<string, Inode>()
        now.set(event.directory, entries)
        event.changes.forEach(([name, inode]) => inode == null ? entries.delete(name) : entries.set(name, inode))
      } else if (event.type === 'written') {
        bytes.delete(event.inode)
      } else if (event.type === 'synced') {
        bytes.set(event.inode, event.bytes)
      } else if (event.type === 'names synced' && event.begun > (synced.get(event.directory)?.begun ?? -1)) {
        synced.set(event.directory, event)
      }
    }

    const disk = new Map<string, Buffer | null>()
    const visit = (directory: Inode, path: string): void => {
      const [before, after] = [
        synced.get(directory)?.entries ?? new Map<string, Inode>(),
        now.get(directory) ?? new Map<string, Inode>()
      ]

      for (const name of new Set([...before.keys(), ...after.keys()])) {
        const takesNew = mode === 'named' || (mode === 'mixed' && random() < 0.5)
        const inode = (takesNew ? after : before).get(name)

        if (inode != null) {
          disk.set(join(path, name), inode.entries == null ? bytes.get(inode) ?? Buffer.alloc(0) : null)
          visit(inode, join(path, name))
        }
      }
    }

    visit(this.#tree, '')

    return disk
  }

  /** A hash of a disk's content: moments that leave the same content have the same key. */
  static key (disk: Map<string, Buffer | null>): string {
    const hash = createHash('sha256')

    for (const [path, bytes] of [...disk].toSorted(([a], [b]) => a < b ? -1 : 1)) {
      hash.update(`${path}\0${bytes?.byteLength ?? 'directory'}\0`).update(bytes ?? '')
    }

    return hash.digest('hex')
  }

  /** Write the content of a disk to a new directory. */
  static async build (disk: Map<string, Buffer | null>, directory: string): Promise<void> {
    await fs.mkdir(directory)

    for (const [path, bytes] of disk) {
      await (bytes == null ? fs.mkdir(join(directory, path)) : fs.writeFile(join(directory, path), bytes))
    }
  }

  #scan (path: string): Inode {
    const entries = new Map<string, Inode>()
    const directory = { entries }

    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory()) {
        entries.set(entry.name, this.#scan(join(path, entry.name)))
      } else {
        const inode = {}
        entries.set(entry.name, inode)
        this.#start.push([inode, readFileSync(join(path, entry.name))])
      }
    }

    this.#startNames.push([directory, new Map(entries)])

    return directory
  }

  #has (path: string): boolean {
    return path === this.#root || path.startsWith(this.#root + sep)
  }

  #inode (path: string): Inode | undefined {
    let inode: Inode | undefined = this.#tree

    for (const name of relative(this.#root, path).split(sep).filter(name => name !== '')) {
      inode = inode?.entries?.get(name)
    }

    return inode
  }

  #setName (path: string, inode: Inode | undefined): void {
    this.#madeDirectory(dirname(path))
    const directory = this.#inode(dirname(path))

    if (directory?.entries == null) {
      throw new Error(`${dirname(path)} is not a directory`)
    }

    if (inode == null) {
      directory.entries.delete(basename(path))
    } else {
      directory.entries.set(basename(path), inode)
    }

    this.#events.push({ type: 'names', directory, changes: [[basename(path), inode]] })
  }

  /** Record that a file exists at a path, if that is new, and return it. */
  #made (path: string): Inode {
    const inode = this.#inode(path) ?? {}

    if (this.#inode(path) == null) {
      this.#setName(path, inode)
    }

    return inode
  }

  /** Record a directory that exists now. If two calls created it at the same time, only one is recorded. */
  #madeDirectory (path: string): void {
    if (this.#has(path) && this.#inode(path) == null) {
      this.#setName(path, { entries: new Map() })
    }
  }

  /** Wait until a file that exists is recorded: the call that created it may not have returned yet. */
  async #known (path: string): Promise<Inode> {
    for (let turns = 0; turns < 100; turns++) {
      const inode = this.#inode(path)

      if (inode != null) {
        return inode
      }

      await new Promise(resolve => { setImmediate(resolve) })
    }

    throw new Error(`${path} exists, but its creation was not recorded`)
  }

  #patch (): void {
    const { open, writeFile, rename, link, unlink, rm, mkdir } = this.#saved

    fs.open = async (file, flags, mode) => {
      const path = resolve(String(file))
      const handle = await open(file, flags, mode)

      if (!this.#has(path)) {
        return handle
      }

      return this.#watch(handle, path, opensToRead(flags) ? await this.#known(path) : this.#made(path))
    }

    fs.writeFile = async (file, data, options) => {
      const path = resolve(String(file))
      await writeFile(file, data, options)

      if (this.#has(path)) {
        this.#events.push({ type: 'written', inode: this.#made(path) })
      }
    }

    fs.mkdir = (async (path, options) => {
      const made = await mkdir(path, options)
      this.#madeDirectory(resolve(String(path)))

      return made
    }) as typeof mkdir

    fs.rename = async (from, to) => {
      await rename(from, to)
      const [source, target] = [resolve(String(from)), resolve(String(to))]

      if (this.#has(source) || this.#has(target)) {
        this.#setName(target, await this.#known(source))
        this.#setName(source, undefined)
      }
    }

    fs.link = async (from, to) => {
      await link(from, to)
      const [source, target] = [resolve(String(from)), resolve(String(to))]

      if (this.#has(target)) {
        this.#setName(target, await this.#known(source))
      }
    }

    fs.unlink = async path => {
      await unlink(path)
      this.#removed(resolve(String(path)))
    }

    fs.rm = async (path, options) => {
      await rm(path, options)
      this.#removed(resolve(String(path)))
    }

    for (const name of UNKNOWN) {
      const original = fs[name] as (...args: unknown[]) => Promise<unknown>

      Object.assign(fs, {
        [name]: async (...args: unknown[]) => args.slice(0, 2).some(
          path => typeof path === 'string' && this.#has(resolve(path))
        )
          ? Promise.reject(new Error(`${name} is not recorded`))
          : original(...args)
      })
    }
  }

  #patchCalls (): void {
    this.#replace('open', (open, [name, ...args]) => {
      const done = args.pop() as Done
      const path = resolve(String(name))

      open(name, ...args, (err: Error | null, file: number) => {
        if (err == null && this.#has(path)) {
          // what is opened to read and not known yet may be read: a sync of it would not be recorded
          const inode = opensToRead(args[0]) ? this.#inode(path) : this.#made(path)

          if (inode != null) {
            this.#opened.set(file, { path, inode })
          }
        }

        done(err, file)
      })
    })

    for (const name of ['write', 'writev', 'ftruncate'] as const) {
      this.#replace(name, (write, args) => {
        const opened = this.#opened.get(args[0] as number)

        if (opened != null) {
          this.#events.push({ type: 'written', inode: opened.inode })
        }

        write(...args)
      })
    }

    for (const name of ['fsync', 'fdatasync'] as const) {
      this.#replace(name, (sync, [file, done]) => {
        const opened = this.#opened.get(file as number)
        const end = opened == null ? () => {} : this.#beginSync(opened)

        sync(file, (err: Error | null) => {
          if (err == null) {
            end()
          }

          (done as Done)(err)
        })
      })
    }

    this.#replace('close', (close, args) => {
      // before its number may belong to another file
      this.#opened.delete(args[0] as number)
      close(...args)
    })

    for (const name of UNKNOWN_CALLS) {
      this.#replace(name, (call, args) => {
        if (args.slice(0, 2).some(path => typeof path === 'string' && this.#has(resolve(path)))) {
          throw new Error(`${name} with a callback is not recorded`)
        }

        call(...args)
      })
    }
  }

  #replace (name: keyof typeof calls, instead: (original: Call, args: unknown[]) => void): void {
    const original = calls[name] as Call
    this.#savedCalls.set(name, original)
    Object.assign(calls, { [name]: (...args: unknown[]) => { instead(original, args) } })
  }

  #removed (path: string): void {
    if (this.#has(path) && this.#inode(path) != null) {
      this.#setName(path, undefined)
    }
  }

  #watch (handle: FileHandle, path: string, inode: Inode): FileHandle {
    return new Proxy(handle, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property)

        if (property === 'sync' || property === 'datasync') {
          return async () => {
            const end = this.#beginSync({ path, inode })
            await (value as () => Promise<void>).call(target)
            end()
          }
        }

        if (typeof value !== 'function') {
          return value
        }

        return (...args: unknown[]): unknown => {
          if (WRITERS.has(String(property))) {
            this.#events.push({ type: 'written', inode })
          }

          return Reflect.apply(value, target, args)
        }
      }
    })
  }

  /**
   * Call this before a file or directory is synced.
   *
   * @returns records that the sync has ended: the content from when it began is on the disk
   */
  #beginSync ({ path, inode }: Opened): () => void {
    const begun = this.#events.length

    if (inode.entries == null) {
      const bytes = readFileSync(path)

      return () => { this.#events.push({ type: 'synced', inode, bytes }) }
    }

    const entries = new Map(inode.entries)

    return () => { this.#events.push({ type: 'names synced', directory: inode, begun, entries }) }
  }
}

function opensToRead (flags: unknown): boolean {
  const { O_RDWR, O_WRONLY } = calls.constants

  return READS.has(flags as string) || (typeof flags === 'number' && (flags & (O_WRONLY | O_RDWR)) === 0)
}
