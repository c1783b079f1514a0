/** Checks the table of docs/guide/with-kubo.md. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ipfsz, unmark } from '@ipfsz/core'
import { createIpfszForKubo } from '@ipfsz/core/kubo'
import { create } from 'kubo-rpc-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { longText, text } from '../support/data.ts'
import { fromCar } from '../support/recording-blockstore.ts'
import { startKuboStore } from './kubo-store-node.ts'
import type { CID } from 'multiformats/cid'
import type { KuboStore } from './kubo-store-node.ts'

const bytes = longText(6_000_000)

let kubo: KuboStore
let directory: string
let file: CID
let tree: CID
/** The bytes of the file as they are stored. */
let stored: Buffer

beforeAll(async () => {
  kubo = await startKuboStore()
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-page-'))
  const files = createIpfszForKubo(create({ url: kubo.url }))
  file = await files.addBytes(bytes)
  tree = (
    await Array.fromAsync(
      files.addAll([{ path: 'tree/a.txt', content: bytes }, { path: 'tree/small.txt', content: text(10) }])
    )
  ).slice(-1)[0].cid
  stored = Buffer.concat(await Array.fromAsync(files.cat(unmark(file))))
})
afterAll(async () => {
  await kubo.stop()
  await rm(directory, { recursive: true, force: true })
})

async function get (
  path: string,
  headers: Record<string, string> = {}
): Promise<{ status: number, type: string | null, body: Buffer }> {
  const response = await fetch(`${kubo.gateway}/ipfs/${path}`, { headers })

  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: Buffer.from(await response.arrayBuffer())
  }
}

describe('Kubo with a plain CID', () => {
  it('reads it, whole and in part, and writes it to disk', async () => {
    const plain = unmark(file).toString()

    expect((await kubo.ipfs(['cat', plain])).equals(stored)).toBe(true)
    expect((await kubo.ipfs(['cat', '--offset=1000', '--length=500', plain])).equals(stored.subarray(1000, 1500)))
      .toBe(true)
    await kubo.ipfs(['get', plain, '-o', join(directory, 'file')])
  })

  it('exports it, copies it into MFS, and lists it and its pin', async () => {
    const plain = unmark(file).toString()
    const blockstore = await fromCar(await kubo.ipfs(['dag', 'export', plain]))

    expect(Buffer.concat(await Array.fromAsync(ipfsz({ blockstore }).cat(file))).equals(bytes)).toBe(true)
    await kubo.ipfs(['files', 'cp', `/ipfs/${plain}`, '/copy'])
    expect((await kubo.ipfs(['files', 'stat', '--hash', '/copy'])).toString().trim()).toBe(plain)
    expect((await kubo.ipfs(['files', 'read', '/copy'])).equals(stored)).toBe(true)
    expect((await kubo.ipfs(['pin', 'ls', '--type=recursive', '--quiet', plain])).toString().trim()).toBe(plain)
    expect((await kubo.ipfs(['ls', unmark(tree).toString()])).toString())
      .toMatch(new RegExp(` ${stored.byteLength} +a\\.txt\n`))
  })

  it('serves it at its gateway: whole, as a range, as a block, and as a CAR that ipfsz reads', async () => {
    const plain = unmark(file).toString()

    expect(await get(plain)).toEqual({ status: 200, type: 'application/zstd', body: stored })
    expect(await get(plain, { range: 'bytes=1000-1999' }))
      .toMatchObject({ status: 206, body: stored.subarray(1000, 2000) })
    expect((await get(`${plain}?format=raw`)).body.equals(await kubo.ipfs(['block', 'get', plain]))).toBe(true)

    const blockstore = await fromCar((await get(`${plain}?format=car`)).body)
    expect(Buffer.concat(await Array.fromAsync(ipfsz({ blockstore }).cat(file))).equals(bytes)).toBe(true)
  })

  it.each(
    [
      ['gzip', 'application/gzip'],
      ['lz4', 'application/octet-stream'],
      ['brotli', 'application/octet-stream'],
      ['snappy', 'application/octet-stream'],
      ['lzo', 'application/octet-stream']
    ] as const
  )('serves a file compressed with %s as %s', async (codec, type) => {
    const cid = await createIpfszForKubo(
      create({ url: kubo.url })
    ).addBytes(bytes.subarray(0, 500_000), { compression: { codec } })

    expect(await get(unmark(cid).toString())).toMatchObject({ status: 200, type })
  })

  it('serves a file added without a codec unchanged, by the CID that Kubo itself gives it', async () => {
    const page = Buffer.from(`<!DOCTYPE html><title>A page</title>${'<p>some words</p>'.repeat(5000)}`)
    const cid = await createIpfszForKubo(create({ url: kubo.url })).addBytes(page, { compression: { codec: 'none' } })

    expect(await get(cid.toString())).toEqual({ status: 200, type: 'text/html', body: page })
    expect(
      (
        await kubo.ipfs(
          ['add', '-Q', '--cid-version=1', '--raw-leaves', '--chunker=size-1048576', '--max-file-links=1024'],
          page
        )
      ).toString().trim()
    ).toBe(cid.toString())
  })

  it('serves a file in a tree with the content type of its extension, though its bytes are compressed', async () => {
    expect(await get(`${unmark(tree)}/a.txt`)).toEqual({ status: 200, type: 'text/plain; charset=utf-8', body: stored })
  })
})

describe('Kubo with a marked CID', () => {
  it('gets and serves its block', async () => {
    for (const cid of [file, tree]) {
      expect(
        (await kubo.ipfs(['block', 'get', cid.toString()])).equals(
          await kubo.ipfs(['block', 'get', unmark(cid).toString()])
        )
      ).toBe(true)
      expect(await get(`${cid}?format=raw`))
        .toMatchObject({ status: 200, body: await kubo.ipfs(['block', 'get', cid.toString()]) })
    }
  })

  it('fails to read, list, pin, walk, export, copy or serve it', async () => {
    for (const cid of [file.toString(), tree.toString()]) {
      for (
        const args of [
          ['cat', cid],
          ['cat', '--offset=10', '--length=5', cid],
          ['get', cid, '-o', join(directory, 'none')],
          ['ls', cid],
          ['pin', 'add', cid],
          ['pin', 'ls', cid],
          ['dag', 'export', cid],
          ['dag', 'get', cid],
          ['refs', '--recursive', cid],
          ['files', 'cp', `/ipfs/${cid}`, '/none']
        ]
      ) {
        await expect(kubo.ipfs(args), args.join(' ')).rejects.toThrow('ended with 1')
      }

      expect((await get(cid)).status).toBe(500)
      expect((await get(cid, { range: 'bytes=0-9' })).status).toBe(500)
    }

    expect((await get(`${tree}/small.txt`)).status).toBe(500)
  })

  it('serves a CAR without blocks at its gateway, with status 200, that ends with an error', async () => {
    const { status, body } = await get(`${file}?format=car`)

    expect(status).toBe(200)
    expect(body.byteLength).toBeLessThan(200)
    expect(body.toString('latin1')).toContain('CAR stream truncated')
  })
})
