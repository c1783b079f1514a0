/**
 * Closes the connections of a Kubo node, and opens them again. `kubo-sides.ts` runs it in the node's namespace when all
 * nodes have started.
 *
 * Kubo's Bitswap never learns of a connection that was made before it started (docs/upstream.md), which happens where
 * nodes of a site start together: one of the two then asks the other for nothing, and a read waits for ever.
 */
import { API_PORT, SWARM_PORT } from './messages.ts'

const ATTEMPTS = 10

const { Peers } = await ask('swarm/peers') as { Peers: Array<{ Addr: string, Peer: string }> | null }

await Promise.all([...new Map((Peers ?? []).map(({ Peer, Addr }) => [Peer, Addr]))].map(async ([peer, address]) => {
  // of a connection that the other node made, the port is not the one to dial
  const [, , host] = address.split('/')

  await ask('swarm/disconnect', `/p2p/${peer}`)
  await connect(`/ip4/${host}/tcp/${SWARM_PORT}/p2p/${peer}`)
}))

/** A dial fails if the other node dials this one just then: both begin the handshake as clients. */
async function connect (address: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await ask('swarm/connect', address)
      return
    } catch (err) {
      if (attempt === ATTEMPTS) {
        throw err
      }
    }
  }
}

async function ask (command: string, arg?: string): Promise<unknown> {
  const query = arg == null ? '' : `?${new URLSearchParams({ arg })}`
  const response = await fetch(`http://127.0.0.1:${API_PORT}/api/v0/${command}${query}`, { method: 'POST' })

  if (!response.ok) {
    throw new Error(`ipfs ${command} failed: ${await response.text()}`)
  }

  return response.json()
}
