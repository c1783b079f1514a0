import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { messageOf } from '@ipfsz/utils/message-of'
import { MIN_PROGRESS, PIECE_SIZE, SLOWEST_RATE } from '../constants.ts'
import { breakConnection } from './agents.ts'
import { AnswerReader, AnswerTooLarge } from './answer-reader.ts'
import { TimeBudget } from './time-budget.ts'
import type { S3ObjectsInit } from '../contract.ts'
import type { S3Phase } from '../errors.ts'
import type { Agent, IncomingHttpHeaders } from 'node:http'

export interface Exchange {
  method: string
  url: URL
  headers: Record<string, string>
  body?: Uint8Array | undefined
  agent: Agent
  timeouts: Timeouts
  budget: TimeBudget
  /** Maximum number of bytes of an answer that is no error. */
  maxBytes: number
  onReceived?: S3ObjectsInit['onReceived']
  signal?: AbortSignal | null | undefined
}

/** In milliseconds. */
export interface Timeouts {
  connect: number
  response: number
  progress: number
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** When the headers arrived, by a monotonic clock. */
  arrived: number
}

/** The network failed. */
export class TransportFailure extends Error {
  readonly phase: S3Phase
  /** Whether the request went over a connection that was kept: the server may have closed it just then. */
  readonly reused: boolean

  constructor (phase: S3Phase, reused: boolean, message: string, cause?: unknown) {
    super(message, { cause })
    this.phase = phase
    this.reused = reused
  }
}

/** The store accepted the request, and then sent or took too little. */
export class Stall extends TransportFailure {}

/** The answer does not have the checksum that the store names: it was damaged on its way, or in the store. */
export class WrongChecksum extends TransportFailure {}

/**
 * Send one request, and read its answer completely.
 *
 * @throws {TransportFailure}
 * @throws {AnswerTooLarge}
 * @throws the reason of the signal
 */
export async function exchange ({
  method, url, headers, body, agent, timeouts, budget, maxBytes, onReceived, signal
}: Exchange): Promise<Answer> {
  signal?.throwIfAborted()

  return new Promise((resolve, reject) => {
    let phase: S3Phase = 'connect'
    let timer: NodeJS.Timeout | undefined
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const request = send(url, { method, headers, agent })

    const end = (settle: () => void): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      settle()
    }
    const giveUp = (): void => {
      if (request.socket != null) {
        breakConnection(request.socket)
      }

      request.destroy()
    }
    const fail = (err: unknown): void => {
      end(() => { reject(err instanceof Error ? err : new Error(String(err))) })
      giveUp()
    }
    const failTransport = (message: string, cause?: unknown): void => {
      fail(new TransportFailure(phase, request.reusedSocket, message, cause))
    }
    const failStalled = (message: string): void => { fail(new Stall(phase, request.reusedSocket, message)) }
    const onAbort = (): void => { end(() => { reject(signal?.reason as Error) }); giveUp() }
    // a timer that looks at intervals whether enough has been transferred
    const watch = (transferred: () => number, interval: number, own = new TimeBudget(interval, SLOWEST_RATE)): void => {
      const before = transferred()
      clearTimeout(timer)
      timer = setTimeout(() => {
        const more = transferred() - before

        if (more < MIN_PROGRESS) {
          failStalled(`${transferred()} bytes were transferred, and then fewer than ${MIN_PROGRESS} in ${
            interval} ms`)
        } else if ([own, budget].some(time => time.isSpent(more))) {
          failStalled(`${transferred()} bytes were transferred, too slowly`)
        } else {
          watch(transferred, interval, own)
        }
      }, interval)
    }
    // and one for an answer: a store may think for long, and then sends its headers at once
    const awaitAnswer = (left: number, hasBegun = false): void => {
      const before = request.socket?.bytesRead
      const milliseconds = Math.min(left, timeouts.progress / 2)
      clearTimeout(timer)
      timer = setTimeout(() => {
        if (hasBegun || left <= milliseconds) {
          failStalled(hasBegun ? 'the headers of the answer arrive too slowly' : `the answer took more than ${
            timeouts.response} ms`)
        } else {
          awaitAnswer(left - milliseconds, request.socket?.bytesRead !== before)
        }
      }, milliseconds)
    }
    const onSent = (): void => {
      if (phase === 'send') {
        phase = 'response'
        awaitAnswer(timeouts.response)
      }
    }
    // in pieces, as Node does not say how much of one it has sent
    let sent = 0
    const sendFrom = (offset: number): void => {
      sent = offset
      const end = offset + PIECE_SIZE

      if (body == null || end >= body.byteLength) {
        request.end(body?.subarray(offset))
      } else {
        request.write(body.subarray(offset, end), err => {
          if (err == null) {
            sendFrom(end)
          }
        })
      }
    }
    const onConnected = (): void => {
      phase = 'send'

      if (request.writableFinished) {
        onSent()
      } else {
        // the system takes the next bytes when it has sent a third of what it holds, which may be 4 MiB
        watch(() => sent, timeouts.response)
      }
    }

    signal?.addEventListener('abort', onAbort)
    request.on('error', (err: NodeJS.ErrnoException) => { failTransport(describe(err), err) })
    request.on('finish', onSent)
    request.on('socket', socket => {
      if (socket.connecting) {
        timer = setTimeout(() => {
          failTransport(`connecting took more than ${timeouts.connect} ms`)
        }, timeouts.connect)
        socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', onConnected)
      } else {
        onConnected()
      }
    })
    request.on('response', response => {
      const { statusCode: status = 0, headers } = response
      const tell = (): void => {
        try {
          onReceived?.(status)
        } catch {
          // it must not fail a request
        }
      }
      const reader = new AnswerReader(response, { method, max: maxBytes, onChunk: tell })
      const arrived = performance.now()
      tell()
      phase = 'body'
      // Ceph begins to answer a POST, which deletes up to 1,000 objects, before it has deleted one
      watch(() => reader.received, method === 'POST' ? timeouts.response : timeouts.progress)
      const onBody = (body: Buffer): void => {
        end(() => { resolve({ status, headers, body, arrived }) })

        if (!request.writableFinished) {
          giveUp()
        }
      }
      const onError = (err: unknown): void => {
        if (err instanceof AnswerTooLarge) {
          fail(err)
        } else {
          failTransport(`the answer ended after ${reader.received} bytes: ${messageOf(err)}`, err)
        }
      }

      reader.read().then(onBody, onError)
    })
    sendFrom(0)
  })
}

function describe ({ message, code }: NodeJS.ErrnoException): string {
  // how OpenSSL says that the first bytes of an answer are none of TLS
  if (message.includes('wrong version number')) {
    return 'it does not use TLS. If it uses plain HTTP, use a URL that begins with http://'
  }

  // one that failed for every address of a name has a code, and no message
  return message || String(code)
}
