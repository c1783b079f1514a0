// helia 7.1.15: asks whether a block is there before each read and write
import { MemoryBlockstore } from 'blockstore-core'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'

const blockstore = new MemoryBlockstore()
const helia = await createHeliaLight({ blockstore }).start()
const bytes = Uint8Array.of(1)
const cid = CID.createV1(raw.code, await sha256.digest(bytes))
await helia.blockstore.put(cid, bytes)
const asked = []

for (const name of ['has', 'get']) {
  const method = blockstore[name].bind(blockstore)
  blockstore[name] = (...args) => {
    asked.push(name)
    return method(...args)
  }
}

await Array.fromAsync(helia.blockstore.get(cid))
// prints has, get; expected: get
console.info(asked.join(', '))
await helia.stop()
