import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { respondIpnsRecord } from '../src/respond/trustless/ipns-record.ts'
import { contextOf, store } from './dag-fixtures.ts'
import type { NameResolver } from '../src/contract.ts'

const cid = CID.parse('bafkqaaa')
const record = Uint8Array.of(1, 2, 3)
const names: NameResolver = {
  resolve: async () => ({ cid, path: [], ttl: 1800 }),
  record: async () => record
}

async function ask (resolver: NameResolver | undefined, headers = {}, method = 'GET'): Promise<Response> {
  const { resolved: _, ...context } = contextOf(
    store(), '/ipns/k51abc?format=ipns-record&filename=testтест.ipns-record', { cid },
    { headers, method, ...resolver == null ? {} : { names: resolver } }
  )

  return respondIpnsRecord(context)
}

describe('the response of an IPNS record', () => {
  it('has the signed bytes', async () => {
    const response = await ask(names)

    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/vnd.ipfs.ipns-record',
      'cache-control': 'public, max-age=1800',
      'content-length': '3',
      'content-disposition':
        'attachment; filename="test____.ipns-record"; filename*=UTF-8\'\'test%D1%82%D0%B5%D1%81%D1%82.ipns-record'
    })
    expect(await response.bytes()).toEqual(record)
  })

  it('is not sent to who has it, and not for HEAD', async () => {
    const etag = (await ask(names)).headers.get('etag') ?? ''
    const head = await ask(names, {}, 'HEAD')

    expect((await ask(names, { 'if-none-match': etag })).status).toBe(304)
    expect([head.body, head.headers.get('content-length')]).toEqual([null, '3'])
    expect((await ask({ ...names, record: async () => Uint8Array.of(4) })).headers.get('etag')).not.toBe(etag)
  })

  it('is sent though what it points to cannot be resolved', async () => {
    const response = await ask({ ...names, resolve: async () => { throw new Error('no such name') } })

    expect(response.headers.get('cache-control')).toBe('public, max-age=60')
  })

  it('refuses to serve records that the gateway does not have', async () => {
    await expect(ask({ resolve: names.resolve })).rejects.toMatchObject({ status: 501 })
    await expect(ask(undefined)).rejects.toMatchObject({ status: 501 })
  })
})
