import { readdir } from 'node:fs/promises'
import { run } from '../../../test/support/tools.ts'
import { JARS } from './cassandra-node.ts'
import { startClusters } from './cluster-storage.ts'
import type { Storage } from './storage.ts'

/** The versions of Java that Cassandra 5 starts on. */
const JAVA = new Set(['11', '17'])
const INSTALL = 'on Debian: apt-get install openjdk-17-jre-headless maven, then npm run cassandra'

/**
 * A cluster of Cassandra in each site: three nodes, each with a copy of all blocks, of which two confirm every write
 * and every read. Each takes 0.7 GB of memory.
 */
export const CASSANDRA: Storage = {
  name: 'Cassandra',
  startSeconds: 100,
  software: async () => [`Cassandra ${await version() ?? ''}`],

  async missing () {
    const java = await run('java', ['--version']).catch((err: Error) => err)

    if (java instanceof Error) {
      return java.message
    }

    const [, number = ''] = / (\d+)/.exec(String(java)) ?? []

    if (!JAVA.has(number)) {
      return `Cassandra needs Java 11 or 17, and this is ${number}: ${INSTALL}`
    }

    return await version() == null ? `Cassandra is not there: ${INSTALL}` : undefined
  },

  start: async init => startClusters(init, 'cassandra-cluster.ts')
}

async function version (): Promise<string | undefined> {
  const files = await readdir(JARS).catch(() => [])

  return files.flatMap(file => /^cassandra-all-(.+)\.jar$/.exec(file)?.[1] ?? [])[0]
}
