import { createCipheriv, createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ContentCid } from '../src/content-cid/content-cid.ts'
import { UNIXFS_V0_2015, UNIXFS_V1_2025 } from '../src/content-cid/content-layouts.ts'

/** The bytes of Kubo's own tests: `DeterministicRandomReaderBytes` of test/cli/testutils. */
function kuboBytes (size: number, seed: string): Uint8Array {
  return createCipheriv(
    'chacha20',
    createHash('sha256').update(seed).digest(),
    new Uint8Array(16)
  ).update(new Uint8Array(size))
}

// from Kubo's test/cli/cid_profiles_test.go: from one leaf to a second level of nodes
const PROFILES = [
  [UNIXFS_V0_2015, 'chunk-v0-seed', 262_144, 'QmWmRj3dFDZdb6ABvbmKhEL6TmPbAfBZ1t5BxsEyJrcZhE'],
  [UNIXFS_V0_2015, 'chunk-v0-seed', 262_145, 'QmYyLxtzZyW22zpoVAtKANLRHpDjZtNeDjQdJrcQNWoRkJ'],
  [UNIXFS_V0_2015, 'v0-seed', 174 * 262_144, 'QmUbBALi174SnogsUzLpYbD4xPiBSFANF4iztWCsHbMKh2'],
  [UNIXFS_V0_2015, 'v0-seed', 174 * 262_144 + 1, 'QmV81WL765sC8DXsRhE5fJv2rwhS4icHRaf3J9Zk5FdRnW'],
  [UNIXFS_V1_2025, 'chunk-v1-seed', 1_048_576, 'bafkreiacndfy443ter6qr2tmbbdhadvxxheowwf75s6zehscklu6ezxmta'],
  [UNIXFS_V1_2025, 'chunk-v1-seed', 1_048_577, 'bafybeigmix7t42i6jacydtquhet7srwvgpizfg7gjbq7627d35mjomtu64']
] as const

describe('a content CID', () => {
  const cases = PROFILES.map(([layout, seed, size, cid]) => [layout.name, size, layout, seed, cid] as const)

  it.each(cases)('with the layout %s is the CID that Kubo gives %d bytes', {
    tags: 'slow'
  }, async (_, size, layout, seed, cid) => {
    const content = new ContentCid({}, [layout])
    await content.update(kuboBytes(size, seed))

    expect((await content.digest()).toString()).toBe(cid)
  })

  it('of no bytes with the layout unixfs-v0-2015 is the CID of Kubo\'s empty file', async () => {
    expect(
      (await new ContentCid({}, [UNIXFS_V0_2015]).digest()).toString()
    ).toBe('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH')
  })
})
