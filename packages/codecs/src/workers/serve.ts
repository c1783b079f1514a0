import { CorruptFrameError } from '../errors.ts'
import type { Implementation, ImplementationModule } from '../implementation.ts'
import type { Ready, Request, Response, Start } from './protocol.ts'

/** What a worker has in both worlds: in Node, platform/node.ts sees to it. */
declare const self: {
  addEventListener (type: 'message', listener: (event: { data: Start | Request }) => Promise<void>): void
  postMessage (message: Ready | Response, transfer?: ArrayBufferLike[]): void
}

/** The program of a worker: one implementation, one call at a time. */
export function serve (create: ImplementationModule['create']): void {
  let starting: Promise<Implementation> | undefined

  const start = async (module: WebAssembly.Module | undefined): Promise<Implementation> => {
    const implementation = await create(module)
    self.postMessage({ ready: true })

    return implementation
  }

  const respond = async (implementation: Implementation, request: Request): Promise<void> => {
    try {
      const bytes = await answer(implementation as Required<Implementation>, request)
      self.postMessage({ bytes }, [bytes.buffer])
    } catch (err) {
      self.postMessage({ failure: reason(err) })
    }
  }

  self.addEventListener('message', async ({ data }) => {
    if (starting == null) {
      starting = start((data as Start).module)
      await starting
    } else {
      await respond(await starting, data as Request)
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
