/** Repos of two nodes that keep their blocks, pins, links and histories in one S3 bucket. */
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { S3Objects } from '@ipfsz/blockstore-s3'
import { describe, expect, onTestFinished } from 'vitest'
import { expectFailure, expectSuccess, it } from '../integration/run-cli.ts'
import { makeTree } from '../integration/tree-files.ts'
import { countingProxy } from '../support/counting-proxy.ts'
import { noise, text } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { storeAt } from './s3/server.ts'
import { faultyGateway } from './ceph/faulty-gateway.ts'
import { useS3 } from './s3/use-server.ts'
import type { RunResult, Sandbox } from '../integration/run-cli.ts'

const endpoint = useS3()

async function makeStore (): Promise<string> {
  const bucket = `ipfsz-${randomUUID()}`
  await new S3Objects(storeAt(endpoint(), bucket)).createBucket()

  return `s3://${bucket}/site?endpoint=${endpoint()}`
}

function nodeIn (name: string, sandbox: Sandbox): (...args: string[]) => Promise<RunResult> {
  return async (...args) => sandbox.run([...args, '--repo', join(sandbox.directory, name)])
}

async function ok (running: Promise<RunResult>): Promise<string> {
  const result = await running
  expectSuccess(result)

  return result.stdout.toString()
}

