import { Agent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { AgentOptions } from 'node:https'

/** Connections over HTTP and over HTTPS. */
export class Agents {
  readonly #http: Agent
  readonly #https: HttpsAgent

  constructor (options: AgentOptions) {
    this.#http = new Agent(options)
    this.#https = new HttpsAgent(options)
  }

  for (endpoint: string): Agent {
    return endpoint.startsWith('https:') ? this.#https : this.#http
  }

  close (): void {
    this.#http.destroy()
    this.#https.destroy()
  }
}
