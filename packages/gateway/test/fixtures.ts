import { codecs } from '@ipfsz/codecs/all'
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { random } from '../../../test/support/data.ts'
import { createGateway } from '../src/index.ts'
import type { Gateway, GatewayInit, RootReader } from '../src/index.ts'
import type { Codec, CodecName } from '@ipfsz/codecs'
import type { FileHandle, FileReadOptions, Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export { same, text } from '../../../test/support/data.ts'

export const KIB = 1024

/** Bytes that do not compress: fast enough for some megabytes. */
export function noise (length: number): Uint8Array<ArrayBuffer> {
  const next = random(1)
  const words = new Uint32Array(Math.ceil(length / 4))

  for (let i = 0; i < words.length; i++) {
    words[i] = next() ^ next() << 8
  }

  return new Uint8Array(words.buffer, 0, length)
}

/** What the gateway that is tested serves from. */
export interface Served {
  gateway: Gateway
  fs: Ipfsz
  blockstore: MemoryBlockstore
  /** How many frames were decompressed. */
  decompressed: () => number
}

/** @param fresh - whether each call, or each request, has a file system of its own, which remembers nothing */
export function serve (init: GatewayInit = {}, { fresh }: { fresh?: 'call' | 'request' } = {}): Served {
  const blockstore = new MemoryBlockstore()
  let decompressed = 0
  const counting = Object.values(codecs).map((create): Codec => {
    const codec = create()

    return {
      ...codec,
      decompress: async (...args) => {
        decompressed++

        return codec.decompress(...args)
      }
    }
  })
  const open = (): Ipfsz => ipfsz({ blockstore }, { codecs: counting })
  const fs = open()
  const forgetful: RootReader['fs'] = {
    ls: (...args) => open().ls(...args),
    open: async (...args) => open().open(...args),
    stat: fs.stat.bind(fs)
  }
  const below = (): RootReader => ({ fs: fresh === 'call' ? forgetful : open(), blocks: blockstore })

  return {
    gateway: createGateway({ fs, blocks: blockstore, ...fresh == null ? {} : { below } }, init),
    fs,
    blockstore,
    decompressed: () => decompressed
  }
}

/** A file system whose files are read in another way, or have something else in their handles. */
export function openingWith (
  fs: Pick<Ipfsz, 'ls' | 'open' | 'stat'>,
  read: (file: FileHandle, options?: FileReadOptions) => AsyncIterable<Uint8Array> = (file, options) =>
    file.read(options),
  others: (file: FileHandle) => Partial<FileHandle> = () => ({})
): Pick<Ipfsz, 'ls' | 'open' | 'stat'> {
  return {
    ls: fs.ls.bind(fs),
    stat: fs.stat.bind(fs),
    open: async (cid, options) => {
      const file = await fs.open(cid, options)

      return {
        stats: file.stats,
        stored: file.stored,
        based: file.based,
        read: options => read(file, options),
        readCost: file.readCost.bind(file),
        close: file.close.bind(file),
        ...others(file)
      }
    }
  }
}

/** Add a file that is compressed whatever it holds. */
export async function addCompressed (
  fs: Ipfsz,
  bytes: Uint8Array,
  codec: CodecName,
  frameSize?: number
): Promise<CID> {
  return fs.addBytes(bytes, {
    compression: { codec, detect: false, ...frameSize == null ? {} : { frameSize } }
  })
}

/** A request to `/ipfs/...`. */
export function get (path: string, headers: Record<string, string> = {}, method = 'GET'): Request {
  const request = new Request(`http://127.0.0.1:8080/ipfs/${path}`, { headers, method })

  // a browser drops Accept-Encoding
  return Object.defineProperty(request, 'headers', { value: new Headers(headers) })
}

/** Read a body to its end. Chromium's `bytes` has an error of its own in place of the body's. */
export async function drain ({ body }: Response): Promise<void> {
  const reader = body?.getReader()

  while ((await reader?.read())?.done === false);
}

export async function bytesOf (response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer())
}
