import { randomBytes } from 'node:crypto'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { expectSuccess, it, parseLines } from '../integration/run-cli.ts'
import { longText, noise, text } from '../support/data.ts'
import { peakMemory } from '../support/network-clients.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { startKubo } from '../support/network-kubo.ts'
import type { RunResult, Sandbox } from '../integration/run-cli.ts'
import type { KuboNode } from '../support/network-kubo.ts'

/** How long peers and providers may take to be found, in milliseconds. */
const FOUND = { timeout: 60_000, interval: 200 }

/** Enough entries, with long names, for a sharded directory. */
const MANY = 1100
const LONG_NAME = 'a long name, so that the directory is sharded '.repeat(5)

let kubo: KuboNode

beforeAll(async () => { kubo = await startKubo() })
afterAll(async () => { await kubo.stop() })

/** Run the command in a repo of its own, with Kubo as the only bootstrap peer. */
async function run (sandbox: Sandbox, repo: string, ...args: string[]): Promise<RunResult> {
  const result = await sandbox.run([...args, '--repo', join(sandbox.directory, repo)], {
    env: { IPFSZ_BOOTSTRAP: kubo.address }
  })
  expect(result.code, result.stderr).toBe(0)

  return result
}

async function startNode (sandbox: Sandbox, repo: string): ReturnType<typeof startDaemon> {
  return startDaemon(sandbox, { repo: join(sandbox.directory, repo), bootstrap: [kubo.address] })
}

async function add (sandbox: Sandbox, repo: string, path: string, ...args: string[]): Promise<{
  marked: string
  plain: string
}> {
  const marked = (await run(sandbox, repo, 'add', '-Q', path, ...args)).stdout.toString().trim()

  return { marked, plain: (await run(sandbox, repo, 'cid', 'plain', marked)).stdout.toString().trim() }
}

async function providersOf (cid: string): Promise<string> {
  return (await kubo.ipfs(['routing', 'findprovs', cid])).toString()
}

async function makeMany (directory: string): Promise<void> {
  await mkdir(directory)
  await Promise.all(
    Array.from({ length: MANY }, async (_, i) => writeFile(join(directory, `${LONG_NAME}${i}`), `file ${i}`))
  )
}

/** A tree with all kinds of entries. */
async function makeTree (sandbox: Sandbox): Promise<string> {
  const tree = join(sandbox.directory, 'tree')

  await mkdir(join(tree, 'sub', 'empty directory'), { recursive: true })
  await writeFile(join(tree, 'a.txt'), longText(3_000_000))
  await writeFile(join(tree, 'sub', 'b.bin'), noise(1_500_000))
  await writeFile(join(tree, 'sub', 'small.txt'), 'a few words')
  await writeFile(join(tree, 'empty'), '')
  await symlink('sub/b.bin', join(tree, 'link'))

  return tree
}

