import { unmark } from '@ipfsz/core'
import { createIpfszForKubo } from '@ipfsz/core/kubo'
import { create } from 'kubo-rpc-client'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { startKuboStore } from './kubo-store-node.ts'
import type { KuboStore } from './kubo-store-node.ts'
import type { Ipfsz } from '@ipfsz/core'

let kubo: KuboStore
let files: Ipfsz

beforeAll(async () => {
  kubo = await startKuboStore()
  files = createIpfszForKubo(create({ url: kubo.url }))
})
afterAll(async () => { await kubo.stop() })

async function read (cid: CID, path?: string): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(files.cat(cid, { path })))
}

async function pins (): Promise<string> {
  return (await kubo.ipfs(['pin', 'ls', '--type=recursive', '--quiet'])).toString()
}

describe('createIpfszForKubo with a client of kubo-rpc-client', () => {
  it('adds and pins a file, and reads it back, whole and in part', async () => {
    const bytes = longText(9_000_000)
    const cid = await files.addBytes(bytes)

    expect(await pins()).toContain(unmark(cid).toString())
    await kubo.ipfs(['repo', 'gc'])
    expect((await read(cid)).equals(bytes)).toBe(true)
    expect(
      Buffer.concat(await Array.fromAsync(files.cat(cid, { offset: 5_000_000, length: 1000 }))).equals(
        bytes.subarray(5_000_000, 5_001_000)
      )
    ).toBe(true)
    expect(await files.stat(cid)).toMatchObject({ size: 9_000_000n, codec: 'zstd' })
    expect(await files.verify(cid)).toMatchObject({ size: 9_000_000n })
    expect((await read(unmark(cid))).equals(await kubo.ipfs(['cat', unmark(cid).toString()]))).toBe(true)
  })

  it('adds an empty file', async () => {
    const cid = await files.addBytes(new Uint8Array(0))

    expect((await read(cid)).byteLength).toBe(0)
    expect(await pins()).toContain(cid.toString())
  })

  it('adds a tree with a sharded directory, pins only its root, and changes it', async () => {
    const source = Array.from(
      { length: 300 },
      (_, i) => ({ path: `tree/many/file-${i}.txt`, content: text(1000 + i, i + 1) })
    )
    const results = await Array.fromAsync(files.addAll(source, { shardSplitThresholdBytes: 1000 }))
    const tree = results[results.length - 1].cid

    expect(await pins()).toContain(unmark(tree).toString())
    expect(await pins()).not.toContain(unmark(results[0].cid).toString())
    await kubo.ipfs(['repo', 'gc'])
    expect(await Array.fromAsync(files.ls(tree, { path: 'many' }))).toHaveLength(300)
    expect((await read(tree, 'many/file-299.txt')).equals(text(1299, 300))).toBe(true)

    const changed = await files.rm(tree, 'many')
    expect((await kubo.ipfs(['ls', unmark(changed).toString()])).byteLength).toBe(0)
  })

  it('reads files that Kubo added', async () => {
    const bytes = noise(3_000_000)

    for (
      const flags of [[], ['--cid-version=1'], ['--hash=blake3', '--cid-version=1'], ['--inline', '--cid-version=1']]
    ) {
      const cid = CID.parse((await kubo.ipfs(['add', '-Q', ...flags], bytes)).toString().trim())
      expect((await read(cid)).equals(bytes), flags.join(' ')).toBe(true)
    }
  })

  it('fails with KuboUnreachableError when Kubo is gone, and works again when it is back', async () => {
    const mortal = await startKuboStore()
    const files = createIpfszForKubo(create({ url: mortal.url }))

    try {
      const cid = await files.addBytes(longText(2_000_000))
      await mortal.kill()

      await expect(files.addBytes(text(1000))).rejects.toMatchObject({ name: 'KuboUnreachableError' })
      await expect(Array.fromAsync(files.cat(cid))).rejects.toMatchObject({ name: 'KuboUnreachableError' })

      await mortal.restart()
      expect(Buffer.concat(await Array.fromAsync(createIpfszForKubo(create({ url: mortal.url })).cat(cid))).byteLength)
        .toBe(2_000_000)
    } finally {
      await mortal.stop()
    }
  })

  it('refuses a gateway, and a Kubo that wants credentials until it gets them', async () => {
    const closed = await startKuboStore({
      'API.Authorizations': { someone: { AuthSecret: 'bearer:token', AllowedPaths: ['/api/v0'] } }
    })

    try {
      await expect(createIpfszForKubo(create({ url: kubo.gateway })).addBytes(text(1000)))
        .rejects.toMatchObject({ name: 'NotKuboError' })
      await expect(createIpfszForKubo(create({ url: closed.url })).addBytes(text(1000)))
        .rejects.toMatchObject({ name: 'KuboForbiddenError', status: 403 })
      await createIpfszForKubo(create({ url: closed.url, headers: { authorization: 'Bearer token' } })).addBytes(
        text(1000)
      )
    } finally {
      await closed.stop()
    }
  })

  it('refuses to return a CID if a leaf was deleted before Kubo pinned the file', async () => {
    const client = create({ url: kubo.url })
    let first: CID | undefined
    const forgetful = createIpfszForKubo({
      block: {
        put: async (block, options) => {
          const cid = await client.block.put(block, options)
          first ??= cid

          return cid
        },
        get: async (cid, options) => client.block.get(cid, options),
        stat: async (cid, options) => client.block.stat(cid, options)
      },
      pin: {
        add: async (cid, options) => {
          await kubo.ipfs(['block', 'rm', String(first)])

          return client.pin.add(cid, options)
        }
      }
    })

    await expect(forgetful.addBytes(longText(3_000_000, 77))).rejects.toMatchObject({ name: 'KuboFailedError' })
  })
})
