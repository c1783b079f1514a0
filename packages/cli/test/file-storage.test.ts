import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { directoryBackend } from '../src/store/directory-backend.ts'
import { makeBlock } from './nodes.ts'
import type { StoredBlock } from '../src/store/block-storage.ts'

async function temporaryDirectory (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-storage-'))
  onTestFinished(async () => { await rm(directory, { recursive: true, force: true }) })

  return directory
}

it('deletes no more blocks of a store once the signal has aborted', async () => {
  const directory = await temporaryDirectory()
  const { cid: { multihash } } = await makeBlock(1, 10)
  const blocks: StoredBlock[] = Array.from({ length: 64 }, (_, i) => ({ multihash, path: join(directory, String(i)) }))
  await Promise.all(blocks.map(async ({ path }) => writeFile(path, '')))
  const controller = new AbortController()

  const removing = directoryBackend(directory).storage({ sync: false }).remove(blocks, { signal: controller.signal })
  controller.abort(new Error('too late'))

  await expect(removing).rejects.toThrow('too late')
  expect((await readdir(directory)).length).toBeGreaterThanOrEqual(60)
})
