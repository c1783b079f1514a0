import { existsSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { expectFailure, expectSuccess, it, parseLines } from '../integration/run-cli.ts'
import { longText, noise, text, textPieces } from '../support/data.ts'
import { startKubo } from '../support/network-kubo.ts'
import { run } from '../support/tools.ts'
import { startKuboStore } from './kubo-store-node.ts'
import type { Sandbox } from '../integration/run-cli.ts'
import type { KuboStore } from './kubo-store-node.ts'

const MIB = 1024 * 1024

/** Enough entries, with long names, for a sharded directory. */
const MANY = 1100
const LONG_NAME = 'a long name, so that the directory is sharded '.repeat(5)

let kubo: KuboStore

beforeAll(async () => {
  // fail with how to install zstd or Kubo if it is missing
  await run('zstd', ['--version'])
  kubo = await startKuboStore()
})
afterAll(async () => { await kubo.stop() })

/** Add to Kubo, and return both CIDs of the last entry. */
async function add (sandbox: Sandbox, ...args: string[]): Promise<{ marked: string, plain: string }> {
  const result = await sandbox.run(['add', '--json', '--kubo', kubo.url, ...args])
  expectSuccess(result)
  const { cid, plainCid } = parseLines(result.stdout).at(-1) as { cid: string, plainCid: string }

  return { marked: cid, plain: plainCid }
}

/** What `ipfs pin ls` prints for a root, with the name of the pin. */
async function pinned (cid: string): Promise<string> {
  return (await kubo.ipfs(['pin', 'ls', '--type=recursive', '--names', cid])).toString().trim()
}

async function makeTree (sandbox: Sandbox): Promise<string> {
  const tree = join(sandbox.directory, 'tree')

  await mkdir(join(tree, 'sub', 'empty directory'), { recursive: true })
  await mkdir(join(tree, 'many'))
  await writeFile(join(tree, 'a.txt'), longText(3_000_000))
  await writeFile(join(tree, 'sub', 'b.bin'), noise(1_500_000))
  await writeFile(join(tree, 'empty'), '')
  await symlink('sub/b.bin', join(tree, 'link'))
  await Promise.all(
    Array.from({ length: MANY }, async (_, i) => writeFile(join(tree, 'many', `${LONG_NAME}${i}`), `file ${i}`))
  )

  return tree
}

/** Text of `size` MiB. Calls `act` when `at` MiB were read. */
async function * textUntil (size: number, at: number, act: () => Promise<unknown>): AsyncGenerator<Uint8Array> {
  const pieces = textPieces(size)

  for (let i = 0; i < size; i++) {
    if (i === at) {
      await act()
    }

    yield pieces.next().value as Uint8Array
  }
}

describe('ipfsz add --kubo', () => {
  it.for(
    ['url', 'multiaddr'] as const
  )('stores and pins a file in the Kubo at a %s, from which zstd decompresses it', async (kind, { sandbox }) => {
    const bytes = longText(9_000_000, kind.length)
    const path = await sandbox.write(`${kind}.txt`, bytes)
    const result = await sandbox.run(['add', '-Q', '--kubo', kubo[kind], path])
    expectSuccess(result)
    const plain = (await sandbox.run(['cid', 'plain', result.stdout.toString().trim()])).stdout.toString().trim()

    // nothing is stored here, and the CID is the same as of a local add
    expect(existsSync(sandbox.repo)).toBe(false)
    expect((await sandbox.run(['add', '-Q', path])).stdout.toString()).toBe(result.stdout.toString())
    const { blocks } = parseLines((await sandbox.run(['stat', '--json', plain])).stdout)[0]

    expect(await pinned(plain)).toBe(`${plain} recursive ${kind}.txt`)
    await kubo.ipfs(['repo', 'gc'])
    expect((await kubo.ipfs(['repo', 'verify'])).toString()).toContain('all blocks validated')
    expect((await kubo.ipfs(['refs', '--recursive', plain])).toString().trim().split('\n'))
      .toHaveLength(Number(blocks) - 1)

    const read = await sandbox.shell(`IPFS_PATH=${kubo.directory} ipfs cat ${plain} | zstd -dc`)
    expectSuccess(read)
    expect(read.stdout.equals(bytes)).toBe(true)
  })

  it('stores a tree with an empty file, a symlink and a sharded directory, which ipfs get writes to disk', {
    tags: 'nightly'
  }, async ({
    sandbox
  }) => {
    const tree = await makeTree(sandbox)
    const { plain } = await add(sandbox, tree)

    expect(await pinned(plain)).toBe(`${plain} recursive tree`)
    await kubo.ipfs(['repo', 'gc'])
    await kubo.ipfs(['get', plain, '-o', join(sandbox.directory, 'out')])

    // a.txt is compressed, everything else is unchanged
    expectSuccess(
      await sandbox.shell('mv out/a.txt a.zst && zstd -dc a.zst > out/a.txt && diff -r --no-dereference tree out')
    )
    expect((await kubo.ipfs(['ls', '--size=false', `${plain}/many`])).toString().trim().split('\n')).toHaveLength(MANY)
    const many = JSON.parse((await kubo.ipfs(['dag', 'get', `${plain}/many`])).toString()) as { Links: unknown[] }
    expect(many.Links.length).toBeLessThanOrEqual(256)
  })

  it('stores an empty file, and the target of a symlink', async ({ sandbox }) => {
    const target = await sandbox.write('target', text(100_000))
    await symlink(target, join(sandbox.directory, 'link'))

    const empty = await add(sandbox, await sandbox.write('empty', new Uint8Array(0)))
    expect((await kubo.ipfs(['cat', empty.plain])).byteLength).toBe(0)
    expect(await add(sandbox, join(sandbox.directory, 'link'))).toEqual(await add(sandbox, target))
  })

  it('adds a path that can be read if another one does not exist', async ({ sandbox }) => {
    const path = await sandbox.write('there', text(100_000))
    const result = await sandbox.run(['add', '--json', '--kubo', kubo.url, path, 'not-there'])

    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('not-there: no such file') })
    const [{ plainCid }] = parseLines(result.stdout)
    expect(await pinned(String(plainCid))).toContain('recursive there')
  })

  it('leaves a file to the garbage collection of Kubo with --no-pin', async ({ sandbox }) => {
    const { plain } = await add(sandbox, '--no-pin', await sandbox.write('file', text(150_000, 99)))

    expect((await kubo.ipfs(['cat', plain])).byteLength).toBeGreaterThan(0)
    await kubo.ipfs(['repo', 'gc'])
    await expect(kubo.ipfs(['cat', plain])).rejects.toThrow('ended with 1')
  })

  it('gives the same CIDs whatever the import settings of Kubo', async ({ sandbox }) => {
    const other = await startKuboStore({ Import: { CidVersion: 0, HashFunction: 'blake3', RawLeaves: false } })

    try {
      const path = await sandbox.write('file', longText(2_000_000))
      const result = await sandbox.run(['add', '-Q', '--kubo', other.url, path])

      expectSuccess(result)
      expect(result.stdout.toString().trim()).toBe((await add(sandbox, path)).marked)
    } finally {
      await other.stop()
    }
  })
})

