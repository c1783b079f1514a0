import { unixfs } from '@helia/unixfs'
import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { beforeEach, describe, expect, it } from 'vitest'
import { mended } from './installed.ts'

const OURS = 'packages/core/src/change/helia-unixfs.ts'
const SHARDED = { shardSplitThresholdBytes: 1 }
const BYTES = Uint8Array.of(1)

describe('@helia/unixfs', () => {
  let blockstore: MemoryBlockstore
  let fs: ReturnType<typeof unixfs>
  let file: CID

  beforeEach(async () => {
    blockstore = new MemoryBlockstore()
    fs = unixfs({ blockstore })
    file = await fs.addBytes(BYTES)
  })

  const names = async (directory: CID): Promise<string[]> =>
    (await Array.fromAsync(fs.ls(directory))).map(({ name }) => name).toSorted()

  /** A sharded directory of files. */
  const addSharded = async (names: readonly string[], shardFanoutBits?: number): Promise<CID> => {
    const source = names.map(path => ({ path, content: BYTES }))
    const options = { ...SHARDED, wrapWithDirectory: true, ...shardFanoutBits == null ? {} : { shardFanoutBits } }

    return (await Array.fromAsync(fs.addAll(source, options))).at(-1)?.cid as CID
  }

  it('keeps one of two entries with the same name when it shards their directory', async () => {
    const link = { Name: 'twice', Hash: file, Tsize: 1 }
    const block = dagPb.encode({ Data: new UnixFS({ type: 'directory' }).marshal(), Links: [link, link] })
    const directory = CID.createV1(dagPb.code, await sha256.digest(block))
    await blockstore.put(directory, block)
    expect(await names(directory)).toEqual(['twice', 'twice'])

    const changed = await fs.cp(file, directory, 'other', SHARDED)

    expect(await names(changed), mended('@helia/unixfs', OURS)).toEqual(['other', 'twice'])
  })

  it('renames the entries of a directory that has 1,024 places in a shard', async () => {
    const directory = await addSharded(['a', 'b'], 10)

    const changed = await fs.cp(file, directory, 'c', SHARDED)

    // each has a digit of its place before it
    expect(await names(changed), mended('@helia/unixfs', OURS)).not.toEqual(expect.arrayContaining(['a', 'b']))
  })

  it('adds an entry that exists, after a removal has moved the shard that it is in', async () => {
    // the hashes of all three begin with the same 8 bits, those of the last two with the same 16
    const directory = await addSharded(['263', '252', '162'])
    const moved = await fs.rm(directory, '263', SHARDED)

    const changed = await fs.cp(file, moved, '252', SHARDED)

    expect(await names(changed), mended('@helia/unixfs', 'the list of misplaced names in packages/core/src/directory'))
      .toEqual(['162', '252', '252'])
  })

  it('goes on with an add whose signal is aborted', async () => {
    const added = fs.addBytes(BYTES, { signal: AbortSignal.abort() })

    expect(await added, mended('@helia/unixfs', 'raceSignal in packages/core/src/commands/add.ts')).toEqual(file)
  })
})
