import { ipfsz } from '@ipfsz/core'
import type { IpfszInit, OpenOptions } from '@ipfsz/core'
import type { RootReader } from '@ipfsz/gateway'
import type { PluginContext, PluginOptions } from '@helia/verified-fetch'

type Options = Pick<PluginContext, 'blockstore' | 'offline' | 'onProgress' | 'providers'>

/** What reads for one request: through the blockstore of its session, with its options. */
export function readerOf (
  { blockstore, offline, onProgress, providers }: Options,
  { routing }: Pick<PluginOptions['helia'], 'routing'>,
  init: IpfszInit
): RootReader {
  const more = { offline, providers, onProgress }
  const blocks: typeof blockstore = Object.create(blockstore, {
    get: {
      value: (...[cid, options]: Parameters<typeof blockstore.get>) => blockstore.get(cid, { ...more, ...options })
    }
  })
  const files = ipfsz({ blockstore: blocks, routing }, init)

  return {
    fs: {
      ls: files.ls.bind(files),
      // the caller's listener gets the events of IPFSz, too
      open: async (cid, options) =>
        files.open(cid, { ...options, onProgress: onProgress as OpenOptions['onProgress'] }),
      stat: files.stat.bind(files)
    },
    blocks
  }
}