describe('a store in an S3 bucket', () => {
  it('gives every node what any node has added, and loses nothing to a collection', async ({ sandbox }) => {
    const store = await makeStore()
    const [a, b] = ['a', 'b'].map(name => nodeIn(name, sandbox))
    expect(await ok(a('init', '--store', store))).toContain('created the store')
    expect(await ok(b('init', '--store', store))).toContain('joined the store')
    const bytes = text(300_000)
    const notes = await sandbox.write('notes.txt', bytes)
    const cid = (await ok(a('add', '-Q', '--link', '--base', 'latest', notes))).trim()
    const gone = (await ok(b('add', '-Q', '--link', await sandbox.write('gone', text(50_000, 2))))).trim()

    expect((await b('cat', cid)).stdout.equals(bytes)).toBe(true)
    expect(await ok(b('pin', 'ls'))).toContain(`${cid}\tnotes.txt`)
    expect(await ok(b('log', 'notes.txt'))).toContain(cid)
    expect((await ok(b('link', 'ls'))).trim().split('\n')).toHaveLength(2)
    expect(JSON.parse(await ok(b('stats', '--json')))).toMatchObject({ files: { count: 2 }, unreadable: 0 })
    await ok(a('pin', 'rm', gone))
    expect(JSON.parse(await ok(b('gc', '--json')))).toMatchObject({ pins: 1, links: 0 })
    expect(await ok(a('verify', '--all'))).toContain('good')
    expect(await ok(b('gc', '--dry-run'))).toContain('Would delete 0')
    // nothing but what is a node's own lies in its repo
    expect(await readdir(join(sandbox.directory, 'a', 'blocks')).catch(() => [])).toEqual([])
  })

  it('reads the packs of a tree once, and none again on the same node', async ({ sandbox }) => {
    const proxy = await countingProxy(Number(new URL(endpoint()).port))
    onTestFinished(async () => proxy.close())
    const store = (await makeStore()).replace(endpoint(), `http://127.0.0.1:${proxy.port}`)
    const [a, b] = ['a', 'b'].map(name => nodeIn(name, sandbox))
    await makeTree(join(sandbox.directory, 'tree'), Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`file ${i}`, text(100_000, i)])
    ))
    await ok(a('init', '--store', store))
    await ok(b('init', '--store', store))
    const cid = (await ok(a('add', '-Q', '-r', 'tree'))).trim()
    const { storedSize } = JSON.parse(await ok(a('stats', '--json'))) as { storedSize: number }
    const received = async (...args: string[]): Promise<number> => {
      const before = proxy.received
      await ok(b(...args))

      return (proxy.received - before) / storedSize
    }

    expect(await received('get', cid, '-o', 'out')).toBeLessThan(1.5)
    expect(await received('get', cid, '-o', 'again')).toBeLessThan(0.1)
    expect(await received('cat', `${cid}/file 3`)).toBeLessThan(0.1)
    expect((await readFile(join(sandbox.directory, 'again', 'file 3'))).equals(text(100_000, 3))).toBe(true)
    // what must find out whether the store has it, asks the store
    expect(await received('verify', cid)).toBeGreaterThan(0.9)
  })

  it('keeps as much of it on a node as was set there, in every command', async ({ sandbox }) => {
    const store = await makeStore()
    const a = nodeIn('a', sandbox)
    const cacheOf = async (): Promise<number> => {
      const files = await readdir(join(sandbox.directory, 'a', 'store-cache', 'blocks'), { recursive: true })
        .catch(() => [])

      return files.filter(file => file.includes('/')).length
    }
    await makeTree(join(sandbox.directory, 'tree'), Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`file ${i}`, noise(200_000, i)])
    ))
    await ok(a('init', '--store', store, '--cache', '500KiB'))
    const cid = (await ok(a('add', '-Q', '-r', 'tree'))).trim()
    await ok(a('get', cid, '-o', 'out'))
    expect(await cacheOf()).toBeLessThan(5)

    await ok(a('init', '--store', store, '--cache', '10MiB'))
    await ok(a('init', '--store', store))
    await ok(a('get', cid, '-o', 'again'))
    expect(await cacheOf()).toBeGreaterThan(9)
    // a gateway says only how much it keeps of what it fetches
    expectFailure(await a('gateway', '--cache', '1MiB'), 2)
    expectFailure(await a('init', '--store', sandbox.directory, '--cache', '1MiB'), 2)
  })

  it('reads each pin once in a collection that deletes', async ({ sandbox }) => {
    const proxy = await faultyGateway(endpoint())
    onTestFinished(proxy.close)
    const a = nodeIn('a', sandbox)
    await ok(a('init', '--store', (await makeStore()).replace(endpoint(), proxy.url)))
    const files = await Promise.all([1, 2, 3, 4].map(async seed => sandbox.write(`${seed}`, text(10_000, seed))))
    const [gone, ...kept] = (await ok(a('add', '-Q', ...files))).trim().split('\n')
    await ok(a('pin', 'rm', gone))
    const before = proxy.seen.length

    expect(JSON.parse(await ok(a('gc', '--json')))).toMatchObject({ pins: kept.length, removed: expect.any(Number) })
    const seen = proxy.seen.slice(before)
    expect(seen.filter(({ method, path }) => method === 'POST' && path.includes('delete'))).not.toEqual([])
    const reads = seen.filter(({ method, path }) => method === 'GET' && path.includes('/records/pin/'))
    expect(reads).toHaveLength(kept.length)
    expect(await ok(a('verify', '--all'))).toContain('good')
  })

  it('reports packs that are missing, cut or swapped, and is repaired by a peer', async ({ sandbox }) => {
    const store = await makeStore()
    const objects = new S3Objects(storeAt(endpoint(), new URL(store).host))
    const packs = async (): Promise<string[]> => {
      const pages = await Array.fromAsync(objects.list('site/packs/'))

      return pages.flatMap(page => page.map(({ key }) => key))
    }
    const [a, b, peer] = ['a', 'b', 'peer'].map(name => nodeIn(name, sandbox))
    await ok(a('init', '--store', store))
    await ok(b('init', '--store', store))

    for (let seed = 1; seed < 6; seed++) {
      const file = await sandbox.write(`file ${seed}`, noise(300_000, seed))
      await ok(a('add', '-Q', file))
      await ok(peer('add', '-Q', file))
    }

    const [missing, empty, cut, first, second] = await packs()
    const [shorter, ...swapped] = await Promise.all([cut, first, second].map(async key => objects.get(key)))
    await objects.delete([missing])
    await objects.put(empty, new Uint8Array())
    await objects.put(cut, shorter.subarray(0, 150_000))
    await objects.put(first, swapped[1])
    await objects.put(second, swapped[0])
    const verified = await b('verify', '--all')
    expect(verified.code).toBe(1)
    expect(verified.stdout.toString()).not.toContain('good')

    const { address } = await startDaemon(sandbox, { repo: join(sandbox.directory, 'peer') })
    // on a busy machine, it says that it waits for the peer
    expect((await b('repair', '--peer', address)).code).toBe(0)
    expect(await ok(a('verify', '--all'))).not.toMatch(/incomplete|damaged/)
    const collected = await b('gc')
    expect(collected.code).toBe(0)
    ;[empty, first, second].forEach(key => { expect(collected.stderr).toContain(key.slice('site/'.length)) })
    expect(await ok(a('verify', '--all'))).not.toMatch(/incomplete|damaged/)
  })

  it('says whether the store, the network or the URL is wrong', async ({ sandbox }) => {
    const store = await makeStore()
    const [a, b] = ['a', 'b'].map(name => nodeIn(name, sandbox))
    const url = new URL(store)

    expect(await a('init', '--store', `${store}&accessKey=secret`))
      .toMatchObject({ code: 2, stderr: expect.not.stringContaining('secret') })
    expect(await a('init', '--store', store.replace(url.host, 'no-such-bucket')))
      .toMatchObject({ code: 1, stderr: expect.stringContaining('NoSuchBucket') })
    const objects = new S3Objects(storeAt(endpoint(), url.host))
    await objects.put('site/photo.jpg', new Uint8Array(1))
    expect(await a('init', '--store', store))
      .toMatchObject({ code: 1, stderr: expect.stringContaining('no mark of a store') })
    await objects.delete(['site/photo.jpg'])
    expectSuccess(await a('init', '--store', store))
    await objects.delete(['site/ipfsz-store.json'])
    expect(await a('pin', 'ls')).toMatchObject({ code: 1, stderr: expect.stringContaining('was not found') })
    expect(await b('init', '--store', `s3://${url.host}/site?endpoint=http://127.0.0.1:1`))
      .toMatchObject({ code: 1, stderr: expect.stringContaining('no response from') })
  })
})
