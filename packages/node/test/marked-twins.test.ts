import { mark, TREE_CODE } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { MarkedTwins } from '../src/dag/marked-twins.ts'
import type { DirectoryEntry, Ipfsz } from '@ipfsz/core'

const DAG_PB = 0x70

async function cidOf (name: string, code = DAG_PB): Promise<CID> {
  return CID.createV1(code, await sha256.digest(new TextEncoder().encode(name)))
}

/** A fake tree: the entries of each directory, by name. Counts how often each is listed. */
async function fakeFiles (
  tree: Record<string, string[]>
): Promise<{ files: Pick<Ipfsz, 'ls' | 'stat'>, listed: string[] }> {
  const names = new Map<string, string>()
  const listed: string[] = []

  for (const name of [...Object.keys(tree), ...Object.values(tree).flat()]) {
    names.set((await cidOf(name)).toString(), name)
  }

  const entryOf = async (name: string): Promise<DirectoryEntry> => {
    const plainCid = await cidOf(name)

    return {
      name,
      plainCid,
      type: name in tree ? 'directory' : 'file',
      ...name.startsWith('compressed') ? { markedCid: plainCid } : {}
    } as unknown as DirectoryEntry
  }

  return {
    listed,
    files: {
      stat: async (cid: CID) => entryOf(names.get(cid.toString()) ?? ''),
      async * ls (cid: CID) {
        const name = names.get(cid.toString()) ?? ''
        listed.push(name)

        for (const child of tree[name]) {
          yield entryOf(child)
        }
      }
    } as unknown as Pick<Ipfsz, 'ls' | 'stat'>
  }
}

describe('marked twins', () => {
  it('of directories that share a tree list it once, whether or not it has compressed files', async () => {
    const roots = ['a', 'b', 'c']
    const { files, listed } = await fakeFiles({
      ...Object.fromEntries(roots.map(root => [`plain-${root}`, ['shared']])),
      ...Object.fromEntries(roots.map(root => [`tree-${root}`, ['shared', 'deep']])),
      shared: ['below', 'below', 'file'],
      below: ['file'],
      deep: ['shared', 'deeper'],
      deeper: ['compressed']
    })
    const twins = new MarkedTwins(files, new AbortController().signal)

    for (const root of roots) {
      await expect(twins.of(await cidOf(`plain-${root}`))).resolves.toBeUndefined()
      await expect(twins.of(await cidOf(`tree-${root}`))).resolves.toEqual(mark(await cidOf(`tree-${root}`), TREE_CODE))
    }

    expect(listed.toSorted()).toEqual(
      ['below', 'deep', 'deeper', 'shared', ...roots.flatMap(root => [`plain-${root}`, `tree-${root}`])].toSorted()
    )
  })

  it('of a file are those of the file', async () => {
    const { files } = await fakeFiles({ root: ['compressed', 'file'] })
    const twins = new MarkedTwins(files, new AbortController().signal)

    await expect(twins.of(await cidOf('compressed'))).resolves.toEqual(await cidOf('compressed'))
    await expect(twins.of(await cidOf('file'))).resolves.toBeUndefined()
    await expect(twins.of(await cidOf('file', raw.code))).resolves.toBeUndefined()
  })
})
