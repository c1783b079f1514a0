import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { blockKey, multihashOf, S3Blockstore } from '../src/index.ts'
import { BUCKET, CREDENTIALS, fakeS3, refuse } from '../../../test/support/fake-s3.ts'
import type { S3BlockstoreInit } from '../src/index.ts'
import type { FakeS3 } from '../../../test/support/fake-s3.ts'

let s3: FakeS3
let store: S3Blockstore

beforeEach(async () => {
  s3 = await fakeS3()
  store = connect()
})

afterEach(async () => {
  await store.close()
  await s3.close()
})

function connect (init?: S3BlockstoreInit): S3Blockstore {
  return new S3Blockstore({
    bucket: BUCKET, prefix: 'site', endpoints: [s3.origin], credentials: CREDENTIALS, attempts: 1
  }, init)
}

/** How many objects were sent. */
function puts (): number {
  return s3.seen.filter(({ method }) => method === 'PUT').length
}

async function block (text: string): Promise<{ cid: CID, bytes: Uint8Array }> {
  const bytes = new TextEncoder().encode(text)

  return { cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes }
}

it('stores a block under the key that its multihash says', async () => {
  const { cid, bytes } = await block('a block')
  await store.put(cid, bytes)

  expect([...s3.objects.keys()]).toEqual(['site/blocks/hs/bciqjfse5tbj2f5lrnuvcgyz6q2bvv6vf2qqtlag35yeej5jxm7jjhsa'])
})

it('reads the multihash back from a key, of any hash function', async () => {
  const bytes = new Uint8Array([1, 2, 3])

  for (const digest of [await sha256.digest(bytes), await sha512.digest(bytes), identity.digest(bytes)]) {
    expect(multihashOf(blockKey(CID.createV1(raw.code, digest)))?.bytes).toEqual(digest.bytes)
  }
})

it('neither lists nor deletes objects of others', async () => {
  const { cid, bytes } = await block('a block')
  const key = `site/${blockKey(cid)}`
  const foreign = [
    'blocks/xx/other', 'site/ipfsz-store.json', 'site/blocks/', 'site/blocks/readme', 'site/blocks/aa/bciq',
    'site/blocks/zz/' + key.slice(-57), `${key}.tmp`, 'site/blocks/../x', key.toUpperCase(), 'site/blocks/\u0001'
  ]
  foreign.forEach(key => s3.objects.set(key, Buffer.from('foreign')))
  await store.put(cid, bytes)

  const all = await Array.fromAsync(store.getAll(), ({ cid }) => cid.toString())
  expect(all).toEqual([cid.toString()])
  await Array.fromAsync(store.deleteMany(all.map(text => CID.parse(text))))
  expect([...s3.objects.keys()]).toEqual(foreign)
})

it('reads a part of a block', async () => {
  const { cid, bytes } = await block('some bytes')
  await store.put(cid, bytes)

  expect(Buffer.from(await store.getRange(cid, { offset: 5, length: 3 })).toString()).toBe('byt')
  expect(s3.seen.at(-1)?.headers.range).toBe('bytes=5-7')
})

it('reads a whole block when a reader of a file passes on which bytes of the file it wants', async () => {
  const { cid, bytes } = await block('some bytes')
  await store.put(cid, bytes)

  const options = { offset: 5, length: 3, signal: undefined }
  expect(Buffer.concat(await Array.fromAsync(store.get(cid, options))).toString()).toBe('some bytes')
})

/** Put small blocks, and return how often each kind of request was sent meanwhile. */
async function putSmall (texts: string[]): Promise<{ HEAD: number, PUT: number }> {
  const before = s3.seen.length

  for (const text of texts) {
    const { cid, bytes } = await block(text)
    await store.put(cid, bytes)
  }

  const methods = s3.seen.slice(before).map(({ method }) => method)

  return {
    HEAD: methods.filter(method => method === 'HEAD').length,
    PUT: methods.filter(method => method === 'PUT').length
  }
}

it('looks for small blocks while they are there, and seldom when they are new', async () => {
  const texts = Array.from({ length: 40 }, (_, i) => `small ${i}`)

  expect(await putSmall(texts)).toEqual({ HEAD: 3, PUT: 40 })
  store = connect()
  const { cid } = await block('small 30')
  await store.objects.put(blockKey(cid), Buffer.from('SMALL 30'))
  // the first one is new, one was damaged, and 15 are sent again before the next one is looked for
  expect(await putSmall(['new', ...texts.slice(1)])).toEqual({ HEAD: 1 + 24, PUT: 1 + 15 + 1 })
  expect(s3.objects.get(`site/${blockKey(cid)}`)?.toString()).toBe('small 30')
  expect(await putSmall(texts.slice(0, 10).map(text => `later ${text}`))).toEqual({ HEAD: 4 + 1, PUT: 10 })
})

it('does not send a large block again that is there, unless its object was damaged', async () => {
  const { cid, bytes } = await block('x'.repeat(64 * 1024))
  await store.put(cid, bytes)
  await store.put(cid, bytes)
  expect(puts()).toBe(1)

  for (const damage of [Buffer.from('y'.repeat(64 * 1024)), bytes.subarray(1)]) {
    await store.objects.put(blockKey(cid), damage)
    const before = puts()
    await store.put(cid, bytes)
    expect(puts()).toBe(before + 1)
  }

  expect(Buffer.concat(await Array.fromAsync(store.get(cid)))).toHaveLength(64 * 1024)
})

