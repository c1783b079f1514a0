import { createIPNSRecord, IPNSEntry } from '@helia/ipns'
import { mark, MARKERS, TREE_CODE, unmark } from '@ipfsz/core'
import { generateKeyPair } from '@libp2p/crypto/keys'
import { decode, encode } from 'cborg'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { describe, expect, it } from 'vitest'
import {
  DEFAULT_LIFETIME,
  formatName,
  ipnsRecords,
  makeRecord,
  parseName,
  readRecord,
  recordKey
} from '../src/network/names/name-records.ts'

const plain = CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')
const marked = mark(plain, TREE_CODE)
const key = await generateKeyPair('Ed25519')
const digest = key.publicKey.toMultihash()

describe('an IPNS record', () => {
  it.each([
    ['a marked CID', marked, ''],
    ['a marked CID with a path', marked, 'a/b c.txt'],
    ['a plain CID', plain, ''],
    ['a CIDv0, as CIDv1', CID.parse('Qmc8uQKu5poL6PMQXtdnz57LfSnd4xUZVgjqvrmQN8GnhC'), '']
  ])('gives back %s', async (_, cid, path) => {
    const made = await makeRecord(key, cid, path, { sequence: 7n, lifetime: DEFAULT_LIFETIME })
    const record = await readRecord(recordKey(digest), made)

    expect(record).toMatchObject({ sequence: 7n, value: { path } })
    expect(String('cid' in record.value ? record.value.cid : undefined)).toBe(cid.toV1().toString())
  })

  it('has the plain twin as its value, which any node can follow', async () => {
    const record = await makeRecord(key, marked, 'a', { sequence: 1n, lifetime: DEFAULT_LIFETIME })
    const { value, data } = IPNSEntry.decode(record)

    expect(Buffer.from(value ?? []).toString()).toBe(`/ipfs/${unmark(marked)}/a`)
    expect(decode(data ?? new Uint8Array(0))).toMatchObject({ _ipfsz: TREE_CODE })
  })

  it('is refused after it has expired', async () => {
    const bytes = await makeRecord(key, marked, '', { sequence: 1n, lifetime: -1000 })

    await expect(readRecord(recordKey(digest), bytes)).rejects.toMatchObject({ name: 'NameError' })
  })

  it('is refused as the record of another name', async () => {
    const other = await generateKeyPair('Ed25519')
    const bytes = await makeRecord(key, marked, '', { sequence: 1n, lifetime: DEFAULT_LIFETIME })

    await expect(readRecord(recordKey(other.publicKey.toMultihash()), bytes))
      .rejects.toMatchObject({ name: 'NameError' })
    await expect(ipnsRecords.validators.ipns(recordKey(other.publicKey.toMultihash()), bytes))
      .rejects.toMatchObject({ name: 'NameError' })
  })

  it('is refused when its marker was changed after it was signed', async () => {
    const entry = IPNSEntry.decode(await makeRecord(key, marked, '', { sequence: 1n, lifetime: DEFAULT_LIFETIME }))
    const data = decode(entry.data ?? new Uint8Array(0)) as object
    const bytes = IPNSEntry.encode({ ...entry, data: Uint8Array.from(encode({ ...data, _ipfsz: TREE_CODE + 1 })) })

    await expect(readRecord(recordKey(digest), bytes)).rejects.toMatchObject({ name: 'NameError' })
  })

  it.each([
    ['a code that is no marker', plain, 0x3f5a99],
    ['a marker that is no number', plain, 'zstd'],
    ['a root that cannot be marked', CID.createV1(raw.code, plain.multihash), TREE_CODE],
    ['a root that is marked already', marked, MARKERS.zstd]
  ])('is refused with %s', async (_, cid, marker) => {
    const bytes = IPNSEntry.encode(await createIPNSRecord(key as never, `/ipfs/${cid}`, 1n, DEFAULT_LIFETIME, {
      data: { _ipfsz: marker }
    }))

    await expect(readRecord(recordKey(digest), bytes)).rejects.toMatchObject({ name: 'NameError' })
  })

  it('is refused when it is truncated', async () => {
    const bytes = await makeRecord(key, marked, '', { sequence: 1n, lifetime: DEFAULT_LIFETIME })

    for (let length = 0; length < bytes.byteLength; length += 7) {
      await expect(readRecord(recordKey(digest), bytes.subarray(0, length)), `${length}`)
        .rejects.toMatchObject({ name: 'NameError' })
    }
  })

  it('is chosen when it has the highest sequence number', async () => {
    const records = await Promise.all(
      [2n, 5n, 3n].map(async sequence => makeRecord(key, marked, '', { sequence, lifetime: DEFAULT_LIFETIME }))
    )

    expect(ipnsRecords.selectors.ipns(recordKey(digest), records)).toBe(1)
  })
})

describe('parseName', () => {
  it.each([
    ['as ipfsz prints it', formatName(digest)],
    ['with /ipns/ before it', `/ipns/${formatName(digest)}`],
    ['with ipns:// before it', `ipns://${formatName(digest)}`],
    ['given as a peer id', key.publicKey.toString()]
  ])('reads a name %s', (_, text) => {
    expect(Buffer.from(parseName(text).bytes)).toEqual(Buffer.from(digest.bytes))
  })

  it.each(['', 'k51', 'example.org', '/ipfs/a'])('refuses %j', text => {
    expect(() => parseName(text)).toThrow(expect.objectContaining({ name: 'NameError' }))
  })
})
