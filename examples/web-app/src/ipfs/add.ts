import { ipfsz } from '@ipfsz/core'
import type { Store } from './store.ts'
import type { AddEvents, CompressionOptions, DecidedProgress } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** A file, and its path if it is in a folder. */
export interface NamedFile {
  path: string
  file: Blob
}

/** The progress of one file. */
export interface FileProgress {
  path: string
  size: number
  /** Original bytes that have been read. */
  read: number
  /** The codec, and the reason for it. */
  decided?: DecidedProgress
  cid?: CID
}

/** The progress of an add, in bytes of all files. */
export interface AddProgress {
  size: number
  read: number
  /** Original bytes in finished frames. */
  compressed: number
  /** Bytes of hashed blocks. A block is hashed before it is stored. */
  hashed: number
  stored: number
  files: FileProgress[]
}

export interface AddInit {
  compression: CompressionOptions
  signal: AbortSignal
  onProgress: (progress: AddProgress) => void
}

/** Bytes per read: the default frame, so that chunks need not be joined. */
const READ_SIZE = 4 * 1024 * 1024

/**
 * Compress files and store them. The CID is that of the file, or of the folder. Codecs run
 * in workers, WebCrypto hashes off this thread, and a root is stored after everything below
 * it: an interrupted add leaves no half file.
 */
export async function addFiles (
  files: readonly NamedFile[],
  store: Store,
  { compression, signal, onProgress }: AddInit
): Promise<CID> {
  const inputs = files.map(({ path, file }) => ({ file, state: { path, size: file.size, read: 0 } as FileProgress }))
  const states = inputs.map(({ state }) => state)
  const byPath = new Map(states.map(state => [state.path, state]))
  const size = states.reduce((size, state) => size + state.size, 0)
  const progress: AddProgress = { size, read: 0, compressed: 0, hashed: 0, stored: 0, files: states }
  // the same builds as in Node with this option, so that a file gets the same CID there
  const fs = ipfsz({ ...store, blockstore: counting(store, progress, onProgress) }, { deterministic: true })

  async function * read (file: Blob, state: FileProgress): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < file.size; start += READ_SIZE) {
      const bytes = new Uint8Array(await file.slice(start, start + READ_SIZE).arrayBuffer())

      state.read += bytes.byteLength
      progress.read += bytes.byteLength
      onProgress(progress)
      yield bytes
    }
  }

  const options = {
    compression,
    signal,
    onProgress (event: AddEvents): void {
      if (event.type === 'ipfsz:add:frame') {
        progress.compressed += event.detail.size
      } else if (event.type === 'ipfsz:add:decided') {
        const { path } = event.detail
        const state = path == null ? states[0] : byPath.get(path)
        Object.assign(state ?? {}, { decided: event.detail })
      }
    }
  }

  const [only] = inputs

  if (only != null && inputs.length === 1 && !only.state.path.includes('/')) {
    return only.state.cid = await fs.addByteStream(read(only.file, only.state), options)
  }

  const candidates = inputs.map(({ file, state }) => ({ path: state.path, content: read(file, state) }))
  let folder: CID | undefined

  for await (const { path, cid } of fs.addAll(candidates, options)) {
    Object.assign(byPath.get(path ?? '') ?? {}, { cid })
    onProgress(progress)
    folder = cid
  }

  if (folder == null) {
    throw new Error('This folder has no files')
  }

  return folder
}

/** The blockstore, counting the bytes that go into it. */
function counting (
  { blockstore }: Store,
  progress: AddProgress,
  onProgress: AddInit['onProgress']
): Pick<Store['blockstore'], 'get' | 'put' | 'has'> {
  return {
    get: (cid, options) => blockstore.get(cid, options),
    has: (cid, options) => blockstore.has(cid, options),

    async put (cid, bytes, options) {
      const length = bytes instanceof Uint8Array ? bytes.byteLength : 0

      progress.hashed += length
      onProgress(progress)
      await blockstore.put(cid, bytes, options)
      progress.stored += length
      onProgress(progress)

      return cid
    }
  }
}
