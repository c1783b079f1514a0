import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { directoryBackend } from '../src/places/directory-backend.ts'
import { joinBackend } from '../src/shared-store.ts'
import { writeMark } from '../src/places/store-mark.ts'

const ID = '01234567-89ab-cdef-0123-456789abcdef'

async function temporaryDirectory (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-join-'))
  onTestFinished(async () => { await rm(directory, { recursive: true, force: true }) })

  return directory
}

it('joins a store that another node makes between the looks for a mark and for other files', async () => {
  const backend = directoryBackend(await temporaryDirectory())

  await expect(joinBackend({
    ...backend,
    async isEmpty () {
      await writeMark(backend.unmarked, { id: ID, compression: { codec: 'zstd' }, leaseTimeout: 30_000 })

      return backend.isEmpty()
    }
  })).resolves.toMatchObject({ reference: { id: ID }, isNew: false })
})

it('refuses a place that has files and no mark', async () => {
  const directory = await temporaryDirectory()
  await writeFile(join(directory, 'photo.jpg'), '')

  await expect(joinBackend(directoryBackend(directory))).rejects.toMatchObject({ name: 'StoreError' })
})
