import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import { raceSignal } from '../abort.ts'
import { resolveCompression } from '../compression.ts'
import { MAX_LEAF_SIZE, MAX_LINKS } from '../constants.ts'
import { InvalidParametersError } from '../errors.ts'
import { compressingFileBuilder } from '../file-builder.ts'
import { letGo } from '../let-go.ts'
import { mark, TREE_CODE } from '../marker.ts'
import type { AddOptions, FileCandidate } from '../index.ts'
import type { Settings } from '../ipfsz.ts'
import type { ByteStream, ImporterOptions, ImportResult } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'

/** What @helia/unixfs imports with, so that plain files get the same CIDs. */
const IMPORTER_DEFAULTS: ImporterOptions = {
  cidVersion: 1,
  rawLeaves: true,
  layout: balanced({ maxChildrenPerNode: MAX_LINKS }),
  chunker: fixedSize({ chunkSize: MAX_LEAF_SIZE })
}

/** A candidate for the importer: with a path it comes with the directories that lead there. */
interface Candidate extends Partial<FileCandidate> {
  content: Uint8Array | ByteStream
}

export async function addContent (content: Uint8Array | ByteStream, settings: Settings, options: AddOptions = {}): Promise<CID> {
  const { results, code } = await addCandidate({ content, mode: options.mode, mtime: options.mtime }, false, settings, options)
  const { cid } = results[0]

  return code == null ? cid : mark(cid, code)
}

export async function addFile (file: FileCandidate, settings: Settings, options: AddOptions = {}): Promise<CID> {
  if (file.path == null) {
    throw new InvalidParametersError('path is required')
  }

  if (file.content == null) {
    throw new InvalidParametersError('content is required')
  }

  const { results, code } = await addCandidate(file, true, settings, options)
  // the directory that wraps the others comes last
  const { cid } = results[results.length - 1]

  return code == null ? cid : mark(cid, TREE_CODE)
}

interface Imported {
  results: ImportResult[]
  /** That of the file's codec, where it was compressed. */
  code?: number
}

/** Import one file, letting its source go where that fails. */
async function addCandidate (candidate: Candidate, wrapWithDirectory: boolean, settings: Settings, options: AddOptions): Promise<Imported> {
  try {
    return await importCandidate(candidate, wrapWithDirectory, settings, options)
  } catch (err) {
    letGo(candidate.content)
    throw err
  }
}

async function importCandidate (candidate: Candidate, wrapWithDirectory: boolean, settings: Settings, options: AddOptions): Promise<Imported> {
  const { compression, signal, onProgress, ...importerOptions } = options
  signal?.throwIfAborted()
  let code: number | undefined

  const fileBuilder = compressingFileBuilder({
    compression: resolveCompression(compression, settings.writers),
    inFlightBytes: settings.inFlightBytes,
    signal,
    onProgress,
    importer: { ...IMPORTER_DEFAULTS, ...importerOptions, onProgress: withoutReads(onProgress) },
    onCompressed (compressed) { code = compressed }
  })
  const results = importer([candidate], settings.blockstore, {
    ...IMPORTER_DEFAULTS,
    ...importerOptions,
    onProgress,
    // a plain file is cut when it is known to be one
    chunker: asItComes,
    fileBuilder,
    wrapWithDirectory
  })

  // the importer itself does not look at the signal
  return { results: await raceSignal(collect(results), signal), code }
}

async function collect<T> (source: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = []

  for await (const value of source) {
    values.push(value)
  }

  return values
}

async function * asItComes (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield * source
}

/** What is read has been reported when it is imported as a plain file. */
function withoutReads (onProgress: AddOptions['onProgress']): ImporterOptions['onProgress'] {
  if (onProgress == null) {
    return undefined
  }

  return event => {
    if (event.type !== 'unixfs:importer:progress:file:read') {
      onProgress(event)
    }
  }
}
