import { raceAbort } from '@ipfsz/utils/race-abort'
import { anySignal } from 'any-signal'
import { WrittenBases } from '../base/written-bases.ts'
import { encodeWithDictionary } from '../dictionary/encode-with-dictionary.ts'
import { TreeDictionaries } from '../dictionary/tree-dictionaries.ts'
import { backgroundCodec } from '../write/background-codec.ts'
import { FilesBudget } from '../write/bounded-reader.ts'
import { CheckedCandidates } from '../write/checked-candidates.ts'
import { resolveCompression } from '../policy/compression.ts'
import { DEFAULT_FRAME_SIZE, REGION_RATIO } from '../constants.ts'
import { InvalidParametersError, LinksUnavailableError } from '../errors.ts'
import { coalescingBlockstore } from '../dag/block.ts'
import { compressingFileBuilder } from '../write/file-builder.ts'
import { filePieces } from '../write/file-pieces.ts'
import { RepeatedBlocks } from '../write/repeated-blocks.ts'
import { importEntries } from '../write/import-entries.ts'
import { IMPORTER_DEFAULTS } from '../write/plain-file.ts'
import { closeSource } from '../util/close-source.ts'
import { treeBuilder } from '../directory/tree-builder.ts'
import { Marks } from './marks.ts'
import type {
  AddAllOptions, AddCandidateStream, AddFileOptions, AddOptions, FileCandidate, ImportResult
} from '../unixfs.ts'
import type { AddSettings } from '../settings.ts'
import type { Codec } from '@ipfsz/codecs'
import type { ByteStream, ImporterOptions } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'

export async function addContent (
  content: Uint8Array | ByteStream,
  settings: AddSettings,
  options: AddFileOptions = {}
): Promise<CID> {
  const { mode, mtime } = options

  // without a path there is nothing to wrap
  return (await addOne({ content, mode, mtime }, settings, { ...options, wrapWithDirectory: false })).cid
}

export async function addFile (file: FileCandidate, settings: AddSettings, options: AddFileOptions = {}): Promise<CID> {
  if (file.path == null) {
    throw new InvalidParametersError('path is required')
  }

  if (file.content == null) {
    throw new InvalidParametersError('content is required')
  }

  return (await addOne(file, settings, { ...options, wrapWithDirectory: true })).cid
}

/** Import many files. Bounds the bytes of all files in progress together. */
export async function * addAll (
  source: AddCandidateStream,
  settings: AddSettings,
  options: AddAllOptions = {}
): AsyncGenerator<ImportResult> {
  const candidates = new CheckedCandidates(source, options)
  // tells every file that another one failed, or that the caller stopped reading
  const ended = new AbortController()
  const signal = anySignal([options.signal, ended.signal])
  let finished = false

  try {
    yield * importCandidates(candidates, settings, { ...options, signal }, filesBudget(settings, options))
    finished = true
  } finally {
    if (!finished) {
      ended.abort()
      candidates.closeSources()
      closeSource(source)
    }

    signal.clear()
  }
}

/** The pieces of a base are in memory beside those of the files. */
function filesBudget ({ inFlightBytes }: AddSettings, { compression }: AddOptions): FilesBudget {
  return new FilesBudget(compression?.base == null ? inFlightBytes : inFlightBytes / (1 + REGION_RATIO))
}

/** Import one file, and close its source if that fails. Returns the importer's last result. */
async function addOne (
  candidate: Omit<FileCandidate, 'path'>,
  settings: AddSettings,
  options: AddOptions
): Promise<ImportResult> {
  try {
    // of one file: many at a time would hold a piece each
    const pieces = filePieces(candidate.content, Math.min(DEFAULT_FRAME_SIZE, settings.inFlightBytes))
    const file = pieces == null ? candidate : { ...candidate, content: pieces }
    const candidates = new CheckedCandidates([file], options)
    const results = importCandidates(candidates, settings, options)
    let last: ImportResult | undefined

    for await (const result of results) {
      last = result
    }

    if (last == null) {
      throw new Error('The importer added nothing')
    }

    return last
  } catch (err) {
    closeSource(candidate.content)
    throw err
  }
}

