import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { CodecName } from '@ipfsz/codecs'

const PROGRAM = join(import.meta.dirname, 'gateway-program.ts')

/** A file that the gateway serves. */
export interface AddedFile {
  bytes: Uint8Array
  codec: CodecName
  frameSize?: number | undefined
  level?: number | undefined
  /**
   * `wide` and `checksummed`: zstd frames with a window of 16 MiB, or with checksums, as another writer of our format
   * might make them. `stream`: `bytes` are a stream that another tool compressed. Undefined: IPFSz compresses it.
   */
  form?: 'wide' | 'checksummed' | 'stream' | undefined
  /** Whether reads of a block in its second half never end, so that every response with the whole file stops there. */
  holds?: boolean | undefined
}

/** A request, and how it was answered. */
export interface Answered {
  method: string
  url: string
  range: string | null
  status: number
  contentRange: string | null
  encoding: string | null
}

export interface AddRequest {
  id: number
  file: AddedFile
}

/** A message of the process to its parent. */
export interface Report {
  listening?: { http: string, https: string }
  added?: { id: number, cid?: string, error?: string }
  answered?: Answered
}

export interface GatewayProcess {
  /** Where it speaks HTTP/1.1. */
  http: string
  /** Where it speaks HTTP/2, or HTTP/1.1 to clients that ask for it, with a certificate that no client trusts. */
  https: string
  /** The requests until now. */
  answered: readonly Answered[]
  /** Add a file, and return its path. */
  add (file: AddedFile): Promise<string>
  /** End it as `kill -9` does. */
  kill (): Promise<void>
}

/** Start a gateway with an empty store. */
export async function startGateway (): Promise<GatewayProcess> {
  const child = fork(PROGRAM, { serialization: 'advanced', execArgv: [] })
  const ended = once(child, 'exit')
  const answered: Answered[] = []
  const adding = new Map<number, PromiseWithResolvers<string>>()
  const { promise: listening, resolve, reject } = Promise.withResolvers<{ http: string, https: string }>()
  let calls = 0

  child.once('error', reject)
  child.once('exit', code => { reject(new Error(`the gateway ended with ${code}`)) })
  child.on('message', (report: Report) => {
    if (report.listening != null) {
      resolve(report.listening)
    } else if (report.answered != null) {
      answered.push(report.answered)
    } else if (report.added != null) {
      const { id, cid, error } = report.added

      if (cid == null) {
        adding.get(id)?.reject(new Error(error))
      } else {
        adding.get(id)?.resolve(`/ipfs/${cid}`)
      }
    }
  })

  return {
    ...await listening,
    answered,
    add: async file => {
      const id = calls++
      const added = Promise.withResolvers<string>()

      adding.set(id, added)
      child.send({ id, file } satisfies AddRequest)

      return Promise.race([added.promise, ended.then(() => { throw new Error('the gateway ended') })])
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    }
  }
}
