import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { sendTogether } from '../src/network/helia-internals/send-together.ts'
import type { MessageStream } from '@libp2p/interface'

/** A connection as @libp2p/tcp has it, and the sizes that its socket was given at a time. */
function tcpConnection () {
  const packets: number[][] = []
  const socket = new Duplex({
    read () {},
    writev (chunks, done) {
      packets.push(chunks.map(({ chunk }) => (chunk as Uint8Array).byteLength))
      done()
    }
  })
  const connection = {
    socket,
    sendData: (parts: Uint8Array[]) => ({ canSendMore: parts.map(part => socket.write(part)).every(Boolean) })
  }

  return { packets, connection, send: (...sizes: number[]) => connection.sendData(sizes.map(n => new Uint8Array(n))) }
}

describe('sendTogether', () => {
  it('sends what is given in one turn in one packet, and what is given later in another one', async () => {
    const { packets, connection, send } = tcpConnection()
    sendTogether(connection as unknown as MessageStream)

    send(2, 28)
    send(2, 69)
    await setImmediate()
    send(2, 80)
    await setImmediate()

    expect(packets).to.deep.equal([[2, 28, 2, 69], [2, 80]])
  })

  it('says that no more can be sent when the socket is full', () => {
    const { connection, send } = tcpConnection()
    sendTogether(connection as unknown as MessageStream)

    expect(send(2, 100)).to.deep.equal({ canSendMore: true })
    expect(send(connection.socket.writableHighWaterMark)).to.deep.equal({ canSendMore: false })
  })

  it('sends what was given just before the connection is closed', async () => {
    const { packets, connection, send } = tcpConnection()
    sendTogether(connection as unknown as MessageStream)

    send(2, 28)
    connection.socket.end()
    await setImmediate()

    expect(packets.flat()).to.deep.equal([2, 28])
  })

  it('leaves connections of other kinds as they are', () => {
    const other = { sendData: setImmediate }
    sendTogether(other as unknown as MessageStream)

    expect(other.sendData).to.equal(setImmediate)
  })
})
