import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { ipfsz } from '../src/index.ts'

const LONG = 'n'.repeat(1024 * 1024)
const EMPTY = CID.parse('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')

/** A block of a directory, whatever it holds. */
async function directory (
  names: readonly string[],
  type: 'directory' | 'hamt-sharded-directory' = 'directory'
): Promise<{ fs: ReturnType<typeof ipfsz>, cid: CID }> {
  const blockstore = new MemoryBlockstore()
  const block = dagPb.encode({
    Data: new UnixFS({ type, ...type === 'directory' ? {} : { fanout: 256n, hashType: 0x22n } }).marshal(),
    Links: names.map(Name => ({ Name, Hash: EMPTY, Tsize: 0 }))
  })
  const cid = CID.createV1(dagPb.code, await sha256.digest(block))
  await blockstore.put(cid, block)

  return { fs: ipfsz({ blockstore }), cid }
}

describe('the message of an error', () => {
  it.each([
    ['twice', [LONG, LONG], 'directory', 'InvalidDagError'],
    ['with a slash', [`${LONG}/a`], 'directory', 'InvalidDagError'],
    ['as a label', [LONG], 'hamt-sharded-directory', 'InvalidDagError']
  ] as const)('does not repeat a name of a megabyte that is there %s', async (_, names, type, name) => {
    const { fs, cid } = await directory(names, type)
    const err: unknown = await Array.fromAsync(fs.ls(cid)).catch((err: unknown) => err)

    expect(err).toMatchObject({ name })
    expect((err as Error).message.length).toBeLessThan(1000)
  })

  it.each([
    ['missing', LONG],
    ['below a file', `a/${LONG}`]
  ])('does not repeat a path of a megabyte that is %s', async (_, path) => {
    const { fs, cid } = await directory(['a'])
    const err: unknown = await fs.stat(cid, { path }).catch((err: unknown) => err)

    expect((err as Error).name).toMatch(/^(DoesNotExistError|NoLinkError|NotADirectoryError|NotFoundError)$/)
    expect((err as Error).message.length).toBeLessThan(1000)
  })
})
