import type { AbortOptions, MessageStream, MessageStreamEvents } from '@libp2p/interface'

/**
 * Wait for an event of a stream, or for its end.
 *
 * @throws the signal's reason, when it is aborted
 */
export async function waitFor (stream: MessageStream, event: keyof MessageStreamEvents, { signal }: AbortOptions = {}): Promise<void> {
  signal?.throwIfAborted()

  await new Promise<void>((resolve, reject) => {
    const settle = (): void => {
      stream.removeEventListener(event, settle)
      stream.removeEventListener('close', settle)
      signal?.removeEventListener('abort', settle)

      if (signal?.aborted === true) {
        reject(signal.reason as Error)
      } else {
        resolve()
      }
    }

    stream.addEventListener(event, settle)
    stream.addEventListener('close', settle)
    signal?.addEventListener('abort', settle)
  })
}
