import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { readableWith, unmark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { addFile, examineFile, takeFile } from '../disk/add-file.ts'
import { addTree, addWrapped } from '../disk/add-tree.ts'
import { ignoreMatcher } from '../disk/ignore.ts'
import { SpillStack } from '../disk/spill-stack.ts'
import { temporaryFor } from '../disk/temporary-files.ts'
import { treeSize } from '../disk/tree-size.ts'
import { UsageError } from '../errors.ts'
import { beginStep } from '../events.ts'
import { contentUrl } from '../gateway/content-url.ts'
import { earlierVersion } from './earlier-version.ts'
import { expectSize } from './expect-size.ts'
import { notingNeeded } from './note-needed.ts'
import { knownFiles, TreeAhead } from './tree-ahead.ts'
import type { NodeContext } from '../context.ts'
import type { FileSource } from '../disk/add-file.ts'
import type { AddedTree, AddTreeOptions } from '../disk/add-tree.ts'
import type { AddedEntry, AddedRoot, AddSource, AddSourcesOptions, PathSource, StreamSource } from './add-options.ts'
import type { AddTarget } from './add-target.ts'
import type { KnownFiles } from './known-files.ts'
import type { PendingRoot } from './pending-roots.ts'
import type { CompressionOptions } from '@ipfsz/core'

/** Bytes from which a file that is added alone is noted as known. To read a smaller one takes no longer than that. */
const MIN_KNOWN_SIZE = 1024 * 1024

/** An entry as it waits on disk. */
interface SpilledEntry extends Omit<AddedEntry, 'cid' | 'plainCid' | 'url'> {
  cid: Uint8Array
}

/** Adds sources. What it returns is reported once it is pinned. */
export class AddedRoots {
  readonly #options: AddSourcesOptions
  readonly #target: AddTarget
  readonly #context: NodeContext

  constructor (options: AddSourcesOptions, target: AddTarget, context: NodeContext) {
    this.#options = options
    this.#target = target
    this.#context = context
  }

  /** Add a file, or a stream. */
  async addFile (added: AddSource): Promise<PendingRoot> {
    const { signal } = this.#context
    const { link = false, sync = true, onRoot } = this.#options
    const name = 'path' in added ? added.name ?? basename(added.path) : added.name ?? ''
    const compression = await this.#compression(name)
    const source = await this.#examine(added)
    const { file, size: length } = source
    const known = file == null || file.stats.size < MIN_KNOWN_SIZE
      ? undefined
      : knownFiles(compression, this.#options, this.#target, signal)
    const step = { task: 'add', name: name === '' ? '-' : name, unit: 'bytes', total: length } as const
    const progress = beginStep(this.#context, step)

    const measure = length == null ? undefined : async (): Promise<number> => length

    const { stats, hasChanged } = await notingNeeded(measure, progress, signal, async progress => {
      const before = file == null ? undefined : await known?.take(file)
      const stats = before == null
        ? await addFile(source, this.#target.files, { compression, link, progress, signal })
        : await takeFile(before, source, this.#target.files, { progress, signal })

      return { stats, hasChanged: before == null && await source.hasChanged?.() === true }
    }).catch(async (err: unknown) => {
      await known?.discard()
      throw err
    })
    const { cid, plainCid, size, storedSize = 0n, ratio = 1, codec = 'none' } = stats
    await known?.note('', { cid, dagSize: storedSize, storedSize, onlyIpfsz: false })
    const newSize = await this.#newSize(cid)
    const root: AddedRoot = {
      cid,
      plainCid,
      name,
      type: 'file',
      size,
      storedSize,
      ratio,
      codec,
      url: this.#url(cid, name),
      codecs: { [codec]: 1 },
      hidden: 0,
      executables: source.executable === true ? 1 : 0,
      changed: { count: hasChanged ? 1 : 0, first: name },
      newSize,
      known: known?.counts,
      readableWith: readableWith(stats)
    }
    const remember = this.#target.latest?.added(name, { cid, size, addedSize: newSize ?? 0 })

    return {
      cid,
      ...name === '' ? {} : { name },
      discard: async () => known?.discard(),
      report: async () => {
        await remember?.()
        await keep(known, sync)
        await onRoot?.(root)
      }
    }
  }

  /** Add a directory and everything in it. */
  async addDirectory ({ path, name = nameOf(path) }: PathSource): Promise<PendingRoot> {
    return {
      name,
      ...await this.#addTree(
        name,
        [path],
        entry => join(path, entry),
        async options => addTree(path, this.#target.files, options)
      )
    }
  }

  /**
   * Add files and directories into a new directory, which has no name.
   *
   * @throws {UsageError} a source has no name, or two have the same
   */
  async addWrapped (sources: readonly AddSource[]): Promise<PendingRoot> {
    const named: Array<Required<PathSource> & { name: string }> = []
    const names = new Set<string>()

    for (const source of sources) {
      const name = 'path' in source ? source.name ?? nameOf(source.path) : ''

      if (!('path' in source) || name === '/') {
        throw new UsageError(`A directory needs names for its entries, but ${name === '/' ? '/' : 'a stream'} has none`)
      }

      if (names.has(name)) {
        throw new UsageError(`Two entries of the new directory have the name ${name}: add them separately`)
      }

      names.add(name)
      named.push({ path: source.path, name })
    }

    const pathOf = (entry: string): string => {
      const [first, ...rest] = entry.split('/')

      return join(named.find(({ name }) => name === first)?.path ?? first, ...rest)
    }

    const inputs = named.map(({ path }) => path)

    return this.#addTree('', inputs, pathOf, async options => addWrapped(named, this.#target.files, options))
  }

  async #examine (source: AddSource): Promise<FileSource> {
    const { mode = false, mtime = false } = this.#options.preserve ?? {}

    return 'path' in source
      ? examineFile(source.path, { mode, mtime }, this.#context.signal)
      : streamOf(source)
  }

  /**
   * @param inputs - the paths of what is in the tree
   * @param pathOf - where an entry of the tree is on this machine
   */
  async #addTree (
    name: string,
    inputs: readonly string[],
    pathOf: (entry: string) => string,
    add: (options: AddTreeOptions) => Promise<AddedTree>
  ): Promise<Pick<PendingRoot, 'cid' | 'report' | 'discard'>> {
    const { signal } = this.#context
    const {
      link = false, hidden = false, ignore = [], gitignore = false, preserve, sync = true, measures = false,
      onEntry, onRoot
    } = this.#options
    const compression = await this.#compression(name, pathOf)

    // reported only once the directory is pinned: until then a collection may delete them
    const entries = new SpillStack<SpilledEntry>(temporaryFor(join(tmpdir(), 'ipfsz-add')))

    const progress = beginStep(this.#context, { task: 'add', name, unit: 'bytes' })
    const ahead = await TreeAhead.of(compression, this.#options, this.#target, signal)
    const measure = async (signal: AbortSignal): Promise<number> =>
      treeSize(inputs, { hidden, ignore: ignoreMatcher([...ignore]), gitignore, signal })
    const endMeasuring = measures ? expectSize(measure, progress, signal) : undefined
    const added = await notingNeeded(measure, progress, signal, async progress => add({
      ...ahead.options,
      hidden,
      ignore: ignoreMatcher([...ignore]),
      gitignore,
      preserve: { mode: preserve?.mode ?? false, mtime: preserve?.mtime ?? false },
      progress,
      signal,
      add: { compression: ahead.compression, link },
      ...onEntry == null
        ? {}
        : {
          onAdded: async ({ cid, path, ...rest }) => {
            await entries.push({ ...rest, cid: cid.bytes, path: name === '' ? path : `${name}/${path}` })
          }
        }
    })).catch(async (err: unknown) => {
      await entries.close()
      await ahead.known?.discard()
      throw err
    }).finally(async () => {
      await endMeasuring?.()
      await ahead.close()
    })

    const { root: { cid, plainCid, size, storedSize, ratio, codec }, content, codecs, ...lost } = added
    const newSize = await this.#newSize(cid)
    const remember = this.#target.latest?.added(name, { cid, size, addedSize: newSize ?? 0 })

    return {
      cid,
      discard: async () => {
        await entries.close()
        await ahead.known?.discard()
      },
      report: async () => {
        await remember?.()

        for await (const entry of entries.from(0)) {
          await onEntry?.(this.#entry(entry))
        }

        await entries.close()
        await keep(ahead.known, sync)
        await onRoot?.({
          cid,
          plainCid,
          name,
          type: 'directory',
          size,
          storedSize,
          ratio,
          codec,
          url: this.#url(cid, undefined),
          ...lost,
          content,
          codecs,
          newSize,
          known: ahead.known?.counts
        })
      }
    }
  }

  /**
   * How to compress, with the earlier version if there is one.
   *
   * @param name - of the source
   * @param pathOf - of a directory, where an entry of it is on this machine
   */
  async #compression (name: string, pathOf?: (entry: string) => string): Promise<CompressionOptions> {
    const { compression = {}, base: given } = this.#options
    const { files, latest, basesOf } = this.#target
    const cid = await latest?.find(name)
    const named = typeof given === 'object' ? given : undefined
    const earlier = cid == null ? named : { cid, path: '' }

    if (earlier == null) {
      return compression
    }

    const check = await basesOf?.(earlier.cid) ?? (async () => {})
    const options = { pathOf, renews: latest != null, check }
    const base = await earlierVersion(earlier, options, files, this.#context.signal)

    return { ...compression, base }
  }

  /** Bytes of the new blocks of a root, if there is an earlier version. */
  async #newSize (root: CID): Promise<number | undefined> {
    return this.#target.newBytes?.(root, this.#context.signal)
  }

  #entry ({ cid: bytes, ...entry }: SpilledEntry): AddedEntry {
    const cid = CID.decode(bytes)

    return { ...entry, cid, plainCid: unmark(cid), url: this.#url(cid, basename(entry.path)) }
  }

  #url (cid: CID, name: string | undefined): string | undefined {
    return this.#target.gateway == null ? undefined : contentUrl(this.#target.gateway, cid, name)
  }
}

/** The name of a directory. Resolved, so that `.` and `..` get its real name. */
function nameOf (path: string): string {
  return basename(resolve(path)) || '/'
}

/** Keep what became known of files that are stored. Without a sync, blocks may be lost that are there now. */
async function keep (known: KnownFiles | undefined, sync: boolean): Promise<void> {
  await (sync ? known?.commit() : known?.discard())
}

function streamOf ({ open, size, mode, mtime }: StreamSource): FileSource {
  return {
    open,
    ...size == null ? {} : { size },
    metadata: { ...mode == null ? {} : { mode }, ...mtime == null ? {} : { mtime } }
  }
}
