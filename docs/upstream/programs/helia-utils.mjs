// @helia/utils 3.0.5: a walk that fails rejects twice, once unhandled
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'

const helia = await createHeliaLight().start()
const bytes = Uint8Array.of(1)
// a codec that the node does not know
const cid = CID.createV1(0x300001, await sha256.digest(bytes))
await helia.blockstore.put(cid, bytes)
let unhandled = 0
process.on('unhandledRejection', () => { unhandled++ })
const name = await Array.fromAsync(helia.pins.add(cid)).catch(err => err.name)
await new Promise(setImmediate)

// prints UnknownCodecError 0; before: 1, and without the listener the process ends
console.info(name, unhandled)
await helia.stop()
