/** Packs, read by tools that know nothing of IPFSz. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unixfs } from '@helia/unixfs'
import { PackedBlockstore } from '@ipfsz/blockstore-packed'
import { PackStorage } from '@ipfsz/shared-store/packs'
import { createHelia } from 'helia'
import { expect, it } from 'vitest'
import { longText } from '../support/data.ts'
import { useKubo } from '../support/kubo.ts'
import { MemoryObjects } from '../support/memory-objects.ts'
import { run } from '../support/tools.ts'

const kubo = useKubo()

it('zstd and ipfs dag import read packs, so that Kubo has the files that Helia added', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-packs-'))

  try {
    const blockstore = new PackedBlockstore(directory, { packSize: 100_000 })
    await blockstore.open()
    const fs = unixfs(createHelia({ blockstore }))
    const content = Buffer.concat([longText(2_000_000), randomBytes(600_000), longText(500_000, 2)])
    const cid = await fs.addBytes(content)
    await blockstore.close()
    const packs = await readdir(join(directory, 'packs'))

    for (const name of packs) {
      const car = await run('zstd', ['-dcq', join(directory, 'packs', name)])
      await kubo.ipfs(['dag', 'import', '--pin-roots=false'], car)
    }

    expect(Buffer.compare(await kubo.ipfs(['cat', String(cid)]), content)).toBe(0)
  } finally {
    await rm(directory, { recursive: true })
  }
})

it('they read those of a store, which say what their blocks link to', async () => {
  const objects = new MemoryObjects()
  const storage = new PackStorage({ objects })
  const fs = unixfs(createHelia({ blockstore: storage }))
  const content = Buffer.concat([longText(2_000_000, 3), randomBytes(600_000)])
  const cid = await fs.addBytes(content)
  await storage.sync()
  const [{ bytes }] = objects.objects.values()
  await kubo.ipfs(['dag', 'import', '--pin-roots=false'], await run('zstd', ['-dcq'], Buffer.from(bytes)))

  expect(Buffer.compare(await kubo.ipfs(['cat', String(cid)]), content)).toBe(0)
})