describe('ipfsz add --kubo with a Kubo that is online', () => {
  it('stores a file and a tree that ipfsz reads from it by their marked CIDs', {
    tags: 'nightly'
  }, async ({ sandbox }) => {
    const online = await startKubo()
    const env = { IPFSZ_BOOTSTRAP: online.address }

    try {
      const tree = await makeTree(sandbox)
      const bytes = longText(20_000_000)
      const paths = [await sandbox.write('file', bytes), tree]
      const [file, root] = await Promise.all(paths.map(async path => {
        const result = await sandbox.run(['add', '-Q', '--kubo', `http://127.0.0.1:${online.apiPort}`, path])
        expectSuccess(result)

        return result.stdout.toString().trim()
      }))

      expect((await sandbox.run(['cat', file], { env })).stdout.equals(bytes)).toBe(true)
      expectSuccess(await sandbox.run(['get', root, '-o', join(sandbox.directory, 'out')], { env }))
      expectSuccess(await sandbox.shell('diff -r --no-dereference tree out'))
    } finally {
      await online.stop()
    }
  })
})

describe('ipfsz add --kubo without a usable Kubo', () => {
  it('refuses an address at which nothing listens', async ({ sandbox }) => {
    const path = await sandbox.write('file', text(1000))
    const other = await startKuboStore()
    await other.stop()
    const result = await sandbox.run(['add', '--kubo', other.url, path])

    expectFailure(result, 1)
    expect(result.stderr).toContain('does not answer')
  })

  it('refuses a server that is no RPC API, such as the gateway of the same Kubo', async ({ sandbox }) => {
    const result = await sandbox.run(['add', '--kubo', kubo.gateway, await sandbox.write('file', text(1000))])

    expectFailure(result, 1)
    expect(result.stderr).toContain('does not behave like Kubo\'s RPC API')
  })

  it('refuses a Kubo that wants credentials, until it gets those of a user who may call what an add needs', async ({
    sandbox
  }) => {
    const AllowedPaths = ['block/put', 'block/get', 'block/stat', 'pin/add'].map(command => `/api/v0/${command}`)
    const closed = await startKuboStore({
      'API.Authorizations': { someone: { AuthSecret: 'basic:some one:p@ss%word', AllowedPaths } }
    })
    const path = await sandbox.write('file', text(100_000))
    const withCredentials = closed.url.replace('//', '//some%20one:p%40ss%25word@')

    try {
      const refused = await sandbox.run(['add', '--kubo', closed.url, path])
      expectFailure(refused, 1)
      expect(refused.stderr).toContain('refuses the request (HTTP status 403)')

      expectSuccess(await sandbox.run(['add', '--kubo', withCredentials, path]))
      expectFailure(await sandbox.run(['add', '--kubo', withCredentials.replace('word', ''), path]), 1)
    } finally {
      await closed.stop()
    }
  })

  it('prints no CID if Kubo was killed during an add, and adds the file when Kubo is back', {
    tags: 'nightly'
  }, async ({
    sandbox
  }) => {
    const mortal = await startKuboStore()

    try {
      const result = await sandbox.run(['add', '--kubo', mortal.url, '-'], { stdin: textUntil(64, 24, mortal.kill) })

      expectFailure(result, 1)
      expect(result.stderr).toContain('does not answer')

      await mortal.restart()
      expect((await mortal.ipfs(['pin', 'ls', '--type=recursive', '--names'])).toString().trim().split('\n'))
        .toHaveLength(1)

      const again = await sandbox.run(['add', '-Q', '--kubo', mortal.url, '-'], {
        stdin: textUntil(64, 24, async () => {})
      })
      expectSuccess(again)
      const whole = await sandbox.shell(
        `IPFS_PATH=${mortal.directory} ipfs cat $(ipfsz cid plain ${again.stdout.toString().trim()}) | zstd -dc | wc -c`
      )
      expect(Number(whole.stdout.toString())).toBe(64 * MIB)
      expect((await mortal.ipfs(['repo', 'verify'])).toString()).toContain('all blocks validated')
    } finally {
      await mortal.stop()
    }
  })

  it('prints no CID if Kubo has collected the first blocks of a file during the add', async ({ sandbox }) => {
    const busy = await startKuboStore()

    try {
      const result = await sandbox.run(['add', '--kubo', busy.url, '-'], {
        stdin: textUntil(64, 48, async () => busy.ipfs(['repo', 'gc']))
      })

      expectFailure(result, 1)
      expect(result.stderr).toContain('Kubo says')
    } finally {
      await busy.stop()
    }
  })
})
