import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { dnsLabel } from '../src/request/content-root.ts'
import { serve, text } from './fixtures.ts'

const FORMATS = ['', 'raw', 'car', 'tar', 'json', 'cbor', 'dag-json', 'dag-cbor']
const ACCEPTED = ['*/*', 'text/html', 'application/vnd.ipld.dag-json', 'application/vnd.ipld.car', 'application/json']

describe.each([['DAG-CBOR', dagCbor], ['DAG-JSON', dagJson]] as const)('a path in %s', (_, codec) => {
  it('that is not there is answered with 404, whatever is asked for', { tags: 'slow' }, async () => {
    const { gateway, fs, blockstore } = serve()
    const put = async (value: unknown): Promise<CID> => {
      const block = codec.encode(value)
      const cid = CID.createV1(codec.code, await sha256.digest(block))
      await blockstore.put(cid, block)

      return cid
    }
    const file = await fs.addFile({ path: 'a/b.txt', content: text(10) })
    const inner = await put({ value: { a: 1 }, list: [1], file })
    const names = { _redirects: 'x', 'ipfs-404.html': 1 }
    const root = await put({ foo: { bar: inner }, list: [inner], text: 'x', inner, ...names })
    const paths = [
      'i-do-not-exist', 'foo/i-do-not-exist', 'foo/bar/none', 'foo/bar/value/none', 'foo/bar/value/a/none', 'list/1',
      'list/none', 'list/0/none', 'text/none', 'text/0', 'inner/list/1', 'inner/file/none', 'inner/file/a/b.txt/none'
    ]
    const hosts = [
      `http://127.0.0.1/ipfs/${root}`, `http://x.example/ipfs/${root}`, `http://${dnsLabel(root)}.ipfs.localhost`
    ]

    for (const url of hosts.flatMap(host => paths.map(path => `${host}/${path}`))) {
      for (const format of FORMATS) {
        expect((await gateway(new Request(`${url}?format=${format}`))).status, `${url} ${format}`).toBe(404)
      }

      for (const accept of ACCEPTED) {
        expect((await gateway(new Request(url, { headers: { accept } }))).status, `${url} ${accept}`).toBe(404)
      }
    }

    // a value that is there, and no link, can be had with its document only
    expect((await gateway(new Request(`${hosts[0]}/foo`))).status).toBe(501)
    expect((await gateway(new Request(`${hosts[2]}/foo`))).status).toBe(501)
  })
})
