/** Makes a store in an empty directory, adds two blocks, keeps one, and collects the other. */
import { joinStore, openStore } from '@ipfsz/shared-store'
import { collect, tailOf, TailSet } from '@ipfsz/shared-store/collect'
import { StoreSession } from '@ipfsz/shared-store/sessions'
import { Key } from 'interface-datastore'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const directory = await mkdtemp(join(tmpdir(), 'store-'))
const { reference } = await joinStore(directory) // another node that does the same joins this store
const { records, shared: { leaseTimeout, objects, packs } } = await openStore(reference)

if (packs == null) {
  throw new Error('An early version made this store: convert it')
}

const { signal } = new AbortController()

// add: a session protects what it stores, until its pins do
const session = await StoreSession.open(objects, { leaseTimeout, command: 'add' })
const blocks = packs.forSession(session)

for (const text of ['keep this', 'delete this']) {
  const bytes = new TextEncoder().encode(text)
  const cid = CID.createV1(raw.code, await sha256.digest(bytes))
  await blocks.put(cid, bytes)

  if (text === 'keep this') {
    await packs.sync()
    await session.confirm()
    await records.put(new Key(`/kept/${cid}`), new Uint8Array())
    await session.confirm() // now it is kept
  }
}

// what nobody keeps
await packs.sync()
await session.end()

// collect: any node may, at any time
const tails = new TailSet()
const result = await collect({
  store: objects,
  storage: packs,
  leaseTimeout,
  reached: { has: key => tails.has(tailOf(key)) },
  async * readPins ({ signal }) {
    for await (const key of records.keys('/kept', signal)) {
      yield { id: key.name() }
    }
  },
  async * walk ({ id }) { // these blocks have no links
    yield tails.add(tailOf(CID.parse(id).multihash.bytes))
  },
  maxUnused: 0
}, { signal })

console.info(`${result.removed} deleted, ${result.kept} kept`) // 1 deleted, 1 kept
await rm(directory, { recursive: true })
