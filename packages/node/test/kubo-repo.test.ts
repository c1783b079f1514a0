import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'cborg'
import { LevelDatastore } from 'datastore-level'
import { Key } from 'interface-datastore/key'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FlatfsNames } from '../src/kubo/flatfs-names.ts'
import { openKuboSource } from '../src/kubo/kubo.ts'
import { holdFile } from '../src/locks/kernel-lock.ts'

const { signal } = new AbortController()
const SPEC = {
  mounts: [
    { mountpoint: '/blocks', path: 'blocks', shardFunc: '/repo/flatfs/shard/v1/next-to-last/2', type: 'flatfs' },
    { mountpoint: '/', path: 'datastore', type: 'levelds' }
  ],
  type: 'mount'
}

async function cidOf (text: string): Promise<CID> {
  return CID.createV1(raw.code, await sha256.digest(Buffer.from(text)))
}

/** A repo with blocks and records of pins, as Kubo writes them. */
async function makeRepo (
  records: Record<string, unknown>,
  { version = '18', spec = SPEC as unknown } = {}
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-test-'))
  onTestFinished(async () => rm(directory, { recursive: true }))
  const level = new LevelDatastore(join(directory, 'datastore'))
  await level.open()

  for (const [id, record] of Object.entries(records)) {
    await level.put(new Key(`/pins/pin/${id}`), encode(record))
  }

  await level.put(new Key('/pins/state/dirty'), Uint8Array.of(0))
  await level.close()
  await writeFile(join(directory, 'version'), version)
  await writeFile(join(directory, 'datastore_spec'), JSON.stringify(spec))
  const { dir, file } = new FlatfsNames().encode(await cidOf('hello'))
  await mkdir(join(directory, 'blocks', dir), { recursive: true })
  await writeFile(join(directory, 'blocks', dir, file), 'hello')

  return directory
}

