import { mkdtemp, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertStore, joinStore } from '@ipfsz/shared-store'
import { readReference, writeReference } from '@ipfsz/shared-store/reference'
import { expect, it } from 'vitest'
import { openRepo } from '../src/repo/repo.ts'
import { withSession } from '../src/repo/with-session.ts'

it('refuses to add to a store that was converted since it was opened', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-with-session-'))
  const [store, path] = [join(directory, 'store'), join(directory, 'repo')]
  const { signal } = new AbortController()

  try {
    await mkdir(store)
    await mkdir(path)
    const { reference } = await joinStore(store)
    await writeReference(path, reference)
    expect(await readReference(path)).toEqual(reference)
    const repo = await openRepo(path)
    const adding = await withSession(repo, { signal })
    await adding.session?.end()
    await convertStore(reference, async () => {
      await expect(openRepo(path)).rejects.toMatchObject({ name: 'StoreError', problem: 'converting' })
      await expect(withSession(repo, { signal })).rejects.toMatchObject({ name: 'StoreError', problem: 'converted' })
    }, { signal })

    await expect(withSession(repo, { signal })).rejects.toMatchObject({ name: 'StoreError', problem: 'converted' })
    const after = await withSession(await openRepo(path), { signal })
    await after.session?.end()
    expect(after.shared?.layout).toBe('packs')
  } finally {
    await rm(directory, { recursive: true })
  }
})