describe('Kubo with files of an ipfsz daemon', () => {
  it('finds a file through the DHT, reads, pins, exports and serves it by its plain CID', async ({ sandbox }) => {
    const bytes = longText(9_000_000)
    const daemon = await startNode(sandbox, 'a')
    const { plain } = await add(sandbox, 'a', await sandbox.write('file', bytes))

    await vi.waitFor(async () => { expect(await providersOf(plain)).toContain(daemon.peerId) }, FOUND)

    const stored = await kubo.ipfs(['cat', plain])
    expect(Buffer.compare(zstdDecompressSync(stored), bytes)).toBe(0)

    await kubo.pin(plain)
    await daemon.stop()

    // Kubo has all blocks now
    expect((await kubo.ipfs(['pin', 'ls', '--type=recursive', '--quiet', plain])).toString().trim()).toBe(plain)
    expect((await kubo.ipfs(['--offline', 'cat', plain])).equals(stored)).toBe(true)
    expect((await kubo.ipfs(['--offline', 'dag', 'export', plain])).byteLength).toBeGreaterThan(stored.byteLength)

    // and its gateway serves the file
    const response = await fetch(`${kubo.gateway}/ipfs/${plain}`)
    expect(response.headers.get('content-type')).toBe('application/zstd')
    expect(Buffer.from(await response.arrayBuffer()).equals(stored)).toBe(true)

    const range = await fetch(`${kubo.gateway}/ipfs/${plain}`, { headers: { range: 'bytes=1000-1999' } })
    expect(range.status).toBe(206)
    expect(Buffer.from(await range.arrayBuffer()).equals(stored.subarray(1000, 2000))).toBe(true)
  })

  it('pins and lists a tree, which another ipfsz gets from it when the first is gone', {
    tags: 'nightly'
  }, async ({ sandbox }) => {
    const tree = await makeTree(sandbox)
    const daemon = await startNode(sandbox, 'a')
    const { marked, plain } = await add(sandbox, 'a', tree)

    await kubo.pin(plain)
    await daemon.stop()

    expect((await kubo.ipfs(['ls', '--size=false', plain])).toString().split('\n').map(line => line.split(/\s+/)[1]))
      .toEqual(expect.arrayContaining(['a.txt', 'empty', 'link', 'sub/']))
    expect((await kubo.ipfs(['cat', `${plain}/sub/small.txt`])).toString()).toBe('a few words')

    await run(sandbox, 'b', 'get', marked, '-o', join(sandbox.directory, 'out'))
    expectSuccess(await sandbox.shell(`diff -r --no-dereference ${tree} out`))
  })

  it('pins and lists a sharded directory, which another ipfsz lists and gets from it', {
    tags: 'nightly'
  }, async ({ sandbox }) => {
    const many = join(sandbox.directory, 'many')
    await makeMany(many)
    const daemon = await startNode(sandbox, 'a')
    const { marked, plain } = await add(sandbox, 'a', many)

    await kubo.pin(plain)
    await daemon.stop()
    const { stdout } = await run(sandbox, 'b', 'ls', '--json', marked)

    // sharded: the root has at most 256 links
    expect((JSON.parse((await kubo.ipfs(['dag', 'get', plain])).toString()) as { Links: unknown[] }).Links.length)
      .toBeLessThanOrEqual(256)
    expect((await kubo.ipfs(['ls', '--size=false', plain])).toString().trim().split('\n')).toHaveLength(MANY)
    expect(parseLines(stdout)).toHaveLength(MANY)
    await run(sandbox, 'b', 'get', marked, '-o', join(sandbox.directory, 'out'))
    expectSuccess(await sandbox.shell('diff -r many out'))
  })

  it('reads and pins an empty file', async ({ sandbox }) => {
    await startNode(sandbox, 'a')
    const { plain } = await add(sandbox, 'a', await sandbox.write('empty', new Uint8Array(0)))

    expect((await kubo.ipfs(['cat', plain])).byteLength).toBe(0)
    await kubo.pin(plain)
  })

  it('pins a file of 300 MB, which another ipfsz gets from it, both in bounded memory', {
    tags: 'nightly'
  }, async ({ sandbox }) => {
    const path = await sandbox.write('file', longText(300_000_000))
    const daemon = await startNode(sandbox, 'a')
    const { marked, plain } = await add(sandbox, 'a', path)

    await kubo.pin(plain)
    expect(await peakMemory(daemon.pid)).toBeLessThan(600 * 1024 * 1024)
    await daemon.stop()

    expectSuccess(await sandbox.shell(`IPFS_PATH=${kubo.directory} ipfs cat ${plain} | zstd -dc | cmp - file`))
    const other = await startNode(sandbox, 'b')
    await run(sandbox, 'b', 'get', marked, '-o', join(sandbox.directory, 'out'))
    expect(await peakMemory(other.pid)).toBeLessThan(600 * 1024 * 1024)
    expectSuccess(await sandbox.shell('cmp file out'))

    await kubo.ipfs(['pin', 'rm', plain])
    await kubo.ipfs(['repo', 'gc'])
  })

  it.for(['ipfs swarm connect', 'ipfsz connect'])('reads a file after %s between nodes that share no peer', {
    tags: 'nightly'
  }, async (
    how,
    { sandbox }
  ) => {
    const bytes = longText(500_000, how.length)
    const lonely = await startKubo()

    try {
      const repo = join(sandbox.directory, 'a')
      const daemon = await startDaemon(sandbox, { repo })
      const { plain } = await add(sandbox, 'a', await sandbox.write('file', bytes))

      if (how === 'ipfsz connect') {
        await run(sandbox, 'a', 'connect', lonely.address)
      } else {
        await lonely.ipfs(['swarm', 'connect', daemon.address])
      }

      expect(zstdDecompressSync(await lonely.ipfs(['cat', plain])).equals(bytes)).toBe(true)
    } finally {
      await lonely.stop()
    }
  })

  it('gets the block of a marked CID, and fails to read, list, pin and export it', async ({ sandbox }) => {
    const daemon = await startNode(sandbox, 'a')
    const { marked, plain } = await add(sandbox, 'a', await sandbox.write('file', text(200_000)))

    await vi.waitFor(async () => { expect(await providersOf(marked)).toContain(daemon.peerId) }, FOUND)
    expect((await kubo.ipfs(['block', 'get', marked])).equals(await kubo.ipfs(['block', 'get', plain]))).toBe(true)
    expect((await fetch(`${kubo.gateway}/ipfs/${marked}?format=raw`)).status).toBe(200)
    expect((await fetch(`${kubo.gateway}/ipfs/${marked}`)).ok).toBe(false)

    for (const args of [['cat', marked], ['ls', marked], ['pin', 'add', marked], ['dag', 'export', marked]]) {
      await expect(kubo.ipfs(args), args.join(' ')).rejects.toThrow('ended with 1')
    }
  })
})

