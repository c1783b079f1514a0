/** A DNS server on loopback that knows some TXT records (RFC 1035). */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

const TXT = 16
const IN = 1
/** Response, recursion desired and available; and with the code for a name that does not exist. */
const FOUND = 0x8180
const NO_SUCH_NAME = 0x8183
/** The answer is longer than a datagram: to be asked again over TCP. */
const TRUNCATED = 0x8380
/** The name of the answer is that of the question, which follows the header of 12 bytes. */
const SAME_NAME = 0xc00c

export interface DnsServer {
  /** For `setServers` of `node:dns`. */
  address: string
  /** The names that were asked for. */
  asked: string[]
  close: () => Promise<void>
}

interface DnsServerOptions {
  /** Whether datagrams say that the answer is too long, as it is with many records. */
  overTcp?: boolean
}

/** @param records - the text of each name, of at most 255 bytes */
export async function startDnsServer (
  records: Readonly<Record<string, string>>,
  { overTcp = false }: DnsServerOptions = {}
): Promise<DnsServer> {
  const asked: string[] = []
  const answerTo = (query: Buffer, isTruncated: boolean): Buffer => {
    const { name, end } = readQuestion(query)
    asked.push(name)

    return answer(query.subarray(0, end), records[name], isTruncated)
  }
  // each message follows its length
  const tcp = createServer(connection => {
    connection.on('error', () => {}).on('data', query => {
      const message = answerTo(query.subarray(2), false)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(message.byteLength)
      connection.end(Buffer.concat([length, message]))
    })
  })
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  const udp = createSocket('udp4', (query, from) => {
    udp.send(answerTo(query, overTcp), from.port, from.address)
  })
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')

  return {
    address: `127.0.0.1:${port}`,
    asked,
    async close () {
      udp.close()
      tcp.close()
      await Promise.all([once(udp, 'close'), once(tcp, 'close')])
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

function answer (query: Buffer, record: string | undefined, isTruncated: boolean): Buffer {
  const text = isTruncated ? undefined : record
  const header = Buffer.alloc(12)
  const bytes = Buffer.from(text ?? '')
  const row = Buffer.alloc(13)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(isTruncated ? TRUNCATED : text == null ? NO_SUCH_NAME : FOUND, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(text == null ? 0 : 1, 6)
  row.writeUInt16BE(SAME_NAME, 0)
  row.writeUInt16BE(TXT, 2)
  row.writeUInt16BE(IN, 4)
  row.writeUInt32BE(60, 6)
  row.writeUInt16BE(bytes.byteLength + 1, 10)
  row.writeUInt8(bytes.byteLength, 12)

  return Buffer.concat([header, query.subarray(12), ...text == null ? [] : [row, bytes]])
}
