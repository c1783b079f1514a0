import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ipfsz, mark, TREE_CODE, unmark } from '@ipfsz/core'
import { describe, expect, it } from 'vitest'
import { text } from '../support/data.ts'
import { useKubo } from '../support/kubo.ts'
import { fromCar, RecordingBlockstore } from '../support/recording-blockstore.ts'
import type { ImportCandidateStream, Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** Low enough to shard a directory of 300 files. */
const SHARDED = { shardSplitThresholdBytes: 1000 }

const { directory, ipfs } = useKubo()

function candidates (): ImportCandidateStream {
  return [
    { path: 'a.txt', content: text(20_000), mode: 0o640, mtime: { secs: 1_700_000_000n } },
    { path: 'long.txt', content: text(3_000_000) },
    { path: 'empty.txt', content: new Uint8Array(0) },
    { path: 'empty' },
    ...Array.from({ length: 300 }, (_, i) => ({ path: `many/file-${i}.txt`, content: text(1000 + i, i + 1) }))
  ]
}

/** The names that Kubo lists in a directory, without the slash behind those of directories. */
async function listed (cid: CID): Promise<string[]> {
  return (await ipfs(['ls', '--resolve-type=false', '--size=false', cid.toString()])).toString().split('\n').filter(
    Boolean
  ).map(line => line.slice(line.indexOf(' ') + 1).replace(/\/$/, '')).toSorted()
}

async function names (fs: Ipfsz, cid: CID): Promise<string[]> {
  return (await Array.fromAsync(fs.ls(cid))).map(({ name }) => name).toSorted()
}

type Change = (fs: Ipfsz, tree: CID) => Promise<CID>

/** The first two whenever anything changes. */
const CHANGES: Array<[string, Change]> = [
  ['as added', async (_: Ipfsz, tree: CID) => tree],
  ['after rm from a sharded directory', async (fs: Ipfsz, tree: CID) => {
    const { plainCid } = await fs.stat(tree, { path: 'many' })

    return fs.cp(await fs.rm(mark(plainCid, TREE_CODE), 'file-7.txt', SHARDED), tree, 'many', { force: true })
  }],
  ['after a recursive chmod', async (fs: Ipfsz, tree: CID) => fs.chmod(tree, 0o755, { recursive: true })],
  ['after chmod of a sharded directory', async (fs: Ipfsz, tree: CID) => fs.chmod(tree, 0o700, { path: 'many' })],
  [
    'after chmod by its plain CID',
    async (fs: Ipfsz, tree: CID) => mark(await fs.chmod(unmark(tree), 0o755, { recursive: true }), TREE_CODE)
  ],
  [
    'after touch',
    async (fs: Ipfsz, tree: CID) => fs.touch(tree, { mtime: { secs: 1_600_000_000n }, recursive: true })
  ],
  ['after mkdir', async (fs: Ipfsz, tree: CID) => fs.mkdir(tree, 'new')],
  ['after cp of a file', async (fs: Ipfsz, tree: CID) => fs.cp(await fs.addBytes(text(50_000)), tree, 'copy.txt')]
]

async function expectUsed (change: Change): Promise<void> {
  const blockstore = new RecordingBlockstore()
  const fs = ipfsz({ blockstore })
  const added = await Array.fromAsync(fs.addAll(candidates(), { ...SHARDED, wrapWithDirectory: true }))
  const tree = await change(fs, added[added.length - 1].cid)
  const plain = unmark(tree)
  const car = join(directory(), 'tree.car')

  expect(tree.code).toBe(TREE_CODE)
  await writeFile(car, await blockstore.toCar(plain))
  await ipfs(['dag', 'import', '--pin-roots=true', car])

  expect(await listed(plain)).toEqual(await names(fs, tree))
  const many = (await fs.stat(tree, { path: 'many' })).plainCid
  expect(await listed(many)).toEqual(await names(fs, many))
  expect((await ipfs(['pin', 'verify', '--verbose'])).toString()).toContain(`${plain.toV1()} ok`)

  for (const path of ['a.txt', 'long.txt', 'empty.txt', 'many/file-299.txt']) {
    const stored = Buffer.concat(await Array.fromAsync(fs.cat(plain, { path })))
    expect(Buffer.compare(await ipfs(['cat', `${plain}/${path}`]), stored), path).toBe(0)
  }

  // ipfsz reads the originals from what Kubo exports
  const exported = ipfsz({ blockstore: await fromCar(await ipfs(['dag', 'export', plain.toString()])) })
  expect(
    Buffer.compare(Buffer.concat(await Array.fromAsync(exported.cat(tree, { path: 'long.txt' }))), text(3_000_000))
  ).toBe(0)
  expect(
    Buffer.compare(
      Buffer.concat(await Array.fromAsync(exported.cat(tree, { path: 'many/file-299.txt' }))),
      text(1299, 300)
    )
  ).toBe(0)
}

describe('Kubo with a tree', () => {
  it.each(CHANGES.slice(0, 2))('pins, lists, reads and exports it %s', async (_, change) => expectUsed(change))

  it.each(CHANGES.slice(2))('pins, lists, reads and exports it %s', { tags: 'nightly' }, async (_, change) => (
    expectUsed(change)
  ))
})
