// helia 7.1.15: no way to add a codec to a node
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'

const helia = await createHeliaLight().start()
const { getCodec } = helia
let asked = 0
helia.getCodec = async (...args) => {
  asked++
  return getCodec(...args)
}
await Array.fromAsync(helia.pins.add(CID.createV1(0x55, identity.digest(Uint8Array.of(1)))))

// prints undefined 0: there is no method, and pins keep the loader of the constructor
console.info(helia.addCodec, asked)
await helia.stop()
