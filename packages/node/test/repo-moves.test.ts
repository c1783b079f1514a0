import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import all from 'it-all'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openRepo } from '../src/handle/open-repo.ts'
import { convertBlocks } from '../src/convert/index.ts'
import { serveGateway } from '../src/gateway/index.ts'
import { migrateStore } from '../src/migrate/index.ts'
import { resolveName } from '../src/names/index.ts'
import { connectedPeers, identify } from '../src/peers/index.ts'
import type { NodeContext } from '../src/context.ts'
import type { NodeEvents, OpenRepo } from '../src/index.ts'
import type { ImportedRoot } from '../src/car/index.ts'

const TEXT = 'the same words again and again, '.repeat(50_000)
const BYTES = new TextEncoder().encode(TEXT)

async function makeDirectory (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-moves-'))
  onTestFinished(async () => { await rm(directory, { recursive: true, force: true }) })

  return directory
}

async function open (init?: Parameters<typeof openRepo>[1]): Promise<OpenRepo> {
  const repo = await openRepo(join(await makeDirectory(), 'repo'), init)
  onTestFinished(async () => { await repo.close() })

  return repo
}

function contextOf (repo: string, events: NodeEvents[] = []): NodeContext {
  return {
    repo,
    signal: new AbortController().signal,
    bootstrap: [],
    network: { offline: true },
    onProgress (event) { events.push(event) }
  }
}

describe('CARs', () => {
  it('take files and directories from one repo to another', async () => {
    const [from, to] = [await open(), await open()]
    const { cid, plainCid } = await from.add(BYTES)
    const path = join(await makeDirectory(), 'words.car')

    const exported = await from.exportCar([cid], path)

    expect(exported.size).toBe((await readFile(path)).byteLength)
    expect(exported.roots).toHaveLength(1)
    expect(exported.roots[0].plainCid.equals(plainCid)).toBe(true)
    expect(exported.roots[0].markedCid?.equals(cid)).toBe(true)

    const roots: ImportedRoot[] = []
    const imported = await to.importCar([{ name: 'words.car', path }], { onRoot (root) { roots.push(root) } })

    expect(imported).toEqual({ roots: 1, failed: 0 })
    expect(roots.map(({ cid: found }) => found.equals(cid))).toEqual([true])
    expect(Buffer.concat(await all(to.files.cat(cid))).toString()).toBe(TEXT)
    expect((await all(to.pins.ls())).map(({ cid: pinned }) => pinned.toString())).toEqual([cid.toString()])
  })

  it('go to a function, and come from a stream', async () => {
    const [from, to] = [await open(), await open()]
    const { cid } = await from.add(BYTES)
    const pieces: Uint8Array[] = []

    const { size } = await from.exportCar([cid], async bytes => { pieces.push(Uint8Array.from(bytes)) })

    expect(Buffer.concat(pieces).byteLength).toBe(size)

    const content = (async function * () { yield * pieces })()

    await expect(to.importCar([{ name: 'a stream', content }])).resolves.toEqual({ roots: 1, failed: 0 })
    await expect(to.verify(cid)).resolves.toMatchObject({ size: BigInt(BYTES.byteLength) })
  })

  it('that are cut off are refused, and nothing of them is pinned', async () => {
    const [from, to] = [await open(), await open()]
    const { cid } = await from.add(BYTES)
    const path = join(await makeDirectory(), 'cut.car')
    await from.exportCar([cid], path)
    await writeFile(path, (await readFile(path)).subarray(0, -100))

    await expect(to.importCar([{ name: 'cut.car', path }])).rejects.toMatchObject({ name: 'InvalidCarError' })
    expect(await all(to.pins.ls())).toEqual([])
  })

  it('do not replace a directory', async () => {
    const repo = await open()
    const { cid } = await repo.add(BYTES)

    await expect(repo.exportCar([cid], await makeDirectory()))
      .rejects.toMatchObject({ name: 'TreeEntryError', problem: 'is-directory', hint: expect.any(String) })
  })
})

