import { onTestFinished } from 'vitest'
import { listen } from './listen.ts'

/** Listen on a free port of loopback until the test ends. Returns the port. */
export async function listenInTest (server: Parameters<typeof listen>[0]): Promise<number> {
  const { port, close } = await listen(server)
  onTestFinished(close)

  return port
}
