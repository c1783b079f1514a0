// helia 7.1.15: removing a pin makes a block count as not pinned that another pin needs
import * as dagPb from '@ipld/dag-pb'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'

const helia = await createHeliaLight().start()

async function put (codec, bytes) {
  const cid = CID.createV1(codec, await sha256.digest(bytes))

  return helia.blockstore.put(cid, bytes)
}

const leaf = await put(raw.code, Uint8Array.of(1))
const [a, b] = await Promise.all(['a', 'b'].map(Name =>
  put(dagPb.code, dagPb.encode(dagPb.prepare({ Links: [{ Name, Hash: leaf, Tsize: 1 }] })))))

for (const change of [() => helia.pins.add(a), () => helia.pins.add(b), () => helia.pins.rm(a), () => helia.pins.add(a),
  () => helia.pins.rm(b)]) {
  await Array.fromAsync(change())
}

// prints true: a is pinned, and needs it; before: false
console.info(await helia.pins.isPinned(leaf))
await helia.stop()
