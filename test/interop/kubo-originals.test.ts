import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { expectFailure, expectSuccess, it, parseLines } from '../integration/run-cli.ts'
import { largestBlock, readBlock, removeBlock, writeBlock } from '../support/stored-blocks.ts'
import { longText, noise, text } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { startKubo } from '../support/network-kubo.ts'
import { run } from '../support/tools.ts'
import type { RunResult } from '../integration/run-cli.ts'
import type { KuboNode } from '../support/network-kubo.ts'

/** How long a provider may take to be found, in milliseconds. */
const FOUND = { timeout: 60_000, interval: 200 }

/** Fetches from the daemon. */
let kubo: KuboNode
/** Adds the same files, and never fetches any. */
let other: KuboNode

beforeAll(async () => {
  // fails with how to install Kubo if it is missing
  await run('ipfs', ['--version'])
  ;[kubo, other] = await Promise.all([startKubo(), startKubo()])
})
afterAll(async () => { await Promise.all([kubo.stop(), other.stop()]) })

/** Wait until the DHT knows that a daemon has an original. */
async function waitForProvider (original: string, { peerId }: { peerId: string }): Promise<void> {
  await vi.waitFor(async () => {
    expect((await kubo.ipfs(['routing', 'findprovs', original])).toString()).toContain(peerId)
  }, FOUND)
}

/** Let Kubo add a path, and return its CID. */
async function addedByKubo (path: string, ...args: string[]): Promise<string> {
  return (await other.ipfs(['add', '-r', '-Q', ...args, path])).toString().trim()
}

/** Pin what a daemon has, and compare the whole DAG with that of the Kubo that added it itself. */
async function expectSameDag (cid: string): Promise<void> {
  await kubo.pin(cid)
  const [fetched, added] = await Promise.all([kubo, other].map(async node =>
    node.ipfs(['--offline', 'dag', 'export', '--progress=false', cid])))

  expect(fetched.equals(added)).toBe(true)
}

describe('ipfsz import --from-kubo', () => {
  it('compresses what a Kubo has pinned, and another Kubo pins it from the daemon by its old CIDs', async ({
    sandbox
  }) => {
    const tree = join(sandbox.directory, 'tree')
    await mkdir(join(tree, 'sub'), { recursive: true })
    await writeFile(join(tree, 'a.txt'), longText(2_000_000, 7))
    await writeFile(join(tree, 'sub', 'b.txt'), text(100_000, 7))
    await writeFile(join(tree, 'sub', 'noise'), noise(600_000, 7))
    await writeFile(join(tree, 'empty'), '')
    await writeFile(join(tree, 'odd.txt'), text(50_000, 8))
    const roots = [
      await addedByKubo(tree),
      await addedByKubo(join(tree, 'a.txt'), '--cid-version=1'),
      // cut as no profile does: it stays as it is
      await addedByKubo(join(tree, 'odd.txt'), '--chunker=size-1000')
    ]
    const repo = join(sandbox.directory, 'imported')
    const importAll = async (): Promise<Array<Record<string, unknown>>> => {
      const args = ['import', '--json', '--from-kubo', `http://127.0.0.1:${other.apiPort}`, '--repo', repo]
      const { code, stdout, stderr } = await sandbox.run(args)
      expect(code, stderr).toBe(0)

      return parseLines(stdout).filter(({ original }) => roots.includes(String(original)))
    }
    const imported = await importAll()
    const byRoot = new Map(imported.map(line => [line.original, line]))

    expect(byRoot.get(roots[0])).toMatchObject({ compressed: 3, plain: 2, unknown: 0 })
    expect(byRoot.get(roots[1])).toMatchObject({ compressed: 1, plain: 0, unknown: 0 })
    expect(byRoot.get(roots[2])).toMatchObject({ compressed: 0, unknown: 1, cid: roots[2] })
    // again: nothing changes
    expect((await importAll()).map(({ cid }) => cid).toSorted()).toEqual(imported.map(({ cid }) => cid).toSorted())
    expectSuccess(await sandbox.run(['gc', '--repo', repo]))

    const daemon = await startDaemon(sandbox, { repo, bootstrap: [kubo.address], args: ['--serve-originals'] })

    for (const root of roots) {
      await waitForProvider(root, daemon)
      await expectSameDag(root)
    }

    const pinned = async (): Promise<string[]> =>
      (await other.ipfs(['pin', 'ls', '--type=recursive', '-q'])).toString().split('\n')
        .filter(cid => roots.includes(cid))
    const replace = async (...cids: string[]): Promise<RunResult> => sandbox.run(
      ['import', '--from-kubo', `http://127.0.0.1:${other.apiPort}`, '--replace', '--repo', repo, ...cids]
    )
    const leaf = await largestBlock(repo)
    const bytes = await readBlock(repo, leaf)

    // nothing is unpinned of which a block is missing here
    await removeBlock(repo, leaf)
    expectFailure(await replace(roots[0]), 1)
    expect((await pinned()).toSorted()).toEqual(roots.toSorted())
    await writeBlock(repo, leaf, bytes)
    expect(await replace(...roots)).toMatchObject({ code: 0, stderr: expect.stringContaining('3 pins moved here') })
    expect(await pinned()).toEqual([])

    // Kubo has none of it any more, and gets it back from the compressed copy
    await other.ipfs(['repo', 'gc', '-q'])
    await expect(other.ipfs(['--offline', 'block', 'get', roots[0]])).rejects.toThrow()
    await other.ipfs(['swarm', 'connect', daemon.address])
    await other.pin(roots[0])
  })
})

