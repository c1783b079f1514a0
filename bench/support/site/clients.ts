import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { atExit } from '../at-exit.ts'
import { untilEnded } from '../until-ended.ts'
import { CLIENT } from './wan.ts'
import type { Job, Outcome } from './messages.ts'
import type { Wan } from './wan.ts'

/** The clients of all sites. Each runs until they are closed, so that its connections stay open. */
export interface Clients {
  run (site: number, job: Job): Promise<Outcome[]>
  close (): Promise<void>
}

export function startClients (wan: Wan, sites: number): Clients {
  const clients = Array.from({ length: sites }, (_, i) => {
    const [command, args] = wan.on(i + 1, CLIENT, [process.execPath, join(import.meta.dirname, 'client.ts')])
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const stay = atExit(() => { child.kill() })

    return { child, stay, answers: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
  })

  return {
    async run (site, job) {
      const { child, answers } = clients[site - 1]
      child.stdin.write(`${JSON.stringify(job)}\n`)
      const { value, done } = await answers.next()

      if (done === true) {
        throw new Error(`the client of site ${site} ended: see what it printed above`)
      }

      return JSON.parse(value) as Outcome[]
    },

    async close () {
      await Promise.all(clients.map(async ({ child, stay }) => {
        child.stdin.end()
        await untilEnded(child)
        stay()
      }))
    }
  }
}
