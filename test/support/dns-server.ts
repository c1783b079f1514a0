/** A DNS server on loopback that knows some TXT records (RFC 1035). */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

const TXT = 16
const IN = 1
/** Response, recursion desired and available; and with the code for a name that does not exist. */
const FOUND = 0x8180
const NO_SUCH_NAME = 0x8183
/** The name of the answer is that of the question, which follows the header of 12 bytes. */
const SAME_NAME = 0xc00c

export interface DnsServer {
  /** For `setServers` of `node:dns`. */
  address: string
  /** The names that were asked for. */
  asked: string[]
  close: () => Promise<void>
}

/** @param records - the text of each name, of at most 255 bytes */
export async function startDnsServer (records: Readonly<Record<string, string>>): Promise<DnsServer> {
  const asked: string[] = []
  const socket = createSocket('udp4', (query, { port, address }) => {
    const { name, end } = readQuestion(query)
    asked.push(name)
    socket.send(answer(query.subarray(0, end), records[name]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')

  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    asked,
    async close () {
      socket.close()
      await once(socket, 'close')
    }
  }
}

function readQuestion (query: Buffer): { name: string, end: number } {
  const labels: string[] = []
  let at = 12

  while (query[at] > 0) {
    labels.push(query.subarray(at + 1, at + 1 + query[at]).toString())
    at += 1 + query[at]
  }

  // the empty label, type and class
  return { name: labels.join('.').toLowerCase(), end: at + 5 }
}

function answer (query: Buffer, text: string | undefined): Buffer {
  const header = Buffer.alloc(12)
  const bytes = Buffer.from(text ?? '')
  const record = Buffer.alloc(13)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(text == null ? NO_SUCH_NAME : FOUND, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(text == null ? 0 : 1, 6)
  record.writeUInt16BE(SAME_NAME, 0)
  record.writeUInt16BE(TXT, 2)
  record.writeUInt16BE(IN, 4)
  record.writeUInt32BE(60, 6)
  record.writeUInt16BE(bytes.byteLength + 1, 10)
  record.writeUInt8(bytes.byteLength, 12)

  return Buffer.concat([header, query.subarray(12), ...text == null ? [] : [record, bytes]])
}
