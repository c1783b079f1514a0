import { unixfs } from '@helia/unixfs'
import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { codecs } from '@ipfsz/codecs/all'
import { ipfsz } from '@ipfsz/core'
import { createGateway } from '@ipfsz/gateway'
import { createNodeServer } from '@ipfsz/gateway/node'
import { MemoryBlockstore } from 'blockstore-core'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { expect } from 'vitest'
import { countingProxy } from './counting-proxy.ts'
import { longText, noise, text } from './data.ts'
import { startHttpRouter } from './http-router.ts'
import { listen } from './listen.ts'
import type { Codec, CodecName } from '@ipfsz/codecs'
import type { Gateway } from '@ipfsz/gateway'
import type { NodeServerInit } from '@ipfsz/gateway/node'
import type { CID } from 'multiformats/cid'

/** The largest block that other nodes take, in bytes. */
const LEAF_SIZE = 2 * 1024 * 1024

/** Paths in the tree that it serves: a file of three leaves, a smaller one, and one that is stored plain. */
export const FILES: Readonly<Record<string, Uint8Array>> = {
  'long.txt': longText(5_000_000),
  'sub/short.txt': text(700_000, 2),
  'sub/noise.bin': noise(300_000)
}

/** Leaves of the tree that are stored compressed. */
const COMPRESSED_LEAVES = 4

/** A gateway with a store of compressed blocks, a router that names it, and what it did. */
export interface BlockGateway {
  /** A tree of plain files. Nothing else is in the store. */
  root: CID
  /** The URL of a delegated router. */
  routerUrl: string
  /** What the store keeps: blocks in their envelopes. */
  values: MemoryBlockstore
  /** What was answered. */
  answers: Answer[]
  /** How often the gateway compressed or decompressed. */
  codecCalls: () => number
  /** Bytes that went to clients, with headers and TLS. */
  sentBytes: () => number
  close: () => Promise<void>
}

interface Answer {
  method: string
  path: string
  status: number
  encoding: string | null
}

/** @param codec - of the store */
export async function startBlockGateway (
  codec: CodecName,
  init: Pick<NodeServerInit, 'tls'> = {}
): Promise<BlockGateway> {
  const values = new MemoryBlockstore()
  const root = await addTree(new CompressedBlockstore(values, { codec }))
  const counted = countCalls()
  const blockstore = new CompressedBlockstore(values, { codec, codecs: counted.codecs })
  const gateway = createGateway({ fs: ipfsz({ blockstore }, { codecs: counted.codecs }), blocks: blockstore })
  const answers: Answer[] = []
  const server = await listen(createNodeServer(recordAnswers(gateway, answers), init))
  const proxy = await countingProxy(server.port)
  const router = await startHttpRouter(`/ip4/127.0.0.1/tcp/${proxy.port}${init.tls == null ? '' : '/tls'}/http`)

  return {
    root,
    routerUrl: router.url,
    values,
    answers,
    codecCalls: counted.calls,
    sentBytes: () => proxy.received,
    async close () {
      await router.close()
      await proxy.close()
      await server.close()
    }
  }
}

async function addTree (blockstore: CompressedBlockstore): Promise<CID> {
  const source = Object.entries(FILES).map(([path, content]) => ({ path: `tree/${path}`, content }))
  const entries = await Array.fromAsync(
    unixfs({ blockstore }).addAll(source, { chunker: fixedSize({ chunkSize: LEAF_SIZE }) })
  )

  return entries[entries.length - 1].cid
}

function countCalls (): { codecs: Codec[], calls: () => number } {
  let calls = 0

  return {
    calls: () => calls,
    codecs: Object.values(codecs).map(create => {
      const codec = create()

      return {
        ...codec,
        compress: async (...args) => {
          calls++

          return codec.compress(...args)
        },
        decompress: async (...args) => {
          calls++

          return codec.decompress(...args)
        }
      }
    })
  }
}

function recordAnswers (gateway: Gateway, answers: Answer[]): Gateway {
  return async request => {
    const response = await gateway(request)

    answers.push({
      method: request.method,
      path: new URL(request.url).pathname,
      status: response.status,
      encoding: response.headers.get('content-encoding')
    })

    return response
  }
}

/** After a client read the whole tree: what is stored went out, hardly more, and no codec ran. */
export async function expectStoredBytes (gateway: BlockGateway, encoding: string): Promise<void> {
  const stored = await storedBytes(gateway.values)
  const original = Object.values(FILES).reduce((sum, { byteLength }) => sum + byteLength, 0)

  expect(stored).toBeLessThan(original / 2)
  expect(gateway.sentBytes()).toBeLessThanOrEqual(stored * 1.02)
  expect(gateway.codecCalls()).toBe(0)
  expect(gateway.answers.filter(answer => answer.encoding === encoding).length)
    .toBeGreaterThanOrEqual(COMPRESSED_LEAVES)
}

async function storedBytes (values: MemoryBlockstore): Promise<number> {
  let size = 0

  for await (const { bytes } of values.getAll()) {
    for await (const part of bytes) {
      size += part.byteLength
    }
  }

  return size
}
