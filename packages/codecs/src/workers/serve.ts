import { CorruptFrameError } from '../errors.ts'
import type { Implementation, ImplementationModule } from '../implementation.ts'
import type { Ready, Request, Response, Start } from './protocol.ts'

/** What a worker has in both worlds: in Node, platform/node.ts sees to it. */
declare const self: {
  onmessage: (event: { data: Start | Request }) => Promise<void>
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
      const bytes = await answer(implementation, request)
      self.postMessage({ bytes }, [bytes.buffer])
    } catch (err) {
      self.postMessage({ failure: reason(err) })
    }
  }

  self.onmessage = async ({ data }) => {
    if (starting == null) {
      starting = start((data as Start).module)
      await starting
    } else {
      await respond(await starting, data as Request)
    }
  }
}

async function answer ({ compress, decompress }: Implementation, request: Request): Promise<Uint8Array> {
  if ('decompress' in request) {
    return decompress(request.decompress, request.size)
  }

  if (compress == null) {
    throw new Error('This implementation only decompresses')
  }

  return compress(request.compress, request.level)
}

function reason (err: unknown): string {
  return err instanceof CorruptFrameError ? err.reason : String(err instanceof Error ? err.message : err)
}