it('sends a block again that was read, though the store names the MD5 of what was sent', async () => {
  const { cid, bytes } = await block('x'.repeat(64 * 1024))
  await store.put(cid, bytes)
  const damaged = Buffer.from('y'.repeat(64 * 1024))
  s3.faults.push(response => { response.end(damaged) })

  expect(Buffer.concat(await Array.fromAsync(store.get(cid)))).toEqual(damaged)
  await store.put(cid, bytes)
  expect(puts()).toBe(2)
  await store.put(cid, bytes)
  expect(puts()).toBe(2)
})

it('sends a block at once that the store has just missed, and looks for it the next time', async () => {
  const { cid, bytes } = await block('x'.repeat(64 * 1024))
  const methods = async (work: () => Promise<unknown>): Promise<string[]> => {
    const before = s3.seen.length
    await work()

    return s3.seen.slice(before).map(({ method }) => method)
  }

  // the store has to say once that the bucket is there
  await store.has(cid)
  expect(await methods(async () => store.put(cid, bytes))).toEqual(['PUT'])
  expect(await methods(async () => store.put(cid, bytes))).toEqual(['HEAD'])
  await store.delete(cid)
  await expect(store.getRange(cid)).rejects.toMatchObject({ name: 'NotFoundError' })
  expect(await methods(async () => store.put(cid, bytes))).toEqual(['PUT'])
  expect(s3.objects.size).toBe(1)
})

it('looks again for a block if it has missed a thousand others since', { tags: 'slow' }, async () => {
  const { cid, bytes } = await block('x'.repeat(64 * 1024))
  await store.has(cid)

  for (let i = 0; i < 1000; i++) {
    await store.has((await block(`other ${i}`)).cid)
  }

  const before = s3.seen.length
  await store.put(cid, bytes)
  expect(s3.seen.slice(before).map(({ method }) => method)).toEqual(['HEAD', 'PUT'])
})

it('lists blocks in pages with their sizes, from behind a block', async () => {
  const blocks = await Promise.all(Array.from({ length: 5 }, async (_, i) => block('x'.repeat(i))))
  await Array.fromAsync(store.putMany(blocks))

  const [page] = await Array.fromAsync(store.list())
  expect(page.map(({ size }) => size).toSorted()).toEqual([0, 1, 2, 3, 4])
  const [rest] = await Array.fromAsync(store.list({ after: page[2].cid }))
  expect(rest).toEqual(page.slice(3))
})

it('puts no more blocks at a time than it is told', async () => {
  const blocks = await Promise.all(Array.from({ length: 9 }, async (_, i) => block(String(i))))
  let running = 0
  let most = 0
  s3.faults.push(...blocks.map(() => (_response: unknown, _seen: unknown, answer: () => void) => {
    most = Math.max(most, ++running)
    setImmediate(() => {
      running--
      answer()
    })
  }))
  await Array.fromAsync(connect({ concurrency: 3 }).putMany(blocks))

  expect([s3.objects.size, most <= 3]).toEqual([9, true])
})

it('refuses a block that is larger than blocks may be, in pieces too', async () => {
  const { cid, bytes } = await block('a block')
  const small = connect({ maxBlockSize: 3 })

  await expect(small.put(cid, bytes)).rejects.toMatchObject({ name: 'PutFailedError', cause: { name: 'RangeError' } })
  await expect(small.put(cid, [bytes.subarray(0, 3), bytes.subarray(3)])).rejects.toMatchObject({
    name: 'PutFailedError'
  })
  expect(s3.seen).toHaveLength(0)
})

it('tells a block that is missing from a store that refuses, and from a network that fails', async () => {
  const { cid, bytes } = await block('a block')
  const use: Readonly<Record<string, () => Promise<unknown>>> = {
    GetFailedError: async () => Array.fromAsync(store.get(cid)),
    HasFailedError: async () => store.has(cid),
    PutFailedError: async () => store.put(cid, bytes),
    DeleteFailedError: async () => store.delete(cid),
    OpenFailedError: async () => store.open()
  }

  // the first small block is looked for before it is sent, the next ones are not
  await store.put((await block('another')).cid, (await block('another')).bytes)
  expect(await store.has(cid)).toBe(false)
  await expect(use.GetFailedError()).rejects.toMatchObject({ name: 'NotFoundError', cause: { name: 'NotFoundError' } })

  for (const [name, call] of Object.entries(use)) {
    s3.faults.push(refuse(403, 'AccessDenied'))
    await expect(call()).rejects.toMatchObject({ name, cause: { from: 'store', status: 403 } })
  }

  await s3.close()

  for (const [name, call] of Object.entries(use)) {
    await expect(call()).rejects.toMatchObject({ name, cause: { from: 'network', phase: 'connect' } })
  }
})

it('passes on the reason of an abort as it is', async () => {
  const { cid, bytes } = await block('a block')
  const reason = new Error('enough')
  const signal = AbortSignal.abort(reason)

  await expect(store.put(cid, bytes, { signal })).rejects.toBe(reason)
  await expect(store.has(cid, { signal })).rejects.toBe(reason)
  await expect(Array.fromAsync(store.get(cid, { signal }))).rejects.toBe(reason)
  await expect(Array.fromAsync(store.getAll({ signal }))).rejects.toBe(reason)
})

it('creates the bucket only if it is told to, and the store says that there is none', async () => {
  s3.buckets.clear()
  await expect(store.open()).rejects.toMatchObject({ name: 'OpenFailedError', cause: { code: 'NoSuchBucket' } })

  const creating = connect({ createIfMissing: true })
  s3.faults.push(refuse(403, 'AccessDenied'))
  await expect(creating.open()).rejects.toMatchObject({ name: 'OpenFailedError', cause: { code: 'AccessDenied' } })
  expect(s3.seen.map(({ method }) => method)).toEqual(['GET', 'GET'])

  await creating.open()
  await store.open()
  expect([...s3.buckets]).toEqual([BUCKET])
})
