import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { run } from './tools.ts'

export interface OfflineKubo {
  /** The path of its repo, known once the tests run. */
  directory (): string
  /** Run a command of it, and return what it prints. */
  ipfs (args: string[], input?: Uint8Array): Promise<Buffer>
}

/** A Kubo without daemon and network, with its own repo, for the tests of one file. */
export function useKubo (): OfflineKubo {
  let directory: string

  const ipfs: OfflineKubo['ipfs'] = async (args, input) =>
    run('ipfs', ['--offline', ...args], input, { IPFS_PATH: directory, IPFS_TELEMETRY: 'off' })

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ipfsz-kubo-'))
    await ipfs(['init', '--profile=test'])
  })

  afterAll(async () => {
    await rm(directory, { recursive: true, force: true })
  })

  return { directory: () => directory, ipfs }
}
