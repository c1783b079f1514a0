import { createSmallFileEncoder, MAX_DICTIONARY_FILE } from '@ipfsz/core/small-files'
import { knownFilesIn } from '../repo/repo.ts'
import { defaultThreads } from '../threads/thread-pool.ts'
import { packageVersion } from '../version.ts'
import { KnownFiles } from './known-files.ts'
import { SmallFiles } from './small-files.ts'
import { writeAhead } from './write-ahead.ts'
import type { AddSourcesOptions } from './add-options.ts'
import type { AddTarget } from './add-target.ts'
import type { SmallFilesOfTree, WriteAheadOptions } from './write-ahead.ts'
import type { AddTreeOptions } from '../disk/add-tree.ts'
import type { CompressionOptions } from '@ipfsz/core'

/**
 * The most bytes of a file that one thread compresses, 128 MiB, in less than a second. Of a larger one, all threads
 * compress frames, in the ordinary way.
 */
const MAX_LARGE_SIZE = 128 * 1024 * 1024

interface TreeAheadInit {
  known: KnownFiles | undefined
  small: SmallFilesInThreads | undefined
  compression: CompressionOptions
}

/** What adding a tree does not leave to the importer: files that are known, or go to threads. Close it in the end. */
export class TreeAhead {
  readonly known: KnownFiles | undefined
  /** How the importer compresses the rest. */
  readonly compression: CompressionOptions
  readonly #small: SmallFilesInThreads | undefined

  private constructor ({ known, small, compression }: TreeAheadInit) {
    this.known = known
    this.#small = small
    // of a window, only those are left that threads cannot read or that do not shrink
    this.compression = small == null ? compression : { ...compression, dictionaries: false }
  }

  static async of (
    compression: CompressionOptions,
    options: AddSourcesOptions,
    target: AddTarget,
    signal: AbortSignal
  ): Promise<TreeAhead> {
    return new TreeAhead({
      known: knownFiles(compression, options, target, signal),
      small: await smallFiles(compression, options, target),
      compression
    })
  }

  /** What the candidates of the tree pass, and who is told what becomes of them. */
  get options (): Pick<AddTreeOptions, 'pass' | 'onWritten'> {
    const { known } = this
    const options: WriteAheadOptions = { known, small: this.#small }

    return {
      pass: candidates => writeAhead(candidates, options),
      ...known == null ? {} : { onWritten: (path, file) => known.note(path, file) }
    }
  }

  async close (): Promise<void> {
    await this.#small?.close()
  }
}

class SmallFilesInThreads implements SmallFilesOfTree {
  readonly threads: number
  readonly maxSize: number
  readonly maxLargeSize: number
  readonly dictionaries: boolean
  readonly #start: () => SmallFiles
  #files: SmallFiles | undefined

  constructor (
    { threads, maxSize, maxLargeSize, dictionaries }: Omit<SmallFilesOfTree, 'isOpen' | 'open'>,
    start: () => SmallFiles
  ) {
    this.threads = threads
    this.maxSize = maxSize
    this.maxLargeSize = maxLargeSize
    this.dictionaries = dictionaries
    this.#start = start
  }

  get isOpen (): boolean {
    return this.#files != null
  }

  open (): SmallFiles {
    return this.#files ??= this.#start()
  }

  async close (): Promise<void> {
    await this.#files?.close()
  }
}

/** @returns undefined if threads would make other files: all are added by the importer then */
async function smallFiles (
  compression: CompressionOptions,
  { link = false, deterministic = false, threads = defaultThreads() }: AddSourcesOptions,
  { sink, files }: AddTarget
): Promise<SmallFilesInThreads | undefined> {
  if (sink == null || threads === 0 || deterministic) {
    return undefined
  }

  const encoder = await createSmallFileEncoder({ compression, link, codecs: files.codecs })

  if (encoder == null) {
    return undefined
  }

  const init = { threads, options: { compression }, sink: sink === 'none' ? undefined : sink }

  const dictionaries = compression.dictionaries === 'auto'
  const maxSize = dictionaries ? Math.max(encoder.maxSize, MAX_DICTIONARY_FILE) : encoder.maxSize
  // larger ones are only known to be compressed when they are read
  const maxLargeSize = compression.codec === 'none' ? maxSize : MAX_LARGE_SIZE

  return new SmallFilesInThreads({ threads, maxSize, maxLargeSize, dictionaries }, () => new SmallFiles(init))
}

/** @returns undefined if what becomes of a file depends on other files, or more than its blocks has to be there */
export function knownFiles (
  compression: CompressionOptions,
  { link = false, deterministic = false, preserve, cache }: AddSourcesOptions,
  { sink, repo }: AddTarget,
  signal: AbortSignal
): KnownFiles | undefined {
  const isAlone = compression.base == null && compression.dictionaries !== 'auto'

  if (sink == null || sink === 'none' || repo == null || link || !isAlone) {
    return undefined
  }

  return new KnownFiles({
    directory: knownFilesIn(repo.path),
    // with the versions of what compresses
    options: JSON.stringify([packageVersion(), process.version, deterministic, preserve, compression]),
    cache,
    sink,
    signal
  })
}
