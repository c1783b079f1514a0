import { ipfsz } from '@ipfsz/core'
import type { Store } from './store.ts'
import type { AddEvents, CompressionOptions, DecidedProgress } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** A file, and its path where it is one of a folder. */
export interface NamedFile {
  path: string
  file: Blob
}

/** How far a file is. */
export interface FileProgress {
  path: string
  size: number
  /** Original bytes that have been read. */
  read: number
  /** What it is compressed with, and why. */
  decided?: DecidedProgress
  cid?: CID
}

/** How far an add is, in bytes of all files. */
export interface AddProgress {
  size: number
  read: number
  /** Original bytes in the frames that are finished. */
  compressed: number
  /** Bytes of blocks, each of which is hashed before it is stored. */
  hashed: number
  stored: number
  files: FileProgress[]
}

export interface AddInit {
  compression: CompressionOptions
  signal: AbortSignal
  onProgress: (progress: AddProgress) => void
}

/** Bytes that are read of a file at one time: as many as a frame has, which then need not be put together. */
const READ_SIZE = 4 * 1024 * 1024

/**
 * Compress files and store them. One file has a CID of its own, those of a folder that
 * of the folder. The codecs run in workers, WebCrypto hashes off this thread, and a root
 * is stored behind all that is below it: an interrupted add leaves no half file.
 */
export async function addFiles (files: readonly NamedFile[], store: Store, { compression, signal, onProgress }: AddInit): Promise<CID> {
  const states = files.map(({ path, file }): FileProgress => ({ path, size: file.size, read: 0 }))
  const byPath = new Map(states.map(state => [state.path, state]))
  const size = states.reduce((size, state) => size + state.size, 0)
  const progress: AddProgress = { size, read: 0, compressed: 0, hashed: 0, stored: 0, files: states }
  // with the builds that Node has too: there the same file gets the same CID
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

  if (files.length === 1 && !files[0].path.includes('/')) {
    return states[0].cid = await fs.addByteStream(read(files[0].file, states[0]), options)
  }

  const candidates = files.map(({ path, file }, i) => ({ path, content: read(file, states[i]) }))
  let folder: CID | undefined

  for await (const { path, cid } of fs.addAll(candidates, options)) {
    Object.assign(byPath.get(path ?? '') ?? {}, { cid })
    onProgress(progress)
    folder = cid
  }

  if (folder == null) {
    throw new Error('There is no file in it')
  }

  return folder
}

/** The blockstore, and how many bytes go into it. */
function counting ({ blockstore }: Store, progress: AddProgress, onProgress: AddInit['onProgress']): Pick<Store['blockstore'], 'get' | 'put' | 'has'> {
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
