import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { expect, it } from 'vitest'
import { ipfsz } from '../src/index.ts'

interface Part {
  cid: CID
  size: bigint
}

interface Init {
  stop?: boolean
  offset?: number
  length?: number
}

const blockstore = new MemoryBlockstore()

async function put (code: number, block: Uint8Array, size: bigint): Promise<Part> {
  const cid = CID.createV1(code, await sha256.digest(block))
  await blockstore.put(cid, block)

  return { cid, size }
}

async function fileOf (parts: Part[]): Promise<Part> {
  const unixfs = new UnixFS({ type: 'file', blockSizes: parts.map(({ size }) => size) })
  const links = parts.map(({ cid, size }) => ({ Name: '', Hash: cid, Tsize: Number(size) }))
  const block = dagPb.encode({ Data: unixfs.marshal(), Links: links })

  return put(dagPb.code, block, parts.reduce((total, { size }) => total + size, 0n))
}

it.each([
  ['all of it', {}],
  ['a range', { offset: 300, length: 900 }],
  ['its beginning', { stop: true }]
])('reading %s says how many bytes of links it holds, and that it holds none at the end', async (_, init: Init) => {
  const { stop, ...range } = init
  const leaves = await Promise.all(Array.from({ length: 16 }, async (_, i) =>
    put(raw.code, new Uint8Array(100).fill(i), 100n)))
  const halves = [await fileOf(leaves.slice(0, 8)), await fileOf(leaves.slice(8))]
  const { cid } = await fileOf([await fileOf(halves), await fileOf(halves)])
  let [held, most] = [0, 0]
  const source = ipfsz({ blockstore }).cat(cid, {
    ...range,
    readAhead: false,
    onOpenLinks: change => {
      held += change
      most = Math.max(most, held)
    }
  })

  for await (const _ of source) {
    if (stop === true) {
      break
    }
  }

  // a node of 8 links, with CIDs of 36 bytes
  expect(most).toBeGreaterThan(8 * 36)
  expect(held).toBe(0)
})