describe('a migration', () => {
  it('copies blocks, pins and links, and then finds them there', async () => {
    const from = await open()
    const { cid } = await from.add(BYTES, { name: 'words', link: true })
    const to = join(await makeDirectory(), 'copy')
    const context = contextOf('unused')

    await expect(migrateStore(context, from.path, to, { dryRun: true }))
      .resolves.toMatchObject({ blocks: { there: 0, lost: 0 }, pins: { copied: 1 } })
    await expect(readdir(to)).rejects.toMatchObject({ code: 'ENOENT' })

    const migrated = await migrateStore(context, from.path, to)

    expect(migrated).toMatchObject({ pins: { copied: 1, lost: 0 }, links: { copied: 1 }, leftOut: undefined })
    expect(migrated.blocks.copied).toBeGreaterThan(0)
    await expect(migrateStore(context, from.path, to)).resolves.toMatchObject({
      blocks: { copied: 0, there: migrated.blocks.copied, lost: 0 },
      pins: { copied: 0, there: 1, lost: 0 }
    })

    await using copy = await openRepo(to, { create: false })

    expect(await all(copy.pins.ls())).toMatchObject([{ name: 'words' }])
    await expect(copy.verify(cid)).resolves.toMatchObject({ size: BigInt(BYTES.byteLength) })
  })

  it('refuses to copy a store to itself', async () => {
    const { path } = await open()

    await expect(migrateStore(contextOf('unused'), path, path)).rejects.toMatchObject({ name: 'UsageError' })
  })
})

describe('a conversion', () => {
  it('compresses all blocks, which stay readable', async () => {
    const repo = await open({ layout: 'files' })
    const { cid } = await repo.add(BYTES, { compression: { codec: 'none' } })
    await repo.close()
    const events: NodeEvents[] = []

    const report = await convertBlocks(contextOf(repo.path, events), { codec: 'zstd' }, { measures: true })

    expect(report).toMatchObject({ unreadable: 0 })
    expect(report.converted).toBeGreaterThan(0)
    expect(report.storedSize).toBeLessThan(report.storedSizeBefore)
    expect(events.flatMap(({ type, detail }) => type === 'ipfsz:step:begin' ? [detail] : [])).toMatchObject([
      { task: 'count' },
      { task: 'convert', unit: 'blocks', total: report.blocks }
    ])

    await using converted = await openRepo(repo.path)

    expect(Buffer.concat(await all(converted.files.cat(cid))).toString()).toBe(TEXT)
  })
})

describe('a gateway', () => {
  it('serves the repo until it is stopped', async () => {
    const repo = await open()
    const { cid } = await repo.add(BYTES)

    const { url, lacksOriginals, stop } = await serveGateway(contextOf(repo.path), { listen: '127.0.0.1:0' })
    const response = await fetch(`${url}/ipfs/${cid}`)

    expect(response.status).toBe(200)
    expect(await response.text()).toBe(TEXT)
    expect(lacksOriginals).toBe(false)

    await stop()

    await expect(fetch(`${url}/ipfs/${cid}`)).rejects.toBeInstanceOf(Error)
  })

  it('tells that it has no originals to serve', async () => {
    const { path } = await open()

    const { lacksOriginals, stop } = await serveGateway(
      contextOf(path),
      { listen: '127.0.0.1:0', serveOriginals: true }
    )
    await stop()

    expect(lacksOriginals).toBe(true)
  })

  it.each([
    ['other machines', { listen: '0.0.0.0:0' }, {}],
    ['metrics for other machines', { listen: '127.0.0.1:0', metrics: '0.0.0.0:0' }, {}],
    ['no address', { listen: 'here' }, {}],
    ['no host', { listen: '127.0.0.1:0', host: ['http://a'] }, { problem: 'no-host-name' }],
    ['no proxy', { listen: '127.0.0.1:0', trustProxy: ['a'] }, { problem: 'no-proxy' }],
    ['nobody to fetch from', { listen: '127.0.0.1:0', fetch: true }, { problem: 'nobody-to-fetch-from' }]
  ])('refuses %s, with what a caller can do', async (_, options, fields) => {
    const { path } = await open()

    await expect(serveGateway(contextOf(path), options)).rejects.toMatchObject({ name: 'UsageError', ...fields })
  })
})

describe('a repo whose daemon never ran', () => {
  it('has no peer id, no peers, and resolves no name', async () => {
    const { path } = await open()

    await expect(identify({ repo: path }))
      .rejects.toMatchObject({ name: 'DaemonError', problem: 'no-id', hint: expect.any(String) })
    await expect(connectedPeers({ repo: path })).rejects.toMatchObject({ name: 'DaemonError', problem: 'not-running' })
    await expect(resolveName(contextOf(path), 'k51qzi5uqu5dkkciu33khkzbcmxtyhn376i1e83tya8kuy7z9euedzyr5nhoew'))
      .rejects.toMatchObject({ name: 'DaemonError', problem: 'no-network' })
  })
})
