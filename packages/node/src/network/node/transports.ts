import { networkInterfaces } from 'node:os'
import { messageOf } from '@ipfsz/utils/message-of'
import { circuitRelayTransport } from '@libp2p/circuit-relay-v2'
import { tcp } from '@libp2p/tcp'
import { webSockets } from '@libp2p/websockets'
import type { Libp2pOptions } from 'libp2p'

type Transports = NonNullable<Libp2pOptions['transports']>

/** The default ports of a daemon. Browsers can use WebRTC Direct without a certificate. */
const DEFAULT_PORTS = ['tcp/4101', 'tcp/4102/ws', 'udp/4103/webrtc-direct']

const WEBRTC_DIRECT = /\/webrtc-direct(?:\/|$)/

/**
 * The default addresses of a daemon: all IPv4 addresses, and all of IPv6 if the machine has one. Deno ignores
 * `ipv6Only`: a port that it has on IPv4 is taken on IPv6.
 *
 * @param canShare - whether IPv4 and IPv6 can each have the same port
 */
export function defaultListen (
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
  canShare = !('Deno' in globalThis)
): string[] {
  const hasIpv6 = canShare &&
    Object.values(interfaces).some(addresses => addresses?.some(({ family }) => family === 'IPv6'))

  return ['/ip4/0.0.0.0', ...hasIpv6 ? ['/ip6/::'] : []]
    .flatMap(address => DEFAULT_PORTS.map(port => `${address}/${port}`))
}

export interface LoadedTransports {
  transports: Transports
  /** The addresses that have a transport. */
  listen: string[]
  /** Why a transport is missing, if one is. */
  missing?: string
}

/**
 * Loads the transports for some addresses. WebRTC needs a native addon that not every machine can
 * load, so it is loaded only if an address needs it.
 *
 * @param listen - multiaddrs to listen on
 * @param dial - multiaddrs to dial
 */
export async function loadTransports (listen: readonly string[], dial: readonly string[]): Promise<LoadedTransports> {
  const transports: Transports = [tcp(), webSockets(), circuitRelayTransport()]

  try {
    if ([...listen, ...dial].some(address => WEBRTC_DIRECT.test(address))) {
      const { webRTCDirect } = await import('@libp2p/webrtc')
      transports.push(webRTCDirect())
    }

    return { transports, listen: [...listen] }
  } catch (err) {
    return {
      transports,
      listen: listen.filter(address => !WEBRTC_DIRECT.test(address)),
      missing: `WebRTC is not available: its addon node-datachannel failed to load: ${messageOf(err)}`
    }
  }
}