describe('ipfsz import --from-kubo with the repo of a running Kubo', () => {
  it('copies its pins into a store that nodes share, where every node reads them by their old CIDs', async ({
    sandbox
  }) => {
    const cid = await addedByKubo(await sandbox.write('file', text(600_000, 9)))
    const { directory } = other
    await mkdir(join(sandbox.directory, 'store'))

    for (const node of ['a', 'b']) {
      expectSuccess(await sandbox.run(['init', '--store', 'store', '--repo', node]))
    }

    const result = await sandbox.run(['import', '--json', '--from-kubo', directory, '--repo', 'a', cid])
    expectSuccess(result)
    expect(parseLines(result.stdout)).toMatchObject([{ original: cid, compressed: 1, unknown: 0 }])
    expectSuccess(await sandbox.run(['gc', '--repo', 'b']))
    expectSuccess(await sandbox.run(['verify', '--all', '--repo', 'b']))
    expect((await sandbox.run(['cat', '--repo', 'b', cid])).stdout.equals(text(600_000, 9))).toBe(true)
  })
})

describe('Kubo with a daemon that holds only the compressed copy', () => {
  it('pins the originals of a file in several layouts, and that of a tree', {
    tags: 'nightly'
  }, async ({ sandbox }) => {
    const repo = join(sandbox.directory, 'served')
    const tree = join(sandbox.directory, 'tree')
    await mkdir(join(tree, 'sub'), { recursive: true })
    await writeFile(join(tree, 'a.txt'), longText(3_000_000))
    await writeFile(join(tree, 'sub', 'b.txt'), text(100_000))
    await writeFile(join(tree, 'sub', 'noise'), noise(1_500_000))
    await writeFile(join(tree, 'empty'), '')
    const file = await sandbox.write('file', longText(5_000_000, 2))

    const daemon = await startDaemon(sandbox, {
      repo,
      bootstrap: [kubo.address],
      args: ['--serve-originals', '--originals-layout', 'unixfs-v0-2015', '--originals-layout', 'kubo-v0-raw-leaves']
    })
    const added = await sandbox.run(['add', '-Q', '--link', file, tree, '--repo', repo], {
      env: { IPFSZ_BOOTSTRAP: kubo.address }
    })
    expect(added.code, added.stderr).toBe(0)

    const likeHelia = ['--cid-version=1', '--chunker=size-1048576', '--max-file-links=1024']
    const originals = [
      await addedByKubo(file, ...likeHelia),
      await addedByKubo(file),
      await addedByKubo(file, '--raw-leaves'),
      await addedByKubo(tree, ...likeHelia)
    ]

    for (const original of originals) {
      await waitForProvider(original, daemon)
      await expectSameDag(original)
    }

    expectSuccess(await sandbox.shell(
      `IPFS_PATH=${kubo.directory} ipfs --offline get ${originals[3]} -o out && diff -r tree out`
    ))
    // the daemon has stored none of it
    const [{ storedSize }] = parseLines((await sandbox.run(['stats', '--json', '--repo', repo])).stdout)
    expect(Number(storedSize)).toBeLessThan(6_000_000)
  })
})
