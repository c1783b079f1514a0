import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { CID } from 'multiformats/cid'
import * as dagPb from '@ipld/dag-pb'
import { unixfs } from '@helia/unixfs'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect } from 'vitest'
import { OriginalsStore } from '../../packages/node/dist/repo/originals-store.js'
import { longText, noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { listBlocks } from '../support/stored-blocks.ts'
import { startGateway } from './run-gateway.ts'
import { makeTree } from './tree-files.ts'
import type { Sandbox } from './run-cli.ts'

const MIB = 1024 * 1024

interface Listed {
  original: string
  compressed: string
  type: string
  layout?: string
}

async function originals (sandbox: Sandbox): Promise<Listed[]> {
  const { code, stdout, stderr } = await sandbox.run(['originals', 'ls', '--json'])
  const listed = parseLines(stdout)
  expect([code, stderr]).toEqual([0, listed.length > 0 ? '' : expect.stringContaining('no originals are indexed')])

  return listed as unknown as Listed[]
}

async function index (sandbox: Sandbox, ...args: string[]): Promise<Listed[]> {
  const result = await sandbox.run(['originals', 'index', '--json', ...args])
  expectSuccess(result)

  return parseLines(result.stdout) as unknown as Listed[]
}

describe.concurrent('the originals of a repo', () => {
  it('are indexed once, with more layouts if asked for, and listed', async ({ sandbox }) => {
    const cid = await sandbox.add(text(300_000), '--link')
    const original = (await unixfs({ blockstore: new MemoryBlockstore() }).addBytes(text(300_000))).toString()
    const blocks = await listBlocks(sandbox.repo)

    expect(await originals(sandbox)).toEqual([])
    expect(await index(sandbox)).toEqual([{ original, compressed: cid, type: 'file', layout: 'unixfs-v1-2025' }])
    expect(await index(sandbox)).toEqual([])
    const [old] = await index(sandbox, '--layout', 'unixfs-v0-2015')
    expect(old).toMatchObject({ compressed: cid, layout: 'unixfs-v0-2015', original: expect.stringMatching(/^Qm/) })

    expect(await originals(sandbox)).toHaveLength(2)
    // nothing is stored twice
    expect(await listBlocks(sandbox.repo)).toEqual(blocks)
    // the new original is linked, too
    expect((await sandbox.run(['cat', old.original])).stdout.equals(text(300_000))).toBe(true)
    expectFailure(await sandbox.run(['originals', 'index', '--layout', 'none']), 2)
  })

  it('end with their link, whichever CID is unlinked, and with rm', async ({ sandbox }) => {
    const cid = await sandbox.add(text(300_000), '--link')
    const [{ original }] = await index(sandbox)
    const plain = CID.createV1(dagPb.code, CID.parse(cid).multihash).toString()

    for (const side of [original, cid, plain]) {
      expectSuccess(await sandbox.run(['link', 'rm', side]))
      expect(await originals(sandbox)).toEqual([])
      expectSuccess(await sandbox.run(['link', 'add', original, cid]))
      expect(await index(sandbox)).toHaveLength(1)
    }

    expectSuccess(await sandbox.run(['rm', cid]))
    expect(await originals(sandbox)).toEqual([])
  })

  it('stay at gc while their file is pinned, and end when it goes', async ({ sandbox }) => {
    const [kept, gone] = [await sandbox.add(text(300_000), '--link'), await sandbox.add(text(300_000, 2), '--link')]
    await index(sandbox)
    expect(await originals(sandbox)).toHaveLength(2)

    expectSuccess(await sandbox.run(['gc']))
    expect(await originals(sandbox)).toHaveLength(2)
    expectSuccess(await sandbox.run(['pin', 'rm', gone]))
    expectSuccess(await sandbox.run(['gc', '--dry-run']))
    expect(await originals(sandbox)).toHaveLength(2)
    expectSuccess(await sandbox.run(['gc']))
    expect(await originals(sandbox)).toMatchObject([{ compressed: kept }])
  })

  it('refuse a file that is not linked, and skip a tree that is not', async ({ sandbox }) => {
    const cid = await sandbox.add(text(300_000))
    await makeTree(join(sandbox.directory, 'in'), { a: text(10_000) })
    expectSuccess(await sandbox.run(['add', '-Q', 'in']))
    await sandbox.add(text(200_000), '--link')

    expectFailure(await sandbox.run(['originals', 'index', cid]), 1)
    expect(await index(sandbox)).toHaveLength(1)
  })

  it('are indexed by add --link once there is an index, of files, trees and stdin, and of nothing else', async (
    { sandbox }
  ) => {
    await sandbox.add(text(300_000), '--link')
    expect(await originals(sandbox)).toEqual([])
    await index(sandbox)

    const next = await sandbox.add(text(200_000, 2), '--link')
    expect((await originals(sandbox)).map(({ compressed }) => compressed)).toContain(next)
    await sandbox.add(text(200_000, 3))
    expectSuccess(await sandbox.run(['add', '-Q', '--link'], { stdin: noise(10_000) }))
    expect(await originals(sandbox)).toHaveLength(2)

    await makeTree(join(sandbox.directory, 'in'), { a: text(100_000, 4), 'dir/b': text(100_000, 5) })
    expectSuccess(await sandbox.run(['add', '-Q', '--link', 'in']))
    const types = (await originals(sandbox)).map(({ type }) => type).toSorted()
    expect(types).toEqual(['directory', 'file', 'file', 'file', 'file'])
    // nothing is left to index
    expect(await index(sandbox)).toEqual([])

    await makeTree(join(sandbox.directory, 'plain'), { a: noise(10_000) })
    expectSuccess(await sandbox.run(['add', '-Q', '--link', 'plain']))
    expect(await originals(sandbox)).toHaveLength(5)
  })

  it('refuse an index of another version', async ({ sandbox }) => {
    await sandbox.add(text(300_000), '--link')
    await index(sandbox)
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    const db = new DatabaseSync(join(sandbox.repo, 'originals.db'))
    db.exec('PRAGMA user_version = 9')
    db.close()

    expectFailure(await sandbox.run(['originals', 'ls']), 1)
  })

  it('do not come into being in a repo without links', async ({ sandbox }) => {
    await sandbox.add(text(1000))

    expect(await index(sandbox)).toEqual([])
    expect(existsSync(join(sandbox.repo, 'links'))).toBe(false)
  })
})

describe('a process that is killed while it indexes', { tags: 'slow' }, () => {
  it('leaves no original, and the next one indexes it', async ({ sandbox }) => {
    // several nodes of 174 leaves: the first is written long before the last
    const cid = await sandbox.add(longText(100_000_000), '--link')
    const args = ['originals', 'index', cid, '--layout', 'unixfs-v0-2015']
    const child = sandbox.start(args)
    const ended = once(child, 'close') as Promise<[number | null]>
    const store = new OriginalsStore(sandbox.repo, { writes: false })
    const begun = async (): Promise<boolean> => {
      for await (const _ of store.query({ prefix: '/ipfsz/originals/block/', limit: 1 })) {
        return true
      }

      return false
    }

    while (!await begun() && child.exitCode == null) {
      await setImmediate()
    }

    child.kill('SIGKILL')
    const [code] = await ended
    await store.close()

    // whole, if it was done before the kill
    expect((await originals(sandbox)).length).toBe(code === 0 ? 2 : 0)
    await index(sandbox, '--layout', 'unixfs-v0-2015')
    expect(await originals(sandbox)).toHaveLength(2)
  })
})

describe('a gateway that serves originals', () => {
  it.for([
    ['that only serves the repo', []],
    ['that also fetches', ['--fetch', '--gateway', 'http://127.0.0.1:9', '--cache', 'none']]
  ] as const)('%s sends their blocks and CARs, and files still in the frames that are stored', async (
    [, args],
    { sandbox }
  ) => {
    const bytes = text(3 * MIB)
    await makeTree(join(sandbox.directory, 'in'), { 'a.txt': bytes, 'sub/noise': noise(1000) })
    expectSuccess(await sandbox.run(['add', '-Q', '--link', 'in']))
    const listed = await index(sandbox)
    const [file, tree] = ['file', 'directory'].map(type => listed.find(original => original.type === type)?.original)
    const { url } = await startGateway(sandbox, '--serve-originals', ...args)
    const ask = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${url}/ipfs/${path}`, { headers })

    const block = await ask(`${file}?format=raw`)
    expect(block.status).toBe(200)
    const { Links } = dagPb.decode(new Uint8Array(await block.arrayBuffer()))
    expect(Links).toHaveLength(3)
    const leaf = new Uint8Array(await (await ask(`${Links[1].Hash}?format=raw`)).arrayBuffer())
    expect(Buffer.compare(leaf, bytes.subarray(MIB, 2 * MIB))).toBe(0)

    const car = new Uint8Array(await (await ask(`${tree}?format=car`)).arrayBuffer())
    expect(car.byteLength).toBeGreaterThan(3 * MIB)

    // by its link
    expect((await ask(`${file}`, { 'accept-encoding': 'zstd' })).headers.get('content-encoding')).toBe('zstd')
    // below the original tree, with a range
    const part = await ask(`${tree}/a.txt`, { range: 'bytes=1048570-1048579' })
    expect(part.status).toBe(206)
    expect(Buffer.compare(new Uint8Array(await part.arrayBuffer()), bytes.subarray(1_048_570, 1_048_580))).toBe(0)
  })

  it('says so if nothing is indexed', async ({ sandbox }) => {
    await sandbox.add(text(1000))
    const { stop } = await startGateway(sandbox, '--serve-originals')

    expect((await stop()).stderr).toContain('ipfsz originals index')
  })
})
