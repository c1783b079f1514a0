import { createServer } from 'node:net'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { onTestFinished } from 'vitest'
import { startNode } from '../src/network/node/node.ts'
import type { Node, NodeInit } from '../src/network/node/node.ts'

/** A node on loopback that knows no peers. It is stopped when the test ends. */
export async function testNode (init: Partial<NodeInit> = {}): Promise<Node> {
  const node = await startNode({
    blockstore: new MemoryBlockstore(),
    listen: ['/ip4/127.0.0.1/tcp/0'],
    bootstrap: [],
    peers: [],
    server: true,
    agent: 'test',
    onNote: () => {},
    ...init
  })

  onTestFinished(async () => { await node.stop() })

  return node
}

export interface Block {
  cid: CID
  bytes: Uint8Array
}

/** A block of `size` bytes that are all `value`. */
export async function makeBlock (value: number, size = 10_000): Promise<Block> {
  const bytes = new Uint8Array(size).fill(value)

  return { cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes }
}

export async function makeBlocks (count: number, size?: number): Promise<Block[]> {
  return Promise.all(Array.from({ length: count }, async (_, i) => makeBlock(i, size)))
}

export async function keep ({ helia }: Node, blocks: readonly Block[]): Promise<void> {
  for (const { cid, bytes } of blocks) {
    await helia.blockstore.put(cid, bytes)
  }
}

/** A free port on loopback. */
export async function freePort (): Promise<number> {
  const server = createServer()

  await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })
  const { port } = server.address() as { port: number }
  await new Promise(resolve => { server.close(resolve) })

  return port
}