describe('ipfsz with files of Kubo', () => {
  it.for(['with a daemon', 'without a daemon'])('reads a marked file whose blocks only Kubo has, %s', async (
    how,
    { sandbox }
  ) => {
    const bytes = longText(5_000_000, how.length)
    const { marked, plain } = await add(sandbox, 'a', await sandbox.write('file', bytes))
    await run(sandbox, 'a', 'car', 'export', marked, '-o', join(sandbox.directory, 'file.car'))
    await kubo.ipfs(['dag', 'import', join(sandbox.directory, 'file.car')])
    await rm(join(sandbox.directory, 'a'), { recursive: true })

    if (how === 'with a daemon') {
      await startNode(sandbox, 'b')
    }

    expect((await run(sandbox, 'b', 'cat', marked)).stdout.equals(bytes)).toBe(true)
    expect((await run(sandbox, 'b', 'stat', plain, '--json')).stdout.toString()).toContain(marked)
    // a peer that is named need not be found
    expect((await run(sandbox, 'c', 'cat', marked, '--peer', kubo.address)).stdout.equals(bytes)).toBe(true)
  })

  it('fetches 250 MB from Kubo in bounded memory', { tags: 'nightly' }, async ({ sandbox }) => {
    const bytes = randomBytes(250_000_000)
    const cid = (await kubo.ipfs(['add', '-Q', '--cid-version=1', '--chunker=size-1048576'], bytes)).toString().trim()
    const daemon = await startNode(sandbox, 'a')

    expect((await run(sandbox, 'a', 'cat', cid)).stdout.equals(bytes)).toBe(true)
    expect(await peakMemory(daemon.pid)).toBeLessThan(600 * 1024 * 1024)

    await kubo.ipfs(['pin', 'rm', cid])
    await kubo.ipfs(['repo', 'gc'])
  })

  it('imports a CAR that Kubo exports', async ({ sandbox }) => {
    const bytes = noise(2_000_000)
    const cid = (await kubo.ipfs(['add', '-Q', '--cid-version=1'], bytes)).toString().trim()
    const car = await sandbox.write('kubo.car', await kubo.ipfs(['dag', 'export', cid]))

    await run(sandbox, 'a', 'car', 'import', car)

    expect((await run(sandbox, 'a', 'cat', cid, '--offline')).stdout.equals(bytes)).toBe(true)
  })

  it('imports its own tree from CARs of Kubo and the gateway, and prints its marked CID', { tags: 'nightly' }, async ({
    sandbox
  }) => {
    const tree = await makeTree(sandbox)
    await makeMany(join(tree, 'many'))
    const { marked, plain } = await add(sandbox, 'a', tree)
    await run(sandbox, 'a', 'car', 'export', marked, '-o', join(sandbox.directory, 'there.car'))
    await kubo.ipfs(['dag', 'import', join(sandbox.directory, 'there.car')])

    // one CAR from the node, one from its gateway
    const gateway = await fetch(`${kubo.gateway}/ipfs/${plain}?format=car`)
    const cars = { b: await kubo.ipfs(['dag', 'export', plain]), c: Buffer.from(await gateway.arrayBuffer()) }

    for (const [repo, car] of Object.entries(cars)) {
      const { stdout } = await run(sandbox, repo, 'car', 'import', await sandbox.write(`${repo}.car`, car))
      expect(stdout.toString().trim().split('\t')).toEqual([plain, marked])
      await run(sandbox, repo, 'get', '--offline', marked, '-o', join(sandbox.directory, `${repo}-out`))
      expectSuccess(await sandbox.shell(`diff -r --no-dereference tree ${repo}-out`))
    }
  })

  it.for([
    0,
    1
  ])('gets a tree that Kubo added with --cid-version=%i, with empty file, symlink and shards', async (
    version,
    { sandbox }
  ) => {
    const tree = await makeTree(sandbox)
    await makeMany(join(tree, 'many'))
    const cid = (await kubo.ipfs(['add', '-Q', '-r', `--cid-version=${version}`, tree])).toString().trim()

    expect(parseLines((await run(sandbox, 'a', 'ls', '--json', `${cid}/many`)).stdout)).toHaveLength(MANY)
    await run(sandbox, 'a', 'get', cid, '-o', join(sandbox.directory, 'out'))
    expectSuccess(await sandbox.shell('diff -r --no-dereference tree out'))
    await run(sandbox, 'a', 'car', 'export', cid, '-o', join(sandbox.directory, 'tree.car'))
  })

  it('reads an empty file whose block only Kubo has', async ({ sandbox }) => {
    const cid = (await kubo.ipfs(['add', '-Q', '--cid-version=1'], new Uint8Array(0))).toString().trim()

    expect((await run(sandbox, 'a', 'cat', cid)).stdout.byteLength).toBe(0)
  })

  it.for(
    [['with default options', []], ['as a trickle DAG', ['--trickle']]] as const
  )('reads a file that Kubo added %s', async ([, flags], { sandbox }) => {
    const bytes = noise(3_000_000, 5)
    const cid = (await kubo.ipfs(['add', '-Q', ...flags], bytes)).toString().trim()

    expect((await run(sandbox, 'a', 'cat', cid)).stdout.equals(bytes)).toBe(true)
  })
})

