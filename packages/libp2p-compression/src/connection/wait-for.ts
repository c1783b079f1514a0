import { raceSignal } from 'race-signal'
import type { AbortOptions, MessageStream, MessageStreamEvents } from '@libp2p/interface'

/**
 * Wait for an event of a stream, or for its end.
 *
 * @throws the signal's reason if it is aborted
 */
export async function waitFor (
  stream: MessageStream,
  event: keyof MessageStreamEvents,
  { signal }: AbortOptions = {}
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const onEvent = (): void => { resolve() }

  stream.addEventListener(event, onEvent)
  stream.addEventListener('close', onEvent)

  try {
    await raceSignal(promise, signal)
  } finally {
    stream.removeEventListener(event, onEvent)
    stream.removeEventListener('close', onEvent)
  }
}
