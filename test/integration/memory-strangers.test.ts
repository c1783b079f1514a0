/** @module-tag nightly */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect } from 'vitest'
import { it } from './run-cli.ts'
import { withBlocks } from '../support/stored-blocks.ts'
import type { Sandbox } from './run-cli.ts'

const MIB = 1024 * 1024
/** A process that reads nothing takes about 100 MB. */
const LIMIT = 450e6

/** Writes hostile blocks into the repo of a sandbox. */
class Blocks {
  readonly #repo: string

  constructor (repo: string) {
    this.#repo = repo
  }

  async put (code: number, block: Uint8Array): Promise<CID> {
    const cid = CID.createV1(code, await sha256.digest(block))
    await withBlocks(this.#repo, async blockstore => blockstore.put(cid, block))

    return cid
  }

  async node (unixfs: ConstructorParameters<typeof UnixFS>[0], links: Array<[name: string, cid: CID]>): Promise<CID> {
    return this.put(dagPb.code, dagPb.encode(dagPb.prepare({
      Data: new UnixFS(unixfs).marshal(),
      Links: links.map(([Name, Hash]) => ({ Name, Hash, Tsize: 1 }))
    })))
  }
}

/** Run the command in its own process, and measure its output and its peak memory. */
async function measure (sandbox: Sandbox, args: string[], stop?: number): Promise<{
  size: number
  stderr: string
  peak: number
}> {
  const file = join(sandbox.directory, 'rss')
  const child = sandbox.start(args, { preload: 'max-rss.ts', env: { MAX_RSS_FILE: file } })
  const stderr = text(child.stderr)
  const exit = new Promise(resolve => { child.once('exit', resolve) })
  let size = 0

  for await (const chunk of child.stdout as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength

    // a stalled reader: the command goes on until its output is blocked
    if (stop != null && size > stop) {
      await new Promise(resolve => { setTimeout(resolve, 5000) })
      break
    }
  }

  await exit

  return { size, stderr: await stderr, peak: 1024 * Number(await readFile(file, 'utf8')) }
}

describe('a hostile DAG', () => {
  it('is read in bounded memory when it has dag-pb leaves and the reader stalls', async ({ sandbox }) => {
    await sandbox.add(Buffer.from('a repo'))
    const blocks = new Blocks(sandbox.repo)
    const count = 800
    const leaf = await blocks.node({ type: 'file', data: new Uint8Array(MIB).fill(97) }, [])
    const cid = await blocks.node(
      { type: 'file', blockSizes: Array.from({ length: count }, () => BigInt(MIB)) },
      Array.from({ length: count }, () => ['', leaf])
    )

    const { peak, size } = await measure(sandbox, ['cat', cid.toString()], MIB)
    expect(size).toBeGreaterThan(MIB)
    expect(peak).toBeLessThan(LIMIT)
  })

  it('is refused in bounded memory when each of its 20 levels has 60,000 links', async ({ sandbox }) => {
    await sandbox.add(Buffer.from('a repo'))
    const blocks = new Blocks(sandbox.repo)
    const leaf = await blocks.put(raw.code, Uint8Array.of(97))
    const links = Array.from({ length: 60_000 }, (): [string, CID] => ['', leaf])
    let cid = leaf
    let size = 1

    for (let level = 0; level < 20; level++) {
      cid = await blocks.node(
        { type: 'file', blockSizes: [BigInt(size), ...links.map(() => 1n)] },
        [['', cid], ...links]
      )
      size += links.length
    }

    const { peak, stderr } = await measure(sandbox, ['cat', cid.toString()])
    expect(stderr).toMatch(/^ipfsz: [^\n]+\n$/)
    expect(peak).toBeLessThan(LIMIT)
  })

  it('is refused in bounded memory when a sharded directory links to a large shard many times', async ({ sandbox }) => {
    await sandbox.add(Buffer.from('a repo'))
    const blocks = new Blocks(sandbox.repo)
    const shard = {
      type: 'hamt-sharded-directory' as const,
      fanout: 256n,
      hashType: 0x22n,
      data: new Uint8Array(32).fill(255)
    }
    const file = await blocks.put(raw.code, Uint8Array.of(97))
    const large = await blocks.node(shard, Array.from({ length: 20_000 }, (_, i) => [`FF${i}`, file]))
    let cid = await blocks.node(shard, [['00a', file]])

    for (let level = 0; level < 10; level++) {
      cid = await blocks.node(shard, [
        ['00', cid],
        ...Array.from({ length: 7 }, (_, i): [string, CID] => [`0${i + 1}`, large])
      ])
    }

    const { peak, stderr } = await measure(sandbox, ['ls', cid.toString()])
    expect(stderr).toContain(cid.toString())
    expect(peak).toBeLessThan(LIMIT)
  })

  it('is walked in bounded memory when each of 8 nodes has 262,144 links', async ({ sandbox }) => {
    await sandbox.add(Buffer.from('a repo'))
    const blocks = new Blocks(sandbox.repo)
    // 8 bytes each, to an identity CID of an empty block
    const links = Buffer.concat(Array<Buffer>(2 * MIB / 8).fill(Buffer.from('12060a0401550000', 'hex')))
    const nodes = await Promise.all(
      Array.from(
        { length: 8 },
        async (_, i) => blocks.put(dagPb.code, Buffer.concat([links, Uint8Array.of(0x0a, 1, i)]))
      )
    )
    const root = await blocks.node({ type: 'file', blockSizes: nodes.map(() => 0n) }, nodes.map(cid => ['', cid]))

    for (
      const args of [
        ['pin', 'add', root.toString()],
        ['gc', '--dry-run'],
        ['car', 'export', root.toString(), '-o', 'wide.car']
      ]
    ) {
      const { peak, stderr } = await measure(sandbox, args)
      expect(stderr).toBe('')
      expect(peak, args[0]).toBeLessThan(LIMIT)
    }
  })
})