describe('an IPNS name', () => {
  it('that ipfsz publishes resolves to the plain CID in Kubo, and to the marked CID in ipfsz', async ({ sandbox }) => {
    const tree = await makeTree(sandbox)
    await startNode(sandbox, 'a')
    const { marked, plain } = await add(sandbox, 'a', tree)

    const [{ name }] = parseLines((await run(sandbox, 'a', 'name', 'publish', '--json', marked)).stdout) as Array<{
      name: string
    }>

    expect((await kubo.ipfs(['name', 'resolve', name])).toString().trim()).toBe(`/ipfs/${plain}`)
    expect((await kubo.ipfs(['cat', `/ipns/${name}/sub/small.txt`])).toString()).toBe('a few words')
    expect((await run(sandbox, 'b', 'name', 'resolve', name)).stdout.toString()).toBe(`${marked}\n`)

    // publishing it again moves it to another CID
    const { marked: other } = await add(sandbox, 'a', await sandbox.write('file', text(100_000)))
    expect(parseLines((await run(sandbox, 'a', 'name', 'publish', '--json', other)).stdout))
      .toEqual([{ name, cid: other, path: '', sequence: 2 }])
    expect((await run(sandbox, 'b', 'name', 'resolve', name)).stdout.toString()).toBe(`${other}\n`)
  })

  it('that Kubo publishes resolves to its CID and path in ipfsz', async ({ sandbox }) => {
    const cid = (
      await kubo.ipfs(['add', '-Q', '--cid-version=1', '--wrap-with-directory', '--stdin-name=a'], text(1000))
    ).toString().trim()
    await startNode(sandbox, 'a')
    await vi.waitFor(async () => { await kubo.ipfs(['name', 'publish', `/ipfs/${cid}/a`]) }, FOUND)

    expect((await run(sandbox, 'a', 'name', 'resolve', kubo.peerId)).stdout.toString()).toBe(`${cid}/a\n`)
  })

  it('that was never published is refused', async ({ sandbox }) => {
    await startNode(sandbox, 'a')
    const result = await sandbox.run([
      'name',
      'resolve',
      'k51qzi5uqu5dk7q8vhdy5ud4u9kbuatxshxayzy21v2e0gux0m2f4yydzmkx48',
      '--repo',
      join(sandbox.directory, 'a')
    ])

    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('No record of') })
  })
})

describe('a private network of ten ipfsz and Kubo nodes that bootstrap from one of them', { tags: 'nightly' }, () => {
  it('finds files of any node', async ({ sandbox }) => {
    const others = await Promise.all(Array.from({ length: 3 }, async () => startKubo({ bootstrap: [kubo.address] })))

    try {
      const daemons = await Promise.all(Array.from({ length: 6 }, async (_, i) => startNode(sandbox, `node-${i}`)))
      expect(new Set([kubo, ...others, ...daemons].map(({ peerId }) => peerId)).size).toBe(10)

      const bytes = longText(3_000_000, 7)
      const added = await add(sandbox, 'node-0', await sandbox.write('file', bytes))
      const theirs = (await others[0].ipfs(['add', '-Q'], noise(1_000_000, 9))).toString().trim()

      // each node gets files of nodes that it did not know
      expect((await run(sandbox, 'node-5', 'cat', added.marked)).stdout.equals(bytes)).toBe(true)
      expect((await run(sandbox, 'node-3', 'cat', theirs)).stdout.equals(noise(1_000_000, 9))).toBe(true)
      expect(zstdDecompressSync(await others[2].ipfs(['cat', added.plain])).equals(bytes)).toBe(true)
      expect((await others[1].ipfs(['cat', theirs])).equals(noise(1_000_000, 9))).toBe(true)

      // also from a node that does not bootstrap from the common one
      const { stdout } = await sandbox.run(
        ['providers', '--json', added.plain, '--repo', join(sandbox.directory, 'looking')],
        { env: { IPFSZ_BOOTSTRAP: daemons[4].address } }
      )
      expect(parseLines(stdout))
        .toEqual(expect.arrayContaining([expect.objectContaining({ peerId: daemons[0].peerId })]))
    } finally {
      await Promise.all(others.map(async other => other.stop()))
    }
  })
})
