/** Many records that are put at once. */
import fs, { mkdtemp, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Key } from 'interface-datastore'
import { describe, expect, it as base, onTestFinished } from 'vitest'
import { MODES, PowerCut } from '../../../test/support/power-cut.ts'
import { RepoDatastore } from '../src/repo/repo-datastore.ts'
import type { Pair } from 'interface-datastore'

const it = base.extend<{ datastore: RepoDatastore }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  datastore: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-datastore-'))
    const datastore = new RepoDatastore(join(directory, 'data'), { sync: true })
    await datastore.open()
    await use(datastore)
    await rm(directory, { recursive: true })
  }
})

const records: Pair[] = Array.from(
  { length: 100 },
  (_, i) => ({ key: new Key(`/${i % 2 === 0 ? 'pin' : 'count'}/${i}`), value: Buffer.from(`${i}`) })
)

/** Collect the directories that are opened to be synced, from now on. */
function watchDirectories (): string[] {
  const { open } = fs
  const opened: string[] = []

  fs.open = async (path, flags, mode) => {
    if (flags === 'r') {
      opened.push(String(path))
    }

    return open(path, flags, mode)
  }
  syncBuiltinESMExports()
  onTestFinished(() => {
    fs.open = open
    syncBuiltinESMExports()
  })

  return opened
}

describe('RepoDatastore.putEach', () => {
  it('stores records that survive a power cut, and syncs each directory once', async ({
    datastore
  }) => {
    const cut = new PowerCut(join(datastore.path, '..'))

    try {
      const opened = watchDirectories()
      expect(await datastore.putEach(records)).toEqual(records.map(() => undefined))
      expect(opened.toSorted()).toEqual([datastore.path, join(datastore.path, 'count'), join(datastore.path, 'pin')])
    } finally {
      cut.stop()
    }

    for (const mode of MODES) {
      const disk = cut.at(cut.length, mode)
      expect(records.map(({ key }) => String(disk.get(`data${key}.data`))))
        .toEqual(records.map(({ value }) => String(value)))
    }

    for (let moment = 0; moment < cut.length; moment += 10) {
      const files = [...cut.at(moment, 'named')].filter(([path]) => path.endsWith('.data'))
      expect(files.filter(([path, bytes]) => String(bytes) !== /\d+/.exec(path)?.[0])).toEqual([])
    }
  })

  it('returns an error for each record that cannot be written, and stores the others', async ({ datastore }) => {
    // a file in place of a directory
    await fs.writeFile(join(datastore.path, 'count'), '')

    const errors = await datastore.putEach(records)

    expect(errors.map(err => err?.name)).toEqual(records.map((_, i) => i % 2 === 0 ? undefined : 'PutFailedError'))
    expect(String(await datastore.get(records[98].key))).toBe('98')
  })

  it('returns an error for every record when a directory cannot be synced', async ({ datastore }) => {
    const { open } = fs
    fs.open = async (path, flags, mode) => flags === 'r'
      ? Promise.reject(Object.assign(new Error('the disk has gone'), { code: 'EIO' }))
      : open(path, flags, mode)
    syncBuiltinESMExports()
    onTestFinished(() => {
      fs.open = open
      syncBuiltinESMExports()
    })

    expect((await datastore.putEach(records)).map(err => err?.name)).toEqual(records.map(() => 'PutFailedError'))
  })
})
