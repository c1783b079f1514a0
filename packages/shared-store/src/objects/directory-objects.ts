import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory, syncEach, writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { messageOf } from '@ipfsz/utils/message-of'
import { removeFile } from '@ipfsz/utils/while-open'
import { NotFoundError } from 'interface-store'
import { StoreError } from '../errors.ts'
import { compareKeys, pathOf, segmentOfDirectory, segmentOfFile } from './object-names.ts'
import { readDirectory } from './read-directory.ts'
import { readObjectFile } from './read-object-file.ts'
import type { MakeDirectory } from './mount.ts'
import type {
  AbortOptions, GetObjectOptions, ListedObject, ListObjectsOptions, ObjectInfo, ObjectStore
} from './object-store.ts'

const PAGE = 1000
/** How many files are deleted at a time. */
const CONCURRENCY = 32
/** The directory of unfinished files. Its name is not that of a part of a key. */
export const TEMPORARY = '.tmp'
/** Error codes of a file that does not exist. Names that are too long cannot exist. */
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'])
/** Errors that say what is wrong already. */
const PASSED: ReadonlySet<string> = new Set(['AbortError', 'StoreError', 'StoreMissingError', 'StoreObjectError'])

export interface DirectoryObjectsInit {
  /**
   * Checks that the file system with the directory is mounted, before anything counts as absent.
   *
   * @throws {StoreMissingError}
   */
  checkMounted: () => Promise<void>
  makeDirectory: MakeDirectory
}

/** What is listed: keys that begin with a text, behind a key. */
interface Wanted {
  prefix: string
  after: string
}

interface Entry {
  /** The key, or for a directory the part that the keys below it have in common, with a slash. */
  key: string
  path: string
  isDirectory: boolean
  isFile: boolean
}

/**
 * Objects as files of a directory that several nodes share. The file system must show each node what the others have
 * written: an NFS needs the mount options `noac,lookupcache=none`.
 */
export class DirectoryObjects implements ObjectStore {
  readonly #directory: string
  readonly #init: DirectoryObjectsInit
  /** Directories whose names are on the disk: nobody deletes them. */
  readonly #durable = new Set<string>()

  constructor (directory: string, init: DirectoryObjectsInit) {
    this.#directory = directory
    this.#init = init
  }

  async get (key: string, options: GetObjectOptions = {}): Promise<Uint8Array> {
    options.signal?.throwIfAborted()

    return this.#run(
      `read the object ${key}`,
      async () => readObjectFile(key, this.#file(key), options),
      async () => { throw new NotFoundError(`There is no object ${key} in ${this.#directory}`) }
    )
  }

  async put (key: string, bytes: Uint8Array, { signal }: AbortOptions = {}): Promise<void> {
    const file = this.#file(key)

    signal?.throwIfAborted()
    await this.#run(`write the object ${key}`, async () => {
      await writeAtomic(file, bytes, {
        temporary: join(this.#directory, TEMPORARY, randomUUID()),
        sync: true,
        signal,
        makeDirectory: this.#init.makeDirectory
      })
      await this.#syncName(file)
    })
  }

  async stat (key: string, { signal }: AbortOptions = {}): Promise<ObjectInfo | undefined> {
    signal?.throwIfAborted()

    return this.#stat(key, this.#file(key))
  }

  async delete (keys: readonly string[], { signal }: AbortOptions = {}): Promise<void> {
    const files = keys.map(key => this.#file(key))

    await this.#run('delete objects', async () => {
      for (let start = 0; start < files.length; start += CONCURRENCY) {
        signal?.throwIfAborted()
        await Promise.all(files.slice(start, start + CONCURRENCY).map(removeFile))
      }

      await syncEach(new Set(files.map(file => dirname(file))), syncDirectory)
    })
  }

  async * list (prefix: string, { after = '', most, signal }: ListObjectsOptions = {}): AsyncGenerator<ListedObject[]> {
    // the directory in the place of an unmounted file system is empty
    await this.#init.checkMounted()

    const root = { key: '', path: this.#directory, isDirectory: true, isFile: false }
    let page: ListedObject[] = []

    for await (const { key, path, isFile } of this.#files(root, { prefix, after, most, signal })) {
      // a link may lead to one
      if ((isFile || await this.#stat(key, path) != null) && page.push({ key }) === PAGE) {
        yield page
        page = []
      }
    }

    if (page.length > 0) {
      yield page
    }
  }

  /** The files below a directory, in the order of their keys. */
  async * #files (directory: Entry, options: ListObjectsOptions & Wanted): AsyncGenerator<Entry> {
    const { prefix, after, most, signal } = options
    signal?.throwIfAborted()
    const entries = await this.#entries(directory, most)
    const wanted = entries.filter(({ key, isDirectory }) => isDirectory
      ? (key.startsWith(prefix) || prefix.startsWith(key)) && (after.startsWith(key) || compareKeys(key, after) > 0)
      : key.startsWith(prefix) && compareKeys(key, after) > 0)

    for (const entry of wanted.toSorted((a, b) => compareKeys(a.key, b.key))) {
      if (entry.isDirectory) {
        yield * this.#files(entry, options)
      } else {
        yield entry
      }
    }
  }

  async #entries ({ key, path }: Entry, most: number | undefined): Promise<Entry[]> {
    const names = await this.#run(
      `list the objects below "${key}"`,
      // in the directory of the store itself there are other things too
      async () => readDirectory(path, { key, most: key === '' ? undefined : most }),
      async () => []
    )

    return names.flatMap(entry => {
      const isDirectory = entry.isDirectory()
      const segment = isDirectory ? segmentOfDirectory(entry.name) : segmentOfFile(entry.name)

      return segment == null
        ? []
        : [{
          key: `${key}${segment}${isDirectory ? '/' : ''}`,
          path: join(path, entry.name),
          isDirectory,
          isFile: entry.isFile()
        }]
    })
  }

  /**
   * Sync the names of a file and of the directories above it, which another node may have made just now. All at once:
   * nobody relies on the file before.
   */
  async #syncName (file: string): Promise<void> {
    const directories = [dirname(file)]

    for (const directory of directories) {
      if (directory !== this.#directory && !this.#durable.has(directory)) {
        directories.push(dirname(directory))
      }
    }

    await syncEach(directories, syncDirectory)
    directories.slice(0, -1).forEach(directory => this.#durable.add(directory))
  }

  async #stat (key: string, path: string): Promise<ObjectInfo | undefined> {
    return this.#run(`look at the object ${key}`, async () => infoOf(key, path), async () => undefined)
  }

  #file (key: string): string {
    return join(this.#directory, ...pathOf(key).split('/'))
  }

  /**
   * @param ifMissing - what there is instead of a file that does not exist, in a store that does
   * @throws {StoreMissingError}
   * @throws {StoreError} the file system failed
   */
  async #run<T> (what: string, work: () => Promise<T>, ifMissing?: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (err) {
      const code = err instanceof Error && 'code' in err ? err.code : undefined

      if (ifMissing != null && MISSING.has(code)) {
        await this.#init.checkMounted()

        return ifMissing()
      }

      throw err instanceof TypeError || (err instanceof Error && PASSED.has(err.name))
        ? err
        : new StoreError(`The store ${this.#directory} failed: cannot ${what}: ${messageOf(err)}`, { cause: err })
    }
  }
}

async function infoOf (key: string, path: string): Promise<ObjectInfo | undefined> {
  const stats = await stat(path)

  return stats.isFile() ? { key, size: stats.size, modified: stats.mtime } : undefined
}
