import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'

const counts: Record<string, number> = {}

function count (what: string): void {
  counts[what] = (counts[what] ?? 0) + 1
}

/**
 * Writes how many HTTP requests of the process got which status, and how many failed with which error, as JSON to the
 * file that $REQUESTS_FILE names.
 */
subscribe('http.client.response.finish', message => {
  const { response } = message as { response: IncomingMessage }
  count(String(response.statusCode))
})
subscribe('http.client.request.error', message => {
  const { error } = message as { error: NodeJS.ErrnoException }
  count(error.code ?? error.message)
})
process.on('exit', () => { writeFileSync(String(process.env.REQUESTS_FILE), JSON.stringify(counts)) })
