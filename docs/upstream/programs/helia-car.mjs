// @helia/car 6.0.5: leaves out what is below an identity root
import { car } from '@helia/car'
import { CarReader } from '@ipld/car'
import * as dagPb from '@ipld/dag-pb'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'

const helia = await createHeliaLight().start()
const bytes = Uint8Array.of(1)
const leaf = CID.createV1(raw.code, await sha256.digest(bytes))
await helia.blockstore.put(leaf, bytes)
const node = dagPb.encode(dagPb.prepare({ Links: [{ Name: 'leaf', Hash: leaf, Tsize: 1 }] }))
const root = CID.createV1(dagPb.code, identity.digest(node))
const reader = await CarReader.fromIterable(car(helia).export(root))

// prints false; expected: true
console.info(await reader.has(leaf))
await helia.stop()
