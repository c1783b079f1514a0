import { createVerifiedFetchWithHelia } from '@helia/verified-fetch'
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { createHeliaLight } from 'helia'
import { onTestFinished } from 'vitest'
import { checkPaths, ipfszPlugin } from '../src/index.ts'
import type { CreateVerifiedFetchOptions, VerifiedFetch } from '@helia/verified-fetch'
import type { Ipfsz } from '@ipfsz/core'
import type { BlockBroker, Helia } from 'helia'

/** A network without peers. Sessions need one. */
const NOBODY: BlockBroker = {
  name: 'nobody',
  retrieve: async cid => { throw new Error(`nobody has ${cid}`) },
  createSession: () => ({ ...NOBODY, name: 'nobody', addPeer: async () => {} })
}

export interface Made {
  helia: Helia
  blockstore: MemoryBlockstore
  fetch: VerifiedFetch
  fs: Ipfsz
}

/** A verified fetch with the plugin, on a node without a network. */
export async function make (
  options: CreateVerifiedFetchOptions = {},
  blockstore = new MemoryBlockstore()
): Promise<Made> {
  const helia = createHeliaLight({ blockstore })
  helia.addBlockBroker(NOBODY)
  await helia.start()
  onTestFinished(async () => { await helia.stop() })
  const fetch = checkPaths(await createVerifiedFetchWithHelia(helia, { ...options, plugins: [ipfszPlugin()] }))
  onTestFinished(async () => { await fetch.stop() })

  return { helia, blockstore, fetch, fs: ipfsz(helia) }
}
