import { CorruptFrameError } from '../errors.ts'
import type { Implementation, ImplementationModule } from '../implementation.ts'
import type { Request, Response, Start, Started } from './protocol.ts'

/** What a worker has in both worlds: in Node, platform/node.ts sees to it. */
declare const self: {
  addEventListener (type: 'message', listener: (event: { data: Start | Request }) => Promise<void>): void
  postMessage (message: Started | Response, transfer?: ArrayBufferLike[]): void
}

/** The program of a worker: one implementation, one call at a time. */
export function serve (create: ImplementationModule['create']): void {
  let starting: Promise<Implementation | undefined> | undefined

  // a failure is said: Web Workers do not end of a rejection, and nobody would hear of it
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
      const bytes = await answer(implementation as Required<Implementation>, request)
      self.postMessage({ bytes }, [bytes.buffer])
    } catch (err) {
      self.postMessage({ failure: reason(err), name: err instanceof Error ? err.name : 'Error' })
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

/** Nothing is asked of an implementation that it is not there for. */
async function answer ({ compress, decompress }: Required<Implementation>, request: Request): Promise<Uint8Array> {
  return 'compress' in request
    ? compress(request.compress, request.level)
    : decompress(request.decompress, request.size)
}

function reason (err: unknown): string {
  return err instanceof CorruptFrameError ? err.reason : String(err instanceof Error ? err.message : err)
}
