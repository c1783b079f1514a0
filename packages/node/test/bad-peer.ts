import { testNode } from './nodes.ts'
import type { Node } from '../src/network/node/node.ts'
import type { PeerId } from '@libp2p/interface'

const BITSWAP = '/ipfs/bitswap/1.2.0'

/**
 * A node that claims to have every block that it is asked for, and then sends what `answer` returns.
 *
 * @param answer - the message for a multihash, or undefined to send none
 */
export async function badPeer (answer: (wanted: Uint8Array) => Uint8Array | undefined): Promise<Node> {
  const node = await testNode()
  const { libp2p } = node

  const reply = async (wanted: Uint8Array, peer: PeerId): Promise<void> => {
    await send(node, peer, haveMessage(wanted))
    const message = answer(wanted)

    if (message != null) {
      await send(node, peer, message)
    }
  }

  await libp2p.unhandle(BITSWAP)
  await libp2p.handle(BITSWAP, (stream, { remotePeer }) => {
    stream.addEventListener('message', ({ data }) => {
      for (const wanted of hashesIn(data.subarray())) {
        reply(wanted, remotePeer).catch(() => {})
      }
    })
  })

  return node
}

/** A Bitswap message with one block: field 3 with a prefix and data (Bitswap 1.2.0, message.proto). */
export function blockMessage (prefix: readonly number[], data: Uint8Array): Uint8Array {
  const block = Buffer.concat([Buffer.from([0x0A, prefix.length, ...prefix, 0x12]), varint(data.byteLength), data])
  const message = Buffer.concat([Buffer.from([0x1A]), varint(block.byteLength), block])

  return Buffer.concat([varint(message.byteLength), message])
}

/** A message with one presence: field 4 with a CID, and the type 0 for Have. */
function haveMessage (multihash: Uint8Array): Uint8Array {
  const presence = Buffer.concat([Buffer.from([0x0A, 36, 1, 0x55]), multihash, Buffer.from([0x10, 0])])
  const message = Buffer.concat([Buffer.from([0x22, presence.byteLength]), presence])

  return Buffer.concat([varint(message.byteLength), message])
}

/** All SHA-256 multihashes in a message, found by their first two bytes. */
function hashesIn (message: Uint8Array): Uint8Array[] {
  const bytes = Buffer.from(message)
  const found: Uint8Array[] = []

  for (let at = bytes.indexOf('1220', 0, 'hex'); at !== -1; at = bytes.indexOf('1220', at + 34, 'hex')) {
    found.push(bytes.subarray(at, at + 34))
  }

  return found
}

async function send (node: Node, peer: PeerId, message: Uint8Array): Promise<void> {
  const stream = await node.libp2p.dialProtocol(peer, BITSWAP)

  stream.send(message)
  await stream.close()
}

function varint (value: number): Buffer {
  const bytes: number[] = []

  for (; value > 0x7F; value >>>= 7) {
    bytes.push(value & 0x7F | 0x80)
  }

  return Buffer.from([...bytes, value])
}
