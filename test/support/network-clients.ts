import { readdir, readFile } from 'node:fs/promises'
import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { createHeliaLight } from 'helia'
import type { Helia, HeliaInit } from 'helia'

/**
 * A stock Helia node that is connected to one peer and knows no other. It sends no pings: among many nodes of
 * one process, on a busy machine, answers come too late, and the node would close its only connection.
 */
export async function heliaClient (address: string): Promise<Helia> {
  const helia = withBitswap(withLibp2pLight(createHeliaLight(), {
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionMonitor: { enabled: false },
    services: { identify: identify() }
  }))

  await helia.start()
  await helia.libp2p.dial(multiaddr(address))

  return helia
}

/**
 * A stock Helia with blocks, no peers, and a loopback port. It checks its peers every second
 * instead of every ten, to keep the test short.
 */
export async function heliaProvider (
  blockstore: HeliaInit['blockstore']
): Promise<{ helia: Helia, port: number, peerId: string }> {
  const helia = withBitswap(withLibp2pLight(createHeliaLight({ blockstore }), {
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionMonitor: { pingInterval: 1000 },
    services: { identify: identify() }
  }))

  await helia.start()
  const [address] = helia.libp2p.getMultiaddrs()

  return { helia, port: Number(address.toString().split('/')[4]), peerId: helia.libp2p.peerId.toString() }
}

/** The peak memory of a process, in bytes (proc_pid_status(5)). */
export async function peakMemory (pid: number): Promise<number> {
  return Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

/** The number of files and sockets that a process has open. */
export async function openFiles (pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length
}
