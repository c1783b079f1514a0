import { Agent, createServer, request } from 'node:http'
import { listen } from './loopback.ts'

/** An HTTP proxy on loopback that counts requests, and delays each. */
export interface CountingProxy {
  /** The URL to use in the place of the server's. */
  url: string
  /** What was asked since the last call: requests by their methods, and bytes of bodies in both directions. */
  take (): { requests: Record<string, number>, bytes: number }
  close (): Promise<void>
}

/**
 * @param target - the URL of the server
 * @param delay - milliseconds before each request is sent on: requests at the same time wait at the same time
 */
export async function countingProxy (target: string, delay: number): Promise<CountingProxy> {
  const agent = new Agent({ keepAlive: true })
  const { hostname, port } = new URL(target)
  let requests: Record<string, number> = {}
  let bytes = 0
  const count = (chunk: Uint8Array): void => { bytes += chunk.byteLength }

  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path, rawHeaders: headers } = incoming
    requests[method] = (requests[method] ?? 0) + 1
    incoming.on('data', count).pause()

    setTimeout(() => {
      const sent = request({ agent, hostname, port, method, path, headers }, answer => {
        outgoing.writeHead(answer.statusCode as number, answer.rawHeaders)
        answer.on('data', count).pipe(outgoing)
      })
      sent.on('error', () => outgoing.destroy())
      incoming.pipe(sent)
    }, delay)
  })

  return {
    url: `http://127.0.0.1:${await listen(server)}`,

    take () {
      const taken = { requests, bytes }
      requests = {}
      bytes = 0

      return taken
    },

    async close () {
      agent.destroy()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    }
  }
}
