/** A program for tests of threads: it does what it is told. */
import { serve } from '../src/threads/serve.ts'

export type EchoRequest = { echo: Uint8Array<ArrayBuffer> } | { fail: string } | { exit: number } | { fill: true }

serve<EchoRequest, Uint8Array<ArrayBuffer>>(request => {
  if ('fail' in request) {
    throw new RangeError(request.fail)
  }

  if ('exit' in request) {
    process.exit(request.exit)
  }

  if ('fill' in request) {
    const held: unknown[] = []

    for (;;) {
      held.push(Array.from({ length: 100_000 }, (_, i) => ({ i })))
    }
  }

  return { result: request.echo, transfer: [request.echo.buffer] }
})
