// @helia/unixfs 8.0.5: renames the entries of a directory whose shards have 1,024 places
import { unixfs } from '@helia/unixfs'
import { MemoryBlockstore } from 'blockstore-core'

const fs = unixfs({ blockstore: new MemoryBlockstore() })
const sharded = { shardSplitThresholdBytes: 1 }
const file = await fs.addBytes(Uint8Array.of(1))
const entries = ['a', 'b'].map(path => ({ path, content: Uint8Array.of(1) }))
const added = await Array.fromAsync(fs.addAll(entries, { ...sharded, wrapWithDirectory: true, shardFanoutBits: 10 }))
const changed = await fs.cp(file, added.at(-1).cid, 'c', sharded)
const names = (await Array.fromAsync(fs.ls(changed))).map(({ name }) => name)

// prints false: the names have digits before them; expected: true
console.info(names.includes('a') && names.includes('b'))
