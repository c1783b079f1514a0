import { markerCodecs } from '../marker.ts'
import { depthFirstWalker } from './depth-first-walker.ts'
import { quickenStreams } from './quicken-streams.ts'
import type { CodecLoader, GraphWalkerFactory, Helia } from '@helia/interface'

const CODECS = new Map(markerCodecs.map(codec => [codec.code, codec]))

/**
 * Teach a Helia node marked CIDs: it then pins, unpins, walks, exports and provides them as it does plain ones. Returns
 * the same node, started or not. A node that is created with `codecs: markerCodecs` knows them already.
 *
 * A pin that fails rejects, and nothing else: with Helia's own walker, it is an unhandled rejection as well. If you
 * pass a `walker`, it is used.
 *
 * Over links with delay, the node fetches sooner from any peer, and the peers need nothing: its streams send without
 * waiting until the other side has confirmed the protocol, and a message of Bitswap arrives in one go. This concerns
 * connections that are made afterwards, and does nothing if the node has no libp2p, or one with other internals.
 *
 * @example
 *
 * ```typescript
 * import { withIpfsz } from '@ipfsz/core'
 * import { createHelia } from 'helia'
 *
 * const helia = await withIpfsz(createHelia()).start()
 * ```
 */
export function withIpfsz<H extends Pick<Helia, 'getCodec' | 'pins'>> (helia: H): H {
  const { pins } = helia
  const add = pins.add.bind(pins)
  const rm = pins.rm.bind(pins)

  helia.getCodec = knowingMarkers(helia.getCodec.bind(helia))
  // pins keep the loader that the node was created with, and hand it to the walker of each call
  pins.add = (cid, options) => add(cid, { ...options, walker: walkerOf(options?.walker) })
  pins.rm = (cid, options) => rm(cid, { ...options, walker: walkerOf(options?.walker) })
  quickenStreams(helia)

  return helia
}

function walkerOf (walker: GraphWalkerFactory = depthFirstWalker): GraphWalkerFactory {
  return components => walker({ ...components, getCodec: knowingMarkers(components.getCodec) })
}

function knowingMarkers (load: CodecLoader): CodecLoader {
  return ((code, options) => CODECS.get(code) ?? load(code, options)) as CodecLoader
}
