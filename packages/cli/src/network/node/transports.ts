import { networkInterfaces } from 'node:os'
import { circuitRelayTransport } from '@libp2p/circuit-relay-v2'
import { tcp } from '@libp2p/tcp'
import { webSockets } from '@libp2p/websockets'
import type { Libp2pOptions } from 'libp2p'

type Transports = NonNullable<Libp2pOptions['transports']>

/** The ports of a daemon for TCP, WebSockets and, for browsers that want no certificate, WebRTC. */
const DEFAULT_PORTS = ['tcp/4101', 'tcp/4102/ws', 'udp/4103/webrtc-direct']

const WEBRTC_DIRECT = /\/webrtc-direct(?:\/|$)/

/**
 * Where a daemon listens: on all addresses, of IPv6 where there is any.
 *
 * @param interfaces - as of `os.networkInterfaces`
 */
export function defaultListen (interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces()): string[] {
  const hasIpv6 = Object.values(interfaces).some(addresses => addresses?.some(({ family }) => family === 'IPv6'))

  return ['/ip4/0.0.0.0', ...hasIpv6 ? ['/ip6/::'] : []].flatMap(address => DEFAULT_PORTS.map(port => `${address}/${port}`))
}

export interface LoadedTransports {
  transports: Transports
  /** The addresses that can be listened on. */
  listen: string[]
  /** Why some cannot, where that is so. */
  missing?: string
}

/**
 * The transports for addresses. WebRTC is an addon that not every machine can load,
 * and is loaded only where an address asks for it.
 *
 * @param dial - addresses that are to be dialled
 */
export async function loadTransports (listen: readonly string[], dial: readonly string[]): Promise<LoadedTransports> {
  const transports: Transports = [tcp(), webSockets(), circuitRelayTransport()]

  if (![...listen, ...dial].some(address => WEBRTC_DIRECT.test(address))) {
    return { transports, listen: [...listen] }
  }

  try {
    const { webRTCDirect } = await import('@libp2p/webrtc')

    return { transports: [...transports, webRTCDirect()], listen: [...listen] }
  } catch (err) {
    return {
      transports,
      listen: listen.filter(address => !WEBRTC_DIRECT.test(address)),
      missing: `WebRTC is left out, its addon node-datachannel cannot be loaded: ${err instanceof Error ? err.message : String(err)}`
    }
  }
}
