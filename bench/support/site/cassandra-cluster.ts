/**
 * Runs a cluster of Cassandra on a host, and prints the URL of the node that answers. A line of stdin kills one of the
 * others, and it ends with stdin. `cassandra.ts` starts it in a network namespace.
 */
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { atExit } from '../at-exit.ts'
import { withDirectory } from '../temporary.ts'
import { createTable } from './cassandra-blockstore.ts'
import { CQL_PORT, createCassandraNode, NODES } from './cassandra-node.ts'

/** How long the nodes may take to start, in milliseconds: nine of them, on two cores. */
const START_TIMEOUT = 300_000
/** How long to wait before the next attempt, in milliseconds. */
const INTERVAL = 1000

const address = process.argv[2]
const place = `cassandra://${address}:${CQL_PORT}`

await withDirectory(async directory => {
  const nodes = await Promise.all(Array.from({ length: NODES }, async (_, number) => createCassandraNode({
    number, address, directory: join(directory, `node-${number}`)
  })))
  // before the directory is removed
  const stay = atExit(() => { nodes.forEach(node => { void node.kill() }) })

  try {
    const deadline = performance.now() + START_TIMEOUT
    nodes.forEach(node => { node.start() })
    await nodes[0].waitUntil(async () => works(deadline))
    process.stdout.write(`${place}\n`)

    for await (const _ of createInterface({ input: process.stdin })) {
      await nodes[1].kill()
      process.stdout.write('killed\n')
    }
  } finally {
    await Promise.all(nodes.map(async node => node.kill()))
    stay()
  }
})

process.exit()

async function works (deadline: number): Promise<boolean> {
  try {
    await createTable(place, NODES)
    return true
  } catch (err) {
    if (performance.now() > deadline) {
      throw new Error(`Cassandra did not start within ${START_TIMEOUT} ms`, { cause: err })
    }

    await setTimeout(INTERVAL)
    return false
  }
}
