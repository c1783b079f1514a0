import { parentPort } from 'node:worker_threads'
import type { Transferable } from 'node:worker_threads'

/** The answer to a call. */
export type Reply = { result: unknown } | { failure: unknown }

/** What a call gives. */
export interface Answer<Result> {
  result: Result
  /** What the calling thread takes over. */
  transfer?: readonly Transferable[]
}

/** Answer the calls of the thread that started this one, one after the other. */
export function serve<Request, Result> (answer: (request: Request) => Answer<Result> | Promise<Answer<Result>>): void {
  let last = Promise.resolve()

  const reply = async (request: Request): Promise<void> => {
    try {
      const { result, transfer } = await answer(request)
      parentPort?.postMessage({ result } satisfies Reply, transfer)
    } catch (failure) {
      parentPort?.postMessage({ failure } satisfies Reply)
    }
  }

  parentPort?.on('message', (request: Request) => {
    last = last.then(async () => reply(request))
  })
}