describe('the repo of a Kubo that does not run', () => {
  it('yields its recursive pins with their names, and its blocks, and stays as it is', async () => {
    const [cid, direct] = [await cidOf('hello'), await cidOf('other')]
    const repo = await makeRepo({
      a: { cid: cid.bytes, mode: 0, name: 'greeting' },
      b: { cid: direct.bytes, mode: 1 },
      c: { cid: cid.bytes, mode: 0, metadata: {} }
    })
    const files = (await readdir(repo, { recursive: true })).toSorted()
    const source = await openKuboSource(repo, signal)
    const pins = await Array.fromAsync(source.pins(signal))

    expect(pins.map(({ cid, name }) => [cid.toString(), name])).toEqual([
      [cid.toString(), 'greeting'], [cid.toString(), undefined]
    ])
    expect(Buffer.concat(await Array.fromAsync(source.blockstore.get(cid) as AsyncIterable<Uint8Array>)).toString())
      .toBe('hello')
    expect([await source.blockstore.has(cid), await source.blockstore.has(direct)]).toEqual([true, false])
    await source.close()
    expect((await readdir(repo, { recursive: true })).toSorted()).toEqual(files)
  })

  it('names its files as Kubo does', () => {
    const cid = CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
    const names = new FlatfsNames()

    expect(names.encode(cid))
      .toEqual({ dir: 'X3', file: 'CIQFTFEEHEDF6KLBT32BFAGLXEZL4UWFNWM4LFTLMXQBCERZ6CMLX3Y.data' })
    expect(names.decode('X3/CIQFTFEEHEDF6KLBT32BFAGLXEZL4UWFNWM4LFTLMXQBCERZ6CMLX3Y.data').multihash)
      .toEqual(cid.multihash)
  })

  it.runIf(process.platform !== 'win32')('cannot lead LevelDB to files that it does not have', async () => {
    const cid = await cidOf('hello')
    const repo = await makeRepo({ a: { cid: cid.bytes, mode: 0 } })
    const [datastore, own] = [join(repo, 'datastore'), join(repo, 'own')]
    const used = new Set(await readdir(datastore))
    await writeFile(own, 'mine')

    // LevelDB writes the next of these when it opens a database
    for (let number = 1; number <= 20; number++) {
      const digits = `${number}`.padStart(6, '0')

      for (const name of [`${digits}.dbtmp`, `${digits}.log`, `MANIFEST-${digits}`].filter(name => !used.has(name))) {
        await symlink(own, join(datastore, name))
      }
    }

    const source = await openKuboSource(repo, signal)

    expect(await Array.fromAsync(source.pins(signal))).toHaveLength(1)
    await source.close()
    expect(await readFile(own, 'utf8')).toBe('mine')
  })

  it.runIf(process.platform !== 'win32')('is not waited for if a block is a pipe, or without end', async () => {
    const cid = await cidOf('hello')
    const repo = await makeRepo({})
    const { dir, file } = new FlatfsNames().encode(cid)
    const path = join(repo, 'blocks', dir, file)
    const source = await openKuboSource(repo, signal)
    const read = async (): Promise<unknown> =>
      Array.fromAsync(source.blockstore.get(cid) as AsyncIterable<Uint8Array>)

    await truncate(path, 2 ** 40)
    await expect(read()).rejects.toMatchObject({ name: 'RepoError' })
    await rm(path)
    await expect(read()).rejects.toMatchObject({ name: 'NotFoundError' })

    for (const make of [async () => symlink('/dev/zero', path), async () => execFileSync('mkfifo', [path])]) {
      await make()
      await expect(read()).rejects.toMatchObject({ name: 'RepoError' })
      await rm(path)
    }

    await source.close()
    await rm(join(repo, 'version'))
    execFileSync('mkfifo', [join(repo, 'version')])
    await expect(openKuboSource(repo, signal)).rejects.toMatchObject({ name: 'RepoError' })
  })

  it.runIf(process.platform !== 'win32').each<[string, (lock: string, elsewhere: string) => Promise<unknown>]>([
    ['a symlink to nowhere', async (lock, elsewhere) => symlink(elsewhere, lock)],
    ['a pipe', async lock => execFileSync('mkfifo', [lock])]
  ])('is refused if its lock is %s, and nothing is made elsewhere', async (_, make) => {
    const repo = await makeRepo({})
    await rm(join(repo, 'repo.lock'), { force: true })
    await make(join(repo, 'repo.lock'), join(repo, 'elsewhere'))

    await expect(openKuboSource(repo, signal)).rejects.toMatchObject({ name: 'RepoError' })
    await expect(readFile(join(repo, 'elsewhere'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('is refused at once if its database claims to be larger than the disk', async () => {
    const repo = await makeRepo({})
    const file = join(repo, 'datastore/999999.ldb')
    await writeFile(file, '')
    await truncate(file, 2 ** 43)
    const source = await openKuboSource(repo, signal)

    await expect(Array.fromAsync(source.pins(signal))).rejects.toMatchObject({ name: 'RepoError' })
    await source.close()
  })

  it('is refused while a process holds it', async () => {
    const repo = await makeRepo({})
    const release = holdFile(join(repo, 'repo.lock'))

    try {
      await expect(openKuboSource(repo, signal)).rejects.toMatchObject({ name: 'UsageError' })
    } finally {
      release?.()
    }

    // a Kubo that was killed leaves both behind
    await writeFile(join(repo, 'api'), '/ip4/127.0.0.1/tcp/1')
    await (await openKuboSource(repo, signal)).close()
  })

  it.each<[string, unknown]>([
    ['a number', 5],
    ['no CID', { mode: 0 }],
    ['a CID that is none', { cid: Uint8Array.of(1, 2, 3), mode: 0 }],
    ['no mode', { cid: new Uint8Array(36) }]
  ])('is refused if the record of a pin has %s', async (_, record) => {
    const source = await openKuboSource(await makeRepo({ a: record }), signal)

    await expect(Array.fromAsync(source.pins(signal))).rejects.toMatchObject({ name: 'RepoError' })
    await source.close()
  })

  it.each<[string, Parameters<typeof makeRepo>[1]]>([
    ['is older than the names of its files', { version: '11' }],
    ['has another database', { spec: { mounts: [SPEC.mounts[0], { ...SPEC.mounts[1], type: 'pebbleds' }] } }],
    ['has no blocks', { spec: { mounts: [SPEC.mounts[1]] } }],
    ['is spread over other directories', { spec: { mounts: [SPEC.mounts[0], { ...SPEC.mounts[1], path: '../x' }] } }],
    ['has its database among its own files', { spec: { mounts: [SPEC.mounts[0], { ...SPEC.mounts[1], path: '.' }] } }],
    ['says nothing that is known', { spec: { mounts: [null, 5] } }]
  ])('is refused if it %s', async (_, init) => {
    await expect(openKuboSource(await makeRepo({}, init), signal)).rejects.toMatchObject({ name: 'UsageError' })
  })

  it('is refused if it is another directory', async () => {
    await expect(openKuboSource(tmpdir(), signal)).rejects.toMatchObject({ name: 'RepoError' })
  })
})
