import { unixfs } from '@helia/unixfs'
import { ipfsz } from '@ipfsz/core'
import type { CompressionOptions } from '@ipfsz/core'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** The interface that all compared sides share. */
export interface Files {
  addBytes (bytes: Uint8Array): Promise<CID>
  addByteStream (bytes: AsyncIterable<Uint8Array>): Promise<CID>
  cat (cid: CID, options?: { offset?: number, length?: number }): AsyncIterable<Uint8Array>
}

/** The baseline. */
export const PLAIN = 'plain Helia'

/** The compared sides: plain Helia first, IPFSz with its defaults second. */
export const FILE_SYSTEMS: Readonly<Record<string, (blockstore: Blockstore) => Files>> = {
  [PLAIN]: blockstore => unixfs({ blockstore }),
  'ipfsz, zstd 3': blockstore => ipfsz({ blockstore }),
  // what the default side added can be read with it
  'ipfsz, transient': transient,
  'ipfsz, zstd 1': compressing({ codec: 'zstd', level: 1 }),
  'ipfsz, lz4': compressing({ codec: 'lz4' }),
  'ipfsz, gzip 6': compressing({ codec: 'gzip', level: 6 })
}

export const DEFAULT = 'ipfsz, zstd 3'

/** IPFSz, whose reader is done with its bytes when it asks for the next ones. */
export const TRANSIENT = 'ipfsz, transient'

/** The command, in a process of its own. */
export const COMMAND = 'ipfsz, the command'

function transient (blockstore: Blockstore): Files {
  const fs = ipfsz({ blockstore })

  return {
    addBytes: async bytes => fs.addBytes(bytes),
    addByteStream: async bytes => fs.addByteStream(bytes),
    cat: (cid, options) => fs.cat(cid, { ...options, transient: true })
  }
}

/** IPFSz with fixed compression options. */
export function compressing (compression: CompressionOptions): (blockstore: Blockstore) => Files {
  return blockstore => {
    const fs = ipfsz({ blockstore })

    return {
      addBytes: async bytes => fs.addBytes(bytes, { compression }),
      addByteStream: async bytes => fs.addByteStream(bytes, { compression }),
      cat: (cid, options) => fs.cat(cid, options)
    }
  }
}

/** Read a file to its end. */
export async function readAll (files: Files, cid: CID, size: number): Promise<void> {
  let read = 0

  for await (const chunk of files.cat(cid)) {
    read += chunk.byteLength
  }

  if (read !== size) {
    throw new Error(`${read} bytes were read instead of ${size}`)
  }
}
