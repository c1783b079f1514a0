import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { RepoBlockstore } from '../src/repo-blockstore.ts'
import { PlainRepoBlockstore } from '../src/repo-plain-blockstore.ts'

/** A store of its own, in a directory that `removeStore` removes. */
export async function makeStore (): Promise<RepoBlockstore> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-store-'))
  await mkdir(join(directory, 'tmp'))

  const store = new RepoBlockstore(join(directory, 'blocks'), join(directory, 'tmp'))
  await store.open()

  return store
}

/** The same as a repo has it that compresses nothing. */
export async function makePlainStore (): Promise<PlainRepoBlockstore> {
  const disk = await makeStore()

  return new PlainRepoBlockstore(disk.path, join(dirname(disk.path), 'tmp'), disk)
}

export async function removeStore (store: RepoBlockstore): Promise<void> {
  await store.close()
  await rm(dirname(store.path), { recursive: true })
}
