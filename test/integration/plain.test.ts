import { unixfs } from '@helia/unixfs'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import { expectSuccess, it } from './run-cli.ts'

const SIZE = 2_500_000

/** The first bytes of files whose formats compress. */
const HEADERS: Record<string, Buffer> = {
  mp4: Buffer.concat([hex('00000020'), ascii('ftypisom'), hex('00000200'), ascii('isomiso2avc1mp41')]),
  mp3: Buffer.concat([ascii('ID3'), hex('04000000000000'), hex('fffb9064')]),
  jpeg: Buffer.concat([hex('ffd8ffe00010'), ascii('JFIF\0'), hex('0101006000600000')]),
  png: Buffer.concat([
    hex('89504e470d0a1a0a'),
    hex('0000000d'),
    ascii('IHDR'),
    hex('00000400000004000806000000'),
    hex('7f1d2b83'),
    hex('00100000'),
    ascii('IDAT')
  ]),
  zip: Buffer.concat([
    hex('504b0304140000000800'),
    hex('0000210000000000'),
    hex('0000100000002000'),
    hex('05000000'),
    ascii('a.txt')
  ]),
  gz: hex('1f8b0800000000000003'),
  zst: hex('28b52ffd84580000')
}

describe('a file in a compressed format', () => {
  it.for([
    ['mp4', 'bafybeiboknqmbs5upn37ejfkqcsed64tdcee6b4db7sprfuirxybbaeldu'],
    ['mp3', 'bafybeid2vcmnj6b75mjvf3b4isqgilhji7wl64rh5owdlh7dbyj3nrxyza'],
    ['jpeg', 'bafybeiat246gxxub3h5wmtdhfrys7oqrmh2c2c25ecomql6cjfc5wxyv4y'],
    ['png', 'bafybeicipzsishpyhj6bukytnsd56pu5ddmdlnrhrbvzojx6g63w5khzke'],
    ['zip', 'bafybeicgn2liwhf6xmwt723u7snmql3ichuar5kugky4wh5ugbok7ej52a'],
    ['gz', 'bafybeigdhrujbs3m7x5nnyn7itumdvf3hpm6lcz7xqhybvui3spsy2usru'],
    ['zst', 'bafybeifyxthmdlze2ua4xu5rqbehmm7nq5tvlrfuqrbsoucn2atblkcyrm']
  ])('gets the same CID as from @helia/unixfs: %s', async ([type, cid], { sandbox }) => {
    // text would shrink, so only the type can decide
    const bytes = Buffer.concat([HEADERS[type], text(SIZE)])

    const added = await sandbox.add(bytes)
    const back = await sandbox.run(['cat', added])

    expect(added).toBe(cid)
    expect(added).toBe(String(await unixfs({ blockstore: new MemoryBlockstore() }).addBytes(bytes)))
    expectSuccess(back)
    expect(back.stdout.equals(bytes)).toBe(true)
  })
})

describe('a file that is stored uncompressed', () => {
  it.for<[string, Uint8Array, string]>([
    ['no bytes', new Uint8Array(0), 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'],
    ['noise of one block', noise(1000), 'bafkreibxgaz5xxqtno3364b3dcpiqmsgfo6wxyvau74zgadktmlzehjkya'],
    ['noise of several blocks', noise(3_000_000), 'bafybeignbdffcfrywizxjkelri35bu4yxwg5c2sta33v47zgmptzbhdv3q']
  ])('gets the same CID as from @helia/unixfs: %s', async ([, bytes, cid], { sandbox }) => {
    const added = await sandbox.add(bytes)
    const withNone = await sandbox.add(bytes, '--codec', 'none')

    expect(added).toBe(cid)
    expect(withNone).toBe(cid)
    expect(String(await unixfs({ blockstore: new MemoryBlockstore() }).addBytes(bytes))).toBe(cid)
  })

  it('gets the same CID as from @helia/unixfs: text with --codec none', async ({ sandbox }) => {
    const bytes = text(3_000_000)

    const cid = await sandbox.add(bytes, '--codec', 'none')

    expect(cid).toBe('bafybeier2rw6hz54tmytfgwdv7dziqsv2y33kmflk7bgwuxzr7376kz4zi')
    expect(String(await unixfs({ blockstore: new MemoryBlockstore() }).addBytes(bytes))).toBe(cid)
  })
})

function hex (text: string): Buffer {
  return Buffer.from(text, 'hex')
}

function ascii (text: string): Buffer {
  return Buffer.from(text, 'latin1')
}
