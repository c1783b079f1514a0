import { Uint8ArrayList } from 'uint8arraylist'
import { beforeEach, describe, expect, it } from 'vitest'
import { noise } from '../../../test/support/data.ts'
import { MEASURED_BYTES } from '../src/constants.ts'
import { encodeStoredHeader } from '../src/frames/frame.ts'
import { Sender } from '../src/connection/sender.ts'
import { Traffic } from '../src/traffic.ts'
import type { StreamCodec } from '../src/codecs/stream-codec.ts'
import type { MessageStream } from '@libp2p/interface'

const MUXER_HEADER = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 13, 64)

describe('a sender whose bytes do not shrink', () => {
  let sent: Uint8ArrayList[]
  let errors: Error[]
  let sender: Sender
  let encoded: number
  let fail: Error | undefined

  beforeEach(async () => {
    sent = []
    errors = []
    encoded = 0
    fail = undefined
    const codec = {
      type: 1,
      independent: false,
      createEncoder: () => ({
        encode: async (bytes: Uint8Array) => {
          encoded++

          if (fail != null) {
            throw fail
          }

          return [bytes]
        },
        close: () => {}
      })
    } as unknown as StreamCodec

    sender = new Sender({
      inner: { writableNeedsDrain: false, send: (list: Uint8ArrayList) => sent.push(list) } as unknown as MessageStream,
      codec,
      level: 1,
      traffic: new Traffic('/x', 'outbound'),
      onDrain: () => {},
      onError: err => { errors.push(err) }
    })
  })

  async function store (): Promise<void> {
    sender.send(new Uint8ArrayList(noise(MEASURED_BYTES)))
    await sender.flushed()
    sent = []
    encoded = 0
  }

  it('sends long pieces without copying them, and joins short ones with the header', async () => {
    await store()
    const [one, two] = [noise(100_000), noise(100_000, 2)]

    sender.send(new Uint8ArrayList(MUXER_HEADER, one, two))

    expect(sent).toHaveLength(1)
    const pieces = [...sent[0]]
    expect(pieces).toHaveLength(3)
    expect(pieces[0]).toEqual(new Uint8Array([...encodeStoredHeader(200_012), ...MUXER_HEADER]))
    expect(pieces[1].buffer).toBe(one.buffer)
    expect(pieces[2].buffer).toBe(two.buffer)
  })

  it('sends the header of a long message as a piece of its own', async () => {
    await store()
    const one = noise(100_000)

    sender.send(new Uint8ArrayList(one))

    expect([...sent[0]]).toEqual([encodeStoredHeader(100_000), one])
  })

  it('tries to compress two frames in 10 MB', async () => {
    await store()

    for (let i = 0; i < 100; i++) {
      sender.send(new Uint8ArrayList(noise(100_000, i + 1)))
      await sender.flushed()
    }

    // after 2 MiB and after 4 MiB more
    expect(encoded).toBe(2)
  })

  it('reports an error of its codec once, and sends nothing afterwards', async () => {
    fail = new Error('broken')

    sender.send(new Uint8ArrayList(noise(300_000)))
    await sender.flushed()
    sender.send(new Uint8ArrayList(noise(300_000)))
    await sender.flushed()

    expect(errors).toEqual([fail])
    expect(sent).toEqual([])
    expect(encoded).toBe(1)
  })
})