async function * importCandidates (
  candidates: CheckedCandidates,
  settings: AddSettings,
  options: AddAllOptions,
  budget?: FilesBudget
): AsyncGenerator<ImportResult> {
  const { compression, link = false, signal, onProgress, depthFirst, onWritten, ...importerOptions } = options
  signal?.throwIfAborted()

  if (link && !settings.links.available) {
    throw new LinksUnavailableError()
  }

  const marks = new Marks()
  const blockstore = coalescingBlockstore(settings.blockstore)
  const repeated = new RepeatedBlocks({ onProgress })
  const writers = budget == null
    ? settings.writers
    : settings.writers.map(codec => backgroundCodec(codec, budget.threads))
  const resolved = resolveCompression(compression, writers)
  prepareNative(resolved?.named?.codec)
  const bases = new WrittenBases(settings.below, { signal, refuseBased: resolved?.baseOfBase === 'refuse' })
  const dictionaries = resolved?.dictionaries == null
    ? undefined
    : new TreeDictionaries({ ...resolved.dictionaries, signal }, blockstore, options.wrapWithDirectory === true)
  const buildFile = compressingFileBuilder({
    compression: resolved,
    inFlightBytes: settings.inFlightBytes,
    budget,
    links: link ? settings.links : undefined,
    openBase: async cid => bases.open(cid),
    takeDictionary (path) {
      const base = dictionaries?.take(path)

      return base && resolved && {
        base,
        encode: async (bytes, metadata) => encodeWithDictionary(bytes, metadata, base, resolved)
      }
    },
    signal,
    onProgress,
    importer: { ...IMPORTER_DEFAULTS, ...importerOptions, onProgress: withoutReadEvents(onProgress) },
    onCompressed (cid, code, onlyIpfsz) { marks.add(cid, code, onlyIpfsz) },
    // of many files, they would take the place of roots that are read
    ...budget == null ? { onBased: ({ cid, block }) => settings.roots.setWritten(cid, block) } : {}
  })
  const entries = importEntries(dictionaries?.pass(candidates) ?? candidates, blockstore, {
    buildFile: file => buildFile(file, repeated.watch(blockstore, file.path)),
    onSymlink ({ cid, size = 0n }) { repeated.note(cid, Number(size)) },
    onWritten ({ path: directory, written }) {
      for (const { name, cid, blocks, repeated: size = 0 } of written) {
        const path = `${directory}/${name}`

        for (const block of blocks) {
          repeated.note(block.cid, block.size, path)
        }

        repeated.noteInFile(cid, size, path)
      }
    },
    options: { ...IMPORTER_DEFAULTS, ...importerOptions, onProgress }
  })
  const buildTree = treeBuilder({
    ...applyProfile({ ...IMPORTER_DEFAULTS, ...importerOptions }),
    depthFirst,
    onProgress: onProgress as ImporterOptions['onProgress'],
    onWritten,
    onDirectory (cid, children) { marks.addDirectory(cid, children) }
  })
  const watched = repeated.watch(blockstore) as Parameters<typeof buildTree>[1]
  const results = buildTree(entries, watched)[Symbol.asyncIterator]()

  try {
    for (;;) {
      // blockstores may ignore the signal
      const next = await raceAbort(results.next(), signal)

      if (next.done === true) {
        await bases.close()
        return
      }

      const { cid, path, unixfs, size } = next.value

      yield { ...marks.mark(cid), path, unixfs, size }
    }
  } finally {
    // not awaited, because its source may be stalled
    results.return?.()?.catch(() => {})
  }
}

/**
 * Load a native codec while the first file is read, so that its first frame is compressed on another thread while this
 * one looks for filters. One that runs in workers is left alone: it would start a worker for files that do not shrink.
 */
function prepareNative (codec?: Codec): void {
  if (codec?.implementation === 'native') {
    codec.prepare?.({ to: 'compress' })
  }
}

/** Apply a profile's directory options. The importer does the same, but does not export it. */
function applyProfile (options: ImporterOptions): ImporterOptions {
  const { profile } = options

  if (profile == null) {
    return options
  }

  const shardSplitStrategy = profile === 'unixfs-v1-2025' ? 'block-bytes' : 'links-bytes'

  return { ...options, shardSplitStrategy: options.shardSplitStrategy ?? shardSplitStrategy, fieldOrder: 'links-first' }
}

/** Drop the read events of plain files: their bytes were already reported. */
function withoutReadEvents (onProgress: AddOptions['onProgress']): ImporterOptions['onProgress'] {
  if (onProgress == null) {
    return undefined
  }

  return event => {
    if (event.type !== 'unixfs:importer:progress:file:read') {
      onProgress(event)
    }
  }
}
