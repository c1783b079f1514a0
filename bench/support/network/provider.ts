/** A node that provides blocks. `bench/network.ts` starts it in its own process, which ends with its parent. */
import { FsBlockstore } from 'blockstore-fs'
import { createHeliaLight } from 'helia'
import { createNode } from './node.ts'
import type { Provider, ProviderInit } from './messages.ts'

// the parent process has ended
process.on('disconnect', () => { process.exit() })

const { blocks, transport } = JSON.parse(process.argv[2]) as ProviderInit
const blockstore = new FsBlockstore(blocks)
await blockstore.open()
const helia = await createNode(createHeliaLight({ blockstore }), ['/ip4/127.0.0.1/tcp/0'], transport)
const port = Number(helia.libp2p.getMultiaddrs()[0].toString().split('/')[4])

process.send?.({ peer: helia.libp2p.peerId.toString(), port } satisfies Provider)
