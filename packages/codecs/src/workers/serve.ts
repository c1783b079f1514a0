import { messageOf } from '@ipfsz/utils/message-of'
import { CorruptFrameError } from '../errors.ts'
import type { FullImplementation, Implementation, ImplementationModule } from '../implementation.ts'
import type { Request, Response, Start, Started } from './protocol.ts'

/** The globals of a Web Worker. In Node, platform/node.ts defines them. */
declare const self: {
  addEventListener (type: 'message', listener: (event: { data: Start | Request }) => Promise<void>): void
  postMessage (message: Started | Response, transfer?: ArrayBufferLike[]): void
}

/** Runs an implementation in a worker, one call at a time. */
export function serve (create: ImplementationModule['create']): void {
  let starting: Promise<Implementation | undefined> | undefined

  // report failures: an unhandled rejection does not end a Web Worker, so nobody would notice
  const start = async ({ modules }: Start): Promise<Implementation | undefined> => {
    try {
      const implementation = await create(...modules)
      self.postMessage({ started: true })

      return implementation
    } catch (err) {
      self.postMessage({ started: false, reason: reason(err) })

      return undefined
    }
  }

  const respond = async (implementation: Implementation, request: Request): Promise<void> => {
    try {
      const bytes = await answer(implementation as FullImplementation, request)
      self.postMessage({ bytes }, [bytes.buffer])
    } catch (err) {
      self.postMessage({
        failure: reason(err),
        name: err instanceof Error ? err.name : 'Error',
        ...err instanceof CorruptFrameError && err.needsDictionary ? { needsDictionary: true } : {}
      })
    }
  }

  self.addEventListener('message', async ({ data }) => {
    if (starting == null) {
      starting = start(data as Start)
      return
    }

    const implementation = await starting

    if (implementation != null) {
      await respond(implementation, data as Request)
    }
  })
}

/** createCodec never calls a method that the implementation lacks. */
async function answer ({ compress, decompress }: FullImplementation, request: Request): Promise<Uint8Array> {
  return 'compress' in request
    ? compress(request.compress, request.level, { dictionary: request.dictionary })
    : decompress(request.decompress, request.size, { dictionary: request.dictionary })
}

function reason (err: unknown): string {
  return err instanceof CorruptFrameError ? err.reason : messageOf(err)
}
